"""An image dataset in memory: what every loader of pictures returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rlm_core.data.splits import TEST_SET_PARTS, Part, Split
from rlm_core.types import IntArray

Images = NDArray[np.uint8]


def as_features(images: Images) -> NDArray[np.float32]:
    """Pixels as numbers in [0, 1], one row a picture: (n, ...) uint8 to (n, p) float32.

    Divided by 255 and treated as continuous (paper, appendix "Data Pre-Processing").

    >>> as_features(np.full((1, 2, 2), 255, np.uint8))
    array([[1., 1., 1., 1.]], dtype=float32)
    """
    if images.dtype != np.uint8:
        raise TypeError(f"Expected images of dtype uint8, got {images.dtype}.")
    flat = images.reshape(len(images), -1).astype(np.float32)  # (n, p), a fresh array
    flat /= np.float32(255)
    return flat


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Pictures and labels, as published: a training set and a test set.

    ``train_x``, ``test_x``: uint8, (n, 28, 28) or (n, 32, 32, 3). ``train_y``, ``test_y``: int64
    in 0..K-1. ``classes``: the K names. ``source``: where the files came from.
    """

    name: str
    train_x: Images = field(repr=False)
    train_y: IntArray = field(repr=False)
    test_x: Images = field(repr=False)
    test_y: IntArray = field(repr=False)
    classes: tuple[str, ...]
    source: str = "unknown"

    def __post_init__(self) -> None:
        sides = (("train", self.train_x, self.train_y), ("test", self.test_x, self.test_y))
        for side, images, labels in sides:
            if images.dtype != np.uint8 or labels.dtype != np.int64:
                found = f"{images.dtype}, {labels.dtype}"
                raise TypeError(f"Expected {side} uint8 images and int64 labels, got {found}.")
            if len(images) != len(labels):
                found = f"{len(images)} {side}_x and {len(labels)} {side}_y"
                raise ValueError(f"Expected one label a picture, got {found}.")
            if labels.size and not (0 <= labels.min() and labels.max() < len(self.classes)):
                raise ValueError(
                    f"Expected {side}_y in 0..{len(self.classes) - 1}, got {labels.min()}..{labels.max()}."
                )

    @property
    def input_dim(self) -> int:
        """Numbers in one picture: 784 or 3072."""
        return int(np.prod(self.train_x.shape[1:]))

    def as_features(
        self, side: Literal["train", "test"] = "train", rows: Sequence[int] | IntArray | None = None
    ) -> NDArray[np.float32]:
        """The pictures of one side, or some of them, as (n, p) float32 in [0, 1]."""
        if side not in ("train", "test"):
            raise ValueError(f"Expected side 'train' or 'test', got side={side!r}.")
        images = self.train_x if side == "train" else self.test_x
        return as_features(images if rows is None else images[np.asarray(rows, dtype=np.int64)])

    def select(self, split: Split, part: Part) -> tuple[Images, IntArray]:
        """Pictures and labels of one part of a split."""
        rows = split.rows(part)
        x, y = (self.test_x, self.test_y) if part in TEST_SET_PARTS else (self.train_x, self.train_y)
        return x[rows], y[rows]
