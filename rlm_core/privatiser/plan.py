"""Which report, and how long? Rules in ε, the number of reports n and of classes K, known before anything is sent.

The constants were fixed on tables other than Adult (Census Income with other labels, Lending Club, breast
cancer, wine, digits; docs/own-data.md), and no rule looks at anybody's record or label.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral

from rlm_core.owner.joint_bits import best_bits, worth
from rlm_core.privatiser.vrlm.rules import DIMENSION
from rlm_core.training.codes.choice import MARGIN, codes_for, fewest_codes
from rlm_core.types import positive

BITS, LAPLACE, SELECTION, CODES = "joint bits", "joint Laplace", "joint selection", "codes"
KINDS = (BITS, LAPLACE, SELECTION, CODES)
"""Two classes: the joint report as bits, or as numbers. Any number of classes: by selection, or codes."""

VRLM = "V-RLM"
"""The paper's mechanism, where λ divides ε between record and label: no rule chooses it, only who asks for it."""

LINEAR, NETWORK = "linear", "network"
ENCODERS = (LINEAR, NETWORK)
"""One linear layer, fitted in seconds; or a network that learns codes, in a minute or some."""

FEWEST_FOR_NETWORK = 10_000
"""Public pictures from which on codes are a network's: with 45,000 (MNIST) it is far ahead of one linear layer, with
628 (digits 8×8) behind it below ε = 8."""

RANGE = 1.5
"""Whitened coordinates are cut at so many deviations where a report is about one of them."""

FEWEST_NUMBERS, MOST_NUMBERS = 2, 32
ENOUGH_NUMBERS = 3
"""Where the rule allows fewer, n is too small for ε."""

MOST_CODES = 96
ROWS_PER_CODE = 5
"""Public rows behind each centre, at least: with fewer a code follows single rows. Wine, 71 public rows, ε = 8:
94 % with 14 codes, 79 % with 71."""

MOST_CLASSES = 100
CONTRAST = 0.5
"""Classes of a table overlap: the commonest label of a code leads by about half (see ``codes_for``). A network's codes
of pictures are nearly pure."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The kind of report, its size (numbers d of the representation, or codes k), and what makes them of a record."""

    kind: str
    size: int
    encoder: str = LINEAR

    def __post_init__(self) -> None:
        if self.encoder not in ENCODERS:
            raise ValueError(f"Expected encoder in {', '.join(ENCODERS)} or 'auto', got encoder={self.encoder!r}.")
        if self.encoder == NETWORK and self.kind not in (CODES, VRLM):
            raise ValueError(f"Expected kind='codes' for a network, got kind={self.kind!r}.")
        if self.encoder == LINEAR and self.kind == VRLM:
            raise ValueError("Expected encoder='network' or 'auto' for kind='V-RLM', got encoder='linear'.")
        if self.kind not in (*KINDS, VRLM):
            raise ValueError(f"Expected kind in {', '.join((*KINDS, VRLM))} or 'auto', got kind={self.kind!r}.")
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size <= 4096:
            raise ValueError(f"Expected 1 <= size <= 4096, got size={self.size!r}.")


