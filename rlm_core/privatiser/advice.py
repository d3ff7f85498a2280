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

from rlm_core.privatiser.advice_words import meaning, percent
from rlm_core.privatiser.compare import LABEL_ALONE, MECHANISMS, RULE
from rlm_core.privatiser.network import FEWEST_ROWS as FEWEST_FOR_NETWORK
from rlm_core.privatiser.plan import BITS, LAPLACE, VRLM
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
"""Is told how many of how many steps are done."""


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
        return next((each for each in ours if each.reached(self.wish) >= SURE), None)

    def of(self, mechanism: str) -> list[Point]:
        """A mechanism's points, by ε."""
        return sorted((each for each in self.points if each.mechanism == mechanism), key=lambda each: each.epsilon)

    def sentences(self) -> list[str]:
        """The answer in words."""
        sentences = [
            f"{self.people:,} people, wish {percent(self.wish)}; without privacy {percent(self.clean)}, "
            f"always the commonest class {percent(self.majority)}."
        ]
        if self.wish <= self.majority:
            sentences.append("The wish asks for no more than the commonest class: no report is needed for that.")
        chosen = self.chosen
        if chosen is None:
            ours = self.of(RULE)
            best = max(ours, key=lambda each: each.mean)
            sentences.append(
                f"No epsilon up to {ours[-1].epsilon:g} reaches it in nine of ten simulated collections or more: "
                f"the best mean is {percent(best.mean)} ± {percent(best.deviation)} at epsilon = {best.epsilon:g}, "
                f"and {self._how_often(best)} reach it. Ask more people, or wish for less."
            )
            if self.clean < self.wish:
                sentences.append("Not even clean rows reach it.")
        else:
            sentences.append(
                f"epsilon = {chosen.epsilon:g} is the smallest of the grid that reaches it in nine of ten or more: in "
                f"{self._how_often(chosen)} simulated collections, with {percent(chosen.mean)} ± "
                f"{percent(chosen.deviation)}.{self._on_average(chosen)}"
            )
            sentences.append(self._over_splits(chosen))
            sentences.append(meaning(chosen.epsilon))
        alone = [each for each in self.of(LABEL_ALONE) if each.reached(self.wish) >= SURE]
        if alone:
            sentences.append(
                f"If the features were no secret and the label alone went through randomised response, "
                f"epsilon = {alone[0].epsilon:g} would do ({percent(alone[0].mean)}); "
                "it would protect nothing but the label."
            )
        else:
            sentences.append(
                "Randomised response of the label alone, with features in the clear, would not reach it either."
            )
        sentences += self._paper()
        playing = int((PARTS[1] - PARTS[0]) * self.rows)
        if self.people > playing:
            sentences.append(
                f"{playing:,} public {self.kind} play the people, each about {self.people / playing:.0f} times: "
                "as many different people would teach a little more, or differ more."
            )
        return sentences

    def _how_often(self, point: Point) -> str:
        """In how many of the collections the wish is reached."""
        count = len(point.accuracies)
        return f"{round(point.reached(self.wish) * count)} of {count}"

    def _on_average(self, chosen: Point) -> str:
        """Smaller ε whose mean is above the wish too: a curve shows means, the rule counts collections."""
        smaller = [each for each in self.of(RULE) if each.epsilon < chosen.epsilon and each.mean >= self.wish]
        if not smaller:
            return ""
        cases = ", ".join(f"epsilon = {each.epsilon:g} in {self._how_often(each)}" for each in smaller)
        return f" Smaller ones reach it on average, but not as surely: {cases}."

    def _paper(self) -> list[str]:
        """What the paper's V-RLM would need, if it was simulated."""
        points = self.of(VRLM)
        if not points:
            return []
        found = next((each for each in points if each.reached(self.wish) >= SURE), None)
        best = max(points, key=lambda each: each.mean)
        said = (
            f"would need epsilon = {found.epsilon:g} ({percent(found.mean)})"
            if found is not None
            else "does not reach it at any epsilon of the grid: its best mean is "
            f"{percent(best.mean)} at epsilon = {best.epsilon:g}"
        )
        return [f"The paper's V-RLM, which sends record and label apart, {said}."]

    def _over_splits(self, point: Point) -> str:
        """How far the splits differ. Collections of one split share its rows, so they are no independent trials."""
        if self.splits == 1:
            return "All collections are from one split of the public rows: another may differ more than they do."
        means = np.asarray(point.accuracies).reshape(self.splits, -1).mean(axis=1)
        return (
            f"The collections are from {self.splits} splits of the public rows, with means from "
            f"{percent(float(means.min()))} to {percent(float(means.max()))}; other rows may differ more."
        )

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
    for split in range(splits):
        order = np.random.default_rng([seed, split]).permutation(len(y))
        parts = np.split(order, [int(share * len(y)) for share in PARTS])
        rehearsal = records.rehearsal(parts, seed)
        paper = VRLMRehearsal(of=rehearsal)
        clean.append(rehearsal.clean)
        majority.append(rehearsal.majority)
        for (name, epsilon), accuracies in found.items():
            generator = np.random.default_rng([seed, split, *f"{name} {epsilon:g}".encode()])
            collect = paper.accuracy if name == VRLM else partial(rehearsal.accuracy, name)
            accuracies += [collect(epsilon, people, generator) for _ in range(draws)]
            done += 1
            if progress is not None:
                progress(done, splits * len(found))
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
