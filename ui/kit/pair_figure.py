"""Two output distributions above each other's likelihood ratio, with the band that ε allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rlm_core.types import FloatArray
from ui.kit.colours import NEUTRAL, OTHER_RECORD, OVER, OWNER
from ui.kit.svg import Plot, Ticks, area, axes, band, bars, level, line, nice_ticks, svg, text, whisker

HEIGHT = 500.0


def frames(x: tuple[float, float], *, peak: float, reach: float) -> tuple[Plot, Plot]:
    """The upper plot (how likely) and the lower one (log ratio), on one horizontal axis."""
    upper = Plot(x=x, y=(0.0, 1.08 * peak), top=26.0, bottom=225.0, pad=34.0)
    lower = Plot(x=x, y=(-reach, reach), top=275.0, bottom=452.0, pad=34.0)
    return upper, lower


def two_densities(
    at: FloatArray,
    log_p: FloatArray,
    log_q: FloatArray,
    *,
    epsilon: float,
    places: Sequence[tuple[float, str, str]] = (),
    x_title: str,
) -> str:
    """Two densities over (n,) points and their log ratio. ``places``: (x, words, colour) to mark above."""
    ratio = log_p - log_q
    reach = 1.15 * max(epsilon, min(float(np.abs(ratio).max()), 4 * epsilon))
    upper, lower = frames((float(at[0]), float(at[-1])), peak=float(np.exp(max(log_p.max(), log_q.max()))), reach=reach)
    parts = [
        axes(upper, x=(), y=(), y_title="how likely each report is"),
        *_ratio_frame(lower, epsilon, reach, x_title),
    ]
    for log_density, colour in ((log_p, OWNER), (log_q, OTHER_RECORD)):
        parts.append(area(upper, at, np.zeros_like(at), np.exp(log_density), colour))
        parts.append(line(upper, at, np.exp(log_density), colour))
    for x, words, colour in places:
        parts.append(f'<path d="M{float(upper.at_x(x)):.1f} 225v9" stroke="{colour}" stroke-width="3"/>')
        parts.append(text(float(upper.at_x(x)), 248, words, anchor="middle", bold=True))
    parts.append(line(lower, at, ratio, "currentColor", width=2.5))
    return svg(
        parts, alt=f"Two densities; their log ratio reaches {np.abs(ratio).max():.2f} of ±{epsilon:g}", height=HEIGHT
    )


def two_histograms(
    left: FloatArray,
    right: FloatArray,
    shares: tuple[FloatArray, FloatArray],
    *,
    interval: tuple[FloatArray, FloatArray],
    epsilon: float,
    labels: Sequence[str] = (),
    claimed: tuple[FloatArray, FloatArray, FloatArray] | None = None,
    x_title: str,
) -> str:
    """Measured shares of outputs in bins under two records, and ln(p/p′) of each bin with its interval.

    ``claimed``: points, and the shares per bin that the mechanism claims there under each record.
    """
    low, high = interval
    proved = float(np.maximum(low, -high).max())  # how far the farthest interval is from 0
    reach = max(1.7 * epsilon, 1.35 * proved)
    ends = (float(left[0]) - 0.02 * float(right[-1] - left[0]), float(right[-1]) + 0.02 * float(right[-1] - left[0]))
    peak = max(float(each.max()) for each in shares)
    upper, lower = frames(
        ends, peak=max(peak, *(float(c.max()) for c in claimed[1:])) if claimed else peak, reach=reach
    )
    parts = [
        axes(upper, x=(), y=(), y_title="share of the outputs"),
        *_ratio_frame(lower, epsilon, reach, x_title, labels),
    ]
    for values, colour in zip(shares, (OWNER, OTHER_RECORD), strict=True):
        parts.append(bars(upper, left, right, values, colour, alpha=0.38, title="{value:.2%}"))
    if claimed is not None:
        for values, colour in zip(claimed[1:], (OWNER, OTHER_RECORD), strict=True):
            parts.append(line(upper, claimed[0], values, colour, width=2))
    for x, a, b in zip((left + right) / 2, low, high, strict=True):
        if a > -np.inf or b < np.inf:  # nothing fell into the bin otherwise
            beyond = a > epsilon or b < -epsilon
            ends_at = (max(float(a), -reach), min(float(b), reach))
            parts.append(whisker(lower, float(x), *ends_at, OVER if beyond else NEUTRAL, width=3 if beyond else 2))
    return svg(parts, alt=f"Outputs of two records, and their log ratio beside ±{epsilon:g}", height=HEIGHT)


def _ratio_frame(plot: Plot, epsilon: float, reach: float, x_title: str, labels: Sequence[str] = ()) -> list[str]:
    few = max(1, -(-len(labels) // 8))
    ticks: Ticks = [(k, label) for k, label in enumerate(labels) if k % few == 0] if labels else nice_ticks(*plot.x)
    return [
        band(plot, -epsilon, epsilon, OWNER),
        axes(plot, x=ticks, y=nice_ticks(-reach, reach), x_title=x_title, y_title="log of the likelihood ratio"),
        level(plot, epsilon, OWNER, words="+ε"),
        level(plot, -epsilon, OWNER, words="−ε"),
    ]
