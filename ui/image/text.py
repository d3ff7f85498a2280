"""The image page's words."""

from __future__ import annotations

LEDE = (
    "Your device is on the left, the collector on the right. "
    "Rehearse as often as you like: nothing crosses until you send it."
)
