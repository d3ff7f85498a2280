"""From fine codes to few: merge what views confuse, one pair at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, IntArray, finite


def merge_order(joint: ArrayLike, groups: ArrayLike | None = None) -> list[tuple[int, int]]:
    """The pairs of codes to merge, in order, until one is left; each time the pair that costs least information.

    ``joint`` (k, k) is the symmetric joint distribution of the codes of two views. Merging i
    and j adds rows and columns; the cost is the fall of I(c; c′). Pairs are named by their
    smallest members, j into i < j. A greedy agglomerative information bottleneck (Slonim and Tishby 1999).
    With ``groups`` (k,) codes of one group are merged before codes of two.

    >>> merge_order([[0.3, 0.0, 0.0], [0.0, 0.2, 0.15], [0.0, 0.15, 0.2]])[0]
    (1, 2)
    """
    p = finite("joint", joint).copy()
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise ValueError(f"Expected a square joint distribution, got shape {p.shape}.")
    names = list(range(len(p)))
    group = np.zeros(len(p), dtype=np.int64) if groups is None else np.asarray(groups)
    if group.shape != (len(p),):
        raise ValueError(f"Expected a group for each of {len(p)} codes, got shape {group.shape}.")
    order = []
    while len(names) > 1:
        i, j = _cheapest(p, group)
        order.append((names[i], names.pop(j)))
        group = np.delete(group, j)
        p = _merged(p, i, j)
    return order


def merged_codes(order: list[tuple[int, int]], codes: int) -> IntArray:
    """The number of the merged code for every fine code, with ``codes`` codes left: (fine,).

    >>> merged_codes([(1, 2), (0, 1)], 2)
    array([0, 1, 1])
    """
    fine = len(order) + 1
    if not 1 <= codes <= fine:
        raise ValueError(f"Expected 1 <= codes <= {fine}, got codes={codes}.")
    label = np.arange(fine)
    for kept, gone in order[: fine - codes]:
        label[label == gone] = kept
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def mutual_information(joint: ArrayLike) -> float:
    """I(c; c′) in nats of a symmetric joint distribution (k, k): what merging keeps as much of as it can.

    >>> mutual_information([[0.5, 0.0], [0.0, 0.5]]), mutual_information([[0.25, 0.25], [0.25, 0.25]])
    (0.6931471805599453, 0.0)
    """
    p = finite("joint", joint)
    return float(_xlogx(p).sum() - 2.0 * _xlogx(p.sum(axis=1)).sum())


def _xlogx(values: FloatArray) -> FloatArray:
    return values * np.log(np.maximum(values, 1e-300))


def _cheapest(p: FloatArray, group: IntArray) -> tuple[int, int]:
    """argmin over i < j of I before − I after, for all pairs at once; pairs within a group first.

    I = Σ x ln x over cells − 2 Σ m ln m over marginals. Cells of rows i and j add up in pairs, and
    the four cells of the corner become one.
    """
    marginal, cells = p.sum(axis=1), _xlogx(p)
    row = cells.sum(axis=1)
    upper = np.triu_indices(len(p), 1)
    i, j = upper
    sums = _xlogx(p[i] + p[j])  # (pairs, k): the new row; its entries i and j belong to the corner
    at = np.arange(len(i))
    rest_new = sums.sum(axis=1) - sums[at, i] - sums[at, j]
    rest_old = row[i] - cells[i, i] - cells[i, j] + row[j] - cells[j, j] - cells[j, i]
    corner_new = _xlogx(p[i, i] + p[i, j] + p[j, i] + p[j, j])
    corner_old = cells[i, i] + cells[i, j] + cells[j, i] + cells[j, j]
    marginals = _xlogx(marginal[i] + marginal[j]) - _xlogx(marginal[i]) - _xlogx(marginal[j])
    gain = 2 * (rest_new - rest_old) + corner_new - corner_old - 2 * marginals  # I after − I before, at most 0
    within = group[i] == group[j]
    best = int(np.argmax(np.where(within, gain, -np.inf) if within.any() else gain))
    return int(i[best]), int(j[best])


def _merged(p: FloatArray, i: int, j: int) -> FloatArray:
    p = p.copy()
    p[i] += p[j]
    p[:, i] += p[:, j]
    return np.delete(np.delete(p, j, axis=0), j, axis=1)
