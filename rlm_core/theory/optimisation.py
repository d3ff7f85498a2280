r"""Where should the classes sit in the l1 ball? A search that does not know about vertices.

The paper places classes on vertices, opposite ones first, and reports that simulations for d in {2, 3}
and K up to 6 found nothing better. This repeats the search: projected gradient ascent from random
positions on

    A(c) = 1/K int max_k p(z | c_k) dz = 1/K sum_j E_noise[ max_k p_k(z) / sum_k p_k(z) ],  z = c_j + noise,

with p_k(z) proportional to exp(-|z - c_k|_1 / b). The right-hand side averages the posterior of the
answer instead of counting hits: same mean, less variance, and continuous in c, so that with the noise
held fixed it has a gradient. The noise is a scrambled Sobol sequence, reflected in and rotated over
the axes: no vertex is preferred by luck.

What it finds, with epsilon from 0.5 to 8 (the tests repeat the main cases):

- K even, K <= 2d: the vertices, opposite ones when d > K/2, as the paper says.
- K = 3: the vertices' accuracy, but not only at vertices. With two classes on +e_1 and +e_2 the third may
  sit anywhere on the edge from -e_1 to -e_2: all of these tie. K = 5, d = 3: vertices.
- d = 2, K > 4: the ball has only four vertices, so the paper's statement cannot cover it. Four classes
  take the vertices and a fifth the centre. At a large epsilon that is far better than two classes on one vertex; at
  a small one the optimum is flat (K = 5, epsilon = 1: 31.64 against 31.49 %).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from rlm_core.theory.checks import checked_count, laplace_scale
from rlm_core.theory.simulation import Estimate, monte_carlo_accuracy
from rlm_core.types import FloatArray

_SOBOL_POINTS = {2: 256, 3: 128}  # times d * 2^d images under the ball's symmetries: 2,048 and 3,072 nodes
_ITERATIONS = 100
_SMALLEST_STEP = 1e-3  # in units of the radius
_SMALLEST_GAIN = 1e-6  # in accuracy; less is a flat direction


@dataclass(frozen=True, kw_only=True, eq=False)
class Optimum:
    """The best placement found.

    Attributes:
        positions: (K, d) generators in the unit l1 ball; multiply by the radius for another ball.
        accuracy: Measured on fresh samples, none of which the search has seen.
        history: (T, K, d) the best run from its random start to ``positions``, for an animation.
        history_accuracy: (T,) the search's own objective along it, never falling.
        restart_accuracies: (restarts,) the objective at the end of every run; a spread shows local optima.
    """

    positions: FloatArray
    accuracy: Estimate
    history: FloatArray
    history_accuracy: FloatArray
    restart_accuracies: FloatArray


def project_to_l1_ball(points: FloatArray, radius: float = 1.0) -> FloatArray:
    """Euclidean projection of each row onto the l1 ball: soft-thresholding (Duchi et al. 2008).

    Not the radial clip of the mechanism: gradient ascent needs the nearest point of the ball.

    >>> project_to_l1_ball(np.array([[2.0, 0.5], [0.2, -0.3]]))
    array([[ 1. ,  0. ],
           [ 0.2, -0.3]])
    """
    size = np.abs(points)  # (n, d)
    falling = -np.sort(-size, axis=1)
    excess = (np.cumsum(falling, axis=1) - radius) / np.arange(1, points.shape[1] + 1)  # (n, d)
    kept = np.count_nonzero(falling > excess, axis=1)[:, None]  # (n, 1), at least 1 as radius > 0
    threshold = np.maximum(np.take_along_axis(excess, kept - 1, axis=1), 0)
    projected: FloatArray = np.sign(points) * np.maximum(size - threshold, 0)
    return projected + 0.0  # which turns -0.0 into 0.0


def symmetric_noise(dimension: int, points: int, generator: np.random.Generator) -> FloatArray:
    """Unit Laplace nodes (points * d * 2^d, d), closed under sign changes and rotations of the axes."""
    from scipy.stats import qmc  # a second or two to import, and only a search needs it

    uniform = qmc.Sobol(dimension, rng=generator).random(points)  # (points, d) in [0, 1)
    size = -np.log1p(-uniform)  # exponential
    rolled = np.concatenate([np.roll(size, shift, axis=1) for shift in range(dimension)])  # (points * d, d)
    signs = np.array(list(product((1.0, -1.0), repeat=dimension)))  # (2^d, d)
    noise: FloatArray = (signs[:, None] * rolled).reshape(-1, dimension)
    return noise


def accuracy_and_gradient(positions: FloatArray, noise: FloatArray, scale: float) -> tuple[float, FloatArray]:
    """The objective on fixed unit noise (N, d), and its gradient (K, d).

    d best = best * (sum_k posterior_k d distance_k - d distance_nearest), and the distance of z = c_j + noise
    to c_k grows with c_j as it falls with c_k.
    """
    count = len(noise)
    column = np.arange(count)
    total, gradient = 0.0, np.zeros_like(positions)
    for j, position in enumerate(positions):  # one class at a time: the arrays stay in the processor's cache
        gap = (position - positions)[:, :, None] + scale * noise.T  # (K, d, N): z - c_k
        distance = np.abs(gap).sum(axis=1) / scale  # (K, N)
        nearest = distance.argmin(axis=0)  # (N,)
        posterior = np.exp(distance[nearest, column] - distance)  # (K, N)
        posterior /= posterior.sum(axis=0)
        best = posterior[nearest, column]  # (N,)
        weight = best * posterior  # (K, N)
        weight[nearest, column] -= best
        pull = np.einsum("kn,kdn->kd", weight, np.sign(gap)) / scale  # (K, d)
        total += float(best.sum())
        gradient[j] += pull.sum(axis=0)
        gradient -= pull
    return total / (len(positions) * count), gradient / (len(positions) * count)


def _ascend(start: FloatArray, noise: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Projected gradient ascent with backtracking: positions (T, K, d) and objective (T,)."""
    position, step = start, 1.0
    value, gradient = accuracy_and_gradient(position, noise, scale)
    path, values = [position], [value]
    for _ in range(_ITERATIONS):
        steepest = np.abs(gradient).max()
        if not steepest > 0:
            break
        while step >= _SMALLEST_STEP:
            trial = project_to_l1_ball(position + step * gradient / steepest)
            trial_value, trial_gradient = accuracy_and_gradient(trial, noise, scale)
            if trial_value > value + _SMALLEST_GAIN:
                break
            step /= 2
        else:
            break
        position, value, gradient = trial, trial_value, trial_gradient
        path.append(position)
        values.append(value)
        step = min(2 * step, 1.0)
    return np.stack(path), np.array(values)


