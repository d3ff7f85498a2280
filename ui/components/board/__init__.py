"""The taxicab ball with classes in it: their cells, noised points, and classes that can be dragged.

Cells, dots and accuracy at rest are the library's. Only while a class is dragged, or a search is played, the browser
computes them itself, with ``nearest`` in ``board.js`` (a browser test holds it to ``l1_voronoi``): the dots keep their
noise and move with their class, and the accuracy is that of some thousand simulated reports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.components.declare import declare

HTML = """
<div class="board">
  <canvas></canvas>
  <svg viewBox="-100 -100 200 200" role="group" aria-label="The taxicab ball and the classes in it"></svg>
  <output class="told"></output>
</div>
"""

_board = declare("board", html=HTML)


def board(key: str, data: dict[str, Any], *, on_move: Callable[[object], None]) -> None:
    """Show the board. ``on_move(value)`` is called, before the rerun, when a class was moved.

    The value should be the places of all classes; it comes from a browser, so whoever takes it checks it.
    """

    _board(key=key, data=data, on_moved_change=lambda: on_move(st.session_state[key].moved))
