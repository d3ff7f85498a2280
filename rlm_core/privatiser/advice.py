"""Which ε for which accuracy? Collections simulated on public rows, and an answer that says what it rests on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rlm_core.privatiser import advice_sentences
from rlm_core.privatiser.compare import MECHANISMS, RULE
from rlm_core.privatiser.network import FEWEST_ROWS as FEWEST_FOR_NETWORK
from rlm_core.privatiser.plan import BITS, KINDS, LAPLACE, VRLM, Plan
from rlm_core.privatiser.public_records import ROWS, public_records
from rlm_core.privatiser.records import Table
from rlm_core.privatiser.vrlm.rehearsal import VRLMRehearsal
from rlm_core.tables.errors import TableError
from rlm_core.tables.schema import TableSchema
from rlm_core.types import positive

EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
SPLITS, DRAWS = 2, 5
PARTS = (0.4, 0.8)
"""Of the rows, two fifths to fit on, two fifths to play the people, one fifth to test with."""

FEWEST_ROWS = 50
SURE = 0.9
"""An ε is advised if so many of the simulated collections reach the wish."""

OnStep = Callable[[int, int], None]
"""Is told how many of how many steps are done; at first, when nothing was refused, none."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One mechanism at one ε: the accuracies of its simulated collections, in order."""

    mechanism: str
    epsilon: float
    accuracies: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Of all collections."""
        return float(np.mean(self.accuracies))

    @property
    def deviation(self) -> float:
        """Between collections, splits included."""
        return float(np.std(self.accuracies))

    def reached(self, wish: float) -> float:
        """The share of the collections that are at least as accurate."""
        return float(np.mean(np.asarray(self.accuracies) >= wish))

    def is_sure(self, wish: float) -> bool:
        """Whether enough of the collections reach it."""
        return self.reached(wish) >= SURE


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What simulations on public rows say about n people and a wished accuracy."""

    table: str
    label: str
    rows: int
    people: int
    wish: float
    majority: float
    clean: float
    points: tuple[Point, ...] = field(repr=False)
    left_out: tuple[str, ...] = ()
    kind: str = ROWS
    splits: int = 1

    @property
    def chosen(self) -> Point | None:
        """The smallest ε, with the rule's report, that reaches the wish in nine of ten collections; None if none."""
        ours = sorted((each for each in self.points if each.mechanism == RULE), key=lambda each: each.epsilon)
        return next((each for each in ours if each.is_sure(self.wish)), None)

    def of(self, mechanism: str) -> list[Point]:
        """A mechanism's points, by ε."""
        return sorted((each for each in self.points if each.mechanism == mechanism), key=lambda each: each.epsilon)

    @property
    def other(self) -> Point | None:
        """A kind that the rule did not choose and that reaches the wish at a smaller ε, better by more than chance."""
        limit = math.inf if self.chosen is None else self.chosen.epsilon
        ruled = {each.epsilon: each.mean for each in self.of(RULE)}
        found = [
            each
            for each in self.points
            if each.mechanism in KINDS
            and each.epsilon < limit
            and each.is_sure(self.wish)
            and each.mean - ruled.get(each.epsilon, 1.0) > self.chance(each.mean)
        ]
        return min(found, key=lambda each: (each.epsilon, -each.mean), default=None)

    @property
    def best(self) -> Point:
        """The rule's most accurate report, on average."""
        return max(self.of(RULE), key=lambda each: each.mean)

    @property
    def playing(self) -> int:
        """How many of the rows play the people, in every split."""
        return int(PARTS[1] * self.rows) - int(PARTS[0] * self.rows)

    @property
    def tested(self) -> int:
        """How many of the rows test, in every split."""
        return self.rows - int(PARTS[1] * self.rows)

    def chance(self, accuracy: float) -> float:
        """A difference from this accuracy that test rows alone may make: two standard deviations of a share of them.

        Splits share rows, so they count as different rows only while there are enough of those.
        """
        share = min(max(accuracy, 0.05), 0.95)  # all right on 36 rows is not sure to be all right
        return 2.0 * math.sqrt(share * (1.0 - share) / max(1, min(self.splits * self.tested, self.rows)))

    def answer(self) -> list[str]:
        """What to do, in words: the first thing to read."""
        return advice_sentences.answer(self)

    def sentences(self) -> list[str]:
        """The answer in words, then what it rests on."""
        return [*self.answer(), *advice_sentences.basis(self)]

    def to_json(self) -> str:
        """All of it, with every simulated accuracy."""
        chosen = self.chosen
        extra = {"epsilon": None if chosen is None else chosen.epsilon, "sentences": self.sentences()}
        return json.dumps(asdict(self) | extra, indent=1, ensure_ascii=False)


