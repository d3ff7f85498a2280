"""Datasets behind one door: ``load("mnist")``, ``load("cifar10")``, ``load("lending_club")``.

Images come as a :class:`Dataset` (a training and a test set), loans as a :class:`LoanTable`
(one table). Both give the rows of a split the same way::

    dataset = load("mnist")
    split = split_of(dataset, seed=0)
    images, labels = dataset.select(split, "classifier_train")

Raw records are the owner's: nothing under ``collector/`` imports this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from rlm_core.catalogue import DATASETS
from rlm_core.data.cifar10 import CIFAR10
from rlm_core.data.dataset import Dataset, as_features
from rlm_core.data.image_set import ImageSet
from rlm_core.data.loan_splits import join_columns, loan_collection, loan_join
from rlm_core.data.mnist import MNIST
from rlm_core.data.samples import adult_sample, cifar10_samples, loan_examples, mnist_samples
from rlm_core.data.splits import AUXILIARY_SHARE, Split, data_collection, novel_class

if TYPE_CHECKING:
    from rlm_core.data.lending_club import LoanTable
    from rlm_core.data.loan_preprocessor import LoanPreprocessor

__all__ = [
    "DATASETS",
    "IMAGE_SETS",
    "Dataset",
    "LoanPreprocessor",
    "LoanTable",
    "Split",
    "adult_sample",
    "as_features",
    "cifar10_samples",
    "data_collection",
    "join_columns",
    "load",
    "loan_collection",
    "loan_examples",
    "loan_join",
    "mnist_samples",
    "novel_class",
    "split_of",
]

IMAGE_SETS: dict[str, ImageSet] = {image_set.name: image_set for image_set in (MNIST, CIFAR10)}
WITH_PANDAS = {"LoanPreprocessor": "loan_preprocessor", "LoanTable": "lending_club"}
"""Name to its module: imported on first use, so that pictures need numpy alone."""


def __getattr__(name: str) -> Any:
    """What needs pandas, on its first use."""
    if name in WITH_PANDAS:
        return getattr(import_module(f"rlm_core.data.{WITH_PANDAS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@overload
def load(name: Literal["mnist", "cifar10"]) -> Dataset: ...
@overload
def load(name: Literal["lending_club"]) -> LoanTable: ...
@overload
def load(name: str) -> Dataset | LoanTable: ...
def load(name: str) -> Dataset | LoanTable:
    """The dataset of that name, from the cache or from the file that ``RLM_LENDING_CLUB`` names.

    Raises:
        ValueError: There is no dataset of that name.
        FileNotFoundError: Its files are not there; the message says how to get them.
    """
    if name in IMAGE_SETS:
        return IMAGE_SETS[name].load()
    if name == "lending_club":
        from rlm_core.data import lending_club

        return lending_club.load()
    raise ValueError(f"Expected name in {', '.join(DATASETS)}, got name={name!r}.")


def split_of(dataset: Dataset | LoanTable, *, seed: int, auxiliary_share: float = AUXILIARY_SHARE) -> Split:
    """The data collection split of either kind of dataset."""
    if isinstance(dataset, Dataset):
        train_rows, test_rows = len(dataset.train_y), len(dataset.test_y)
        return data_collection(train_rows, test_rows, seed=seed, auxiliary_share=auxiliary_share)
    return loan_collection(dataset.target, dataset.issue_date, seed=seed, auxiliary_share=auxiliary_share)
