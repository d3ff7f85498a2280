"""Reports as a device would send them, made by the library."""

from __future__ import annotations

import numpy as np

from rlm_core import RandomisedResponse, release
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.data.samples import mnist_samples
from rlm_core.owner.pairs import PairSelection
from rlm_core.zoo import load

NUMBERS, CODES, PIXELS = "mnist-vrlm-l5-eps7", "mnist-qrlm-k12", "mnist-pixels"


def sent(name: str = NUMBERS, epsilon: float = 4.0, label: int | None = 7) -> str:
    """The report of a shipped seven, as text."""
    x = mnist_samples().of_class(7)[3].reshape(-1) / 255.0
    if name == CODES:
        pairs = None if label is None else PairSelection(epsilon=epsilon, codes=12, classes=10)
        return release(x, label, mechanism=load(name).mechanism(epsilon), pairs=pairs).to_json()
    part = epsilon if label is None else epsilon / 2
    labels = None if label is None else RandomisedResponse(epsilon=part, classes=10)
    pixels = PerFeatureLaplace(epsilon=part, low=(0.0,) * 784, high=(1.0,) * 784)
    mechanism = pixels if name == PIXELS else load(name).mechanism(part)
    return release(np.asarray(x), label, mechanism=mechanism, labels=labels).to_json()
