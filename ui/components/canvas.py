"""Draw a digit: a canvas of 280 × 280 that hands over a PNG when the visitor says so.

Nothing is sent while drawing. A stroke more would be another record, and another release.
"""

from __future__ import annotations

import base64
import binascii

import streamlit as st

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

CSS = """
.pad { width: 280px; max-width: 100%; font: 400 .88rem var(--st-font, sans-serif); }
canvas { width: 100%; aspect-ratio: 1; background: #000; border-radius: 10px; touch-action: none;
  cursor: crosshair; display: block; outline: 2px solid #0072B2; outline-offset: 2px; }
.row { display: flex; gap: .5rem; margin-top: .8rem; }
button { font: inherit; padding: .4rem .65rem; white-space: nowrap;
  border-radius: var(--st-button-radius, 8px); cursor: pointer;
  border: 1px solid var(--st-border-color, #ccc); background: transparent; color: var(--st-text-color, inherit); }
button.use { background: #0072B2; border-color: #0072B2; color: #fff; flex: 1; }
button:disabled { opacity: .45; cursor: default; }
button:focus-visible { outline: 2px solid #0072B2; outline-offset: 2px; }
"""

JS = """
const drawings = new Map();  // strokes of each mounted canvas, kept over reruns

export default ({ key, parentElement, setStateValue }) => {
  const canvas = parentElement.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const [use, undo, clear] = ["use", "undo", "clear"].map((c) => parentElement.querySelector("button." + c));
  if (!drawings.has(key)) drawings.set(key, []);
  const strokes = drawings.get(key);

  const paint = () => {
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, 280, 280);
    pen.strokeStyle = "#fff";
    pen.lineWidth = 22;
    pen.lineCap = pen.lineJoin = "round";
    for (const points of strokes) {
      pen.beginPath();
      pen.moveTo(...points[0]);
      for (const point of points.length > 1 ? points.slice(1) : points) pen.lineTo(...point);
      pen.stroke();
    }
    use.disabled = undo.disabled = clear.disabled = strokes.length === 0;
  };
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * 280) / box.width, ((event.clientY - box.top) * 280) / box.height];
  };
  let drawing = false;
  canvas.onpointerdown = (event) => {
    drawing = true;
    canvas.setPointerCapture(event.pointerId);
    strokes.push([at(event)]);
    paint();
  };
  canvas.onpointermove = (event) => {
    if (!drawing) return;
    strokes[strokes.length - 1].push(at(event));
    paint();
  };
  canvas.onpointerup = canvas.onpointercancel = () => { drawing = false; };
  undo.onclick = () => { strokes.pop(); paint(); };
  clear.onclick = () => { strokes.length = 0; paint(); };
  use.onclick = () => setStateValue("png", canvas.toDataURL("image/png").split(",")[1]);
  paint();
  canvas.dataset.ready = "yes";
};
"""

_canvas = st.components.v2.component("rlm_canvas", html=HTML, css=CSS, js=JS)


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
