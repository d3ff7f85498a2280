"""Which label has a code? What the experiments and the pages learn from sets of pairs, by a rule known beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from rlm_core.collector.codes import CodeClassifier, PairCounts, PairSets, expectation_maximisation
from rlm_core.collector.frequencies import SetChannel
from rlm_core.collector.tally import Tally
from rlm_core.types import FloatArray, IntArray

ONE_TO_ONE = (0.6, 1.6)
"""Shares of a code, in units of 1/K, between which it can be one class of equally frequent ones."""


def labels_of_codes(reports: PairSets, frequencies: Sequence[float] | FloatArray) -> CodeClassifier:
    """p(y | code) by maximum likelihood, or one label for each code where codes may be the classes themselves.

    Args:
        reports: sets of pairs (code, label).
        frequencies: (k,) how often each code occurs in D₁.

    >>> sets = np.array([[True, False, False, False], [False, False, False, True]])
    >>> labels_of_codes(PairSets(members=sets, epsilon=1.0, codes=2, classes=2), [10, 9]).predict([0, 1])
    array([0, 1])
    """
    if one_to_one(frequencies, reports.classes):
        return every_label_owns_a_code(reports)
    return expectation_maximisation(reports, frequencies)


def one_to_one(frequencies: Sequence[float] | FloatArray, classes: int) -> bool:
    """Whether codes may be the classes themselves: as many, and each about as frequent in D₁ as a class is.

    Known before anything is collected, and without labels: that classes are equally frequent is public. Where two
    classes share a code and another has two, shares are about 2/K and 1/2K, and the answer is no.

    >>> one_to_one([9, 11, 10], 3), one_to_one([20, 5, 5], 3), one_to_one([1, 1], 3)
    (True, False, False)
    """
    total = sum(frequencies)
    low, high = (bound * total / classes for bound in ONE_TO_ONE)
    return len(frequencies) == classes and all(low <= each <= high for each in frequencies)


def every_label_owns_a_code(reports: PairSets) -> CodeClassifier:
    """One code for every label and one label for every code (k = K): the pairing that most reports hold.

    Noise cannot give two codes the same label then. It is right only where codes follow the classes one to one; whether
    they do must be known beforehand (:func:`one_to_one`), not from these reports.

    >>> sets = np.array([[True, False, False, False], [False, False, False, True], [True, False, False, False]])
    >>> every_label_owns_a_code(PairSets(members=sets, epsilon=1.0, codes=2, classes=2)).predict([0, 1])
    array([0, 1])
    """
    if reports.codes != reports.classes:
        raise ValueError(f"Expected as many codes as classes, got {reports.codes} and {reports.classes}.")
    return _assigned(reports.members.sum(axis=0).reshape(reports.codes, reports.classes))


def labels_from_tally(tally: Tally, channel: SetChannel, frequencies: Sequence[float] | FloatArray) -> CodeClassifier:
    """:func:`labels_of_codes` from counts alone, by the same rule: what a dashboard has of any number of people.

    Where codes may be the classes the pairing is the very same; otherwise the likelihood is the composite one of
    :class:`~rlm_core.collector.codes.PairCounts`.

    Args:
        tally: how many sets held each pair (k·K).
        channel: subset selection of pairs.
        frequencies: (k,) how often each code occurs in D₁.
    """
    codes = len(frequencies)
    classes, rest = divmod(tally.symbols, codes)
    if rest or classes < 2 or channel.symbols != tally.symbols:
        raise ValueError(f"Expected counts of pairs with {codes} codes, got {tally.symbols} of {channel.symbols}.")
    if one_to_one(frequencies, classes):
        return _assigned(tally.counts.reshape(codes, classes))
    counts = PairCounts(outside=channel.outside / channel.inside, codes=codes, classes=classes)
    return expectation_maximisation(counts, frequencies, weights=tally.counts / channel.size)


def _assigned(held: IntArray) -> CodeClassifier:
    """The one-to-one table that most of the counts (k, k) agree with."""
    code, label = linear_sum_assignment(held, maximize=True)
    table = np.zeros(held.shape)
    table[code, label] = 1.0
    return CodeClassifier(table=table)


def merged_table(table: FloatArray, into: IntArray, frequencies: Sequence[float] | FloatArray) -> FloatArray:
    """p(y | merged code): the mean of the codes' rows, weighted by their frequencies in D₁.

    Args:
        table: (k, K) p(y | code).
        into: (k,) the merged code of each.
        frequencies: (k,) how often each code occurs in D₁.

    >>> merged_table(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.array([0, 0, 1]), [3, 1, 5])
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    joint = np.zeros((int(into.max()) + 1, table.shape[1]))
    np.add.at(joint, into, np.asarray(frequencies, dtype=np.float64)[:, None] * table)
    merged: FloatArray = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-12)
    return merged
