"""The same question, asked under local and under central differential privacy.

n people hold a yes or a no, and the share of yes is wanted.

* Central: everybody tells a trusted curator, who publishes the share plus Laplace(0, 1/(nε)):
  one person moves the share by 1/n at most. Deviation √2/(nε).
* Local: everybody randomises the answer (Warner 1965), nobody is trusted. An answer is flipped with
  probability p = 1/(e^ε + 1), whatever it was. Deviation √(p(1 − p)/n)/(1 − 2p).

The first falls as 1/n, the second as 1/√n: that is the price of trusting nobody. Both count the
error about the share of *these* people, s fixed; the answers are data, only the noise is random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rlm_core.collector.survey import estimate_shares
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import FloatArray, positive


@dataclass(frozen=True, kw_only=True)
class YesNoSurvey:
    """``people`` answers of which ``yes`` are yes, and the ε of each person.

    >>> survey = YesNoSurvey(people=1000, yes=300, epsilon=1.0)
    >>> round(survey.central_deviation, 5), round(survey.local_deviation, 5)
    (0.00141, 0.03034)
    """

    people: int
    yes: int
    epsilon: float

    def __post_init__(self) -> None:
        if not self.people >= 1:
            raise ValueError(f"Expected people >= 1, got people={self.people!r}.")
        if not 0 <= self.yes <= self.people:
            raise ValueError(f"Expected 0 <= yes <= {self.people}, got yes={self.yes!r}.")
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    @property
    def share(self) -> float:
        """s."""
        return self.yes / self.people

    @property
    def channel(self) -> RandomisedResponse:
        """How each person answers under local DP."""
        return RandomisedResponse(epsilon=self.epsilon, classes=2)

    @property
    def central_deviation(self) -> float:
        """√2/(nε): of the curator's published share."""
        return math.sqrt(2.0) / (self.people * self.epsilon)

    @property
    def local_deviation(self) -> float:
        """√(p(1 − p)/n)/(1 − 2p): of the estimate from randomised answers.

        Given the answers, each report is right or wrong with the same p, so s cancels.
        """
        truth, lie = self.channel.transition_matrix[0]
        return math.sqrt(truth * lie / self.people) / float(truth - lie)

    @property
    def people_for_the_same_error(self) -> float:
        """How many people local DP needs for the error that the curator has with n: n·(ratio of deviations)²."""
        return self.people * (self.local_deviation / self.central_deviation) ** 2

    def simulate_central(self, repeats: int, *, generator: np.random.Generator) -> FloatArray:
        """What the curator would publish, ``repeats`` times over (each alone is ε-DP): (repeats,)."""
        return self.share + generator.laplace(0.0, self.central_deviation / math.sqrt(2.0), size=repeats)

    def simulate_local(self, repeats: int, *, generator: np.random.Generator) -> FloatArray:
        """What the collector would estimate from everybody's randomised answers: (repeats,).

        Answers are alike, so the number of reported yes is a sum of two binomials: the sum over
        people of ``RandomisedResponse.simulate``, without drawing each of them.
        """
        matrix = self.channel.transition_matrix
        counts = generator.binomial(self.yes, matrix[1, 1], size=repeats)
        counts = counts + generator.binomial(self.people - self.yes, matrix[0, 1], size=repeats)
        return np.array(
            [
                estimate_shares([self.people - count, count], transition_matrix=matrix).estimate[1]
                for count in counts.tolist()
            ]
        )
