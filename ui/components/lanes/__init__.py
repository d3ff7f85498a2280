"""The start page's stage: one digit in three lanes, one ε, and the crowd. All of it is computed in the browser.

Scripts and weights come from ``/device`` (``server/device_routes.py``). ε is all that ever comes back to the server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui.components.declare import declare

LANES = {
    "pixels": ("Noise on every pixel", "70 % of ε for 784 pixels, the rest for the label"),
    "numbers": ("Noise on 8 learnt numbers", "V-RLM, the paper’s: 70 % of ε for them"),
    "codes": ("A set of learnt codes", "Q-RLM: all of ε for code and label as one"),
}


def _lane(name: str, title: str, below: str) -> str:
    return f"""
    <section class="lane" data-lane="{name}" aria-label="{title}">
      <div class="own"><div><h3>{title}</h3><p class="soft below">{below}</p></div>
        <canvas class="digit" width="28" height="28" role="img" aria-label="the digit on your device"></canvas></div>
      <div class="wall" aria-hidden="true"></div>
      <div class="col"><ol class="draws"></ol>
        <p class="right"><strong>–</strong><span class="soft">guessed right</span></p></div>
    </section>"""


HTML = f"""
<div class="stage">
  <div class="bar">
    <label for="epsilon"><span class="name">ε = <output>–</output></span>
      <span class="soft">privacy budget of one report</span></label>
    <input id="epsilon" type="range" min="0" step="1" aria-label="epsilon">
    <p class="verdict"><b class="strength"></b> <span class="sentence"></span></p>
  </div>
  <p class="problem" role="alert" hidden></p>
  <div class="both">
    <div class="lanes">{"".join(_lane(name, *words) for name, words in LANES.items())}
      <div class="under"><p class="soft">Each small picture is what a collector could make of one report, with the best
        guess about the digit. Noisy pixels say next to nothing, so that lane’s guess rests on the label. The V-RLM’s
        decoder always draws <em>some</em> digit, right or wrong; the codes’ picture blurs where the report says
        little. <b>Nothing is sent:</b> these are rehearsals in your browser.</p>
        <button type="button" class="again">Eight others</button></div>
    </div>
    <section class="crowd" aria-label="The crowd">
      <h2>The crowd</h2>
      <p class="soft">A simulation: <span class="count">–</span> public people send one report of codes each, at this
        ε.</p>
      <div class="two">
        <div class="learnt"><strong>–</strong><span>right: the model that they all taught</span></div>
        <div class="guessed"><strong>–</strong><span>right: the best guess about one of them, from the same
          report</span></div>
      </div>
      <svg viewBox="0 0 300 168" role="img" aria-label="Accuracy against the number of people"></svg>
      <p class="soft note"></p>
    </section>
  </div>
  <p class="said" role="status" aria-live="polite"></p>
</div>
"""

_stage = declare("lanes", html=HTML)


def lanes(key: str, data: dict[str, Any], *, positions: Sequence[str], on_epsilon: Callable[[int], None]) -> None:
    """Show the stage. ``on_epsilon(position)`` is called, before the rerun, when the slider was let go."""

    def moved() -> None:
        position = checked_position(st.session_state[key].epsilon, len(positions))
        if position is not None:
            on_epsilon(position)

    _stage(key=key, data=data | {"positions": list(positions)}, on_epsilon_change=moved)


def checked_position(value: object, positions: int) -> int | None:
    """What the browser says, checked: anything may come from there.

    >>> checked_position(3, 9), checked_position(9, 9), checked_position(True, 9), checked_position("3", 9)
    (3, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < positions:
        return None
    return value
