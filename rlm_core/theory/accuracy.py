r"""How often can a classifier be right about a privatised point? Two answers in closed form.

**Classes on vertices, Laplace noise** (``vertex_accuracy``). Every record of class k is encoded
as one vertex c_k of the l1 ball, opposite vertices first; the collector sees c_k plus Laplace noise
and answers the nearest vertex. For K even and dimension d >= K/2, with b = 2/epsilon,

    A(epsilon) = int_0^inf  1/(2b) exp(-|1-t|/b) (1 - exp(-t/b))^(K/2-1)  dt,

because t = z_1 is right for the vertex e_1 exactly when every other used axis has |z_i| < t.

**Any mechanism at all** (``krr_cap``). No epsilon-LDP report lets a classifier be right more often
than e^eps/(e^eps+K-1) on K equiprobable classes, and k-ary randomised response attains it.

The paper prints the first as "Maximum". It is the maximum of the *Laplace mechanism with classes on
vertices*, not of local differential privacy: at epsilon = 7 and K = 10 it is 80.7 % where the cap is
99.2 %. Say so wherever it is shown. That vertices are the best places is itself a hypothesis of the
paper, supported by numerical search (``optimise_generators``), not a theorem.

Source: appendix "Proof of Upper Bound on Private Classification Accuracy".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import comb, xlog1py

from rlm_core.theory.checks import checked_count, checked_epsilon
from rlm_core.types import FloatArray

_NODES = 128  # of the Gauss-Legendre rule; 64 already reach rounding for K = 10^4, 96 for K = 10^8
_LONGEST = 40.0  # e^-40 = 4e-18: what lies beyond adds nothing in double precision
_LARGEST_HALF_EPSILON = 80.0  # from here on A differs from 1 by less than K e^-80, so infinity is 80

EpsilonArray = NDArray[np.floating] | Sequence[float]


def _even_classes(classes: int) -> int:
    classes = checked_count("classes", classes, 2)
    if classes % 2:
        raise ValueError(f"Expected an even number of classes, got classes={classes}. See vertex_accuracy_odd.")
    return classes


@cache
def _unit_gauss_legendre() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2  # on [0, 1]


def _like_input(values: FloatArray) -> FloatArray | float:
    return float(values) if values.ndim == 0 else values


@overload
def vertex_accuracy(epsilon: float, classes: int) -> float: ...
@overload
def vertex_accuracy(epsilon: EpsilonArray, classes: int) -> FloatArray: ...
def vertex_accuracy(epsilon: ArrayLike, classes: int) -> FloatArray | float:
    r"""Accuracy with K classes on opposite vertices and Laplace noise, evaluated stably.

    Substitute s = (1-t)/b left of t = 1 and x = exp((1-t)/b) right of it, write L = epsilon/2,
    q = e^-L and m = K/2 - 1:

        A = 1/2 int_0^L e^-s (1 - e^(s-L))^m ds  +  1/2 int_0^1 (1 - q x)^m dx.

    The second integral is (1 - (1-q)^(m+1)) / ((m+1) q), taken with log1p and expm1. The first has
    a positive, analytic integrand whose shape hardly depends on K: for large m it is
    e^-s exp(-m e^(s-L)), a plateau with a cut-off of width 1, and one Gauss-Legendre rule resolves
    that for every K. Nothing is subtracted anywhere, so nothing cancels.

    Args:
        epsilon: Budget in [0, inf], a number or an array of them.
        classes: K, even and at least 2. The dimension does not matter once d >= K/2.

    Returns:
        A in [1/K, 1], a float for a number and an array of the same shape otherwise.
        epsilon = 0 gives chance, 1/K; epsilon = inf gives 1.
        The relative error against 1,600-digit arithmetic is below 1e-12 (tested up to K = 10,000).

    Examples:
        >>> [round(100 * vertex_accuracy(e, 10), 1) for e in (7, 5.6, 4.2, 2.8, 1.4, 0.7)]
        [80.7, 69.3, 53.8, 36.0, 20.0, 14.2]
        >>> vertex_accuracy([0.0, float("inf")], 2)
        array([0.5, 1. ])
    """
    others = _even_classes(classes) // 2 - 1  # m, the axes a point can be mistaken on
    half = np.minimum(checked_epsilon(epsilon) / 2, _LARGEST_HALF_EPSILON)[..., None]  # L, (..., 1)
    nodes, weights = _unit_gauss_legendre()  # (nodes,) each
    upper = np.minimum(half, _LONGEST)
    s = upper * nodes  # (..., nodes)
    inner = np.sum(upper * weights * np.exp(-s + xlog1py(others, -np.exp(s - half))), axis=-1)
    q = np.exp(-half[..., 0])
    outer = -np.expm1(xlog1py(others + 1, -q)) / ((others + 1) * q)
    return _like_input(np.minimum((inner + outer) / 2, 1.0))


@overload
def vertex_accuracy_odd(epsilon: float, classes: int) -> float: ...
@overload
def vertex_accuracy_odd(epsilon: EpsilonArray, classes: int) -> FloatArray: ...
def vertex_accuracy_odd(epsilon: ArrayLike, classes: int) -> FloatArray | float:
    r"""The case the paper omits: K odd, (K-1)/2 opposite pairs and one vertex alone on its axis.

    With u = exp(-t/b) and p = (K-1)/2 pairs, the lone class is right when all p pair axes stay below
    t, probability (1-u)^p; a paired class when p-1 axes stay below t and the lone axis does not
    exceed it, (1-u)^(p-1) (1-u/2) = [(1-u)^(p-1) + (1-u)^p] / 2. Averaged over the classes, K A(K)
    is the mean of its even neighbours:

        K A(K) = [(K-1) A(K-1) + (K+1) A(K+1)] / 2,    d >= (K+1)/2.

    Examples:
        >>> round(vertex_accuracy_odd(2.0, 3), 12), round(float(1 - np.exp(-1)), 12)
        (0.632120558829, 0.632120558829)
    """
    classes = checked_count("classes", classes, 3)
    if classes % 2 == 0:
        raise ValueError(f"Expected an odd number of classes, got classes={classes}. See vertex_accuracy.")
    array = checked_epsilon(epsilon)
    below, above = (np.asarray(vertex_accuracy(array, k)) for k in (classes - 1, classes + 1))
    return _like_input(((classes - 1) * below + (classes + 1) * above) / (2 * classes))


@overload
def vertex_accuracy_closed_form(epsilon: float, classes: int) -> float: ...
@overload
def vertex_accuracy_closed_form(epsilon: EpsilonArray, classes: int) -> FloatArray: ...
def vertex_accuracy_closed_form(epsilon: ArrayLike, classes: int) -> FloatArray | float:
    r"""The same accuracy as the paper prints it: for reading and for checking, not for use.

        sum_{j=0, j != 1}^{K/2-1} C(K/2-1, j) (-1)^j/(1-j) [e^(-j eps/2)/(1+j) - e^(-eps/2)/2]
            - (eps+1)/8 (K-2) e^(-eps/2)

    It expands (1-u)^(K/2-1), so its terms alternate and grow like 2^(K/2). Worst relative error for
    epsilon <= 20: 5e-14 at K = 20, 3e-5 at K = 80, 6 % at K = 100, and at K = 120 it prints more than
    100. ``vertex_accuracy`` is the same number, stably.

    Args:
        epsilon: Finite budget >= 0, a number or an array of them.
        classes: K, even and at least 2.

    Examples:
        >>> round(vertex_accuracy_closed_form(7.0, 10), 6) == round(vertex_accuracy(7.0, 10), 6)
        True
    """
    others = _even_classes(classes) // 2 - 1
    array = checked_epsilon(epsilon)
    if not np.all(np.isfinite(array)):
        raise ValueError("Expected finite epsilon, got epsilon=inf. vertex_accuracy takes the limit.")
    eps = array[..., None]  # (..., 1)
    j = np.array([j for j in range(others + 1) if j != 1])  # (terms,)
    bracket = np.exp(-j * eps / 2) / (1 + j) - np.exp(-eps / 2) / 2  # (..., terms)
    terms = comb(others, j) * (-1.0) ** j / (1 - j) * bracket
    return _like_input(terms.sum(axis=-1) - (array + 1) / 8 * (classes - 2) * np.exp(-array / 2))


@overload
def krr_cap(epsilon: float, classes: int) -> float: ...
@overload
def krr_cap(epsilon: EpsilonArray, classes: int) -> FloatArray: ...
def krr_cap(epsilon: ArrayLike, classes: int) -> FloatArray | float:
    r"""The best accuracy any epsilon-LDP report allows on K equiprobable classes.

        e^eps / (e^eps + K - 1) = 1 / (1 + (K-1) e^-eps),

    in the second form, which cannot overflow. Proof of the cap: a classifier answering k on the set
    S_k has P_k(S_k) <= e^eps P_j(S_k) for every class j; sum over the j != k, then over k, with A the
    mean of P_k(S_k): (K-1) K A <= e^eps sum_k sum_{j != k} P_j(S_k) = e^eps (K - K A). So
    A <= e^eps/(e^eps+K-1), and k-ary randomised response attains it.

    Args:
        epsilon: Budget in [0, inf], a number or an array of them.
        classes: K, at least 2, odd or even.

    Examples:
        >>> round(100 * krr_cap(7.0, 10), 1)
        99.2
        >>> krr_cap([0.0, float("inf")], 4)
        array([0.25, 1.  ])
    """
    classes = checked_count("classes", classes, 2)
    return _like_input(1 / (1 + (classes - 1) * np.exp(-checked_epsilon(epsilon))))
