// A figure as SVG, at the width of its place.
const DASHES = { solid: "", dot: "1.5 4", dash: "7 5", dashdot: "7 4 1.5 4" };
const SIZE = 12, ROW = 21;  // pixels: of words, and of a row of the legend
const stroke = ({ color, width, dash = "solid" }) => ({ stroke: color, "stroke-width": width, "stroke-dasharray": DASHES[dash] });

/** The legend as rows of entries that fit the width. */
const legendOf = (traces, width, family) => {
  const rows = [[]];
  let used = 0;
  for (const trace of traces.filter((each) => each.showlegend !== false)) {
    const wide = 34 + widthOf(trace.name, SIZE, family);
    if (used + wide > width && rows.at(-1).length) { rows.push([]); used = 0; }
    rows.at(-1).push({ trace, x: used, wide });
    used += wide + 16;
  }
  return rows;
};

/** The width of words that may have several lines. */
const wideOf = (words, font, family) => Math.max(...words.split("<br>").map((line) => widthOf(plain(line), font?.size ?? SIZE, family, true)));

/** The frame between the axes and the maps of values to places in it. */
const planOf = (root, { data, layout }, off) => {
  const family = getComputedStyle(root).fontFamily, width = Math.max(240, root.clientWidth);
  const traces = data.filter((trace) => !off.has(trace.name));
  const values = (name) => (traces.length ? traces : data).flatMap((trace) => trace[name]);
  const legend = layout.showlegend ? legendOf(data, width, family) : [];
  const height = layout.height + Math.max(0, legend.length - 2) * ROW;
  const up = scaleOf(layout.yaxis, values("y"), 6);
  const left = 10 + Math.max(8, ...up.ticks.map(([, words]) => widthOf(words, SIZE, family)));
  let right = width - layout.margin.r;
  const top = layout.margin.t + (layout.yaxis.title.text ? 12 : 0);
  const across = scaleOf(layout.xaxis, values("x"), Math.max(3, Math.floor((right - left) / 55)));
  const crowded = across.count > (right - left) / 70;  // names of categories are written aslant
  const below = 26 + (layout.xaxis.title.text ? 22 : 0) + (crowded ? 34 : 0) + (legend.length ? legend.length * ROW + 8 : 0);
  const bottom = height - below;
  for (const { text, x, xref, xanchor, xshift = 0, font } of layout.annotations ?? []) {  // a name at a line's end has room
    const end = xref !== "paper" && xanchor === "left" ? across.at(x) : 0;
    if (end > 0.75) right = Math.min(right, left + (width - wideOf(text, font, family) - xshift - 2 - left) / end);
  }
  const px = (value) => left + (right - left) * across.at(value), py = (value) => bottom - (bottom - top) * up.at(value);
  return { layout, traces, legend, family, width, height, left, right, top, bottom, across, up, crowded, px, py };
};

const drawAxes = (svg, { layout, across, up, left, right, top, bottom, width, crowded, family, px, py }) => {
  const grid = make("g", { stroke: GREY, "stroke-opacity": 0.2, fill: "none" }, svg), axes = make("g", { class: "axes" }, svg);
  let end = -Infinity;  // of the last tick's words
  for (const [value, words] of across.ticks) {
    const x = px(value), half = widthOf(words, SIZE, family) / 2;
    if (x < left - 1 || x > right + 1) continue;
    if (!across.count) make("path", { d: `M${x.toFixed(1)} ${top}V${bottom}` }, grid);
    if (crowded) {
      const short = words.length > 9 ? `${words.slice(0, 8)}…` : words;
      const text = label(axes, escaped(short), { x, y: bottom + 6, size: 11, anchor: "end", middle: "top", className: "soft" });
      text.setAttribute("transform", `rotate(-40 ${x.toFixed(1)} ${bottom + 6})`);
      make("title", {}, text).textContent = words;
    } else if (x - half > end + 4) {
      const inside = Math.min(Math.max(x, half), width - half);
      label(axes, escaped(words), { x: inside, y: bottom + 6, anchor: "middle", middle: "top", className: "soft" });
      end = inside + half;
    }
  }
  for (const [value, words] of up.ticks) {
    const y = py(value);
    if (y < top - 1 || y > bottom + 1) continue;
    make("path", { d: `M${left} ${y.toFixed(1)}H${right}` }, grid);
    label(axes, escaped(words), { x: left - 6, y, anchor: "end", className: "soft" });
  }
  make("path", { d: `M${left} ${bottom}H${right}`, stroke: GREY, "stroke-opacity": 0.6 }, svg);
  label(axes, layout.xaxis.title.text, { x: (left + right) / 2, y: bottom + 26, size: 13, anchor: "middle", middle: "top", className: "soft" });
  label(axes, layout.yaxis.title.text, { x: 0, y: 0, size: 13, middle: "top", className: "soft" });
};

/** Bars of one trace, beside those of the others; their tops. */
const drawBars = (group, trace, bars, { layout, across, left, right, bottom, px, py }) => {
  const wide = (right - left) / across.count * (1 - (layout.bargap ?? 0.2)) / bars.length, first = bars.indexOf(trace) - bars.length / 2;
  return trace.x.map((value, i) => {
    const x = px(value) + first * wide, y = py(trace.y[i]);
    make("rect", { x, y, width: Math.max(1, wide - 1), height: Math.max(0, bottom - y), fill: trace.marker.color }, group);
    return [x + wide / 2, y];
  });
};

