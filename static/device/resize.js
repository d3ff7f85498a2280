// Antialiased resizing by a separable kernel, as Pillow and torch do it: every output pixel is a weighted mean of the
// input pixels under a kernel that is stretched when the picture shrinks.

/** @typedef {{kernel: (x: number) => number, support: number}} Filter */

/** Keys' cubic, a = −1/2, as torch's antialiased "bicubic". @type {Filter} */
export const BICUBIC = {
  support: 2,
  kernel: (x) => {
    const a = -0.5;
    const t = Math.abs(x);
    if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0;
  },
};

/** @param {number} x */
const sinc = (x) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** Pillow's LANCZOS. @type {Filter} */
export const LANCZOS = { support: 3, kernel: (x) => (Math.abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0) };

/** Pillow's BOX: the mean over the pixels whose centres an output pixel covers, its right edge among them. @type {Filter} */
export const BOX = { support: 0.5, kernel: (x) => (x > -0.5 && x <= 0.5 ? 1 : 0) };

/**
 * For every output pixel the first input pixel that counts, and the weights from there on.
 * @param {number} from
 * @param {number} to
 * @param {Filter} filter
 */
function taps(from, to, { kernel, support }) {
  const scale = from / to;
  const stretch = Math.max(scale, 1);
  return Array.from({ length: to }, (_, i) => {
    const centre = (i + 0.5) * scale;
    const first = Math.max(Math.trunc(centre - support * stretch + 0.5), 0);
    const last = Math.min(Math.trunc(centre + support * stretch + 0.5), from);
    const weights = Array.from({ length: last - first }, (_, j) => kernel((first + j - centre + 0.5) / stretch));
    const total = weights.reduce((a, b) => a + b, 0);
    return { first, weights: weights.map((weight) => weight / total) };
  });
}

/**
 * A picture of `channels` interleaved channels to another size; first across, then down, float32 in between.
 * @param {ArrayLike<number>} pixels (height, width, channels)
 * @param {{height: number, width: number, channels: number}} size
 * @param {{height: number, width: number}} to
 * @param {Filter} filter
 * @returns {Float32Array}
 */
export function resized(pixels, { height, width, channels }, to, filter) {
  const across = taps(width, to.width, filter);
  const row = to.width * channels;
  const middle = new Float32Array(height * row);
  for (let y = 0; y < height; y++) {
    across.forEach(({ first, weights }, x) => {
      for (let c = 0; c < channels; c++) {
        let sum = 0;
        for (let j = 0; j < weights.length; j++) sum += weights[j] * pixels[(y * width + first + j) * channels + c];
        middle[y * row + x * channels + c] = sum;
      }
    });
  }
  const result = new Float32Array(to.height * row);
  taps(height, to.height, filter).forEach(({ first, weights }, y) => {
    for (let i = 0; i < row; i++) {
      let sum = 0;
      for (let j = 0; j < weights.length; j++) sum += weights[j] * middle[(first + j) * row + i];
      result[y * row + i] = sum;
    }
  });
  return result;
}
