// Marks that are told apart without colours too.
const star = [...Array(10).keys()].map((i) => [(i % 2 ? 0.55 : 1.25) * Math.sin(Math.PI * i / 5), -(i % 2 ? 0.55 : 1.25) * Math.cos(Math.PI * i / 5)]);
const hexagon = [...Array(6).keys()].map((i) => [1.05 * Math.sin(Math.PI * i / 3), -1.05 * Math.cos(Math.PI * i / 3)]);
const OUTLINES = {
  square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  "triangle-up": [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  cross: [[-0.35, -1.1], [0.35, -1.1], [0.35, -0.35], [1.1, -0.35], [1.1, 0.35], [0.35, 0.35], [0.35, 1.1], [-0.35, 1.1], [-0.35, 0.35], [-1.1, 0.35], [-1.1, -0.35], [-0.35, -0.35]],
  star, hexagon,
};
OUTLINES.x = OUTLINES.cross.map(([x, y]) => [0.8 * (x - y), 0.8 * (x + y)]);

const mark = (parent, x, y, trace) => {
  const { symbol = "circle", size = 6, color, line = {} } = trace.marker ?? {};
  const open = symbol.endsWith("-open"), outline = OUTLINES[symbol.replace("-open", "")], r = size / 2;
  const paint = { fill: open ? "none" : color, stroke: open ? color : line.color, "stroke-width": open || line.color ? line.width ?? 1 : "" };
  if (!outline) return make("circle", { cx: x, cy: y, r, ...paint }, parent);
  return make("path", { d: `M${outline.map(([a, b]) => `${(x + r * a).toFixed(1)} ${(y + r * b).toFixed(1)}`).join("L")}Z`, ...paint }, parent);
};
