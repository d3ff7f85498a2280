"""One colour per side of the privacy boundary, in every picture of the app. Safe for colour-blind readers."""

from __future__ import annotations

OWNER = "#0072B2"
"""Blue: the data owner's side, which sees the record."""

COLLECTOR = "#D55E00"
"""Vermilion: the collector's side, which sees only what was privatised."""

NEUTRAL = "#8A9299"
"""Axes, outlines and priors: a grey that is seen on the light and on the dark ground. Words need :func:`ink`."""

OTHER_RECORD = "#A3568A"
"""Purple: where two records stand beside each other, the first is blue and the second this."""

OVER = "#C0392B"
"""Red: beyond what was promised."""


def tint(colour: str, alpha: float) -> str:
    """A colour with transparency, for grounds that must work in both themes.

    >>> tint(OWNER, 0.25)
    'rgba(0, 114, 178, 0.25)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:g})"


def ink(colour: str = NEUTRAL) -> str:
    """A colour for words, as CSS: mixed with the text's own, so that it stands out from either ground by 4.5:1.

    No colour does so on both by itself: what is dark enough on white is too dark on black.

    >>> ink(OWNER)
    'color-mix(in oklab, #0072B2 45%, currentColor)'
    """
    return f"color-mix(in oklab, {colour} 45%, currentColor)"
