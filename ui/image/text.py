"""The image page's words."""

from __future__ import annotations

LEDE = "Your device is on the left, the collector on the right. Nothing crosses until you send it."
