"""What would be learnt? Collections simulated on public rows, for our reports and for baselines in their best form.

Simulated, not private: every row here is public.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.collector.moments import PRIOR_ROWS
from rlm_core.pictures import PictureFormat, read_pictures
from rlm_core.privatiser.compare_baselines import FEATURES, LABEL_ALONE, predict_from_separate
from rlm_core.privatiser.encoder import LinearEncoder, principal_components
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.network import CodesNetwork, train_codes_network
from rlm_core.privatiser.plan import (
    CODES,
    KINDS,
    LINEAR,
    MOST_NUMBERS,
    NETWORK,
    Plan,
    choose_plan,
)
from rlm_core.privatiser.views import CorruptedRows, MovedPictures, Neighbours, Views
from rlm_core.tables.preprocessor import TablePreprocessor
from rlm_core.tables.schema import TableSchema
from rlm_core.types import FloatArray, IntArray

RULE = "LocalPrivatiser"
"""The kind and size that the rule chooses."""

NETWORK_CODES = "codes by a network"
"""What the Q-RLM does: codes that a network learnt from public records."""

MECHANISMS = (RULE, *KINDS, *FEATURES, LABEL_ALONE)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rehearsal:
    """Public rows in three parts: to fit on, to play the people, to test with; encoded alike.

    Args:
        public, people, test: encoded rows (·, p).
        people_y, test_y: class numbers.
        group, group_y: who may be asked whether a classifier is right about them; None where nobody is.
        classes: K.
        categories: (start, stop) of the columns that are one category; all others are numbers.
        views: what a network should give the same code; None where none is asked for.
        pictures: whether records are pictures.
        seed: of the fits.
        trained: gives the network instead of a training here (an experiment keeps them in files).
    """

    public: NDArray[np.float32] = field(repr=False)
    people: NDArray[np.float32] = field(repr=False)
    people_y: IntArray = field(repr=False)
    test: NDArray[np.float32] = field(repr=False)
    test_y: IntArray = field(repr=False)
    classes: int
    categories: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    views: Views | None = field(default=None, repr=False)
    pictures: bool = False
    seed: int = 0
    trained: Callable[[Rehearsal], CodesNetwork] | None = field(default=None, repr=False)
    group: NDArray[np.float32] | None = field(default=None, repr=False)
    group_y: IntArray | None = field(default=None, repr=False)
    _methods: dict[Plan, Method] = field(default_factory=dict, repr=False)
    _encoded: dict[Plan, tuple[FloatArray, FloatArray]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        y: IntArray,
        classes: int,
        parts: Sequence[IntArray],
        *,
        schema: TableSchema | None = None,
        seed: int = 0,
    ) -> Rehearsal:
        """From a table: ``parts`` are the rows to fit on, of the people, and to test with; a fourth is the group."""
        public, people, test, *group = parts
        schema = schema or TableSchema.infer(frame.iloc[public])
        tidy = schema.read(frame)
        preprocessor = TablePreprocessor.fit(tidy.iloc[public], schema.features, unknown="ignore")
        x = preprocessor.transform(tidy, unknown="ignore", allow_missing=True, outliers="clip")
        return cls(
            public=x[public],
            people=x[people],
            people_y=y[people],
            test=x[test],
            test_y=y[test],
            classes=classes,
            categories=tuple((each.start, each.stop) for each in preprocessor.blocks if each.kind == "category"),
            views=CorruptedRows(blocks=tuple((each.start, each.stop) for each in preprocessor.blocks)),
            seed=seed,
            group=x[group[0]] if group else None,
            group_y=y[group[0]] if group else None,
        )

    @classmethod
    def of_pictures(
        cls, images: NDArray[np.generic], y: IntArray, classes: int, parts: Sequence[IntArray], *, seed: int = 0
    ) -> Rehearsal:
        """From pictures (n, height, width[, 3]), in the same three parts; a fourth is the group."""
        form = PictureFormat.infer(read_pictures(images[parts[0]]))
        x = [form.matrix(read_pictures(images[part])) for part in parts]
        return cls.of_encoded(form, x, [y[part] for part in parts], classes, seed=seed)

    @classmethod
    def of_encoded(
        cls,
        form: PictureFormat,
        x: Sequence[NDArray[np.float32]],
        y: Sequence[IntArray],
        classes: int,
        *,
        seed: int = 0,
    ) -> Rehearsal:
        """From pictures that ``form`` has made numbers of, in the same three parts; a fourth is the group."""
        return cls(
            public=x[0],
            people=x[1],
            people_y=y[1],
            test=x[2],
            test_y=y[2],
            classes=classes,
            views=Neighbours() if form.colour else MovedPictures(picture=(form.height, form.width)),
            pictures=True,
            seed=seed,
            group=x[3] if len(x) > 3 else None,
            group_y=y[3] if len(y) > 3 else None,
        )

    @property
    def majority(self) -> float:
        """What always saying the commonest class of the people would get."""
        return float((self.test_y == np.bincount(self.people_y, minlength=self.classes).argmax()).mean())

    @cached_property
    def clean(self) -> float:
        """Logistic regression on the people's clean rows and labels: what privacy costs is measured from here."""
        from sklearn.linear_model import LogisticRegression

        if len(np.unique(self.people_y)) < 2:
            return self.majority
        fitted = LogisticRegression(max_iter=1_000, C=1.0).fit(self.people, self.people_y)
        return float(fitted.score(self.test, self.test_y))

    def plan(self, mechanism: str, epsilon: float, reports: int) -> Plan:
        """Kind and size by the rule; of that kind if one is named."""
        pictures = len(self.public) if self.pictures else 0
        rows = len(self.public)
        if mechanism == RULE:
            return choose_plan(epsilon, reports, self.classes, public_rows=rows, public_pictures=pictures)
        kind, encoder = (CODES, NETWORK) if mechanism == NETWORK_CODES else (mechanism, LINEAR)
        return choose_plan(
            epsilon,
            reports,
            self.classes,
            kind=kind,
            encoder=encoder,
            public_rows=rows,
            public_pictures=pictures,
        )

    def accuracy(self, mechanism: str, epsilon: float, reports: int, generator: np.random.Generator) -> float:
        """One simulated collection of so many reports, and the accuracy of what was learnt on the test rows.

        People take part again if there are fewer of them than reports.
        """
        chosen = generator.choice(len(self.people), size=reports, replace=reports > len(self.people))
        y = self.people_y[chosen]
        if mechanism in (RULE, NETWORK_CODES, *KINDS):
            method, of_people, of_test = self._method(self.plan(mechanism, epsilon, reports))
            sent = method.simulate(of_people[chosen], y, epsilon, self.classes, generator)
            learnt = method.learn(sent, epsilon, self.classes)
            predicted = method.probabilities(learnt, of_test).argmax(axis=1)
        else:
            predicted = predict_from_separate(self, mechanism, epsilon, self.people[chosen], y, generator)
        return float((predicted == self.test_y).mean())

    def _method(self, plan: Plan) -> tuple[Method, FloatArray, FloatArray]:
        """The fitted plan, and h of the people and of the test rows: each is fitted and encoded once."""
        if plan not in self._methods:
            generator = np.random.default_rng(self.seed)
            method = Method.fit(
                plan, self.public, generator=generator, prior_rows=PRIOR_ROWS, network=lambda: self._network
            )
            self._methods[plan] = method
            self._encoded[plan] = method.encoder(self.people), method.encoder(self.test)
        return self._methods[plan], *self._encoded[plan]

    @cached_property
    def _network(self) -> CodesNetwork:
        if self.trained is not None:
            return self.trained(self)
        if self.views is None:
            raise ValueError("Expected views to train a network with, got none.")
        return train_codes_network(self.public, self.views, classes=self.classes, seed=self.seed)

    @cached_property
    def _most_components(self) -> LinearEncoder:
        return principal_components(self.public, MOST_NUMBERS, generator=np.random.default_rng(self.seed))

    def components(self, d: int) -> LinearEncoder:
        """The first d principal components of the public rows."""
        most = self._most_components
        return LinearEncoder(weight=most.weight[:d], bias=most.bias[:d])
