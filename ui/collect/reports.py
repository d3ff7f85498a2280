"""Whom the visitor asks and what they send: a choice of the page to reports, and to a task for the worker.

The people are the public records of a mechanism's bundle. What they send is drawn by the release path,
with the operating system's randomness, as everywhere in the app: numbers and label apart, with ε divided by λ, or code
and label as one pair with all of ε (``code_reports``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rlm_core import RLM, Budget, RandomisedResponse, release_rows
from rlm_core.baselines.privunit import PrivUnit
from rlm_core.collector.classifier import Objective
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo import Bundle
from ui.collect.task import HIDDEN, Channel, People, Task

NOVEL = 9
"""The class that nobody had seen when the mechanism was trained."""

ORDER_SEED = 0  # who is asked first is not private, and the same for every run: runs can be compared


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One run of the page. ``people`` is how many are asked at most; everybody there is if it is more. ``codes``: how
    many there are, where a pair of code and label is sent; then λ is 1 and the objective says nothing."""

    experiment: str
    dataset: str
    mechanism: str
    noise: str
    people: int
    epsilon: float
    lam: float
    objective: Objective
    codes: int | None = None

    @property
    def budget(self) -> Budget:
        """How ε divides."""
        return Budget(epsilon=self.epsilon, lam=self.lam)

    @property
    def collection(self) -> Choice:
        """What the reports depend on: the objective is the collector's business, after they were sent."""
        return replace(self, objective="naive")


@dataclass(frozen=True, kw_only=True, eq=False)
class Reports:
    """What the collector has of numbers: z̃ (n, d) and ỹ (n,), K, and p(ỹ|y)."""

    z_private: FloatArray = field(repr=False)
    y_private: IntArray = field(repr=False)
    transition: FloatArray = field(repr=False)
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.y_private)


@dataclass(frozen=True, kw_only=True, eq=False)
class Groups:
    """Clean representations and labels of those who may be asked, for validation, and for the test."""

    train: tuple[FloatArray, IntArray] = field(repr=False)
    valid: tuple[FloatArray, IntArray] = field(repr=False)
    test: tuple[FloatArray, IntArray] = field(repr=False)
    classes: tuple[str, ...]
    own: dict[str, FloatArray] = field(default_factory=dict, repr=False)


def own_columns(bundle: Bundle) -> dict[str, FloatArray]:
    """Columns that the collector of a data join has in the clear, by part; nothing in other bundles."""
    found = {part: getattr(bundle, f"{part}_clean", None) for part in ("train", "valid", "test")}
    return {part: values for part, values in found.items() if values is not None}


def groups(bundle: Bundle, classes: tuple[str, ...], experiment: str) -> Groups:
    """The bundle's people; for the novel class their question is "9 or not", and both are equally many."""
    parts = {part: (getattr(bundle, f"{part}_z"), getattr(bundle, f"{part}_y")) for part in ("train", "valid", "test")}
    order = np.random.default_rng(ORDER_SEED).permutation(len(parts["train"][1]))
    parts["train"] = (parts["train"][0][order], parts["train"][1][order])
    own = own_columns(bundle) if experiment == "join" else {}
    if own:
        own["train"] = own["train"][order]
    if experiment == "novel":
        parts = {part: _new_or_not(z, y) for part, (z, y) in parts.items()}
        classes = (f"not {NOVEL}", str(NOVEL)) if len(classes) > NOVEL else classes
    return Groups(train=parts["train"], valid=parts["valid"], test=parts["test"], classes=classes, own=own)


def _new_or_not(z: FloatArray, y: IntArray) -> tuple[FloatArray, IntArray]:
    """ "9 or not" with as many of either, in turn, so that the first n are balanced too."""
    new = y == NOVEL if y.max() > 1 else y == 1  # a bundle made for this question already has its labels
    rows = [np.flatnonzero(new), np.flatnonzero(~new)]
    count = min(len(each) for each in rows)
    mixed = np.stack([each[:count] for each in rows], axis=1).reshape(-1)  # 9, not 9, 9, …
    return z[mixed], new[mixed].astype(np.int64)


