"""Draw once, keep it, charge it: the visitor's releases of this session.

A release is random and costs budget, so it must not happen because something unrelated moved.
Each is kept in the session under (record, label, mechanism, ε, λ): coming back to the same choice
shows the same report, which costs nothing, since nothing new is sent. Any other choice is a new
release and is charged before it is drawn. Noise is never cached across sessions.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rlm_core import Budget, Ledger, RandomisedResponse, Report, SubsetSelection, release_with_trace
from rlm_core.types import FloatArray
from ui.kit.kept import session_value


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """One record on the owner's device: what it is called, x (input_dim,), its label and the classes.

    ``record`` names x alone: a release with another label is still a release of the same x. By
    default it is a digest of x; give it where x depends on more than the record (its encoding).
    """

    title: str
    x: FloatArray = field(repr=False)
    label: int
    classes: tuple[str, ...]
    record: str = ""

    def __post_init__(self) -> None:
        x = np.asarray(self.x, dtype=np.float64).reshape(-1)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "record", self.record or hashlib.sha256(x.tobytes()).hexdigest()[:16])


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawn:
    """One release with what the owner's own screen may show: h and z are NOT private."""

    report: Report
    budget: Budget
    scale: float
    h: FloatArray = field(repr=False)
    z: FloatArray = field(repr=False)
    z_private: FloatArray = field(repr=False)  # (d,), as the report has it
    set_size: int | None = None  # of a mechanism that sends sets of codes

    @property
    def noise(self) -> FloatArray:
        """z̃ − z (d,). NOT private."""
        return self.z_private - self.z


@dataclass
class _Session:
    ledger: Ledger = field(default_factory=Ledger)
    draws: dict[tuple[Any, ...], list[Drawn]] = field(default_factory=dict)


def ledger() -> Ledger:
    """What this session has released."""
    return _session().ledger


def kept(subject: Subject, mechanism: str, budget: Budget, *, with_label: bool = True) -> Drawn | None:
    """The last release for exactly this choice, if there was one. Draws nothing."""
    draws = _session().draws.get(_key(subject, mechanism, budget, with_label))
    return draws[-1] if draws else None


def current(subject: Subject, model: Any, budget: Budget, *, with_label: bool = True) -> Drawn:
    """The kept release for this choice; if there is none, a new one, charged."""
    found = kept(subject, model.card.name, budget, with_label=with_label)
    return found if found is not None else draw(subject, model, budget, with_label=with_label)


def draw(subject: Subject, model: Any, budget: Budget, *, with_label: bool = True) -> Drawn:
    """A new release, charged to the ledger before anything is drawn.

    With λ = 1, or ``with_label=False``, the label is not sent and costs nothing.
    """
    session = _session()
    rlm = model.mechanism(budget.epsilon_x)
    send_label = with_label and budget.epsilon_y > 0
    # h depends on x and the encoder alone: a ResNet need not run again because ε moved. The noise is always new.
    known = next((each.h for each in draws_of(subject, model.card.name)), None)
    report, trace = release_with_trace(
        subject.x,
        subject.label if send_label else None,
        mechanism=rlm,
        labels=RandomisedResponse(epsilon=budget.epsilon_y, classes=len(subject.classes)) if send_label else None,
        ledger=session.ledger,
        record=subject.record,
        h=known,
    )
    drawn = Drawn(
        report=report,
        budget=budget,
        scale=rlm.noise.scale,
        h=trace.h,
        z=trace.z,
        z_private=trace.z_private,
        set_size=rlm.noise.size if isinstance(rlm.noise, SubsetSelection) else None,
    )
    session.draws.setdefault(_key(subject, model.card.name, budget, with_label), []).append(drawn)
    return drawn


def draws_of(subject: Subject, mechanism: str | None = None) -> list[Drawn]:
    """All releases of a record (by one mechanism, if named), whatever the budget or the label."""
    return [
        drawn
        for key, draws in _session().draws.items()
        if key[0] == subject.record and mechanism in (None, key[2])
        for drawn in draws
    ]


def average(draws: list[Drawn]) -> FloatArray:
    """The best unbiased guess of z from several releases by one mechanism: weighted by 1/b²."""
    if not draws:
        raise ValueError("Expected at least one release.")
    exact = [drawn.z_private for drawn in draws if drawn.scale == 0.0]
    if exact:  # without noise, one report says it all
        return exact[-1]
    weights = np.array([drawn.scale**-2 for drawn in draws])
    return np.average([drawn.z_private for drawn in draws], axis=0, weights=weights)


def mean_error(z_estimate: ArrayLike, drawn: Drawn) -> float:
    """How far an estimate is from z, on average per number."""
    return float(np.abs(np.asarray(z_estimate) - drawn.z).mean())


def _session() -> _Session:
    return session_value("releases", _Session)


def _key(subject: Subject, mechanism: str, budget: Budget, with_label: bool) -> tuple[Any, ...]:
    return (subject.record, subject.label if with_label else None, mechanism, budget.epsilon, budget.lam)
