"""Draw a digit: a canvas of 280 × 280 that hands over a PNG when the visitor says so.

Nothing is sent while drawing. A stroke more would be another record, and another release.
"""

from __future__ import annotations

import base64
import binascii

from ui.components.declare import declare

HTML = """
<div class="pad">
  <canvas width="280" height="280" role="img" aria-label="Drawing area for a digit"></canvas>
  <div class="row">
    <button type="button" class="use" disabled>Use this drawing</button>
    <button type="button" class="undo" disabled>Undo</button>
    <button type="button" class="clear" disabled>Clear</button>
  </div>
</div>
"""

_canvas = declare("canvas", html=HTML)


def canvas(key: str) -> bytes | None:
    """The drawing as a PNG file, white on black, or None before the visitor handed one over."""
    result = _canvas(key=key, on_png_change=lambda: None)
    return decode(result.png)


def decode(value: object) -> bytes | None:
    """What the browser sent, as bytes. It is the visitor's browser: anything may come.

    >>> decode("aGVsbG8="), decode(None), decode(7), decode("***")
    (b'hello', None, None, None)
    """
    if not isinstance(value, str) or not value or len(value) > 2**20:
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