def people_available(bundle: Bundle, experiment: str) -> int:
    """How many can be asked at most."""
    if experiment != "novel":
        return len(bundle.train_y)
    return len(_new_or_not(bundle.train_z, bundle.train_y)[1])


def prior_of(bundle: Bundle, experiment: str) -> FloatArray:
    """Public records (M, d) that the collector may know; none of the novel class, which is new."""
    return bundle.prior_z[bundle.prior_y != NOVEL] if experiment == "novel" else bundle.prior_z


def mechanism(model: Any, noise: str, epsilon_x: float) -> RLM | PrivUnit:
    """What z goes through on the owner's device: the mechanism's own noise, or another on the same z."""
    if noise == "PrivUnit":
        return PrivUnit(epsilon=epsilon_x, dimension=model.card.latent_dim, radius=model.card.radius)
    own: RLM = model.mechanism(epsilon_x).of_representations()
    return own


def delta(choice: Choice, model: Any) -> float:
    """δ of one report: 0 where the noise is drawn exactly."""
    found = mechanism(model, choice.noise, choice.budget.epsilon_x)
    return found.delta if isinstance(found, PrivUnit) else 0.0


def channel(model: Any, noise: str, epsilon_x: float) -> Channel:
    """The same for the collector, who computes with its density."""
    found: Any = mechanism(model, noise, epsilon_x)
    own: Channel = found.noise if isinstance(found, RLM) else found
    return own


def sends_labels(choice: Choice) -> bool:
    """Whether there is a label beside the record: not for the novel class, where all who are asked are of one class,
    nor where the collector has the labels, nor in a pair, where it is inside."""
    return choice.experiment not in ("novel", "join") and choice.codes is None


def collect(choice: Choice, model: Any) -> Reports:
    """Everybody sends one report of numbers. The randomness is the operating system's."""
    everyone = groups(model.bundle, tuple(model.card.classes), choice.experiment)
    z, y = everyone.train[0][: choice.people], everyone.train[1][: choice.people]
    classes = len(everyone.classes)
    labels = RandomisedResponse(epsilon=choice.budget.epsilon_y, classes=classes) if sends_labels(choice) else None
    sent = release_rows(
        z,
        None if labels is None else y,
        mechanism=mechanism(model, choice.noise, choice.budget.epsilon_x),
        labels=labels,
    )
    return Reports(
        z_private=sent.z_private,
        y_private=y if sent.y_private is None else sent.y_private,
        transition=np.eye(classes) if labels is None else labels.transition_matrix,
        classes=everyone.classes,
    )


def task_of(choice: Choice, reports: Reports, model: Any) -> Task:
    """The reports with all that the worker needs to learn from them and to be watched."""
    everyone = groups(model.bundle, tuple(model.card.classes), choice.experiment)
    sender = mechanism(model, choice.noise, choice.budget.epsilon_x)
    valid, test = (
        People(z=z, z_private=release_rows(z, mechanism=sender).z_private, y=y, own=everyone.own.get(part))
        for part, (z, y) in (("valid", everyone.valid), ("test", everyone.test))
    )
    own = everyone.own.get("train")
    return Task(
        classes=len(reports.classes),
        objective=choice.objective,
        hidden=HIDDEN[choice.dataset],
        epsilon=choice.epsilon,
        noise=channel(model, choice.noise, choice.budget.epsilon_x),
        on_private=choice.experiment in ("private", "join"),
        z_private=reports.z_private,
        y_private=reports.y_private,
        transition=reports.transition,
        prior_z=prior_of(model.bundle, choice.experiment),
        valid=valid,
        test=test,
        own=own[: len(reports.y_private)] if own is not None else None,
        new_class=choice.experiment == "novel",
    )
