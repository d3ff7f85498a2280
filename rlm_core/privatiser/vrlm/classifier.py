"""What the collector learns of a V-RLM's reports: smooth scores on clean representations.

The noise of z̃ is marginalised over representations of public records, that of ỹ by the transition matrix of k-RR, as
in the paper (:class:`~rlm_core.collector.kernel_classifier.KernelClassifier`). Its network is not needed, and its
validation group only helps: without ``validate`` nobody is asked again.
"""

from __future__ import annotations

import math

from rlm_core.collector.kernel_classifier import KernelClassifier
from rlm_core.collector.validation import Validate
from rlm_core.mechanism import RLM
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.privatiser.vrlm.reports import SplitReports
from rlm_core.types import FloatArray


def learn_split(
    sent: SplitReports,
    mechanism: RLM,
    prior: FloatArray,
    classes: int,
    *,
    seed: int = 0,
    validate: Validate | None = None,
) -> KernelClassifier:
    """Fit to reports (z̃, ỹ) of ``mechanism`` at its εx; ``prior`` (m, d) are clean z of public records."""
    return KernelClassifier.fit(
        sent.z,
        sent.y,
        transition=RandomisedResponse(epsilon=sent.epsilon_y, classes=classes).transition_matrix,
        prior=prior,
        log_density=None if math.isinf(sent.epsilon_x) else mechanism.log_density_pairs,
        validate=validate,
        seed=seed,
    )