def advise(
    public: Table,
    label: str | Sequence[Any],
    *,
    people: int,
    accuracy: float,
    epsilons: Sequence[float] = EPSILONS,
    mechanisms: Sequence[str] | None = None,
    schema: TableSchema | None = None,
    splits: int = SPLITS,
    draws: int = DRAWS,
    seed: int = 0,
    vrlm: bool = False,
    progress: OnStep | None = None,
) -> Advice:
    """Simulate collections from ``people`` people like the public rows or pictures, for every mechanism and ε.

    ``label`` is a column of the table; of a folder of pictures "folder" or the CSV file in it; of an array, its labels.

    The rows are split inside, ``splits`` times: to fit on, to play the people (again, if there are fewer), and to
    test with. Nothing private is used, and nothing that is returned was learnt from anybody but the public rows.

    ``vrlm``: simulate the paper's V-RLM too, record and label apart. It trains a network or two in every split, and
    fits a kernel classifier in every collection: minutes.
    """
    if isinstance(people, bool) or not isinstance(people, int) or not people >= 1:
        raise ValueError(f"Expected people >= 1, a whole number, got people={people!r}.")
    if not 0.0 < accuracy < 1.0:
        raise ValueError(f"Expected 0 < accuracy < 1 (0.8 for 80 %), got accuracy={accuracy!r}.")
    grid = sorted({positive("epsilon", each) for each in epsilons})
    records = public_records(public, label, schema)
    y, classes = records.y, records.classes
    if len(y) < FEWEST_ROWS:
        raise TableError(f"Expected at least {FEWEST_ROWS} public {records.kind} with a label, got {len(y)}.")
    if vrlm and int(PARTS[0] * len(y)) < FEWEST_FOR_NETWORK:
        raise TableError(
            f"Expected at least {math.ceil(FEWEST_FOR_NETWORK / PARTS[0])} public {records.kind} with a label for a "
            f"V-RLM, of which {FEWEST_FOR_NETWORK} are to fit on, got {len(y)}."
        )
    two = len(classes) == 2
    names = [each for each in mechanisms or MECHANISMS if two or each not in (BITS, LAPLACE)]
    names += [VRLM] if vrlm else []
    found: dict[tuple[str, float], list[float]] = {(name, epsilon): [] for name in names for epsilon in grid}
    clean, majority, done = [], [], 0
    if progress is not None:
        progress(done, splits * len(found))
    for split in range(splits):
        order = np.random.default_rng([seed, split]).permutation(len(y))
        parts = np.split(order, [int(share * len(y)) for share in PARTS])
        rehearsal = records.rehearsal(parts, seed)
        paper = VRLMRehearsal(of=rehearsal)
        clean.append(rehearsal.clean)
        majority.append(rehearsal.majority)
        simulated: dict[tuple[Plan, float], list[float]] = {}
        for (name, epsilon), accuracies in found.items():
            plan = rehearsal.plan(name, epsilon, people) if name in (RULE, *KINDS) else None
            if plan is not None and (plan, epsilon) in simulated:  # what the rule chose is one curve, under two names
                accuracies.extend(simulated[plan, epsilon])
                done += 1
                if progress is not None:
                    progress(done, splits * len(found))
                continue
            before = len(accuracies)
            generator = np.random.default_rng([seed, split, *f"{name} {epsilon:g}".encode()])
            collect = paper.accuracy if name == VRLM else partial(rehearsal.accuracy, name)
            for draw in range(draws):
                accuracies.append(collect(epsilon, people, generator))
                done += draw == draws - 1
                if progress is not None:  # also within a cell: whoever watches may want to stop
                    progress(done, splits * len(found))
            if plan is not None:
                simulated[plan, epsilon] = accuracies[before:]
    return Advice(
        table=str(public) if isinstance(public, str | Path) else records.kind,
        label=label if isinstance(label, str) else "label",
        rows=len(y),
        kind=records.kind,
        people=people,
        wish=accuracy,
        majority=float(np.mean(majority)),
        clean=float(np.mean(clean)),
        points=tuple(Point(mechanism=n, epsilon=e, accuracies=tuple(a)) for (n, e), a in found.items()),
        left_out=records.left_out,
        splits=splits,
    )
