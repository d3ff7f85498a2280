"""Settings of the Q-RLM for each dataset. All were chosen without a test row; docs/q-rlm.md lists every look."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Split = Literal["data_collection", "novel_class", "data_join"]


@dataclass(frozen=True, kw_only=True)
class QRLMPreset:
    """How codes are learnt.

    Args:
        dataset: whose D₁.
        split: which D₁.
        hidden: sizes of the hidden layers.
        embedding: dimensions of the embedding; it is used in training only.
        codes: number of fine codes, before any are merged.
        temperature: τ of NT-Xent.
        epochs, batch_size, learning_rate: of Adam with a cosine schedule.
        views: distorted copies of each digit that are made beforehand.
        neighbours: nearest neighbours that count as views (pictures' features).
        corruption: share of a loan's columns that a view replaces.
        groups, rounds: the codes label themselves anew: into how many groups, in how many rounds (``self_labels``);
            no rounds leave them as they are.
        equal: the classes are known to be equally frequent, so the groups are kept so.
        starts: k-means from which rounds begin; the one about whose groups views agree most is kept.
        contrast: how pure codes are expected to be (see ``choice``).
        share: the part of the training set that the mechanism gets (the paper's η).
    """

    dataset: Literal["mnist", "cifar10", "lending_club"]
    split: Split = "data_collection"
    hidden: tuple[int, ...]
    embedding: int = 32
    codes: int = 96
    temperature: float = 0.2
    epochs: int = 20
    batch_size: int = 500
    learning_rate: float = 3e-3
    views: int = 0
    neighbours: int = 0
    corruption: float = 0.0
    share: float = 0.75
    contrast: float = 1.0
    groups: int = 0
    rounds: int = 0
    equal: bool = False
    starts: int = 1


MNIST = QRLMPreset(dataset="mnist", hidden=(300, 150, 100), views=8, groups=10, rounds=4)
CIFAR10 = QRLMPreset(dataset="cifar10", hidden=(256, 128), neighbours=20, epochs=12, learning_rate=1e-3)
LENDING = QRLMPreset(
    dataset="lending_club", hidden=(128, 64), corruption=0.15, epochs=10, learning_rate=1e-3, contrast=0.5
)

QRLM_PRESETS: dict[str, QRLMPreset] = {
    "mnist-qrlm": MNIST,
    "mnist-qrlm-novel": replace(MNIST, split="novel_class", epochs=10, rounds=0),
    "cifar10-qrlm": CIFAR10,
    "cifar10-qrlm-equal": replace(CIFAR10, groups=10, rounds=8, equal=True, starts=6),
    "cifar10-qrlm-novel": replace(CIFAR10, split="novel_class", epochs=8),
    "lending-qrlm": LENDING,
    "lending-qrlm-equal": replace(LENDING, groups=4, rounds=8, equal=True, starts=3),
    "lending-qrlm-join": replace(LENDING, split="data_join"),
}