/** Line, whiskers and marks of one trace; its points. */
const drawScatter = (group, trace, { px, py }) => {
  const at = trace.x.map((x, i) => [px(x), py(trace.y[i])]), mode = trace.mode ?? "lines";
  if (mode.includes("lines") && at.length) {
    const halfway = (i, j) => (at[i][0] + (at[j] ?? at[i])[0]) / 2;
    const stairs = trace.line.shape === "hvh";
    const corners = stairs ? at.flatMap(([, y], i) => [[halfway(i, i - 1), y], [halfway(i, i + 1), y]]) : at;
    const path = corners.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    if (trace.fill === "tozeroy") make("path", { d: `M${at[0][0]} ${py(0)}L${path}L${at.at(-1)[0]} ${py(0)}Z`, fill: trace.fillcolor }, group);
    make("path", { class: "line", d: `M${path}`, fill: "none", "stroke-linejoin": "round", ...stroke(trace.line) }, group);
  }
  trace.error_y?.array.forEach((above, i) => {
    const under = trace.error_y.arrayminus?.[i] ?? above, half = trace.error_y.width ?? 3, x = at[i][0];
    if (!(above > 0 || under > 0)) return;
    const [high, low] = [py(trace.y[i] + above), py(trace.y[i] - under)];
    const { color, thickness = 1 } = trace.error_y;
    make("path", { d: `M${x} ${high}V${low}M${x - half} ${high}h${2 * half}M${x - half} ${low}h${2 * half}`, stroke: color, "stroke-width": thickness }, group);
  });
  if (mode.includes("markers")) at.forEach(([x, y]) => mark(group, x, y, trace));
  return at;
};

const drawLegend = (svg, { legend, height, family }, off, flip) => {
  legend.forEach((row, i) => row.forEach(({ trace, x, wide }) => {
    const y = height - (legend.length - i) * ROW + ROW / 2, pressed = !off.has(trace.name);
    const entry = make("g", { class: "entry", role: "button", tabindex: 0, "aria-pressed": pressed, transform: `translate(${x.toFixed(1)} ${y})` }, svg);
    make("rect", { x: 0, y: -ROW / 2, width: wide, height: ROW, fill: "transparent" }, entry);
    if ((trace.mode ?? "lines").includes("lines")) make("path", { d: "M2 0H26", ...stroke(trace.line) }, entry);
    if ((trace.mode ?? "").includes("markers")) mark(entry, 14, 0, trace);
    label(entry, escaped(trace.name), { x: 32, y: 0, className: "soft" });
    entry.addEventListener("click", () => flip(trace.name));
    entry.addEventListener("keydown", (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); flip(trace.name); } });
  }));
};

/** The whole drawing, and its points: where they are and which of which trace. */
const draw = (root, { figure, alt }, { off, number, flip }) => {
  const plan = planOf(root, figure, off), { layout, width, height, left, right, top, bottom, px, py } = plan;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, height, role: layout.showlegend ? "group" : "img", "aria-label": alt });
  const clip = `rlm-chart-${number}`, inside = { "clip-path": `url(#${clip})` };
  const frame = make("clipPath", { id: clip }, make("defs", {}, svg));
  make("rect", { x: left - 7, y: top - 7, width: right - left + 14, height: bottom - top + 14 }, frame);
  drawAxes(svg, plan);
  const place = (value, reference, at, from, to) => (reference === "paper" ? from + (to - from) * value : at(value));
  const ruled = make("g", { ...inside, fill: "none" }, svg);
  for (const { x0, x1, y0, y1, xref, yref, line } of layout.shapes ?? []) {
    const [a, b] = [x0, x1].map((each) => place(each, xref, px, left, right));
    const [c, d] = [y0, y1].map((each) => place(each, yref, py, bottom, top));
    make("path", { d: `M${a} ${c}L${b} ${d}`, ...stroke(line) }, ruled);
  }
  const bars = plan.traces.filter((trace) => trace.type === "bar"), points = [];
  for (const trace of plan.traces) {
    const group = make("g", { class: "trace", opacity: trace.opacity, ...inside }, svg);
    const at = trace.type === "bar" ? drawBars(group, trace, bars, plan) : drawScatter(group, trace, plan);
    if (trace.hoverinfo !== "skip") at.forEach(([x, y], i) => points.push({ x, y, trace, i }));
  }
  const taken = [];  // boxes of the words so far: what would lie on them goes above or below
  for (const each of layout.annotations ?? []) {
    const x = place(each.x, each.xref, px, left, right) + (each.xshift ?? 0);
    const y = place(each.y, each.yref, py, bottom, top) - (each.yshift ?? 0);
    const anchor = { left: "start", center: "middle", right: "end" }[each.xanchor ?? "center"];
    const wide = wideOf(each.text, each.font, plan.family);
    const before = { start: 0, middle: wide / 2, end: wide }[anchor];
    const kept = Math.max(before, Math.min(x, width - wide + before));  // words stay inside on a narrow screen
    const high = each.text.split("<br>").length * 1.25 * (each.font?.size ?? SIZE), over = { top: 0, middle: high / 2, bottom: high }[each.yanchor ?? "middle"];
    const boxAt = (at) => ({ left: kept - before, right: kept - before + wide, top: at - over, bottom: at - over + high });
    const isFree = (box) => taken.every((other) => box.right < other.left || other.right < box.left || box.bottom < other.top + 1 || other.bottom < box.top + 1);
    const free = [0, 1, -1, 2, -2].map((step) => y + step * high).find((at) => isFree(boxAt(at))) ?? y;
    taken.push(boxAt(free));
    label(svg, each.text, { x: kept, y: free, size: each.font?.size, anchor, middle: each.yanchor, className: "note" });
  }
  drawLegend(svg, plan, off, flip);
  return { svg, points };
};
