// Ink apart from its paper, under light that need not be even. The twin of ui/image/ink.py, step by step:
// 1. cells of at most 64 a side, each by its median; 2. where the border's cells agree, the paper is the border's median;
// 3. elsewhere a robust quadratic surface (smooth light) and a closing wider than a stroke (shadows); 4. ink is the
// difference from the paper, dark ink in units of the light there; 5. specks go, and what comes in from the border.

import { largest, quantile } from "./quantile.js";

const CELLS = 64;
const EVEN = 0.1; // of the whole contrast: less spread than this along the border is even light
const ROUNDS = 12; // of the robust fit
const DARKEST = 0.1; // of the best light: where less falls, ink is not amplified further
const CONTRAST = 0.08; // less difference than this between ink and paper is an empty picture
const LEVEL = 0.2; // of the strongest ink: fainter marks do not move the crop
const SPECK = 0.03; // of the largest mark's ink
const QUARTER = 0.4506; // neighbours differ by less than this many standard deviations of noise a quarter of the time
const GRAIN = 3; // standard deviations of the noise that are not ink

/** @typedef {{values: Float64Array, height: number, width: number}} Grid */
/**
 * @typedef {{marks: Float64Array, level: number, contrast: number, touches: boolean, scattered: number}} Ink
 *   marks: 1 for the strongest, 0 outside; level: above it a pixel belongs to the crop; touches: the largest mark reaches
 *   the border; scattered: share of the ink outside the largest mark
 */

/** The marks in a grey picture, null where there are none. @param {Grid} grey @returns {Ink | null} */
export function findInk(grey) {
  const { values, height, width } = grey;
  const cells = cellsOf(grey);
  const around = border(cells);
  const [low, high] = [quantile(values, 0.005), quantile(values, 0.995)];
  let ink;
  if (quantile(around, 0.9) - quantile(around, 0.1) <= EVEN * (high - low)) {
    const ground = quantile(border(grey), 0.5);
    const darker = ground - low > high - ground;
    ink = values.map((value) => (darker ? ground - value : value - ground));
  } else ink = uneven(grey, cells);
  const strongest = ink.length > 5000 ? quantile(ink, 0.999) : largest(ink);
  if (!(strongest >= CONTRAST)) return null;
  return marksOf({ values: ink.map((value) => value / strongest), height, width }, strongest);
}

/** All four sides, corners twice. @param {Grid} grid */
export function border({ values, height, width }) {
  const across = Array.from({ length: width }, (_, x) => [values[x], values[(height - 1) * width + x]]);
  const down = Array.from({ length: height }, (_, y) => [values[y * width], values[(y + 1) * width - 1]]);
  return [...across, ...down].flat();
}

/** Medians of squares; those at the right and below may be narrower. @param {Grid} grey @returns {Grid} */
function cellsOf({ values, height: h, width: w }) {
  const size = Math.ceil(Math.max(h, w) / CELLS);
  const [height, width] = [Math.ceil(h / size), Math.ceil(w / size)];
  const cells = Float64Array.from({ length: height * width }, (_, i) => {
    const [top, left] = [size * Math.floor(i / width), size * (i % width)];
    const square = [];
    for (let y = top; y < Math.min(top + size, h); y++) {
      for (let x = left; x < Math.min(left + size, w); x++) square.push(values[y * w + x]);
    }
    return quantile(square, 0.5);
  });
  return { values: cells, height, width };
}

