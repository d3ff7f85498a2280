"""Ink apart from its paper, under light that need not be even. The twin of ``static/device/ink.js``, step by step.

1. Cells of at most 64 a side, each by its median: grain and noise are gone, strokes stay.
2. Where the cells along the border agree, the light is even: the paper is the border's median everywhere.
3. Elsewhere a quadratic surface is fitted to the cells, robustly (gradients, vignettes); what is left of them is
   closed by a window of a third of the picture, wider than a stroke and narrower than a shadow (hard shadows).
4. Ink is the difference from the paper, dark ink in units of the light that falls there.
5. Marks are connected ink. Specks go, and what comes in from the border beside a mark that does not.

Each step does nothing to a clean picture: it comes out as if one number were the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.ndimage import label, maximum_filter, minimum_filter

if TYPE_CHECKING:  # the worker that decodes starts in a moment without the library
    from rlm_core.types import FloatArray

CELLS = 64
EVEN = 0.1  # of the whole contrast: less spread than this along the border is even light
ROUNDS = 12  # of the robust fit
DARKEST = 0.1  # of the best light: where less falls, ink is not amplified further
CONTRAST = 0.08  # less difference than this between ink and paper is an empty picture
LEVEL = 0.2  # of the strongest ink: fainter marks (dust, paper grain) do not move the crop
SPECK = 0.03  # of the largest mark's ink
QUARTER = 0.4506  # neighbours differ by less than this many standard deviations of noise a quarter of the time
GRAIN = 3.0  # standard deviations of the noise that are not ink


@dataclass(frozen=True, kw_only=True)
class Ink:
    """Marks on black, 0 outside them."""

    marks: FloatArray  # (h, w), 1 for the strongest
    level: float  # above it, a pixel belongs to the crop


def find_ink(grey: FloatArray) -> Ink | None:
    """The marks in a grey picture, (h, w); None where there are none."""
    cells = _cells(grey)
    border = border_of(cells)
    low, high = np.quantile(grey, [0.005, 0.995])
    spread = np.quantile(border, 0.9) - np.quantile(border, 0.1)
    if spread <= EVEN * (high - low):
        ground = float(np.median(border_of(grey)))
        ink = ground - grey if ground - low > high - ground else grey - ground
    else:
        ink = _uneven(grey, cells)
    strongest = float(np.quantile(ink, 0.999)) if ink.size > 5000 else float(ink.max())
    if not strongest >= CONTRAST:
        return None
    return _marks(ink / strongest)


def border_of(values: Any) -> Any:
    """All four sides, corners twice."""
    return np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])


def _cells(grey: FloatArray) -> FloatArray:
    """Medians of squares; those at the right and below may be narrower."""
    size = -(-max(grey.shape) // CELLS)
    height, width = (-(-side // size) for side in grey.shape)
    padded = np.full((height * size, width * size), np.nan)
    padded[: grey.shape[0], : grey.shape[1]] = grey
    squares = padded.reshape(height, size, width, size).swapaxes(1, 2).reshape(height, width, size * size)
    cells: FloatArray = np.nanmedian(squares, axis=-1)
    return cells


def _uneven(grey: FloatArray, cells: FloatArray) -> FloatArray:
    surface = _surface(cells)
    darker = _ink_is_darker(cells - surface)
    sign = 1.0 if darker else -1.0
    # Both lie on the ink's far side of the paper: a surface is right for smooth light, none for a shadow's edge.
    closed = np.minimum(_closed(sign * cells), sign * surface + _closed(sign * (cells - surface)))
    paper = _enlarged(sign * minimum_filter(closed, 3), grey.shape)  # the last cell beside a shadow's edge is no ink
    if not darker:
        return grey - paper
    best = float(paper.max())
    return (paper - grey) * (best / np.maximum(paper, DARKEST * best))


def _closed(cells: FloatArray) -> FloatArray:
    """The lowest of the highest cells of all windows over a cell: dark strokes are filled, dark regions stay."""
    window = 2 * (max(cells.shape) // 6) + 1
    found: FloatArray = minimum_filter(maximum_filter(cells, window), window)
    return found


def _ink_is_darker(cells: FloatArray) -> bool:
    """Whether marks are darker than three of the four border cells of their row and column, rather than lighter."""
    _, low, high, _ = np.sort(np.broadcast_arrays(cells[:, :1], cells[:, -1:], cells[:1], cells[-1:]), axis=0)
    return bool(np.quantile(low - cells, 0.995) > np.quantile(cells - high, 0.995))


def _surface(cells: FloatArray) -> FloatArray:
    """A quadratic in both directions by reweighted least squares: what lies far off counts little."""
    height, width = cells.shape
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1).reshape(-1, 6)  # (cells, 6)
    values, weights = cells.reshape(-1), np.ones(cells.size)
    fitted = values
    for _ in range(ROUNDS):
        weighted = terms * weights[:, None]
        fitted = terms @ np.linalg.solve(terms.T @ weighted + 1e-9 * np.eye(6), weighted.T @ values)
        off = np.abs(values - fitted)
        scale = max(float(np.median(off)), 0.005)
        weights = 1.0 / (1.0 + (off / (2.0 * scale)) ** 2) ** 2
    return fitted.reshape(height, width)


def _enlarged(cells: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Cells to pixels, linearly between their centres."""
    size = -(-max(shape) // CELLS)
    for axis in (0, 1):
        at = np.clip((np.arange(shape[axis]) + 0.5) / size - 0.5, 0.0, cells.shape[axis] - 1.0)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, cells.shape[axis] - 1)
        part = at - low if axis == 1 else (at - low)[:, None]
        cells = np.take(cells, low, axis) * (1 - part) + np.take(cells, high, axis) * part
    return cells


def _marks(ink: FloatArray) -> Ink | None:
    grain = GRAIN * float(np.quantile(np.abs(ink[:, 1:] - ink[:, :-1]), 0.25)) / QUARTER
    level = min(max(LEVEL, 2 * grain), 0.5)
    ink = np.clip(ink, 0.0, 1.0)
    marks, count = label(ink > level / 2, structure=np.ones((3, 3)))
    mass = np.bincount(marks.reshape(-1), weights=np.where(ink > level, ink, 0.0).reshape(-1), minlength=count + 1)
    mass[0] = 0.0
    edge = np.zeros(count + 1, dtype=bool)
    edge[border_of(marks)] = True
    inside = np.where(edge, 0.0, mass)
    largest = int(np.argmax(inside)) if inside.max() >= 0.2 * mass.max() else int(np.argmax(mass))
    if not mass[largest] > 0:
        return None
    keep = mass >= SPECK * mass[largest]
    keep[0] = False
    if not edge[largest]:
        keep &= ~edge
    kept = np.where(keep[marks], ink, 0.0)
    return Ink(marks=kept, level=level)
