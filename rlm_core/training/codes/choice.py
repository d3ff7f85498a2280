"""How many codes? A rule in ε and n, known before anything is collected."""

from __future__ import annotations

import math

FINE_CODES = 96
FEWEST_CODES = 10
FEWEST_GROUPS = 4
"""Whatever the number of classes: of two or three groups found without labels, none may follow the classes."""

MARGIN = 10.0


def fewest_codes(classes: int) -> int:
    """Of a mechanism for K classes: one for each, but no fewer than four.

    >>> fewest_codes(10), fewest_codes(2)
    (10, 4)
    """
    return max(classes, FEWEST_GROUPS)


def codes_for(
    epsilon: float,
    reports: int,
    *,
    contrast: float = 1.0,
    finest: int = FINE_CODES,
    fewest: int = FEWEST_CODES,
) -> int:
    """k ≤ contrast·√n·sinh(ε/2)/10, between ``fewest`` and ``finest``.

    Where it comes from: subset selection of many symbols estimates the frequency of each with a
    standard deviation of about σ = 2e^{ε/2}/((e^ε − 1)√n) = 1/(√n·sinh(ε/2)) (Ye and Barg 2018). To
    tell the label of a code from the other labels, its frequency should be 5σ: then the difference of
    two estimates, with deviation √2·σ, is 5/√2 ≈ 3.5 deviations. Codes differ in size, and that should
    hold for those of half the mean size too: 1/k = MARGIN·σ with MARGIN = 10.

    ``contrast`` is how far the most frequent label of a code leads, as a share of the code: 1 where codes
    are nearly pure, as for pictures; ½ where two classes overlap everywhere, as for loans.

    More codes than that lose more by wrong labels than they gain by purity. The rule takes no labels; its
    constants have seen some (docs/q-rlm.md, "Every look at a label").

    >>> [codes_for(epsilon, 13_500) for epsilon in (1.0, 2.0, 4.0, 10.0)]
    [10, 13, 42, 96]
    """
    if not epsilon > 0:
        raise ValueError(f"Expected epsilon > 0, got epsilon={epsilon!r}.")
    if not reports > 0:
        raise ValueError(f"Expected reports > 0, got reports={reports!r}.")
    if not 0 < contrast <= 1:
        raise ValueError(f"Expected 0 < contrast <= 1, got contrast={contrast!r}.")
    bearable = contrast * math.sqrt(reports) * math.sinh(min(epsilon, 100.0) / 2) / MARGIN
    return int(min(finest, max(fewest, bearable)))
