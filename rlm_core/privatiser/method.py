"""A fitted kind of report: how a row leaves the device, and what the collector makes of many reports.

    kind             sent for (x, y), with all of ε                       the collector learns
    joint bits       a coordinate, and bits from it on times the label    logistic regression from averages
    joint Laplace    ν((h − μ, c)(2y − 1)) + Laplace noise                the same
    joint selection  a coordinate, and (label, bit of it) in a set        the same
    codes            (code, label) in a set of pairs                      p(y | code), maximum likelihood

Everything in a :class:`Method` is public: it comes from auxiliary rows and arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.collector.code_labels import labels_from_tally, labels_of_codes, one_to_one
from rlm_core.collector.codes import CodeClassifier, PairCounts, PairSets, expectation_maximisation
from rlm_core.collector.moments import (
    MomentClassifier,
    Moments,
    moments_of_averages,
    moments_of_mean,
    moments_of_numbers,
    moments_of_sets,
    signed_bits,
    signed_of_tally,
)
from rlm_core.collector.tally import Tally
from rlm_core.collector.tally_coordinates import CoordinateTally
from rlm_core.collector.tally_sums import SumTally
from rlm_core.mechanism import RLM
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.payload import Payload, Together
from rlm_core.owner.subset_selection import OneHot, SubsetSelection
from rlm_core.privatiser.encoder import Encoder, nearest_centres, principal_components
from rlm_core.privatiser.network import CodesNetwork, NetworkEncoder
from rlm_core.privatiser.plan import BITS, CODES, LAPLACE, NETWORK, RANGE, Plan, check_undivided, reports_needed
from rlm_core.privatiser.sending import Sending
from rlm_core.report_tally import Body
from rlm_core.types import FloatArray, IntArray

Learnt = MomentClassifier | CodeClassifier

PSEUDO_ROWS = 0.5
"""Added to the frequency of every code, so that one which no public row has is not impossible."""

PSEUDO_COUNT = 1.0
"""Reports' worth of a uniform label for every code."""

CLIPPED_SHARE = 0.25
"""Of the public rows, so many are longer than the radius."""

