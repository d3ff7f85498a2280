"""The image page's words."""

from __future__ import annotations

LEDE = "Left is your device, right the collector. Rehearse as often as you like; only what you send crosses."
