"""A fitted V-RLM of own data: how a row leaves the device, and what the collector makes of many reports.

    sent for (x, y):   z̃ = ν(h(x)) + Laplace(0, 2l/εx)ᵈ    and    ỹ by k-RR with εy,    εx = λε, εx + εy ≤ ε

Guarantee: (z̃, ỹ) is ε-LDP for any encoder (:class:`~rlm_core.mechanism.RLM`, sequential composition with
:class:`~rlm_core.owner.labels.RandomisedResponse`). Everything in a :class:`SplitMethod` is public.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rlm_core.collector.kernel_classifier import KernelClassifier
from rlm_core.collector.validation import Validate
from rlm_core.mechanism import RLM
from rlm_core.owner.budget import Budget
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.privatiser import honesty
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.plan import Plan
from rlm_core.privatiser.sending import Sending
from rlm_core.privatiser.vrlm.classifier import learn_split
from rlm_core.privatiser.vrlm.reports import SplitReports
from rlm_core.privatiser.vrlm.rules import ENOUGH, SHARE, check_division, check_share
from rlm_core.privatiser.vrlm.training import Trained
from rlm_core.types import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitMethod:
    """A plan with its encoder and public numbers.

    Args:
        plan: kind and size d.
        encoder: from an encoded row to h.
        prior: (m, d) h of some public rows, which the collector knows.
        radius: l of the clip.
        training: settings of the training, for the card.
        central: what the training spent under central DP, for the card; None without.
        digest: names all that decides what is sent, but for ε and λ (a report has εx and εy).
    """

    plan: Plan
    encoder: NetworkEncoder
    prior: FloatArray = field(repr=False)
    radius: float
    training: dict[str, Any] = field(default_factory=dict, repr=False)
    central: dict[str, Any] | None = field(default=None, repr=False)
    digest: str = "0" * 32

    @classmethod
    def of(
        cls, plan: Plan, trained: Trained, x: NDArray[np.float32], *, generator: np.random.Generator, prior_rows: int
    ) -> SplitMethod:
        """With the representations of some of the public rows x (n, p)."""
        chosen = np.sort(generator.permutation(len(x))[:prior_rows])
        return cls(
            plan=plan,
            encoder=trained.encoder,
            prior=trained.encoder(x[chosen]).astype(np.float32).astype(np.float64),  # as it is stored
            radius=float(trained.settings["radius"]),
            training=trained.settings,
            central=trained.central,
        )

    @property
    def size(self) -> int:
        """d."""
        return self.plan.size

    @property
    def definition(self) -> dict[str, Any]:
        """All that decides what is sent for encoded rows, but for ε and λ."""
        return {
            "kind": self.plan.kind,
            "size": self.size,
            "radius": self.radius,
            "layers": self.encoder.tensors(),
        }

    @property
    def card(self) -> dict[str, Any]:
        """What a card has of it, beside plan and digest."""
        return {"radius": self.radius, "training": self.training, "central_dp": self.central}

    def mechanism(self, epsilon: float) -> RLM:
        """The record alone, with all of ε."""
        return RLM(
            name=f"own data, {self.plan.kind}",
            encoder=self.encoder,
            noise=LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=self.radius)),
            input_dim=self.encoder.input_dim,
            output_dim=self.size,
            card_digest=self.digest,
        )

    def budget(self, epsilon: float, lam: float | None = None) -> Budget:
        """How ε is divided: by λ, or by the rule."""
        chosen = check_share(lam)
        return Budget(epsilon=epsilon, lam=SHARE if chosen is None else chosen)

    def sending(self, epsilon: float, classes: int | None = None, *, lam: float | None = None) -> Sending:
        """How a record leaves with all of ε; or, with a label, each with its share."""
        budget = self.budget(epsilon, lam)
        if classes is None:
            return Sending(mechanism=self.mechanism(epsilon))
        check_division(epsilon, lam)
        return Sending(
            mechanism=self.mechanism(budget.epsilon_x),
            labels=RandomisedResponse(epsilon=budget.epsilon_y, classes=classes),
        )

    def reports_needed(self, epsilon: float, classes: int, lam: float | None = None) -> float:
        """The n from which on the reports tell enough: :meth:`told` of each, ENOUGH of all."""
        told = self.told(epsilon, classes, lam)
        return float(np.ceil(max(1.0, ENOUGH / told))) if told > 0 else np.inf

    def told(self, epsilon: float, classes: int, lam: float | None = None) -> float:
        """What a report tells, as a part of what is asked of all of them.

        A report tells of z by its noise, Σ var(zᵢ)/b², and of the label by k-RR, (p − q)²·(K − 1): p(y|z) needs both.
        Asked are K − 1 numbers for each coordinate of z in use.
        """
        budget = self.budget(epsilon, lam)
        noise = self.mechanism(budget.epsilon_x).noise
        variance = noise.clip(self.prior).var(axis=0)
        truth, lie = RandomisedResponse(epsilon=budget.epsilon_y, classes=classes).transition_matrix[0, :2]
        if not variance.any():
            return 0.0
        of_record = float(variance.sum() / noise.scale**2) if noise.scale else np.inf
        in_use = float(variance.sum() ** 2 / (variance**2).sum())
        return of_record * float(truth - lie) ** 2 / in_use

    def simulate(
        self, h: ArrayLike, y: ArrayLike, epsilon: float, classes: int, generator: np.random.Generator
    ) -> SplitReports:
        """What would be sent, reproducibly, for experiments. NOT private: never release it."""
        sending = self.sending(epsilon, classes)
        noise, labels = sending.mechanism.noise, sending.labels
        assert labels is not None
        return SplitReports(
            z=noise.simulate(h, generator=generator),
            y=labels.simulate(y, generator=generator),
            epsilon_x=noise.epsilon,
            epsilon_y=labels.epsilon,
        )

    def learn(
        self, sent: SplitReports, classes: int, *, seed: int = 0, validate: Validate | None = None
    ) -> KernelClassifier:
        """The collector's classifier from what was sent: post-processing. ``validate`` asks about classifiers of h."""
        mechanism = self.mechanism(sent.epsilon_x)
        clip = mechanism.noise.clip
        of_z: Validate | None = None if validate is None else lambda predict: validate(lambda h: predict(clip(h)))
        return learn_split(sent, mechanism, clip(self.prior), classes, seed=seed, validate=of_z)

    def probabilities(self, learnt: KernelClassifier, h: ArrayLike) -> FloatArray:
        """p(y | x) from a clean h: (n, d) to (n, K)."""
        return learnt.predict_proba(L1Clip(radius=self.radius)(h))

    def drift(self, sent: SplitReports) -> str | None:
        """What to say if the averages of z̃, which have no label in them, are not those of public rows; or None."""
        z, scale = L1Clip(radius=self.radius)(self.prior), self.mechanism(sent.epsilon_x).noise.scale
        variance = z.var(axis=0)
        deviation = np.sqrt((variance + 2 * scale**2) / len(sent) + variance / len(z))
        return honesty.drift(sent.z.mean(axis=0), z.mean(axis=0), deviation)
