"""The ball in three dimensions: an octahedron to be turned with finger, mouse or arrow keys.

Drawn on a plain canvas: it needs neither WebGL nor a chart library, and a vertical swipe still
scrolls the page. Which class each piece of the surface is nearest to comes from the library.
"""

from __future__ import annotations

from typing import Any

from ui.components.declare import declare

HTML = """
<div class="space">
  <canvas tabindex="0" role="img"
    aria-label="An octahedron with a class on its vertices; arrow keys turn it"></canvas>
</div>
"""

_octahedron = declare("octahedron", html=HTML)


def octahedron(key: str, data: dict[str, Any]) -> None:
    """Show the octahedron. ``data`` as ``ui.bound.figures.octahedron_data`` makes it."""
    _octahedron(key=key, data=data)
