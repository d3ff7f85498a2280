"""Learning from codes: everybody sends code and label as one pair, and a table of p(y | code) is fitted to the sets.

No Streamlit here: the server and its worker both import this module. Release, number of codes and estimator are those
of the experiments (``benchmarks.experiments.codes``); what is added is that the table is fitted again and again while
reports arrive, so that somebody can watch.

Where records to be classified are privatised too, their owners send one of the fewest codes by k-RR, with the share
:data:`~rlm_core.catalogue.TEST_SHARE` of ε: to tell one report, no ε-LDP report does better (Kairouz et al. 2016).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rlm_core import PrivateAccuracy
from rlm_core.collector.code_labels import labels_of_codes, merged_table
from rlm_core.collector.codes import CodeClassifier, PairSets, code_posterior
from rlm_core.types import BoolArray, FloatArray, IntArray
from ui.collect.events import Event, Point, Result, Stopped, ask

FIRST = 100
"""Reports after which the first table is fitted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """What the collector has: a set of pairs from each person, eight pairs a byte."""

    packed: NDArray[np.uint8] = field(repr=False)
    epsilon: float
    codes: int
    classes: tuple[str, ...]

    @classmethod
    def of(cls, members: BoolArray, *, epsilon: float, codes: int, classes: tuple[str, ...]) -> Pairs:
        """From sets (n, k·K)."""
        return cls(packed=np.packbits(members, axis=1), epsilon=epsilon, codes=codes, classes=classes)

    def __len__(self) -> int:
        return len(self.packed)

    def members(self, count: int | None = None) -> BoolArray:
        """The first ``count`` sets: (n, k·K)."""
        width = self.codes * len(self.classes)
        return np.unpackbits(self.packed[:count], axis=1, count=width).astype(np.bool_)

    def sets(self, count: int | None = None) -> PairSets:
        """The same for an estimator."""
        return PairSets(members=self.members(count), epsilon=self.epsilon, codes=self.codes, classes=len(self.classes))


@dataclass(frozen=True, kw_only=True, eq=False)
class Coded:
    """People whose code (n,) and label (n,) stay with them."""

    codes: IntArray = field(repr=False)
    y: IntArray = field(repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeReports:
    """People to be classified from their reports alone: what is known of each of the fewest codes.

    ``log_likelihood`` (n, m): of everybody's report under every code. ``into`` (k,): which of the m codes each of the
    k collected ones belongs to. ``frequencies`` (m,): in D₁.
    """

    log_likelihood: FloatArray = field(repr=False)
    into: IntArray = field(repr=False)
    frequencies: FloatArray = field(repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairTask:
    """Everything that a fit needs, in one value that can be sent to another process.

    ``valid``: asked once, at the end, how often the table is right on their own devices; None asks nobody. ``done``:
    reports that an earlier fit, which was stopped, has learnt from.
    """

    pairs: Pairs = field(repr=False)
    frequencies: FloatArray = field(repr=False)
    valid: Coded | None = field(repr=False)
    test: Coded = field(repr=False)
    test_reports: CodeReports = field(repr=False)
    done: int = 0

    @property
    def reports(self) -> int:
        """How many were sent."""
        return len(self.pairs)

    @property
    def questions(self) -> int:
        """How often the validation group is asked."""
        return 0 if self.valid is None else 1

    @property
    def epsilon(self) -> float:
        """Of a report, and of an answer of the validation group."""
        return self.pairs.epsilon

    def resumed(self, points: list[Point]) -> PairTask:
        """The same from where it was stopped."""
        from dataclasses import replace

        return replace(self, done=points[-1].epoch if points else 0)

    def learn(self, publish: Callable[[Event], None], is_stopped: Callable[[], bool] = lambda: False) -> Result:
        """Fit tables to more and more of the reports; ``publish`` is given each.

        Raises:
            Stopped: the visitor stopped before the first table was there.
        """
        start, point, answer = time.perf_counter(), None, None
        for count in sizes(len(self.pairs)):
            if count <= self.done:
                continue
            if is_stopped():
                if point is None:
                    raise Stopped
                break
            fitted = labels_of_codes(self.pairs.sets(count), self.frequencies)
            if count == len(self.pairs) and self.valid is not None:
                answer = ask(fitted.predict(self.valid.codes) == self.valid.y, self.epsilon)
            point = self._point(fitted, count, time.perf_counter() - start, answer)
            publish(point)
        assert point is not None
        return Result(
            clean=point.clean,
            private=point.private,
            epoch=point.epoch,
            epochs=point.epoch,
            seconds=point.seconds,
            queries=int(answer is not None),
            validation=answer,
            stopped=point.epoch < len(self.pairs),
        )

    def _point(self, fitted: CodeClassifier, count: int, seconds: float, answer: PrivateAccuracy | None) -> Point:
        return Point(
            epoch=count,
            epochs=len(self.pairs),
            seconds=seconds,
            clean=fitted.score(self.test.codes, self.test.y),
            private=float((self.classified(fitted.table) == self.test.y).mean()),
            validation=answer,
        )

    def classified(self, table: FloatArray) -> IntArray:
        """The most likely label of everybody in the test who sent a report: (n,)."""
        about = self.test_reports
        coarse = merged_table(table, about.into, self.frequencies)
        labels: IntArray = (code_posterior(about.log_likelihood, about.frequencies) @ coarse).argmax(axis=1)
        return labels


def sizes(reports: int) -> list[int]:
    """After how many reports a table is fitted: each time about 1.4 times as many, and all of them at the end.

    >>> sizes(1_000), sizes(60)
    ([100, 141, 200, 283, 400, 566, 800, 1000], [60])
    """
    steps = [round(FIRST * 2 ** (step / 2)) for step in range(64)]
    return [*(each for each in steps if each < reports), reports]