def choose_plan(
    epsilon: float,
    reports: int,
    classes: int,
    *,
    kind: str = "auto",
    size: int | None = None,
    encoder: str = "auto",
    public_rows: int | None = None,
    public_pictures: int = 0,
) -> Plan:
    """The plan by rule; ``kind``, ``size`` and ``encoder`` override it.

    Pictures, 10,000 public ones or more, get codes by a network, and so does whoever asks for one.
    ``public_pictures`` is 0 for a table. ``public_rows``, where it is known, keeps codes to one for every five of them.

    >>> [choose_plan(epsilon, 14_000, 2) for epsilon in (1.0, 4.0)]
    [Plan(kind='joint bits', size=7, encoder='linear'), Plan(kind='joint bits', size=16, encoder='linear')]
    >>> choose_plan(4.0, 14_000, 10), choose_plan(4.0, 13_500, 10, public_pictures=45_000)
    (Plan(kind='codes', size=21, encoder='linear'), Plan(kind='codes', size=42, encoder='network'))
    """
    epsilon = positive("epsilon", epsilon, allow_infinite=True)
    if isinstance(reports, bool) or not isinstance(reports, Integral) or not reports >= 1:
        raise ValueError(f"Expected reports >= 1, a whole number, got reports={reports!r}.")
    if not 2 <= classes <= MOST_CLASSES:
        raise ValueError(f"Expected 2 to {MOST_CLASSES} classes, got {classes}.")
    if encoder == "auto":
        pictures = public_pictures >= FEWEST_FOR_NETWORK and kind in ("auto", CODES)
        encoder = NETWORK if pictures or kind == VRLM else LINEAR
    if kind == "auto":
        kind = BITS if classes == 2 and encoder != NETWORK else CODES
    elif kind in (BITS, LAPLACE) and classes != 2:
        raise ValueError(f"Expected two classes for a {kind} report, got {classes}.")
    contrast = 1.0 if encoder == NETWORK and public_pictures else CONTRAST
    if isinstance(size, Integral) and not isinstance(size, bool):
        size = int(size)  # numpy's are whole numbers too
    plan = Plan(kind=kind, size=1 if size is None else size, encoder=encoder)
    if size is not None:
        return plan
    finest = MOST_CODES if public_rows is None else min(MOST_CODES, public_rows // ROWS_PER_CODE)
    return replace(plan, size=_size(kind, epsilon, reports, classes, contrast, finest))


def check_undivided(kind: str, lam: float | None) -> None:
    """Raise for a λ where there is nothing to divide."""
    if lam is not None:
        raise ValueError(
            f"Expected lam with kind={VRLM!r} alone, got lam={lam!r} with kind={kind!r}: its reports hold record and "
            "label together, with all of epsilon."
        )


def check_public_encoder(kind: str, central_epsilon: float | None) -> None:
    """Raise for a central ε where the encoder is not trained by gradients that could be clipped."""
    if central_epsilon is not None:
        raise ValueError(
            f"Expected central_epsilon with kind={VRLM!r} alone, got central_epsilon={central_epsilon!r} with "
            f"kind={kind!r}: principal components, centres and codes are fitted to the public rows without noise."
        )


def _size(kind: str, epsilon: float, reports: int, classes: int, contrast: float, finest: int) -> int:
    if kind == VRLM:
        return DIMENSION
    if kind == CODES:
        fewest = fewest_codes(classes)
        return codes_for(epsilon, reports, contrast=contrast, finest=max(fewest, finest), fewest=fewest)
    bits = best_bits(epsilon) if kind == BITS else 1
    return min(MOST_NUMBERS, max(FEWEST_NUMBERS, round(bearable_numbers(epsilon, reports, bits))))


def bearable_numbers(epsilon: float, reports: float, bits: int) -> float:
    """d = ½·(n·w)^⅓, where w is how many noiseless bits a report of so many is worth: grows with them, but slowly.

    d averages of n·w/d bits have a total noise of about d²/(n·w). If what a label explains falls with the
    coordinate as 1/j², a further coordinate pays as long as d³ is below n·w. The ½ is measured.
    """
    return 0.5 * math.pow(reports * worth(epsilon, bits), 1 / 3)


def reports_needed(epsilon: float, classes: int) -> int:
    """The n from which on the rules allow more than their smallest report."""
    if classes == 2:
        return math.ceil((2.0 * ENOUGH_NUMBERS) ** 3 / worth(epsilon, best_bits(epsilon)))
    return math.ceil((MARGIN * max(4, classes) / (CONTRAST * math.sinh(min(epsilon, 100.0) / 2))) ** 2)


def epsilon_needed(reports: int, classes: int, needed: Callable[[float, int], float] = reports_needed) -> float | None:
    """The ε, to a tenth, at which so many reports are enough; None if it is above 20."""
    tenths = range(1, 201)
    return next((tenth / 10 for tenth in tenths if needed(tenth / 10, classes) <= reports), None)
