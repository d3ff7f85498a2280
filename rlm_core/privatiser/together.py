"""Joint reports as the release path takes them (``rlm_core.release.Together``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.payload import Payload
from rlm_core.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class SendJoint:
    """h and label as one :class:`JointLaplace` or :class:`JointSelection` report."""

    joint: JointLaplace | JointSelection

    @property
    def epsilon(self) -> float:
        """All of it."""
        return self.joint.epsilon

    def check(self, noise: object, y: ArrayLike) -> IntArray:
        """Labels as (n,), checked."""
        return RandomisedResponse(epsilon=1.0, classes=self.joint.classes).check(np.atleast_1d(np.asarray(y)))

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """Draw a report for each row of h and its label. The system's randomness; no seed."""
        if isinstance(self.joint, JointLaplace):
            return Payload(numbers=self.joint.privatise(h, y))
        coordinates, members = self.joint.privatise(h, y)
        return Payload(members=members, channel=self.joint.channel, coordinates=coordinates)

    def simulate(self, h: ArrayLike, y: ArrayLike, *, generator: np.random.Generator) -> Payload:
        """Reproducible, for experiments. NOT private: never release them."""
        if isinstance(self.joint, JointLaplace):
            return Payload(numbers=self.joint.simulate(h, y, generator=generator))
        coordinates, members = self.joint.simulate(h, y, generator=generator)
        return Payload(members=members, channel=self.joint.channel, coordinates=coordinates)
