"""The image page's words."""

from __future__ import annotations

from rlm_core.catalogue import DATASETS

LEDE = (
    "Follow one picture from your side of the privacy boundary to the collector’s, step by step, with every number "
    "that is computed on the way. Then change places and ask what the collector can infer."
)

UPLOAD = {
    "mnist": "One handwritten digit, dark on light or light on dark. It is cropped to the ink, scaled to 20 × 20 and "
    "centred in 28 × 28, as the digits of MNIST were.",
    "cifar10": "The central square is taken and reduced to 32 × 32 pixels, the size of the pictures in CIFAR-10.",
}

FITTED = {
    "mnist": "As the mechanism sees it: 28 × 28, light ink on black.",
    "cifar10": "As the mechanism sees it: 32 × 32 pixels.",
}

DRAWING = "Draw a digit with mouse or finger. Nothing is sent until you press the button."

NO_PICTURE_YET = (
    "Bring a picture above and say what it shows: its way across the boundary then appears here. Nothing has been "
    "released so far."
)

MOVING_DRAWS = (
    "Every new combination of record, ε, λ and mechanism draws and sends one report; coming back to one shows the "
    "report that was sent."
)

TAXICAB = (
    "Two of the numbers, seen from above. The blue diamond is the room that *z* may use: all points whose absolute "
    "values add up to at most l. The grey diamonds hold half and nine tenths of the noise around *z*. The vermilion "
    "point is what was sent. The smaller ε, the larger the grey diamonds, until they swallow the blue one."
)

SENT_CODES = (
    "Each code stands for a group of public pictures; this is the mean of its group. The collector sees the sent "
    "codes, and knows how often a set holds the true one, but not whether this set does: only you see the blue frame."
)


def gallery_caption(dataset: str, name: str) -> str:
    """Where the samples come from."""
    return f"Chosen: **{name}**, from the {DATASETS[dataset].title} test set, which no mechanism here was trained on."