CONSTANT = 0.5
"""The constant coordinate of a joint Laplace report, in units of the median norm over √d."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Method:
    """A plan with its encoder and public numbers.

    Args:
        plan: kind and size.
        encoder: from an encoded row to h.
        prior: (m, d) h of some public rows, which the collector knows.
        radius, constant: of the clip and of the constant coordinate (Laplace).
        digest: names all of it, for reports.
    """

    plan: Plan
    encoder: Encoder
    prior: FloatArray = field(repr=False)
    radius: float
    constant: float
    digest: str = "0" * 32

    @classmethod
    def fit(
        cls,
        plan: Plan,
        x: ArrayLike,
        *,
        generator: np.random.Generator,
        prior_rows: int,
        network: Callable[[], CodesNetwork] | None = None,
    ) -> Method:
        """Encoder and public numbers from public rows x (n, p); ``network`` trains one where the plan asks for it."""
        encoder: Encoder
        if plan.encoder == NETWORK:
            if network is None:
                raise ValueError("Expected a network to be trained for encoder='network', got none.")
            encoder = network().cut(plan.size)
        else:
            encoder = (nearest_centres if plan.kind == CODES else principal_components)(
                x, plan.size, generator=generator
            )
        x = np.asarray(x)
        chosen = np.sort(generator.permutation(len(x))[:prior_rows])
        prior = encoder(x[chosen]).astype(np.float32).astype(np.float64)  # as it is stored
        norms = np.abs(prior).sum(axis=1)
        constant = CONSTANT * float(np.median(norms)) / prior.shape[1] ** 0.5
        radius = float(np.quantile(norms + constant, 1 - CLIPPED_SHARE))
        if plan.kind == CODES:
            radius, constant = 1.0, 1.0
        return cls(
            plan=replace(plan, size=prior.shape[1]),
            encoder=encoder,
            prior=prior,
            radius=float(np.float32(max(radius, 1e-6))),
            constant=float(np.float32(max(constant, 1e-6))),
        )

    @property
    def size(self) -> int:
        """d or k."""
        return self.plan.size

    @property
    def definition(self) -> dict[str, Any]:
        """All that decides what is sent for encoded rows, but for ε."""
        found = {
            "kind": self.plan.kind,
            "size": self.size,
            "radius": self.radius,
            "constant": self.constant,
            "range": RANGE,
        }
        if isinstance(self.encoder, NetworkEncoder):
            return found | {"layers": self.encoder.tensors(), "merge": self.encoder.merge}
        return found | {"weight": self.encoder.tensors()["0.weight"], "bias": self.encoder.tensors()["0.bias"]}

    @property
    def card(self) -> dict[str, Any]:
        """What a card has of it, beside plan and digest."""
        merge = list(self.encoder.merge) if isinstance(self.encoder, NetworkEncoder) else []
        return {"radius": self.radius, "constant": self.constant, "merge": merge}

    def mechanism(self, epsilon: float) -> RLM:
        """The record alone, with all of ε."""
        noise: LaplaceNoise | SubsetSelection
        if self.plan.kind == CODES:
            noise = SubsetSelection(epsilon=epsilon, symbols=self.size)
        else:
            noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=self.radius))
        return RLM(
            name=f"own data, {self.plan.kind}",
            encoder=self.encoder,
            noise=noise,
            input_dim=self.encoder.input_dim,
            output_dim=self.size,
            card_digest=self.digest,
        )

    def sending(self, epsilon: float, classes: int | None = None, *, lam: float | None = None) -> Sending:
        """How a record leaves, alone or with a label, with all of ε."""
        check_undivided(self.plan.kind, lam)
        pairs = None if classes is None else self.together(epsilon, classes)
        return Sending(mechanism=self.mechanism(epsilon), pairs=pairs)

    def together(self, epsilon: float, classes: int) -> Together:
        """How record and label leave as one report, with all of ε."""
        if self.plan.kind == CODES:
            return PairSelection(epsilon=epsilon, codes=self.size, classes=classes)
        if self.plan.kind == BITS:
            return JointBits(epsilon=epsilon, low=(-RANGE,) * self.size, high=(RANGE,) * self.size)
        if self.plan.kind == LAPLACE:
            return self._laplace(epsilon)
        return self._selection(epsilon, classes)

    def _laplace(self, epsilon: float) -> JointLaplace:
        return JointLaplace(epsilon=epsilon, radius=self.radius, centre=(0.0,) * self.size, constant=self.constant)

    def _selection(self, epsilon: float, classes: int) -> JointSelection:
        return JointSelection(epsilon=epsilon, classes=classes, low=(-RANGE,) * self.size, high=(RANGE,) * self.size)

    def features(self, h: ArrayLike) -> FloatArray:
        """φ, what the classifier looks at, the last one constant: (n, d) to (n, d + 1). Not for codes."""
        h = np.asarray(h, dtype=np.float64)
        if self.plan.kind == LAPLACE:
            joint = self._laplace(1.0)
            return joint.noise.clip(joint.centred(h))
        inside = np.clip(h, -RANGE, RANGE) / RANGE
        return np.concatenate([inside, np.ones((len(h), 1))], axis=1)

    def codes(self, h: ArrayLike) -> IntArray:
        """The code of each row of scores."""
        return OneHot(symbols=self.size).codes(h)

    @cached_property
    def prior_features(self) -> FloatArray:
        """φ of the public rows."""
        return self.features(self.prior)

    @cached_property
    def frequencies(self) -> FloatArray:
        """How often each code occurs among the public rows: (k,)."""
        return np.bincount(self.codes(self.prior), minlength=self.size).astype(np.float64)

    def reports_needed(self, epsilon: float, classes: int, lam: float | None = None) -> float:
        """By the rules (:func:`~rlm_core.privatiser.plan.reports_needed`); nothing is divided, so no λ is read."""
        return reports_needed(epsilon, classes)

    def simulate(
        self, h: ArrayLike, y: ArrayLike, epsilon: float, classes: int, generator: np.random.Generator
    ) -> Payload:
        """What would be sent, reproducibly, for experiments and advice. NOT private: never release it."""
        together = self.together(epsilon, classes)
        if isinstance(together, PairSelection):
            members = together.simulate(self.codes(h), y, generator=generator)
            return Payload(members=members, channel=together.channel)
        if isinstance(together, JointLaplace):
            return Payload(numbers=together.simulate(h, y, generator=generator))
        if isinstance(together, JointSelection):
            coordinates, members = together.simulate(h, y, generator=generator)
            return Payload(members=members, channel=together.channel, coordinates=coordinates)
        assert isinstance(together, JointBits)
        return together.simulate(h, y, generator=generator)

    def learn(self, sent: Payload, epsilon: float, classes: int) -> Learnt:
        """The collector's classifier from what was sent: post-processing."""
        together = self.together(epsilon, classes)
        if isinstance(together, PairSelection):
            reports = PairSets(members=_required(sent.members), epsilon=epsilon, codes=self.size, classes=classes)
            if self._may_be_classes(classes):
                return labels_of_codes(reports, self.frequencies)
            return expectation_maximisation(reports, self.frequencies + PSEUDO_ROWS, pseudo_count=PSEUDO_COUNT)
        return MomentClassifier.fit(self.moments(sent, epsilon, classes), self.prior_features)

    def moments(self, sent: Payload, epsilon: float, classes: int) -> Moments:
        """The averages that joint reports tell. Not for codes."""
        together, phi = self.together(epsilon, classes), self.prior_features
        if isinstance(together, JointBits):
            return Moments.of_two(*self.signed(sent, together), phi)
        if isinstance(together, JointLaplace):
            return moments_of_numbers(_required(sent.numbers), together.noise.scale, phi)
        channel = self._selection(epsilon, classes).channel
        vectors = channel.vector(_required(sent.members))
        return moments_of_sets(_required(sent.coordinates), vectors, channel.energy, phi)

    def learn_tally(self, tally: Body, epsilon: float, classes: int) -> Learnt:
        """The same from a tally of the reports alone: constant memory, whatever their number.

        Joint reports are learnt from as before, since averages are all that is used of them. Of pairs in sets the
        tally forgets which came together (:class:`PairCounts`): ``benchmarks/results/scale.json`` says what that costs.
        """
        together, phi = self.together(epsilon, classes), None if self.plan.kind == CODES else self.prior_features
        if isinstance(together, PairSelection) and isinstance(tally, Tally):
            channel = together.channel
            if self._may_be_classes(classes):
                return labels_from_tally(tally, channel, self.frequencies)
            sets = PairCounts(outside=channel.outside / channel.inside, codes=self.size, classes=classes)
            frequencies = self.frequencies + PSEUDO_ROWS
            weights = tally.counts / channel.size
            return expectation_maximisation(sets, frequencies, weights=weights, pseudo_count=PSEUDO_COUNT)
        assert phi is not None
        if isinstance(together, JointLaplace) and isinstance(tally, SumTally):
            moments = moments_of_mean(tally.mean, tally.people, together.noise.scale, phi)
        elif isinstance(together, JointBits) and isinstance(tally, CoordinateTally):
            moments = Moments.of_two(*signed_of_tally(tally.widened(together.coordinates), together.keep), phi)
        elif isinstance(together, JointSelection) and isinstance(tally, CoordinateTally):
            channel, here = together.channel, tally.widened(self.size)
            shares = here.counts / np.maximum(here.people, 1)[:, None]
            averages = (shares - channel.outside) / (channel.inside - channel.outside)
            averages[here.people == 0] = 0.0
            moments = moments_of_averages(averages, here.people, channel.energy, phi)
        else:
            raise ValueError(f"Expected a tally of reports, {self.plan.kind}, got a {type(tally).__name__}.")
        return MomentClassifier.fit(moments, phi)

    def _may_be_classes(self, classes: int) -> bool:
        """Whether a network found as many groups as there are classes, about equally frequent: then each is one."""
        return self.plan.encoder == NETWORK and one_to_one(self.frequencies, classes)

    def signed(self, sent: Payload, joint: JointBits) -> tuple[FloatArray, FloatArray]:
        """E[φ(2y − 1)] as reports of bits tell it, and the variance of its noise."""
        return signed_bits(
            _required(sent.coordinates),
            _required(sent.symbols),
            bits=joint.width,
            keep=joint.keep,
            features=joint.coordinates,
        )

    def probabilities(self, learnt: Learnt, h: ArrayLike) -> FloatArray:
        """p(y | x) from a clean h: (n, d) to (n, K)."""
        if isinstance(learnt, CodeClassifier):
            table: FloatArray = learnt.table[self.codes(h)]
            return table
        return learnt.predict_proba(self.features(h))


def _required(column: Any) -> Any:
    if column is None:
        raise ValueError("Expected reports of another kind than these.")
    return column
