"""Rounds of naming: what few codes say of a record and its views teaches a network that names them better. No labels.

    votes     the mean of what record and views are called; trusted where at least ``TRUST`` agree
    balanced  where the groups are known to be equally frequent, votes are scaled until they are (Sinkhorn)
    teacher   learns the trusted votes on views, votes in the next round, and learns on
    starts    from several codings; kept is the one about which two views of a record agree most

Equally frequent groups keep two classes from sharing one and a class from having two, as self-labelling by optimal
transport does (Asano et al. 2020). Which start was a good one, the mutual information of the groups of two views
tells: the same measure by which codes are merged (``hierarchy``).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rlm_core.learning.loop import Batches, OnProgress, Progress, train
from rlm_core.training.codes.hierarchy import mutual_information
from rlm_core.training.codes.pairs_of_views import DIGIT, Pairs, Shape
from rlm_core.types import FloatArray

TRUST = 0.8
VIEWS = 2  # distorted copies that vote beside the record itself, which has half of the votes
CLEAN = 0.25  # of a batch: the records themselves instead of a view
TEACHER_EPOCHS = 2
TEACHER_RATE = 2e-3
BALANCING = 20  # times that columns and rows are scaled in turn
LEAST = 1e-6  # of a vote, so that every group can grow
BATCH = 250
BLOCK = 4_096
Scores = Callable[[Tensor], Tensor]
"""Inputs (n, p) to a probability of each group (n, g)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Named:
    """The last votes on every record (n, g), how training went, and how far views agree about the groups, in nats."""

    votes: Tensor = field(repr=False)
    history: list[Progress] = field(repr=False)
    agreement: float


def picture_teacher(groups: int, shape: Shape = DIGIT) -> nn.Module:
    """A small convolutional network for the pixels (n, height·width) of grey pictures."""
    height, width = (-(-side // 4) for side in shape)  # after two strides of two, rounded up
    network: nn.Module = nn.Sequential(
        nn.Unflatten(1, (1, *shape)),
        *(nn.Conv2d(1, 16, 5, stride=2, padding=2), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.Conv2d(16, 48, 3, stride=2, padding=1), nn.BatchNorm2d(48), nn.ReLU()),
        nn.Flatten(),
        *(nn.Linear(48 * height * width, 64), nn.BatchNorm1d(64), nn.ReLU()),
        nn.Linear(64, groups),
    )
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]


def feature_teacher(width: int, groups: int) -> nn.Module:
    """For features and tables (n, p): one wide hidden layer."""
    return nn.Sequential(nn.Linear(width, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, groups))


def best_names(
    teacher: nn.Module,
    starts: Sequence[Scores],
    pairs: Pairs,
    inputs: Tensor,
    generator: torch.Generator,
    *,
    rounds: int,
    equal: bool = False,
    progress: OnProgress | None = None,
) -> Named:
    """The rounds from every start, each with a fresh copy of ``teacher``; kept where two views agree most."""
    if not starts:
        raise ValueError("Expected at least one start, got none.")
    found = [
        name_anew(
            copy.deepcopy(teacher), codes, pairs, inputs, generator, rounds=rounds, equal=equal, progress=progress
        )
        for codes in starts
    ]
    return max(found, key=lambda each: each.agreement)


def name_anew(
    teacher: nn.Module,
    codes: Scores,
    pairs: Pairs,
    inputs: Tensor,
    generator: torch.Generator,
    *,
    rounds: int,
    equal: bool = False,
    progress: OnProgress | None = None,
) -> Named:
    """The teacher learns what ``codes`` say, and then, round by round, what it says itself.

    Args:
        teacher: inputs (n, p) to logits of the groups (n, g); trained in place.
        codes: what the groups of the codes are, (n, p) to (n, g).
        pairs: views of D₁'s records.
        inputs: D₁'s records (n, p).
        generator: of views and batches.
        rounds: how often it learns and votes.
        equal: the groups are known to be equally frequent: votes are balanced.
        progress: called as in every training.
    """

    def teacher_scores(block: Tensor) -> Tensor:
        probabilities: Tensor = teacher(block).softmax(1)
        return probabilities

    votes = vote(codes, pairs, inputs, generator)
    history: list[Progress] = []
    for _ in range(rounds):
        trusted = trusted_rows(votes)
        history += train(
            teacher,
            _naming(pairs, inputs, votes.argmax(dim=1)),
            Batches(train=trusted, valid=trusted[: 4 * BATCH], batch_size=BATCH),
            epochs=TEACHER_EPOCHS,
            learning_rate=TEACHER_RATE,
            schedule="cosine",
            generator=generator,
            progress=progress,
        )
        teacher.eval()
        votes = vote(teacher_scores, pairs, inputs, generator)
        if equal:
            votes = balanced(votes)
    joint = _joint_of_names(teacher_scores, pairs, len(inputs), torch.Generator().manual_seed(0))
    return Named(votes=votes, history=history, agreement=mutual_information(joint))


def balanced(votes: Tensor) -> Tensor:
    """Votes (n, g) scaled by group and by record, in turn, until every group has n/g of them (Sinkhorn and Knopp 1967).

    >>> balanced(torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])).argmax(1).tolist()
    [0, 0, 1, 1]
    """
    scaled = votes.clamp_min(LEAST)
    for _ in range(BALANCING):
        scaled = scaled / scaled.sum(dim=0, keepdim=True)
        scaled = scaled / scaled.sum(dim=1, keepdim=True)
    return scaled


def trusted_rows(votes: Tensor) -> Tensor:
    """Rows whose first choice has at least ``TRUST`` of the votes, and at least the surer half of all rows."""
    surest = votes.max(dim=1).values
    return torch.nonzero(surest >= min(TRUST, surest.median().item()))[:, 0]


@torch.no_grad()
def vote(scores: Scores, pairs: Pairs, inputs: Tensor, generator: torch.Generator) -> Tensor:
    """Half of the record itself, half of the mean of its views: (n, g)."""
    blocks = []
    for rows in torch.split(torch.arange(len(inputs)), BLOCK):
        views = list(pairs(rows, generator))[:VIEWS]
        of_views = sum(scores(view) for view in views) / len(views)
        blocks.append((scores(inputs[rows]) + of_views) / 2)
    return torch.cat(blocks)


def _naming(pairs: Pairs, inputs: Tensor, names: Tensor) -> Callable[[nn.Module, Tensor, torch.Generator], Tensor]:
    """Cross-entropy of the names that votes gave, on views and on some of the records themselves."""

    def objective(network: nn.Module, rows: Tensor, generator: torch.Generator) -> Tensor:
        view, _ = pairs(rows, generator)
        clean = torch.rand(len(rows), 1, generator=generator) < CLEAN
        return functional.cross_entropy(network(torch.where(clean, inputs[rows], view)), names[rows], reduction="none")

    return objective


@torch.no_grad()
def _joint_of_names(scores: Scores, pairs: Pairs, count: int, generator: torch.Generator) -> FloatArray:
    """P(g, g′) of the groups that two views of a record are called, symmetric: (g, g)."""
    pieces = []
    for rows in torch.split(torch.arange(count), BLOCK):
        first, second = (scores(view) for view in pairs(rows, generator))
        pieces.append(torch.stack([first.argmax(1), second.argmax(1)], dim=1))
        groups = first.shape[1]
    counts = np.zeros((groups, groups))
    np.add.at(counts, tuple(torch.cat(pieces).numpy().T), 1.0)
    joint: FloatArray = (counts + counts.T) / (2.0 * counts.sum())
    return joint
