"""Codes of own data by a network: what the Q-RLM does, on anybody's public records and without their labels.

Trained once it gives codes of every number k: the finest, and the order in which they merge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors.numpy import load_file, save_file

from rlm_core.mechanism import rows
from rlm_core.types import FloatArray

if TYPE_CHECKING:
    from rlm_core.learning.loop import Progress
    from rlm_core.privatiser.views import Views

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weight (out, in) and bias (out,)."""

MOST_ROWS = 50_000
"""Public records that a network learns from; of more, the first so many of a random order."""

FEWEST_ROWS = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkEncoder:
    """Linear layers with ReLU between them, in float64: (n, p) to (n, k).

    With ``merge`` the scores are those of merged codes: of each group of fine codes its best.

    Each row by itself, so that its h is the same to the last bit alone and in any batch (see ``LinearEncoder``).
    """

    layers: tuple[Layer, ...] = field(repr=False)
    merge: tuple[int, ...] = field(default=(), repr=False)

    @property
    def input_dim(self) -> int:
        """p."""
        return int(self.layers[0][0].shape[1])

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Weights as an ``MLPEncoder`` names them: 0.weight, 0.bias, 2.weight, …"""
        named: dict[str, NDArray[np.float32]] = {}
        for number, (weight, bias) in enumerate(self.layers):
            named |= {f"{2 * number}.weight": weight, f"{2 * number}.bias": bias}
        return named

    @classmethod
    def of_tensors(cls, tensors: dict[str, NDArray[np.float32]], merge: tuple[int, ...] = ()) -> NetworkEncoder:
        """From what :meth:`tensors` gave."""
        numbers = sorted(int(name.split(".")[0]) for name in tensors if name.endswith(".weight"))
        return cls(layers=tuple((tensors[f"{n}.weight"], tensors[f"{n}.bias"]) for n in numbers), merge=merge)

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Scores for each row."""
        inputs = rows("x", x, self.input_dim)
        scores = (
            np.stack([self._one(row) for row in inputs]) if len(inputs) else np.empty((0, len(self._double[-1][1])))
        )
        return merged_scores(scores, self.merge) if self.merge else scores

    def _one(self, h: FloatArray) -> FloatArray:
        *hidden, (weight, bias) = self._double
        for each, shift in hidden:
            h = np.maximum(each @ h + shift, 0.0)
        scores: FloatArray = weight @ h + bias
        return scores

    @cached_property
    def _double(self) -> list[tuple[FloatArray, FloatArray]]:
        return [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in self.layers]


def merged_scores(scores: FloatArray, merge: tuple[int, ...]) -> FloatArray:
    """Of each group of codes its best score: (n, fine) to (n, k).

    >>> merged_scores(np.array([[1.0, 5.0, 3.0]]), (0, 1, 0))
    array([[3., 5.]])
    """
    best: FloatArray = np.full((max(merge) + 1, len(scores)), -np.inf)
    np.maximum.at(best, np.array(merge), scores.T)
    return best.T


@dataclass(frozen=True, kw_only=True, eq=False)
class CodesNetwork:
    """A trained network: scores of the finest codes, and the order of merges."""

    fine: NetworkEncoder = field(repr=False)
    order: list[tuple[int, int]] = field(repr=False)
    losses: tuple[float, ...] = field(default=(), repr=False)

    @property
    def finest(self) -> int:
        """The largest number of codes."""
        return len(self.order) + 1

    def cut(self, codes: int) -> NetworkEncoder:
        """The encoder of ``codes`` codes, or of the finest if there are not so many."""
        from rlm_core.training.codes.hierarchy import merged_codes

        merge = merged_codes(self.order, min(codes, self.finest))
        return NetworkEncoder(layers=self.fine.layers, merge=tuple(merge.tolist()))

    def write(self, path: Path) -> None:
        """Keep it in a file, the order of merges among the weights."""
        partial = path.with_suffix(".partial")
        save_file(self.fine.tensors() | {"order": np.array(self.order, dtype=np.int32).reshape(-1, 2)}, partial)
        partial.replace(path)

    @classmethod
    def read(cls, path: Path) -> CodesNetwork:
        """From a file that :meth:`write` made."""
        tensors = load_file(path)
        order = [(int(kept), int(gone)) for kept, gone in tensors.pop("order")]
        return cls(fine=NetworkEncoder.of_tensors(tensors), order=order)


def train_codes_network(
    x: NDArray[np.float32],
    views: Views,
    *,
    classes: int,
    seed: int,
    device: str = "auto",
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CodesNetwork:
    """Learn codes from public records x (n, p). No label comes near this function.

    Args:
        x: encoded records.
        views: what should get the same code.
        classes: K, which is public.
        seed: of views, weights and batches.
        device: "auto", "cpu", "cuda", "cuda:1" or "mps".
        checkpoint: a file; a training that was interrupted goes on from it, and it is gone at the end.
        progress: is told how far the loop is.
    """
    import torch

    from rlm_core.learning.device import pick_device
    from rlm_core.training.codes.train_codes import train_codes

    if len(x) < FEWEST_ROWS:
        raise ValueError(f"Expected at least {FEWEST_ROWS} public records for a network, got {len(x)}.")
    if len(x) > MOST_ROWS:
        x = x[np.sort(np.random.default_rng(seed).permutation(len(x))[:MOST_ROWS])]
    preset = views.preset(len(x), classes)
    codes = train_codes(
        preset,
        views.pairs(x, preset, torch.Generator().manual_seed(seed)),
        torch.from_numpy(x),
        seed=seed,
        picture=views.picture,
        device=pick_device(device),
        checkpoint=checkpoint,
        progress=progress,
    )
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    weights = {name: tensor.numpy() for name, tensor in codes.encoder.cpu().state_dict().items()}
    losses = tuple(round(each.train_loss, 4) for each in codes.history)
    return CodesNetwork(fine=NetworkEncoder.of_tensors(weights), order=list(codes.order), losses=losses)
