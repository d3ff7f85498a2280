"""Small samples that come with the project: for the app, the tests and the first look.

Pictures are from the test sets, so no mechanism of ours was trained on them. The loans are
invented; the people of Adult are real, of 1994. ``samples/SOURCES.md`` says where each file comes from.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from rlm_core.catalogue import DATASETS
from rlm_core.data.dataset import Dataset, Images
from rlm_core.types import IntArray

if TYPE_CHECKING:
    import pandas as pd  # of the tables alone: pictures come without it

MNIST_PER_CLASS = 40
CIFAR10_PER_CLASS = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageSamples:
    """Some test pictures, equally many of each class: ``rows`` are their numbers in the test set."""

    images: Images = field(repr=False)
    labels: IntArray = field(repr=False)
    rows: IntArray = field(repr=False)
    classes: tuple[str, ...]

    def of_class(self, label: int) -> Images:
        """The pictures of one class."""
        if not 0 <= label < len(self.classes):
            raise ValueError(f"Expected label in 0..{len(self.classes) - 1}, got label={label}.")
        images: Images = self.images[self.labels == label]
        return images


@dataclass(frozen=True, kw_only=True, eq=False)
class LoanExamples:
    """Invented loans: every feature of the schema, a label to play with, and a short description."""

    frame: pd.DataFrame = field(repr=False)
    target: IntArray = field(repr=False)
    descriptions: tuple[str, ...]


def choose(dataset: Dataset, per_class: int) -> ImageSamples:
    """The first ``per_class`` test pictures of each class, in class order (how the samples were made)."""
    labels = range(len(dataset.classes))
    rows = np.concatenate([np.flatnonzero(dataset.test_y == label)[:per_class] for label in labels])
    return ImageSamples(images=dataset.test_x[rows], labels=dataset.test_y[rows], rows=rows, classes=dataset.classes)


def _read_images(name: str, classes: tuple[str, ...]) -> ImageSamples:
    path = files("rlm_core.data") / "samples" / name
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return ImageSamples(
            images=arrays["images"],
            labels=arrays["labels"].astype(np.int64),
            rows=arrays["rows"].astype(np.int64),
            classes=classes,
        )


def mnist_samples() -> ImageSamples:
    """40 test digits of each class: (400, 28, 28) uint8."""
    return _read_images("mnist.npz", DATASETS["mnist"].classes)


def cifar10_samples() -> ImageSamples:
    """12 test pictures of each class: (120, 32, 32, 3) uint8."""
    return _read_images("cifar10.npz", DATASETS["cifar10"].classes)


def loan_examples() -> LoanExamples:
    """24 invented loans across the ranges of the schema. No borrower is behind them."""
    import pandas as pd

    from rlm_core.data.schema import FEATURES

    with (files("rlm_core.data") / "samples" / "loans.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, comment="#", keep_default_na=False)
    frame = table[list(FEATURES)].copy()
    for feature in FEATURES.values():
        frame[feature.name] = frame[feature.name].astype(object if feature.is_category else np.float64)
    return LoanExamples(
        frame=frame,
        target=table["target"].to_numpy(dtype=np.int64),
        descriptions=tuple(table["description"]),
    )


def adult_sample() -> pd.DataFrame:
    """9,000 people of Adult (UCI, CC BY 4.0), label ``income-per-year``, cells as in the file: all text."""
    from rlm_core.tables.files import read_csv

    with (files("rlm_core.data") / "samples" / "adult.csv.gz").open("rb") as file:
        return read_csv(gzip.decompress(file.read()))
