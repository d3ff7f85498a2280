"""Small pieces of HTML for what a chart would be too heavy for: pictures, bars, meters.

Every function returns text; everything that comes from outside is escaped. The look is in
``style.css``; only lengths and colours of data are set here.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER
from ui.kit.pictures import data_address, png

if TYPE_CHECKING:  # importing it would import torch, and the start page's words should not wait for that
    from rlm_core import Budget

SIDES = {"owner": OWNER, "collector": COLLECTOR, "neutral": NEUTRAL}


def symbol(name: str) -> str:
    """A mathematical letter, upright enough to read and italic enough to be seen as one."""
    return f'<span class="rlm-symbol">{html.escape(name)}</span>'


def picture(pixels: ArrayLike, *, alt: str, side: str = "neutral", size: int = 144) -> str:
    """A small picture with its pixels visible."""
    address = data_address(png(pixels))
    return (
        f'<img class="rlm-pixels rlm-{side}" src="{address}" alt="{html.escape(alt)}" '
        f'style="width:{size}px;height:{size}px">'
    )


def signed_bars(
    values: Sequence[float] | np.ndarray,
    *,
    reach: float,
    side: str,
    alt: str,
    ghost: Sequence[float] | np.ndarray | None = None,
    numbered: bool = True,
) -> str:
    """One column per number, up for positive and down for negative; ``reach`` is the half height.

    ``ghost`` draws another series as outlines behind (h behind z).
    """
    columns = []
    behind = [None] * len(values) if ghost is None else list(ghost)
    for index, (value, other) in enumerate(zip(values, behind, strict=True), start=1):
        marks = _bar(value, reach, SIDES[side])
        if other is not None:
            marks = _bar(other, reach, NEUTRAL, outline=True) + marks
        title = f"{index}: {value:+.2f}" + (f" (before the clip {other:+.2f})" if other is not None else "")
        number = f"<small>{index}</small>" if numbered and len(values) <= 12 else ""
        columns.append(f'<span title="{title}"><i>{marks}</i>{number}</span>')
    return f'<div class="rlm-bars" role="img" aria-label="{html.escape(alt)}">{"".join(columns)}</div>'


def _bar(value: float, reach: float, colour: str, *, outline: bool = False) -> str:
    height = 50.0 * min(abs(value) / reach, 1.0) if reach > 0 else 0.0
    place = "bottom" if value >= 0 else "top"
    paint = f"box-shadow:inset 0 0 0 1px {colour}" if outline else f"background:{colour}"
    return f'<b style="{place}:50%;height:{height:.1f}%;{paint}"></b>'


def meter(share: float, *, side: str, label: str) -> str:
    """How much of something is used: a filled track with words under it."""
    width = 100.0 * min(max(share, 0.0), 1.0)
    return (
        f'<div class="rlm-meter"><div><i style="width:{width:.1f}%;background:{SIDES[side]}"></i></div>'
        f"<small>{label}</small></div>"
    )


def shares(
    names: Sequence[str],
    probabilities: Sequence[float] | np.ndarray,
    *,
    side: str,
    limits: Sequence[float] | np.ndarray | None = None,
    priors: Sequence[float] | np.ndarray | None = None,
    mark: int | None = None,
) -> str:
    """Horizontal bars of probabilities. ``limits``: a tick at the largest possible value; ``priors``:
    a dot where the belief was before; ``mark``: the row to emphasise."""
    rows = []
    for index, (name, value) in enumerate(zip(names, probabilities, strict=True)):
        extra = ""
        if limits is not None:
            extra += f'<u style="left:{100 * limits[index]:.2f}%" title="limit {limits[index]:.1%}"></u>'
        if priors is not None:
            extra += f'<s style="left:{100 * priors[index]:.2f}%" title="before: {priors[index]:.1%}"></s>'
        emphasis = ' class="rlm-marked"' if index == mark else ""
        rows.append(
            f"<li{emphasis}><span>{html.escape(str(name))}</span>"
            f'<div><i style="width:{100 * value:.2f}%;background:{SIDES[side]}"></i>{extra}</div>'
            f"<em>{percent(value)}</em></li>"
        )
    return f'<ul class="rlm-shares">{"".join(rows)}</ul>'


def split_bar(budget: Budget, *, features: str = "picture") -> str:
    """ε as one bar: what the features get (λ of it), what the label gets."""
    parts = [(budget.lam, f"ε<sub>x</sub> = {number(budget.epsilon_x)} for the {features}", "x")]
    if budget.epsilon_y > 0:
        parts.append((1.0 - budget.lam, f"ε<sub>y</sub> = {number(budget.epsilon_y)} for the label", "y"))
    cells = "".join(
        f'<div class="rlm-split-{which}" style="flex:{part:.4f}"><span>{words}</span></div>'
        for part, words, which in parts
    )
    return f'<div class="rlm-split">{cells}</div>'


def number(value: float) -> str:
    """A number for reading: at most four digits, ∞ as such."""
    return "∞" if math.isinf(value) else f"{value:.4g}"


def times(value: float) -> str:
    """A factor for reading: 1.65, 55, 22,026, and powers of ten beyond a million.

    >>> times(1.6487), times(54.6), times(22026.5), times(3.2e7), times(float("inf"))
    ('1.6', '55', '22,026', '3 × 10⁷', 'any number of')
    """
    if math.isinf(value):
        return "any number of"
    if value < 10:
        return f"{value:.2g}"
    if value < 1e6:
        return f"{value:,.0f}"
    power = math.floor(math.log10(value))
    return f"{value / 10**power:.0f} × 10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def percent(value: float) -> str:
    """A probability for reading; never rounds to a certainty that is not one.

    >>> percent(0.5), percent(0.0345), percent(0.9997), percent(0.0000001), percent(1.0)
    ('50 %', '3.5 %', '> 99.9 %', '< 0.1 %', '100 %')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}".replace("%", " %")
    if value > 0.999:
        return "> 99.9 %"
    if value < 0.001:
        return "< 0.1 %"
    return f"{100 * value:.1f} %".replace(".0 %", " %")
