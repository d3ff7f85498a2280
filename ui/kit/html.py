"""Small pieces of HTML for what a chart would be too heavy for: pictures, bars, meters.

Every function returns text; everything that comes from outside is escaped. The look is in
``style.css``; only lengths and colours of data are set here.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER
from ui.kit.formats import number, percent
from ui.kit.pictures import data_address, png

if TYPE_CHECKING:  # importing it would import torch, and the start page's words should not wait for that
    from rlm_core import Budget

SIDES = {"owner": OWNER, "collector": COLLECTOR, "neutral": NEUTRAL}


def picture(pixels: ArrayLike, *, alt: str, side: str = "neutral", size: int = 144) -> str:
    """A small picture with its pixels visible."""
    address = data_address(png(pixels))
    return (
        f'<img class="rlm-pixels rlm-{side}" src="{address}" alt="{html.escape(alt)}" '
        f'style="width:{size}px;height:{size}px">'
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
    """ε as one bar: what the features get (λ of it), what the label gets; the words below it, where they have room."""
    parts = [(budget.lam, f"ε<sub>x</sub> = {number(budget.epsilon_x)} for the {features}", "x")]
    if budget.epsilon_y > 0:
        parts.append((1.0 - budget.lam, f"ε<sub>y</sub> = {number(budget.epsilon_y)} for the label", "y"))
    cells = "".join(f'<i class="rlm-split-{style}" style="flex:{part:.4f}"></i>' for part, _, style in parts)
    names = "".join(f'<span><b class="rlm-split-{style}"></b>{words}</span>' for _, words, style in parts)
    return f'<div class="rlm-split" aria-hidden="true">{cells}</div><div class="rlm-split-words">{names}</div>'


def figures_html(*entries: tuple[str, str]) -> str:
    """Large numbers with what they are, side by side."""
    cells = "".join(f"<div><strong>{value}</strong><span>{words}</span></div>" for value, words in entries)
    return f'<div class="rlm-figures">{cells}</div>'


def legend_html(entries: Sequence[tuple[str, str]]) -> str:
    """Colours with their meaning; wraps on a narrow screen."""
    items = "".join(f'<span><b style="background:{colour}"></b>{words}</span>' for colour, words in entries)
    return f'<div class="rlm-legend">{items}</div>'


def table_row(*cells: object, title: str = "") -> str:
    """One row of a table. Cells are HTML; ``title`` is text, shown when it is pointed at."""
    hint = f' title="{html.escape(title)}"' if title else ""
    return f"<tr{hint}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def table_html(head: Sequence[str], rows: Iterable[str], *, look: str = "rlm-ledger", around: str = "") -> str:
    """A table of rows as :func:`table_row` makes them; ``around`` is the class of a frame that scrolls."""
    names = "".join(f"<th>{name}</th>" for name in head)
    inner = f'<table class="{look}"><tr>{names}</tr>{"".join(rows)}</table>'
    return f'<div class="{around}">{inner}</div>' if around else inner
