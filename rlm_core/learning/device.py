"""Where networks run: a named device, or the best one that this machine has."""

from __future__ import annotations

import torch


def pick_device(name: str = "auto") -> torch.device:
    """The device called ``name``; "auto" takes cuda, then mps, then cpu."""
    if name != "auto":
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
