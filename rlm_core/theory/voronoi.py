r"""The l1 ball's vertices, and the cells of the points nearest to each generator.

A classifier of privatised points is a partition of space. Its accuracy is highest when a point goes
to the class whose representation, the *generator*, is nearest in l1, because the Laplace density
falls with the l1 distance. In l1 whole regions, not only hyperplanes, can be equally far from two
generators; giving such a region to either class leaves the accuracy unchanged, and the paper gives
it to the one nearer in l2.

Source: appendix "Proof of Upper Bound on Private Classification Accuracy".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from rlm_core.theory.checks import checked_count, checked_points
from rlm_core.types import BoolArray, FloatArray, IntArray, positive

_BLOCK = 1 << 20  # distances held at once: 8 MB for every block of points


class Cells(NamedTuple):
    """Where each of n points belongs.

    Attributes:
        nearest: (n,) index of the nearest generator: l1 first, then l2, then the lowest index.
        equidistant: (n,) True where two or more generators are equally near in l1.
    """

    nearest: IntArray
    equidistant: BoolArray


def vertices(classes: int, dimension: int, radius: float = 1.0) -> FloatArray:
    """The paper's generators: +l e_1, -l e_1, +l e_2, -l e_2, ..., opposite vertices first.

    c_k = +l e_((k+1)/2) for odd k and -l e_(k/2) for even k, k = 1..K, where l is the radius (half of
    the paper's Delta f). The paper prints the two indices the other way round, which gives e_(1/2).

    Args:
        classes: K, from 2 to 2 * dimension (the ball has no more vertices).
        dimension: d, at least 1.
        radius: l, finite and positive.

    Returns:
        (K, d) array of vertices.

    Examples:
        >>> vertices(3, 2)
        array([[ 1.,  0.],
               [-1.,  0.],
               [ 0.,  1.]])
    """
    dimension = checked_count("dimension", dimension, 1)
    classes = checked_count("classes", classes, 2)
    if classes > 2 * dimension:
        raise ValueError(f"Expected classes <= 2 * dimension = {2 * dimension}, got classes={classes}.")
    radius = positive("radius", radius)
    k = np.arange(classes)
    positions = np.zeros((classes, dimension))
    positions[k, k // 2] = np.where(k % 2 == 0, radius, -radius)
    return positions


def l1_voronoi(points: ArrayLike, generators: ArrayLike, *, tolerance: float = 1e-12) -> Cells:
    """The nearest generator of every point, and whether it has a rival.

    Args:
        points: (n, d).
        generators: (K, d), anywhere.
        tolerance: Two l1 distances count as equal when they differ by at most this times
            (largest l1 norm of a generator + l1 norm of the point), the size that rounding errors
            scale with. For pictures drawn from rounded coordinates choose it larger.

    Returns:
        ``Cells(nearest, equidistant)``; memory stays bounded however many points there are.

    Examples:
        The quarter-plane beyond (1, 1) is as far from e_1 as from e_2; l2 breaks the tie:

        >>> l1_voronoi([[2.0, 1.5], [0.2, 0.9]], vertices(4, 2))
        Cells(nearest=array([0, 2]), equidistant=array([ True, False]))
    """
    points = checked_points("points", points)
    generators = checked_points("generators", generators)
    if points.shape[1] != generators.shape[1]:
        raise ValueError(
            f"Expected points and generators of one dimension, got {points.shape[1]} and {generators.shape[1]}."
        )
    if not tolerance >= 0:
        raise ValueError(f"Expected tolerance >= 0, got tolerance={tolerance:g}.")
    size = float(np.abs(generators).sum(axis=1).max())
    nearest = np.empty(len(points), dtype=np.int64)
    equidistant = np.empty(len(points), dtype=np.bool_)
    rows = max(1, _BLOCK // len(generators))
    for start in range(0, len(points), rows):
        block = points[start : start + rows]  # (r, d)
        distance = cdist(block, generators, "cityblock")  # (r, K)
        slack = tolerance * (size + np.abs(block).sum(axis=1, keepdims=True))  # (r, 1)
        near = distance <= distance.min(axis=1, keepdims=True) + slack  # (r, K)
        rival = near.sum(axis=1) > 1  # (r,)
        winner = near.argmax(axis=1)  # (r,)
        if rival.any():
            second = cdist(block[rival], generators, "sqeuclidean")  # (ties, K)
            winner[rival] = np.where(near[rival], second, np.inf).argmin(axis=1)
        nearest[start : start + rows] = winner
        equidistant[start : start + rows] = rival
    return Cells(nearest, equidistant)
