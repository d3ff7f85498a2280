"""What would be learnt from reports of a V-RLM? Collections simulated on public rows, beside those of other kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rlm_core.collector.moments import PRIOR_ROWS
from rlm_core.collector.validation import Predict, PrivateAccuracy, private_accuracy
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.privatiser.compare import Rehearsal
from rlm_core.privatiser.plan import NETWORK, VRLM, Plan
from rlm_core.privatiser.views import Neighbours
from rlm_core.privatiser.vrlm.columns import Columns
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.rules import DIMENSION
from rlm_core.privatiser.vrlm.training import Trained, preset_for, train_encoder
from rlm_core.types import FloatArray

if TYPE_CHECKING:
    from rlm_core.training.preset_types import VRLMPreset


@dataclass(frozen=True, kw_only=True, eq=False)
class VRLMRehearsal:
    """A rehearsal's three parts, and every setting trained and encoded once.

    ``trained`` gives the encoder of some settings instead of a training here (an experiment keeps them in files).
    """

    of: Rehearsal = field(repr=False)
    trained: Callable[[VRLMPreset], Trained] | None = field(default=None, repr=False)
    _fitted: dict[VRLMPreset, tuple[SplitMethod, FloatArray, FloatArray]] = field(default_factory=dict, repr=False)

    @property
    def columns(self) -> Columns:
        """What the numbers of a record are."""
        if self.of.pictures and not isinstance(self.of.views, Neighbours):
            return Columns(pixels=True)
        blocks = self.of.categories
        taken = {column for start, stop in blocks for column in range(start, stop)}
        numbers = tuple(column for column in range(self.of.public.shape[1]) if column not in taken)
        return Columns(numeric=numbers, categorical=blocks)

    def preset(self, epsilon: float) -> VRLMPreset:
        """By the rule."""
        return preset_for(epsilon, DIMENSION, self.columns, len(self.of.public))

    def method(self, epsilon: float) -> SplitMethod:
        """As it would be fitted for this ε."""
        return self._of(self.preset(epsilon))[0]

    def budget(self, epsilon: float) -> Budget:
        """How ε is divided, by the rule."""
        return self.method(epsilon).budget(epsilon)

    def accuracy(
        self, epsilon: float, reports: int, generator: np.random.Generator, *, ask_group: bool = False
    ) -> float:
        """One simulated collection of so many reports, and the accuracy of what was learnt on the test rows.

        People take part again if there are fewer of them than reports. ``ask_group``: the rehearsal's group says which
        classifier to keep, each answer with ε.
        """
        rehearsal, classes = self.of, self.of.classes
        chosen = generator.choice(len(rehearsal.people), size=reports, replace=reports > len(rehearsal.people))
        method, of_people, of_test = self._of(self.preset(epsilon))
        sent = method.simulate(of_people[chosen], rehearsal.people_y[chosen], epsilon, classes, generator)
        validate = None
        if ask_group:
            if rehearsal.group is None or rehearsal.group_y is None:
                raise ValueError("Expected a group to ask, got none.")
            of_group, truth = method.encoder(rehearsal.group), rehearsal.group_y
            bit = RandomisedResponse(epsilon=epsilon, classes=2)

            def validate(predict: Predict) -> PrivateAccuracy:
                right = (predict(of_group) == truth).astype(np.int64)
                return private_accuracy(bit.simulate(right, generator=generator), epsilon=epsilon)

        learnt = method.learn(sent, classes, seed=rehearsal.seed, validate=validate)
        predicted = method.probabilities(learnt, of_test).argmax(axis=1)
        return float((predicted == rehearsal.test_y).mean())

    def _of(self, preset: VRLMPreset) -> tuple[SplitMethod, FloatArray, FloatArray]:
        """The fitted method, and h of the people and of the test rows."""
        if preset not in self._fitted:
            public, seed = self.of.public, self.of.seed
            trained = (
                train_encoder(preset, public, self.columns, seed=seed)
                if self.trained is None
                else (self.trained(preset))
            )
            plan = Plan(kind=VRLM, size=preset.latent_dim, encoder=NETWORK)
            generator = np.random.default_rng(seed)
            method = SplitMethod.of(plan, trained, public, generator=generator, prior_rows=PRIOR_ROWS)
            self._fitted[preset] = method, method.encoder(self.of.people), method.encoder(self.of.test)
        return self._fitted[preset]
