// The component: draws anew when its data or its width change, says what is pointed at.
const shown = new Map();  // by key: what is on the page now, and which entries of the legend were switched off

/** What pointing at one point of a trace says. */
const told = (trace, index) => {
  const values = { x: trace.x[index], y: trace.y[index], customdata: trace.customdata?.[index] };
  const found = (trace.hovertemplate || "%{y}").replace(/%\{([^}:]+)(?::([^}]+))?\}/g, (_, name, how) => {
    if (name === "customdata") return values.customdata;  // words of ours, escaped where they were made
    const part = /^customdata\[(\d+)\]$/.exec(name);
    if (part) return format(values.customdata[+part[1]], how);
    if (name === "fullData.name") return escaped(trace.name);
    if (name === "error_y.array") return format(trace.error_y.array[index], how);
    return format(values[name], how);
  });
  return found.replace(/<extra>(.*?)<\/extra>/, (_, name) => (name ? `<br>${name}` : ""));
};

/** Say what is nearest to the pointer. */
const pointing = (root, svg, points) => {
  const near = document.createElement("div");
  near.className = "near";
  near.hidden = true;
  root.append(near);
  const ring = make("circle", { r: 8, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5, "pointer-events": "none", visibility: "hidden" }, svg);
  const leave = () => { near.hidden = true; ring.setAttribute("visibility", "hidden"); };
  svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") leave(); });  // a finger leaves when it is lifted
  const say = (event) => {
    const frame = svg.getBoundingClientRect(), x = event.clientX - frame.left, y = event.clientY - frame.top;
    let best = null, gap = 30 ** 2;
    for (const each of points) {
      const away = (each.x - x) ** 2 + (each.y - y) ** 2;
      if (away < gap) { best = each; gap = away; }
    }
    if (!best) return leave();
    near.replaceChildren();
    for (const piece of pieces(told(best.trace, best.i))) {
      const part = document.createElement(piece.end ? "br" : piece.bold ? "b" : "span");
      if (!piece.end) part.textContent = piece.words;
      near.append(part);
    }
    near.hidden = false;
    const left = best.x + 14 + near.offsetWidth > root.clientWidth ? best.x - 14 - near.offsetWidth : best.x + 14;
    near.style.left = `${Math.max(0, left)}px`;
    const above = frame.top - root.getBoundingClientRect().top;  // of buttons that stand above the drawing
    near.style.top = `${above + Math.max(0, best.y - near.offsetHeight - 8)}px`;
    ring.setAttribute("cx", best.x);
    ring.setAttribute("cy", best.y);
    ring.setAttribute("visibility", "visible");
  };
  svg.addEventListener("pointermove", say);
  svg.addEventListener("pointerdown", say);
};

let count = 0;
export default ({ key, data, parentElement }) => {
  const root = parentElement.querySelector(".rlm-chart");
  const state = shown.get(key) ?? { off: new Set(), number: ++count };
  shown.set(key, state);
  state.flip = (name) => {
    if (!state.off.delete(name)) state.off.add(name);
    const entry = [...root.querySelectorAll(".entry")].indexOf(document.activeElement);
    state.redraw();
    root.querySelectorAll(".entry")[entry]?.focus();
  };
  state.redraw = () => {
    const { svg, points } = draw(root, data, state);
    const bar = document.createElement("div");
    bar.className = "keep";
    for (const kind of data.save ? ["svg", "png"] : []) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: `Save as ${kind.toUpperCase()}` });
      button.addEventListener("click", () => keep(root, data.save, kind));
      bar.append(button);
    }
    root.replaceChildren(...(data.save ? [bar] : []), svg);
    pointing(root, svg, points);
    state.width = root.clientWidth;
  };
  state.redraw();
  state.watch?.disconnect();
  state.watch = new ResizeObserver(() => { if (Math.abs(root.clientWidth - state.width) > 1) state.redraw(); });
  state.watch.observe(root);
  return () => state.watch.disconnect();
};
