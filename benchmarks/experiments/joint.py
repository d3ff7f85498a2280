"""The joint report in data collection: the same encoders and people, record and label in one release with all of ε.

The encoder is the one that was trained with little noise, for every ε: the joint report's noise does not grow with
the number of coordinates, so what counts is how much the representation says. Everything public (centre, radius,
ranges) comes from D₁'s representations. Columns of a row: ``radius`` is l for two classes, empty for more.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from benchmarks.experiments import participants
from benchmarks.experiments.protocol import Answers, People, Trial
from rlm_core.collector.joint import CoordinateDiscriminant, SignedDiscriminant
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.types import BoolArray, FloatArray

MECHANISMS = {"mnist": "joint V-RLM", "lending_club": "joint V-RLM", "cifar10": "joint C-RLM"}
RUNS = {"mnist": "mnist-vrlm-l10-eps33", "lending_club": "lending-vrlm-l10-eps21", "cifar10": "cifar10-crlm-none"}
QUANTILE = 0.05
"""Ranges reach from this quantile of a coordinate in D₁ to its opposite: narrow ranges make a bit say more."""

COLLAPSED = 0.1
"""A coordinate that varies less than this share of the most varied one is never drawn: it says nothing."""

SHORT = 0.1
"""The radius is this quantile of the lengths of D₁'s vectors: most are clipped to it, and what is left is direction."""

CONSTANT = 0.02
"""The constant coordinate, as a share of the radius. Small: classes are known to be about equally frequent."""


def collection(trial: Trial, runs: Path) -> Answers:
    """Table 1: everybody sends one joint report; clean records are classified."""
    if math.isinf(trial.epsilon):
        raise ValueError("Expected a finite epsilon: without LDP nothing is joint.")
    people = participants.learnt(RUNS[trial.dataset], trial.seed, runs)
    correct, radius = (two_classes if people.classes == 2 else many_classes)(trial, people)
    columns = {"epsilon_x": trial.epsilon, "epsilon_y": 0.0, "radius": radius}
    return Answers(correct=correct, people=people, columns=columns)


def two_classes(trial: Trial, people: People) -> tuple[BoolArray, float]:
    """Which clean test records are classified rightly, and the radius."""
    joint, public = signed_report(public_records(people), trial.epsilon)
    reports = joint.simulate(*people.train, generator=trial.generator())
    fitted = SignedDiscriminant(variance=2 * joint.noise.scale**2).fit(reports, public)
    return fitted.predict(joint.centred(people.test[0])) == people.test[1], joint.radius


def signed_report(public: FloatArray, epsilon: float) -> tuple[JointLaplace, FloatArray]:
    """The mechanism of two classes from D₁'s representations, and their clipped vectors."""
    centre = public.mean(axis=0)
    radius = float(np.quantile(np.abs(public - centre).sum(axis=1), SHORT)) * (1 + CONSTANT)
    joint = JointLaplace(epsilon=epsilon, radius=radius, centre=tuple(centre), constant=CONSTANT * radius)
    return joint, joint.noise.clip(joint.centred(public))


def many_classes(trial: Trial, people: People) -> tuple[BoolArray, str]:
    """Which clean test records are classified rightly."""
    joint = coordinate_report(public_records(people), people.classes, trial.epsilon)
    coordinates, members = joint.simulate(*people.train, generator=trial.generator())
    fitted = CoordinateDiscriminant(classes=people.classes, energy=joint.channel.energy).fit(
        coordinates, joint.channel.vector(members), joint.scaled(public_records(people))
    )
    return fitted.predict(joint.scaled(people.test[0])) == people.test[1], ""


def coordinate_report(public: FloatArray, classes: int, epsilon: float) -> JointSelection:
    """The mechanism of many classes from D₁'s representations."""
    low, high = np.quantile(public, [QUANTILE, 1 - QUANTILE], axis=0)
    spread = public.std(axis=0)
    high = np.where(spread >= COLLAPSED * spread.max(), high, low)
    return JointSelection(epsilon=epsilon, classes=classes, low=tuple(low), high=tuple(high))


def public_records(people: People) -> FloatArray:
    """D₁'s representations."""
    assert people.prior is not None
    return people.prior
