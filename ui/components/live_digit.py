"""The live digit of the start page: x → z → z̃ → x̃ while the slider is being dragged.

Streamlit's own slider speaks only when it is let go. This one asks the server for a release at
every position, one question at a time: a new one is sent when the last was answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.app.controls import EPSILONS
from ui.kit.html import number

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

CSS = """
.live { font-family: var(--st-font, sans-serif); color: var(--st-text-color); container-type: inline-size; }
.flow { display: flex; align-items: stretch; gap: 1rem; }
figure { margin: 0; padding: .8rem .9rem 1rem; border-radius: 14px; min-width: 0; }
figure.own { background: color-mix(in srgb, #0072B2 8%, transparent); }
figure.col { background: color-mix(in srgb, #D55E00 9%, transparent); }
figure.grow { flex: 1; display: flex; flex-direction: column; }
h5 { margin: 0 0 .6rem; font-weight: 500; font-size: .86rem; white-space: nowrap; }
h5 i { font: italic 500 1.25rem/1 "Source Serif", Georgia, serif; margin-right: .3em; }
.own h5 { color: color-mix(in oklab, #0072B2 74%, var(--st-text-color)); }
.col h5 { color: color-mix(in oklab, #D55E00 74%, var(--st-text-color)); }
img { width: 136px; height: 136px; image-rendering: pixelated; border-radius: 8px; display: block; background: #000; }
.bars { flex: 1; min-height: 136px; display: flex; gap: 3px; }
.bars span { flex: 1; position: relative;
  background: linear-gradient(color-mix(in srgb, currentColor 35%, transparent) 0 0) center / 100% 1px no-repeat; }
.bars b { position: absolute; left: 10%; right: 10%; border-radius: 2px; transition: height .12s linear; }
.own b { background: #0072B2; } .col b { background: #D55E00; }
.wall { display: flex; flex-direction: column; align-items: center; gap: .5rem; }
.wall::before, .wall::after { content: ""; flex: 1; width: 5px;
  background: linear-gradient(to right, #0072B2 0 1.5px, transparent 1.5px 3.5px, #D55E00 3.5px 5px); }
.wall span { writing-mode: vertical-rl; transform: rotate(180deg); font-size: .64rem; letter-spacing: .1em;
  text-transform: uppercase; opacity: .7; white-space: nowrap; }
.control { display: flex; align-items: end; gap: 1.2rem; margin-top: 1rem; }
label { flex: 1; }
.name { display: block; font: 600 1.15rem/1.3 "Source Serif", Georgia, serif; font-variant-numeric: tabular-nums; }
input { width: 100%; height: 2rem; margin: 0; appearance: none; background: transparent; cursor: pointer; }
input::-webkit-slider-runnable-track { height: 4px; border-radius: 2px;
  background: linear-gradient(#0072B2 0 0) 0 / var(--fill, 0%) 100% no-repeat,
    color-mix(in srgb, currentColor 18%, transparent); }
input::-moz-range-track { height: 4px; border-radius: 2px;
  background: color-mix(in srgb, currentColor 18%, transparent); }
input::-moz-range-progress { height: 4px; border-radius: 2px; background: #0072B2; }
input::-webkit-slider-thumb { appearance: none; width: 20px; height: 20px; margin-top: -8px; border-radius: 50%;
  background: #0072B2; border: 2px solid var(--st-background-color, #fff); }
input::-moz-range-thumb { width: 16px; height: 16px; border-radius: 50%; background: #0072B2;
  border: 2px solid var(--st-background-color, #fff); }
button { font: inherit; font-size: .9rem; padding: .4rem .9rem; border-radius: 8px; cursor: pointer;
  white-space: nowrap; border: 1px solid var(--st-border-color, #ccc); background: transparent; color: inherit; }
button:hover { border-color: #0072B2; }
:focus-visible { outline: 2px solid #0072B2; outline-offset: 2px; }
p { margin: .55rem 0 0; line-height: 1.5; text-wrap: pretty; }
.promise strong { white-space: nowrap; }
.spent { font-size: .86rem; opacity: .8; }
@container (max-width: 620px) {
  .flow { display: grid; grid-template-columns: 1fr 1fr; gap: .7rem; }
  .wall { grid-column: 1 / -1; flex-direction: row; height: 1.4rem; }
  .wall::before, .wall::after { width: auto; height: 5px;
    background: linear-gradient(#0072B2 0 1.5px, transparent 1.5px 3.5px, #D55E00 3.5px 5px); }
  .wall span { writing-mode: horizontal-tb; transform: none; }
  img { width: 100%; height: auto; aspect-ratio: 1; }
  .control { gap: .8rem; }
}
"""

JS = """
const states = new Map();  // per mounted digit: is a question out, and what to ask next

const bars = (box, values, reach) => {
  while (box.children.length < values.length) {
    box.appendChild(document.createElement("span")).appendChild(document.createElement("b"));
  }
  values.forEach((value, index) => {
    const bar = box.children[index].firstChild;
    bar.style.height = Math.min(50, (50 * Math.abs(value)) / reach) + "%";
    bar.style[value >= 0 ? "bottom" : "top"] = "50%";
    bar.style[value >= 0 ? "top" : "bottom"] = "";
    bar.parentElement.title = value.toFixed(2);
  });
};

export default ({ key, data, parentElement, setTriggerValue }) => {
  const $ = (selector) => parentElement.querySelector(selector);
  if (!states.has(key)) states.set(key, { busy: false, next: null, timer: 0 });
  const state = states.get(key);
  const slider = $("input");
  const positions = data.epsilons;
  slider.max = positions.length - 1;

  $(".x").src = data.x;
  $(".xd").src = data.x_decoded;
  bars($(".z"), data.z, data.reach);
  bars($(".zp"), data.z_private, data.reach);
  $(".promise").innerHTML = data.promise;
  $(".spent").innerHTML = data.spent;

  const say = () => {
    $("output").textContent = positions[slider.value];
    slider.style.setProperty("--fill", (100 * slider.value) / slider.max + "%");
    slider.setAttribute("aria-valuetext", "epsilon " + positions[slider.value]);
  };
  const ask = (question) => {
    if (state.busy) { state.next = question; return; }
    state.busy = true;
    clearTimeout(state.timer);
    state.timer = setTimeout(() => { state.busy = false; }, 4000);  // if an answer is lost, go on
    setTriggerValue("question", question);
  };
  slider.oninput = () => { say(); ask({ position: Number(slider.value), again: false }); };
  $("button").onclick = () => ask({ position: Number(slider.value), again: true });

  if (state.answer !== data.answer) {  // an answer arrived
    state.answer = data.answer;
    state.busy = false;
    const next = state.next;
    state.next = null;
    if (next) ask(next);
    else slider.value = data.position;
  }
  say();
  $(".live").dataset.ready = "yes";
};
"""

_live = st.components.v2.component("rlm_live_digit", html=HTML, css=CSS, js=JS)


def live_digit(key: str, data: dict[str, Any], *, on_ask: Callable[[float, bool], None]) -> None:
    """Show the digit. ``on_ask(ε, draw again?)`` is called, before the rerun, for each position asked for."""

    def ask() -> None:
        asked = question(st.session_state[key].question)
        if asked is not None:
            on_ask(*asked)

    _live(key=key, data=data | {"epsilons": [number(each) for each in EPSILONS]}, on_question_change=ask)


def question(value: object) -> tuple[float, bool] | None:
    """What the browser asked, checked: anything may come from there.

    >>> question({"position": 3, "again": False}), question({"position": 99}), question("?"), question(None)
    ((2.0, False), None, None, None)
    """
    if not isinstance(value, dict):
        return None
    position = value.get("position")
    if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < len(EPSILONS):
        return None
    return EPSILONS[position], value.get("again") is True