def optimise_generators(
    classes: int,
    dimension: int,
    epsilon: float,
    *,
    generator: np.random.Generator,
    restarts: int = 12,
    samples: int = 200_000,
) -> Optimum:
    """Search for the placement of K classes in the l1 ball with the highest accuracy.

    Args:
        classes: K in 2..6.
        dimension: d, 2 or 3.
        epsilon: Budget, finite and > 0. Below about 0.5 and above about 16 every sensible placement
            is nearly as good as the best, and the positions found mean little.
        generator: Source of the starts, of the noise and of the final measurement.
        restarts: Independent runs from random starts; more of them escape more local optima.
        samples: Fresh samples behind the returned accuracy.

    Returns:
        The best of the restarts, with its path. The order of the classes and which of the equivalent
        vertices they take are arbitrary.
    """
    classes = checked_count("classes", classes, 2)
    if classes > 6:
        raise ValueError(f"Expected classes <= 6, got classes={classes}.")
    if checked_count("dimension", dimension, 1) not in _SOBOL_POINTS:
        raise ValueError(f"Expected dimension 2 or 3, got dimension={dimension}.")
    restarts = checked_count("restarts", restarts, 1)
    samples = checked_count("samples", samples, classes)
    scale = laplace_scale(epsilon, 1.0)
    if not scale > 0:
        raise ValueError(f"Expected finite epsilon, got epsilon={epsilon:g}.")
    noise = symmetric_noise(dimension, _SOBOL_POINTS[dimension], generator)
    runs = []
    for _ in range(restarts):
        start = project_to_l1_ball(generator.uniform(-1, 1, size=(classes, dimension)))
        runs.append(_ascend(start, noise, scale))
    path, values = max(runs, key=lambda run: float(run[1][-1]))
    return Optimum(
        positions=path[-1],
        accuracy=monte_carlo_accuracy(path[-1], epsilon, samples=samples, generator=generator),
        history=path,
        history_accuracy=values,
        restart_accuracies=np.array([values[-1] for _, values in runs]),
    )
