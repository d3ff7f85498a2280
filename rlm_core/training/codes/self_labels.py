"""Codes that label themselves: what the few codes say of a record and its views teaches a better network. No labels.

The k = 10 codes of the contrastive embedding are wrong about records that lie between groups. Of such a record and
its distorted copies they say different things, so a vote tells which records to trust:

    1. vote     the mean of what record and views are called; trusted where at least ``TRUST`` agree
    2. teacher  a network of a kind that suits the records (for pictures a small convolutional one) learns the trusted
                votes on distorted copies, and votes in the next round, where it learns on
    3. student  after the last round: the embedding of the encoder, which stays a plain network, learns the
                teacher's votes beside its own contrastive objective

A network learns what most of a group has in common before it learns the exceptions, which is why the teacher ends up
right where its teacher was wrong (pseudo-labels, Lee 2013; co-training of views, Blum and Mitchell 1998). ``groups`` is
the number of groups looked for; that there are ten digits is all that is known of the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from sklearn.cluster import KMeans
from torch import Tensor, nn
from torch.nn import functional

from rlm_core.learning.loop import Batches, Progress, train
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.codes.network import EmbeddingNetwork
from rlm_core.training.codes.pairs_of_views import Pairs, Shape
from rlm_core.training.codes.self_votes import BATCH, BLOCK, Scores, best_names, feature_teacher, picture_teacher
from rlm_core.training.crlm.nt_xent import nt_xent
from rlm_core.types import FloatArray, IntArray

STUDENT_EPOCHS = 8
STUDENT_RATE = 1e-3
SHARPNESS = 10.0  # of cosines as logits
GROUP_FIRST = 20.0  # how far the group decides before the code within it


@dataclass(frozen=True, kw_only=True, eq=False)
class SelfLabelled:
    """An encoder of fine codes, the group of each of them (k,), and how training went."""

    encoder: MLPEncoder = field(repr=False)
    groups: IntArray
    history: list[Progress] = field(repr=False)


class Student(nn.Module):
    """The embedding, and a direction in it for each group."""

    def __init__(self, network: EmbeddingNetwork, groups: int) -> None:
        super().__init__()
        self.network = network
        self.directions = nn.Linear(network.sizes[-1], groups, bias=False)

    def logits(self, embedded: Tensor) -> Tensor:
        """Cosines with the directions, sharpened: (n, d) to (n, g)."""
        return SHARPNESS * functional.linear(embedded, functional.normalize(self.directions.weight, dim=1))

    def forward(self, inputs: Tensor) -> Tensor:
        return self.logits(self.network(inputs))


def self_labelled(
    network: EmbeddingNetwork,
    starts: Sequence[Scores],
    pairs: Pairs,
    inputs: Tensor,
    *,
    groups: int,
    rounds: int,
    equal: bool = False,
    fine_codes: int,
    temperature: float,
    seed: int,
    picture: Shape | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SelfLabelled:
    """Rounds of the teacher, then the student, then fine codes within its groups; all on the processor.

    Args:
        network: the contrastive embedding; trained further, in place.
        starts: what the ``groups`` codes of that embedding say, (n, p) to (n, g); of one or of several k-means.
        pairs: views of D₁'s records.
        inputs: D₁'s records (n, p).
        groups, rounds: how many groups, and how often the teacher learns and votes.
        equal: the groups are known to be equally frequent.
        fine_codes: number of codes of the encoder.
        temperature: τ of the contrastive objective.
        seed: of weights, batches and centres.
        picture: height and width where records are grey pictures; None for features and tables.
        progress: called as in every training.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        teacher = feature_teacher(inputs.shape[1], groups) if picture is None else picture_teacher(groups, picture)
        student = Student(network, groups)
    named = best_names(teacher, starts, pairs, inputs, generator, rounds=rounds, equal=equal, progress=progress)
    rows = torch.arange(len(inputs))
    history = named.history + train(
        student,
        _taught(pairs, inputs, named.votes, temperature),
        Batches(train=rows, valid=rows[: 4 * BATCH], batch_size=BATCH),
        epochs=STUDENT_EPOCHS,
        learning_rate=STUDENT_RATE,
        schedule="cosine",
        generator=generator,
        progress=progress,
    )
    encoder, of_group = codes_within_groups(student.eval(), inputs, fine_codes, seed=seed)
    return SelfLabelled(encoder=encoder, groups=of_group, history=history)


@torch.no_grad()
def codes_within_groups(student: Student, inputs: Tensor, codes: int, *, seed: int) -> tuple[MLPEncoder, IntArray]:
    """Fine codes by k-means within each group, larger groups having more; and the group of each: (k,).

    One linear layer still tells them: the score of code s in group g is v·(A·w_g + c_s) with a large A, so that the
    group is decided first, by its direction w_g, and then the nearest centre c_s in it.
    """
    embedded = torch.cat([student.network(block) for block in torch.split(inputs, BLOCK)])  # (n, d)
    group = student.logits(embedded).argmax(1).numpy()
    counts = np.bincount(group, minlength=student.directions.out_features)
    directions = functional.normalize(student.directions.weight, dim=1)
    centres, of_group = [], []
    for number, share in enumerate(shares(counts, codes)):
        members = embedded[torch.from_numpy(group == number)].numpy()
        fewer = min(share, len(members))
        if fewer == 0:
            continue
        found = KMeans(fewer, n_init=1, max_iter=50, random_state=seed).fit(members).cluster_centers_
        inner = functional.normalize(torch.from_numpy(found).float(), dim=1)
        centres.append(GROUP_FIRST * directions[number] + inner)
        of_group += [number] * fewer
    return student.network.with_scores(torch.cat(centres)), np.asarray(of_group, dtype=np.int64)


def shares(counts: IntArray | Sequence[int], total: int) -> list[int]:
    """``total`` places dealt in proportion to ``counts``, at least one to everybody, largest remainders first.

    >>> shares([50, 30, 20, 0], 10)
    [4, 3, 2, 1]
    """
    weights: FloatArray = np.asarray(counts, dtype=np.float64)
    if not total >= len(weights) or not weights.sum() > 0:
        raise ValueError(f"Expected at least {len(weights)} places and counts above 0, got {total}.")
    exact = weights / weights.sum() * (total - len(weights))
    dealt = np.floor(exact).astype(int) + 1
    for number in np.argsort(np.floor(exact) - exact, kind="stable")[: total - dealt.sum()]:
        dealt[number] += 1
    return [int(each) for each in dealt]


def _taught(
    pairs: Pairs, inputs: Tensor, votes: Tensor, temperature: float
) -> Callable[[Student, Tensor, torch.Generator], Tensor]:
    """The teacher's votes on views and record, and the contrastive objective that the embedding had."""

    def objective(student: Student, rows: Tensor, generator: torch.Generator) -> Tensor:
        first, second = pairs(rows, generator)
        embedded = student.network(torch.cat([first, second, inputs[rows]]))  # (3n, d)
        named = functional.cross_entropy(student.logits(embedded), votes[rows].repeat(3, 1), reduction="none")
        n = len(rows)
        contrast = nt_xent(embedded[:n], embedded[n : 2 * n], temperature=temperature)
        return named.view(3, n).mean(dim=0) + 0.1 * contrast

    return objective