/** @param {Grid} grey @param {Grid} cells */
function uneven(grey, cells) {
  const { values, height, width } = cells;
  const surface = surfaceOf(cells);
  const grid = (/** @type {Float64Array} */ each) => ({ values: each, height, width });
  const darker = inkIsDarker(grid(values.map((value, i) => value - surface[i])));
  const sign = darker ? 1 : -1;
  const flat = closed(grid(values.map((value) => sign * value)));
  const curved = closed(grid(values.map((value, i) => sign * (value - surface[i]))));
  // Both lie on the ink's far side of the paper: a surface is right for smooth light, none for a shadow's edge.
  const both = flat.map((value, i) => Math.min(value, sign * surface[i] + curved[i]));
  const paper = enlarged(grid(extreme(grid(both), 1, Math.min).map((value) => sign * value)), grey);
  if (!darker) return grey.values.map((value, i) => value - paper[i]);
  const best = largest(paper);
  return grey.values.map((value, i) => (paper[i] - value) * (best / Math.max(paper[i], DARKEST * best)));
}

/** Whether marks are darker than three of the four border cells of their row and column, or lighter. @param {Grid} cells */
function inkIsDarker({ values, height, width }) {
  const [below, above] = [new Float64Array(values.length), new Float64Array(values.length)];
  values.forEach((value, i) => {
    const [y, x] = [Math.floor(i / width), i % width];
    const sides = [values[y * width], values[(y + 1) * width - 1], values[x], values[(height - 1) * width + x]];
    sides.sort((a, b) => a - b);
    [below[i], above[i]] = [sides[1] - value, value - sides[2]];
  });
  return quantile(below, 0.995) > quantile(above, 0.995);
}

/** The lowest of the highest cells of all windows over a cell: dark strokes are filled, dark regions stay. @param {Grid} cells */
function closed(cells) {
  const { height, width } = cells;
  const reach = Math.floor(Math.max(height, width) / 6);
  return extreme({ values: extreme(cells, reach, Math.max), height, width }, reach, Math.min);
}

/**
 * The largest or smallest within `reach` in both directions.
 * @param {Grid} cells
 * @param {number} reach
 * @param {(a: number, b: number) => number} pick
 */
function extreme({ values, height, width }, reach, pick) {
  const along = (/** @type {Float64Array} */ from, /** @type {number} */ step, /** @type {number} */ length, /** @type {(i: number) => number} */ place) =>
    from.map((value, i) => {
      const at = place(i);
      for (let j = Math.max(-at, -reach); j <= Math.min(reach, length - 1 - at); j++) value = pick(value, from[i + j * step]);
      return value;
    });
  return along(along(values, 1, width, (i) => i % width), width, height, (i) => Math.floor(i / width));
}

/** A quadratic in both directions by reweighted least squares: what lies far off counts little. @param {Grid} cells */
function surfaceOf({ values, height, width }) {
  const unit = (/** @type {number} */ i, /** @type {number} */ n) => (n > 1 ? -1 + (2 * i) / (n - 1) : -1);
  const terms = Array.from(values, (_, i) => {
    const [y, x] = [unit(Math.floor(i / width), height), unit(i % width, width)];
    return [1, x, y, x * x, x * y, y * y];
  });
  let [fitted, weights] = [values, values.map(() => 1)];
  for (let round = 0; round < ROUNDS; round++) {
    const rows = terms[0].map((_, r) => terms[0].map((_, c) => (r === c ? 1e-9 : 0)).concat(0));
    terms.forEach((term, i) => term.forEach((a, r) => {
      for (let c = 0; c < 6; c++) rows[r][c] += weights[i] * a * term[c];
      rows[r][6] += weights[i] * a * values[i];
    }));
    const factors = solved(rows);
    fitted = Float64Array.from(terms, (term) => term.reduce((sum, a, c) => sum + a * factors[c], 0));
    const off = values.map((value, i) => Math.abs(value - fitted[i]));
    const scale = Math.max(quantile(off, 0.5), 0.005);
    weights = off.map((each) => 1 / (1 + (each / (2 * scale)) ** 2) ** 2);
  }
  return fitted;
}

/** Gauss and Jordan, with pivots. @param {number[][]} rows equations, the right-hand side last */
function solved(rows) {
  for (let c = 0; c < rows.length; c++) {
    const pivot = rows.reduce((best, row, r) => (r >= c && Math.abs(row[c]) > Math.abs(rows[best][c]) ? r : best), c);
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    rows.forEach((row, r) => {
      if (r === c) return;
      const factor = row[c] / rows[c][c];
      for (let j = c; j < row.length; j++) row[j] -= factor * rows[c][j];
    });
  }
  return rows.map((row, c) => row[rows.length] / row[c]);
}

