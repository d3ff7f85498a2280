"""What would be learnt? Collections simulated on public rows, for our reports and for baselines in their best form.

Simulated, not private: every row here is public. All baselines get the same estimator as the joint reports,
logistic regression from averages, and the same principal components.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.baselines.table import DuchiTable, LaplaceTable, TableMechanism
from rlm_core.collector.moments import PRIOR_ROWS, MomentClassifier, Moments
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.pictures import PictureFormat, read_pictures
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
    bearable_numbers,
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

LABEL_ALONE = "k-RR of the label alone"
"""Features go in the clear: it protects the label and nothing else."""

FEATURES: dict[str, type[TableMechanism]] = {"Laplace": LaplaceTable, "Duchi": DuchiTable}
"""Every feature by itself (Laplace), or all numbers at once (Duchi), categories by k-RR, the label by k-RR."""

MECHANISMS = (RULE, *KINDS, *FEATURES, LABEL_ALONE)
LABEL_SHARE = 0.5
"""1 − λ of the baselines: half of ε for the label, half for the features."""

TAIL = 0.005
"""Of a number's public values, so many on either side lie outside the bounds of the baselines."""


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
            learnt = self._from_separate(mechanism, epsilon, self.people[chosen], y, generator)
            predicted = learnt.predict(_with_constant(self._components(learnt.weights.shape[1] - 1)(self.test)))
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

    def _components(self, d: int) -> LinearEncoder:
        most = self._most_components
        return LinearEncoder(weight=most.weight[:d], bias=most.bias[:d])

    def _from_separate(
        self, mechanism: str, epsilon: float, x: NDArray[np.float32], y: IntArray, generator: np.random.Generator
    ) -> MomentClassifier:
        """Features and label sent each by itself: averages of their products, since their noise is independent."""
        if mechanism == LABEL_ALONE:
            labels, sent, d = (
                RandomisedResponse(epsilon=epsilon, classes=self.classes),
                x.astype(np.float64),
                MOST_NUMBERS,
            )
        else:
            budget = Budget(epsilon=epsilon, lam=1.0 - LABEL_SHARE)
            labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=self.classes)
            sent = self._sent_features(FEATURES[mechanism], budget.epsilon_x, x, generator)
            d = max(2, round(bearable_numbers(epsilon, len(x), 1)))
        encoder = self._components(d)
        phi = _with_constant(encoder(sent))  # (n, d + 1), right on average
        one_hot = _unbiased(np.eye(self.classes)[labels.simulate(y, generator=generator)], labels)  # (n, K)
        products = phi[:, None, :] * one_hot[:, :, None]  # (n, K, d + 1)
        moments = Moments(values=products.mean(axis=0), variance=products.var(axis=0).mean(axis=0) / len(x))
        # Where the people's own features are in the clear, they are what the classifier is fitted with.
        prior = phi if mechanism == LABEL_ALONE else _with_constant(encoder(self.public[:PRIOR_ROWS]))
        return MomentClassifier.fit(moments, prior)

    def _sent_features(
        self, kind: type[TableMechanism], epsilon: float, x: NDArray[np.float32], generator: np.random.Generator
    ) -> FloatArray:
        """Rows as a baseline sends them, made right on average."""
        blocks = self.categories
        numbers = min((start for start, _ in blocks), default=x.shape[1])  # a table's numbers come first
        low, high = np.quantile(self.public[:, :numbers], [TAIL, 1 - TAIL], axis=0) if numbers else ((), ())
        high = np.maximum(high, np.asarray(low) + 1e-6)
        table = kind(epsilon=epsilon, low=tuple(low), high=tuple(high), categories=tuple(blocks))
        sent = table.simulate(x, generator=generator)
        for (start, stop), response in zip(blocks, table.responses, strict=True):
            if response.response is not None:
                sent[:, start:stop] = _unbiased(sent[:, start:stop], response.response)
        return sent


def _unbiased(one_hot: FloatArray, response: RandomisedResponse) -> FloatArray:
    """(1_said − q)/(p − q): right on average."""
    p = float(response.truth_probability)
    q = (1.0 - p) / (response.classes - 1)
    vectors: FloatArray = (one_hot - q) / (p - q)
    return vectors


def _with_constant(h: FloatArray) -> FloatArray:
    return np.concatenate([h, np.ones((len(h), 1))], axis=1)
