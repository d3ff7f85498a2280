"""Datasets and experiments, each named once: pages, benchmarks, tables and cards look them up here.

    DATASETS["cifar10"].title                     'CIFAR-10'
    EXPERIMENTS["data_collection"].mechanisms["mnist"]    ('V-RLM', 'PrivUnit', 'Duchi', 'Laplace', 'Q-RLM')
    experiment("private")                         the collect page's word for private inference

Plain facts: nothing is loaded, and nothing heavier than the standard library is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Kind = Literal["V-RLM", "C-RLM", "Q-RLM"]
"""Learnt mechanisms: variational and contrastive (the paper's), and codes (ours)."""

CODES: Kind = "Q-RLM"
"""The kind whose representation is one of k codes, sent as a random set of codes."""

RAW = ("PrivUnit", "Duchi", "Laplace")
"""The paper's benchmarks, which take raw records. PrivUnit takes vectors of numbers, not rows of a table."""

NOVEL_CLASS = 9
"""The class that a mechanism of the novel-class experiment never saw: nines of MNIST, trucks of CIFAR-10."""


@dataclass(frozen=True, kw_only=True)
class DatasetFacts:
    """What everybody calls a dataset, and who can be asked about it.

    Args:
        name: in files, addresses and code.
        title: for people.
        record: what one person's record is: "picture" or "loan".
        classes: labels by number.
        kind: the paper's learnt mechanism for it.
        hidden: hidden layers of the paper's classifier of representations (appendix); () is logistic regression.
        novel: the class that a mechanism of the novel-class experiment never saw; None where there is none.
    """

    name: str
    title: str
    record: Literal["picture", "loan"]
    classes: tuple[str, ...]
    kind: Kind
    hidden: tuple[int, ...]
    novel: int | None = None

    @property
    def novel_classes(self) -> tuple[str, str]:
        """The two answers to "is it the class that the mechanism never saw?"."""
        if self.novel is None:
            raise ValueError(f"Expected a dataset with a novel class, got {self.name}.")
        return f"not {self.novel}", str(self.novel)

    @property
    def raw(self) -> tuple[str, ...]:
        """The paper's benchmarks that take its records."""
        return RAW if self.record == "picture" else tuple(name for name in RAW if name != "PrivUnit")


_PHOTOS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
_ALL_DATASETS = (
    DatasetFacts(
        name="mnist",
        title="MNIST",
        record="picture",
        classes=tuple("0123456789"),
        kind="V-RLM",
        hidden=(50,),
        novel=NOVEL_CLASS,
    ),
    DatasetFacts(
        name="cifar10", title="CIFAR-10", record="picture", classes=_PHOTOS, kind="C-RLM", hidden=(), novel=NOVEL_CLASS
    ),
    DatasetFacts(
        name="lending_club",
        title="Lending Club",
        record="loan",
        classes=("repaid", "charged off"),
        kind="V-RLM",
        hidden=(50,),
    ),
)
DATASETS: Mapping[str, DatasetFacts] = MappingProxyType({each.name: each for each in _ALL_DATASETS})


def dataset(name: str) -> DatasetFacts:
    """A dataset's facts."""
    if name not in DATASETS:
        raise ValueError(f"Expected a dataset in {', '.join(DATASETS)}, got {name!r}.")
    return DATASETS[name]


@dataclass(frozen=True, kw_only=True)
class ExperimentFacts:
    """What everybody calls an experiment, and what is measured in it.

    Args:
        name: of its CSV file, its module in ``benchmarks.experiments`` and its table of ``paper_numbers.json``.
        title: for people, short.
        heading: for people, in the report of all results.
        split: the split of ``rlm_core.data`` that its mechanisms are trained on.
        mechanisms: by dataset, in the order of the paper's table, then ours.
        key: the word that the collect page has for it in its address; "" where it does not offer it.
    """

    name: str
    title: str
    heading: str
    split: Literal["data_collection", "novel_class", "data_join"]
    mechanisms: Mapping[str, tuple[str, ...]]
    key: str = ""

    @property
    def datasets(self) -> tuple[str, ...]:
        """Whose people take part."""
        return tuple(self.mechanisms)


def _learnt_raw_codes(*names: str) -> Mapping[str, tuple[str, ...]]:
    """The paper's mechanism, its benchmarks, and ours."""
    return MappingProxyType({name: (DATASETS[name].kind, *DATASETS[name].raw, CODES) for name in names})


CLEAN_FEATURES = "clean features only"
"""The data join's baseline: what the collector knows without any report."""

AUXILIARY_SHARES = (0.75, 0.5, 0.25, 0.1)
"""η, the part of MNIST's training set that the mechanism gets (the paper's appendix); 0.75 elsewhere."""

TEST_SHARE = 0.7
"""Private inference: a test point gets this share of the training budget ε, the features' share λ (the paper)."""

_ALL_EXPERIMENTS = (
    ExperimentFacts(
        name="data_collection",
        title="Data collection",
        heading="Data collection (table 1)",
        split="data_collection",
        mechanisms=_learnt_raw_codes("mnist", "lending_club", "cifar10"),
        key="collection",
    ),
    ExperimentFacts(
        name="novel_class",
        title="Novel class",
        heading="Novel class (table 2)",
        split="novel_class",
        mechanisms=_learnt_raw_codes("mnist", "cifar10"),
        key="novel",
    ),
    ExperimentFacts(
        name="data_join",
        title="Data join",
        heading="Data join (table 3)",
        split="data_join",
        mechanisms=_learnt_raw_codes("lending_club"),
        key="join",
    ),
    ExperimentFacts(
        name="private_inference",
        title="Private inference",
        heading="Private inference (table 4)",
        split="data_collection",
        mechanisms=_learnt_raw_codes("mnist", "cifar10"),
        key="private",
    ),
    ExperimentFacts(
        name="cdp",
        title="Trained privately",
        heading="Mechanisms trained under central DP (appendix)",
        split="data_collection",
        mechanisms=MappingProxyType(
            {name: ("V-RLM eps_cdp=inf", "V-RLM eps_cdp=5", "V-RLM eps_cdp=1") for name in ("mnist", "lending_club")}
        ),
    ),
    ExperimentFacts(
        name="auxiliary_size",
        title="Less public data",
        heading="Less auxiliary data (appendix)",
        split="data_collection",
        mechanisms=MappingProxyType({"mnist": (*(f"V-RLM eta={share:.2f}" for share in AUXILIARY_SHARES), *RAW)}),
    ),
    ExperimentFacts(
        name="pca",
        title="PCA instead",
        heading="PCA instead of a network (appendix)",
        split="data_collection",
        mechanisms=MappingProxyType({"mnist": ("PCA",)}),
    ),
)
EXPERIMENTS: Mapping[str, ExperimentFacts] = MappingProxyType({each.name: each for each in _ALL_EXPERIMENTS})
"""Those that are reported, in the order of the report."""


def experiment(name: str) -> ExperimentFacts:
    """An experiment's facts, by its name or by the collect page's key.

    >>> experiment("collection").name, experiment("data_join").key
    ('data_collection', 'join')
    """
    for each in _ALL_EXPERIMENTS:
        if name and name in (each.name, each.key):
            return each
    raise ValueError(f"Expected an experiment in {', '.join(EXPERIMENTS)}, got {name!r}.")
