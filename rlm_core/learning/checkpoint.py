"""Where a training stands, in a file: a training that was interrupted goes on from it, another one does not.

A checkpoint belongs to the settings, and to all that the training says it stems from: its preset, its seed, and the
SHA-256 of its rows. Rows that changed, though they are as many as before, are another training's; so is a preset with
another clip radius, or with less noise under central DP. Whatever differs is named, and nothing is overwritten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn


def origin(stems_from: Mapping[str, Any]) -> dict[str, Any]:
    """What a training stems from as a checkpoint keeps it: of tensors the SHA-256, all else as it is.

    >>> found = origin({"seed": 1, "data": torch.zeros(2)})
    >>> found["seed"], found["data"][:14]
    (1, 'SHA-256 ca3bc6')
    """
    return {name: _checksum(value) if isinstance(value, Tensor) else value for name, value in stems_from.items()}


def save(
    path: Path,
    settings: Mapping[str, Any],
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
    history: list[dict[str, Any]],
) -> None:
    """Write the file; a reader sees the old one or the new one, never half."""
    state = {
        "settings": dict(settings),
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict(),
        "generator": generator.get_state(),
        "history": history,
    }
    partial = path.with_suffix(path.suffix + ".partial")
    torch.save(state, partial)
    partial.replace(path)


def restore(
    path: Path,
    settings: Mapping[str, Any],
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
    *,
    added: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Put model, optimiser and generator where the file has them; return the history.

    Args:
        path: the file.
        settings: what the training is by, which must be what the file's was by.
        model, optimiser, generator: changed in place.
        added: those of the settings that files of version 1.0.0 do not have. Of such a file they are not compared.

    Raises:
        ValueError: The file is of another training, or no whole checkpoint.
    """
    state = _read(path, next(model.parameters()).device)
    before = {**added, **state["settings"]}
    differ = sorted(name for name in {*settings, *before} if settings.get(name) != before.get(name))
    if differ:
        ours, theirs = ({name: each[name] for name in differ if name in each} for each in (settings, before))
        raise ValueError(
            f"Expected the checkpoint {path} to have settings {ours}, got {theirs}: it belongs to another training. "
            "Delete it to start anew."
        )
    try:
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        generator.set_state(state["generator"].cpu())
    except torch.OutOfMemoryError:
        raise
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):
        raise _damaged(path) from None
    history: list[dict[str, Any]] = state["history"]
    return history


def _read(path: Path, device: torch.device) -> dict[str, Any]:
    """What :func:`save` wrote."""
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except torch.OutOfMemoryError:  # the file may be whole
        raise
    except (EOFError, LookupError, RuntimeError, TypeError, UnpicklingError, ValueError):
        raise _damaged(path) from None
    parts = {"settings": dict, "model": dict, "optimiser": dict, "generator": Tensor, "history": list}
    if not isinstance(state, dict) or not all(isinstance(state.get(name), kind) for name, kind in parts.items()):
        raise _damaged(path)
    return state


def _damaged(path: Path) -> ValueError:
    return ValueError(f"Expected a checkpoint of this training in {path}, got a damaged file: delete it to start anew.")


def _checksum(tensor: Tensor) -> str:
    """SHA-256 of type, shape and content."""
    found = hashlib.sha256(f"{tensor.dtype} {tuple(tensor.shape)} ".encode())
    found.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return f"SHA-256 {found.hexdigest()}"