/** Cells to pixels, linearly between their centres. @param {Grid} cells @param {Grid} grey */
function enlarged(cells, { height, width }) {
  const size = Math.ceil(Math.max(height, width) / CELLS);
  const taps = (/** @type {number} */ length, /** @type {number} */ count) => Array.from({ length }, (_, i) => {
    const at = Math.min(Math.max((i + 0.5) / size - 0.5, 0), count - 1);
    const low = Math.floor(at);
    return { low, high: Math.min(low + 1, count - 1), part: at - low };
  });
  const [down, across] = [taps(height, cells.height), taps(width, cells.width)];
  return Float64Array.from({ length: height * width }, (_, i) => {
    const [v, h] = [down[Math.floor(i / width)], across[i % width]];
    const column = (/** @type {number} */ x) =>
      cells.values[v.low * cells.width + x] * (1 - v.part) + cells.values[v.high * cells.width + x] * v.part;
    return column(h.low) * (1 - h.part) + column(h.high) * h.part;
  });
}

/** @param {Grid} ink @param {number} contrast @returns {Ink | null} */
function marksOf({ values, height, width }, contrast) {
  const steps = values.map((value, i) => (i % width ? Math.abs(value - values[i - 1]) : -1)).filter((step) => step >= 0);
  const level = Math.min(Math.max(LEVEL, (2 * GRAIN * quantile(steps, 0.25)) / QUARTER), 0.5);
  const ink = values.map((value) => Math.min(1, Math.max(0, value)));
  const { marks, count } = labelled(ink, height, width, level / 2);
  const [mass, edge] = [new Float64Array(count + 1), new Uint8Array(count + 1)];
  marks.forEach((mark, i) => {
    if (!mark) return;
    if (ink[i] > level) mass[mark] += ink[i];
    const [y, x] = [Math.floor(i / width), i % width];
    if (y === 0 || x === 0 || y === height - 1 || x === width - 1) edge[mark] = 1;
  });
  const inside = mass.map((value, mark) => (edge[mark] ? 0 : value));
  const among = largest(inside) >= 0.2 * largest(mass) ? inside : mass;
  const main = among.indexOf(largest(among));
  if (!(mass[main] > 0)) return null;
  const keep = mass.map((value, mark) => (mark && value >= SPECK * mass[main] && (edge[main] || !edge[mark]) ? 1 : 0));
  const total = mass.reduce((sum, value, mark) => sum + keep[mark] * value, 0);
  return {
    marks: ink.map((value, i) => value * keep[marks[i]]), level, contrast, touches: edge[main] === 1, scattered: 1 - mass[main] / total,
  };
}

/**
 * Connected pixels above a level, diagonals too: a number for each, from 1 on, in reading order.
 * @param {Float64Array} ink
 * @param {number} height
 * @param {number} width
 * @param {number} level
 */
function labelled(ink, height, width, level) {
  const marks = new Int32Array(ink.length);
  let count = 0;
  for (let start = 0; start < ink.length; start++) {
    if (marks[start] || !(ink[start] > level)) continue;
    marks[start] = ++count;
    for (const open = [start]; open.length;) {
      const at = /** @type {number} */ (open.pop());
      const [y, x] = [Math.floor(at / width), at % width];
      for (let v = Math.max(y - 1, 0); v <= Math.min(y + 1, height - 1); v++) {
        for (let h = Math.max(x - 1, 0); h <= Math.min(x + 1, width - 1); h++) {
          const i = v * width + h;
          if (marks[i] || !(ink[i] > level)) continue;
          marks[i] = count;
          open.push(i);
        }
      }
    }
  }
  return { marks, count };
}
