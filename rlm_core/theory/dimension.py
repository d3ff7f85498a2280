"""The curse of dimensionality: the noise on one number when d numbers share ε.

All deviations are relative to the range of one number, so 1 means: noise as wide as the range.
"""

from __future__ import annotations

import math

from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.owner.laplace import LaplaceNoise


def per_feature_deviation(dimension: int, epsilon: float) -> float:
    """√2·d/ε: Laplace noise on each of d features, which share ε equally.

    >>> round(per_feature_deviation(1, 2.0), 4), round(per_feature_deviation(784, 2.0), 1)
    (0.7071, 554.4)
    """
    mechanism = PerFeatureLaplace(epsilon=epsilon, low=(0.0,) * dimension, high=(1.0,) * dimension)
    return math.sqrt(2.0) * float(mechanism.scale[0])


def duchi_deviation(dimension: int, epsilon: float) -> float:
    """B/2 for a feature in the middle of its range: Duchi et al.'s mechanism, which grows as √d.

    It reports ±B for a range of [−1, 1], so half of B relative to the range's width.
    """
    return Duchi(epsilon=epsilon, dimension=dimension).magnitude / 2.0


def representation_deviation(noise: LaplaceNoise) -> float:
    """√2·b/(2l) = √2/ε: each number of a clipped representation, whatever the size of the record.

    The price is elsewhere: the numbers share the radius l, and they must be worth sending.
    """
    return math.sqrt(2.0) * noise.scale / noise.clip.l1_sensitivity
