"""z and z̃ seen from above, as SVG text that inherits the page's font and text colour.

Written by hand rather than with a chart library: in the browser a library costs more than the rest
of the page together, at loading and at every move of a slider.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import gamma

from rlm_core.types import FloatArray
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER, tint
from ui.kit.html import legend_html

SIZE = 400.0  # of the drawing's own coordinates; it is scaled to its place
MARGIN = 30.0


def noise_diamond(share: float, scale: float) -> float:
    """r such that |a| + |b| ≤ r holds for this share of all pairs of Laplace(0, scale) variables.

    |a| and |b| are exponential, so their sum has the Gamma(2, scale) distribution.

    >>> round(noise_diamond(0.5, 1.0), 3)
    1.678
    """
    return float(gamma.ppf(share, a=2) * scale)


def taxicab(
    z: FloatArray,
    z_private: FloatArray,
    *,
    radius: float,
    scale: float,
    dims: tuple[int, int],
    earlier: Sequence[FloatArray] = (),
) -> tuple[str, str]:
    """z and z̃ in two of their dimensions: the ℓ1 ball, and the noise around z. The drawing and its legend.

    The density of two Laplace variables falls with |a| + |b|, so its contours are diamonds like the
    ball itself.
    """
    pair = list(dims)
    spread = [noise_diamond(share, scale) for share in (0.9, 0.5)] if scale > 0 else []
    ends = [radius, *np.abs(z_private[pair]), *(float(np.abs(z[pair]).max()) + size for size in spread)]
    reach = 1.08 * max(float(end) for end in ends)
    a, b = (float(value) for value in z[pair])
    c, d = (float(value) for value in z_private[pair])
    parts = [_axes(reach, *(f"number {dim + 1}" for dim in dims))]
    parts.append(_diamond(0.0, 0.0, radius, reach, OWNER, 0.14, f"room for z: |a| + |b| ≤ {radius:g}"))
    for size, share in zip(spread, ("nine tenths", "half"), strict=False):
        parts.append(_diamond(a, b, size, reach, NEUTRAL, 0.18, f"{share} of the noise falls in here"))
    parts += [
        _point(float(each[pair][0]), float(each[pair][1]), reach, tint(COLLECTOR, 0.45), 4, "another report")
        for each in earlier
    ]
    line = f'x1="{_x(a, reach):.1f}" y1="{_y(b, reach):.1f}" x2="{_x(c, reach):.1f}" y2="{_y(d, reach):.1f}"'
    parts.append(f'<line {line} stroke="{NEUTRAL}" stroke-width="1.2" stroke-dasharray="3 3"/>')
    parts.append(_point(a, b, reach, OWNER, 6.5, f"z = ({a:.2f}, {b:.2f})", "z"))
    parts.append(_point(c, d, reach, COLLECTOR, 6.5, f"z̃ = ({c:.2f}, {d:.2f})", "z̃"))
    entries = [(OWNER, "z, on your device"), (COLLECTOR, "z̃, what was sent"), (tint(OWNER, 0.3), "room for z")]
    entries += [(tint(NEUTRAL, 0.6), "half of the noise"), (tint(NEUTRAL, 0.3), "nine tenths of it")] if spread else []
    entries += [(tint(COLLECTOR, 0.45), "other reports")] if len(earlier) else []
    alt = f"z and z̃ in the dimensions {dims[0] + 1} and {dims[1] + 1}"
    drawing = f'<svg viewBox="0 0 {SIZE:g} {SIZE:g}" role="img" aria-label="{alt}">{"".join(parts)}</svg>'
    return drawing, legend_html(entries)


def ticks(reach: float) -> list[float]:
    """Round numbers across [−reach, reach], at most nine.

    >>> ticks(12.0)
    [-10.0, -5.0, 0.0, 5.0, 10.0]
    """
    power = 10.0 ** math.floor(math.log10(reach / 4))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= reach / 4)
    count = int(reach / step)
    return [step * index for index in range(-count, count + 1)]


def _x(value: float, reach: float) -> float:
    return MARGIN + (SIZE - 2 * MARGIN) * (value + reach) / (2 * reach)


def _y(value: float, reach: float) -> float:
    return SIZE - _x(value, reach)


def _diamond(x: float, y: float, size: float, reach: float, colour: str, alpha: float, title: str) -> str:
    corners = [(x + size, y), (x, y + size), (x - size, y), (x, y - size)]
    points = " ".join(f"{_x(cx, reach):.1f},{_y(cy, reach):.1f}" for cx, cy in corners)
    return (
        f'<polygon points="{points}" fill="{tint(colour, alpha)}" stroke="{colour}" stroke-width="1.2">'
        f"<title>{title}</title></polygon>"
    )


def _point(x: float, y: float, reach: float, colour: str, size: float, title: str, letter: str = "") -> str:
    px, py = _x(x, reach), _y(y, reach)
    right, up = (-18, -16) if letter == "z" else (9, 9)  # on opposite sides: the two points may be close
    name = f'<text class="letter" x="{px + right:.1f}" y="{py - up:.1f}">{letter}</text>' if letter else ""
    ring = ' stroke="#fff" stroke-opacity=".85"' if letter else ""
    return (
        f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{size:g}" fill="{colour}"{ring}><title>{title}</title></circle>{name}'
    )


def _axes(reach: float, x_title: str, y_title: str) -> str:
    low, high = MARGIN, SIZE - MARGIN
    lines, numbers = [], []
    for tick in ticks(reach):
        at_x, at_y, opacity = _x(tick, reach), _y(tick, reach), 0.55 if tick == 0 else 0.17
        lines.append(f'<path d="M{at_x:.1f} {low}V{high}M{low} {at_y:.1f}H{high}" stroke-opacity="{opacity}"/>')
        label = f"{tick:g}".replace("-", "−")
        numbers.append(f'<text x="{at_x:.1f}" y="{high + 13:.1f}" text-anchor="middle">{label}</text>')
        numbers.append(f'<text x="{low - 5:.1f}" y="{at_y + 4:.1f}" text-anchor="end">{label}</text>')
    numbers.append(f'<text x="{high:.1f}" y="{SIZE - 3:g}" text-anchor="end">{x_title} →</text>')
    numbers.append(f'<text x="4" y="{low - 12:.1f}">↑ {y_title}</text>')
    return f'<g stroke="{NEUTRAL}" fill="none">{"".join(lines)}</g><g class="numbers">{"".join(numbers)}</g>'
