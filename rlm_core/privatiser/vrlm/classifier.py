"""What the collector learns of a V-RLM's reports: a small network on clean representations, kept as plain weights.

It is trained by :class:`~rlm_core.collector.classifier.NoiseAwareClassifier` with the denoising objective: the noise of
z̃ is marginalised over representations of public records, that of ỹ by the transition matrix of k-RR. The settings are
those of our experiments. They also ask a validation group; here nobody is asked again, and the last network is kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rlm_core.mechanism import RLM
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.vrlm.reports import SplitReports
from rlm_core.types import FloatArray

if TYPE_CHECKING:  # torch, on the first use
    from rlm_core.collector.classifier import NoiseAwareClassifier

HIDDEN = (50,)
FAINT = 4.0
"""Below this ε a report says so little that a small batch is all noise: larger batches, more often."""

MOST_PAIRS = 100_000_000
"""Of a report and a public record; each takes 2 bytes of memory."""

FEWEST_PRIOR, MOST_PRIOR = 200, 4_000


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitClassifier:
    """p(y | z): (n, d) to (n, K)."""

    network: NetworkEncoder = field(repr=False)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The weights by name, as they are stored."""
        return self.network.tensors()

    def predict_proba(self, z: ArrayLike) -> FloatArray:
        """The softmax of the network's scores."""
        scores = self.network(z)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: FloatArray = odds / odds.sum(axis=1, keepdims=True)
        return shares


def learn_split(
    sent: SplitReports, mechanism: RLM, prior: FloatArray, classes: int, *, seed: int = 0, device: str = "cpu"
) -> SplitClassifier:
    """Fit to reports (z̃, ỹ) of ``mechanism`` at its εx; ``prior`` (m, d) are clean z of public records."""
    from rlm_core.collector.classifier import NoiseAwareClassifier

    labels = RandomisedResponse(epsilon=sent.epsilon_y, classes=classes)
    faint = sent.epsilon < FAINT
    fitted = NoiseAwareClassifier(
        classes=classes,
        objective="label-noise" if math.isinf(sent.epsilon_x) else "denoising",  # at ∞ z̃ is z: no noise to take away
        hidden=HIDDEN,
        epochs=30 if faint else 20,
        batch_size=1024 if faint else 256,
        learning_rate=1e-2,
        max_prior=min(MOST_PRIOR, max(FEWEST_PRIOR, MOST_PAIRS // len(sent))),
        seed=seed,
        device=device,
    ).fit(
        sent.z,
        sent.y,
        transition=labels.transition_matrix,
        log_density=mechanism.log_density_pairs,
        prior=prior,
    )
    return SplitClassifier(network=_plain(fitted))


def _plain(fitted: NoiseAwareClassifier) -> NetworkEncoder:
    """The trained layers; what standardises their input goes into the first."""
    weights = {name: tensor.detach().cpu().numpy() for name, tensor in fitted.network_.state_dict().items()}
    centre, spread = (tensor.cpu().numpy().astype(np.float64) for tensor in (fitted.centre_, fitted.spread_))
    first = weights["0.weight"].astype(np.float64) / spread  # (hidden, d)
    weights["0.bias"] = (weights["0.bias"] - first @ centre).astype(np.float32)
    weights["0.weight"] = first.astype(np.float32)
    return NetworkEncoder.of_tensors(weights)
