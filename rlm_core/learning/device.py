"""Where networks run: a named device, or the best one that this machine has, and in blocks that fill it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import torch
from torch import Tensor

ROW_ROOM = 64
"""What one row needs on a device, in sizes of its input: the activations of the networks of this project."""


def pick_device(name: str = "auto") -> torch.device:
    """The device called ``name``, with its number ("cuda:1" stays that); "auto" takes cuda, then mps, then cpu."""
    if name != "auto":
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def check_device(name: str) -> None:
    """Raise for a device that this machine does not have: torch itself would say so where the training begins."""
    here = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    here += ["mps"] if torch.backends.mps.is_available() else []
    if name != "auto" and (f"{name}:0" if name == "cuda" else name) not in here:
        raise ValueError(f"Expected a device that is here ({', '.join(here)}) or auto, got device={name!r}.")


def block_rows(inputs: Tensor, device: torch.device, at_least: int) -> int:
    """How many rows go to a device at a time: half of what fits into a GPU's free memory, ``at_least`` elsewhere."""
    if device.type != "cuda" or not len(inputs):
        return at_least
    free, _ = torch.cuda.mem_get_info(device)
    of_one_row = max(1, inputs[0].nelement()) * 4 * ROW_ROOM  # bytes, in float32
    return max(at_least, free // 2 // of_one_row)


@torch.inference_mode()
def in_blocks(
    network: Callable[[Tensor], Tensor],
    inputs: Tensor,
    *,
    device: torch.device | str = "cpu",
    block: int = 1024,
    half: torch.dtype | None = None,
) -> Tensor:
    """A network's outputs for many rows, in float32 on the CPU: (n, …) to (n, …).

    Args:
        network: already on ``device``.
        inputs: in any memory and dtype that the network takes.
        device: where the rows are sent, block by block.
        block: rows of a block, and the least that a GPU gets.
        half: ``torch.float16`` or ``torch.bfloat16`` to compute in half precision; None does not.
    """
    where = torch.device(device)
    size = block_rows(inputs, where, block)
    with nullcontext() if half is None else torch.autocast(where.type, dtype=half):
        outputs = [network(rows.to(where)).cpu() for rows in torch.split(inputs, size)]
    return torch.cat(outputs).float()
