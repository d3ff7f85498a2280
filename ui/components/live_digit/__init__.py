"""The live digit of the start page: x → z → z̃ → x̃ while the slider is being dragged.

Streamlit's own slider speaks only when it is let go. This one asks the server for a release at
every position, one question at a time: a new one is sent when the last was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui.components.declare import declare

HTML = """
<div class="live">
  <div class="flow">
    <figure class="own"><h5><i>x</i> your digit</h5><img class="x" alt="the digit"></figure>
    <figure class="own grow"><h5><i>z</i> summed up</h5><div class="bars z"></div></figure>
    <div class="wall"><span>privacy boundary</span></div>
    <figure class="col grow"><h5><i>z̃</i> with noise</h5><div class="bars zp"></div></figure>
    <figure class="col"><h5><i>x̃</i> decoded</h5><img class="xd" alt="what the collector decodes"></figure>
  </div>
  <div class="control">
    <label><span class="name">ε = <output></output></span>
      <input type="range" min="0" step="1" aria-label="epsilon"></label>
    <button type="button">Draw again</button>
  </div>
  <p class="promise"></p>
  <p class="spent"></p>
</div>
"""

_live = declare("live_digit", html=HTML)


def live_digit(
    key: str, data: dict[str, Any], *, positions: Sequence[str], on_ask: Callable[[int, bool], None]
) -> None:
    """Show the digit above a slider with these positions.

    ``on_ask(position, draw again?)`` is called, before the rerun, for each position asked for.
    """

    def ask() -> None:
        asked = question(st.session_state[key].question, len(positions))
        if asked is not None:
            on_ask(*asked)

    _live(key=key, data=data | {"epsilons": list(positions)}, on_question_change=ask)


def question(value: object, positions: int) -> tuple[int, bool] | None:
    """What the browser asked, checked: anything may come from there.

    >>> question({"position": 3, "again": False}, 9), question({"position": 9}, 9), question("?", 9), question(None, 9)
    ((3, False), None, None, None)
    """
    if not isinstance(value, dict):
        return None
    position = value.get("position")
    if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < positions:
        return None
    return position, value.get("again") is True
