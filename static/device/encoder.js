// Encoders h(x), twin of rlm_core/owner/encoder.py. Nothing about privacy rests on an encoder.

/**
 * x to h; `eight` does up to eight records at once, in half the time.
 * @typedef {((x: ArrayLike<number>) => Float64Array) & {eight?: (xs: ArrayLike<number>[]) => Float64Array[]}} Network
 */

/**
 * Linear layers with ReLU between them, from the tensors "0.weight", "0.bias", "2.weight", …
 * Sums are float64, weights float32: closer to the real numbers than torch's float32, within 1e-4 of it.
 * @param {Record<string, import("./weights.js").Tensor>} weights
 * @param {string} [prefix] of the tensors' names
 * @returns {Network}
 */
export function mlp(weights, prefix = "") {
  const layers = Object.keys(weights)
    .filter((name) => name.startsWith(prefix) && /^\d+\.weight$/.test(name.slice(prefix.length)))
    .map((name) => parseInt(name.slice(prefix.length), 10))
    .sort((a, b) => a - b)
    .map((index) => ({ ...weights[`${prefix}${index}.weight`], bias: weights[`${prefix}${index}.bias`].data }));
  if (!layers.length) throw new Error("Expected the weights of at least one layer, got none.");
  /** @type {Network} */
  const network = (x) => {
    let input = Float64Array.from(x);
    layers.forEach(({ shape: [rows, columns], data, bias }, layer) => {
      if (input.length !== columns) throw new RangeError(`Expected ${columns} numbers, got ${input.length}.`);
      const output = new Float64Array(rows);
      for (let row = 0; row < rows; row++) {
        const sum = bias[row] + dot(data, row * columns, input);
        output[row] = layer < layers.length - 1 && !(sum > 0) ? 0 : sum;
      }
      input = output;
    });
    return input;
  };
  network.eight = (xs) => {
    let input = interleaved(xs);
    layers.forEach((layer, i) => { input = layerOfEight(layer, input, i < layers.length - 1); });
    return xs.map((_, n) => Float64Array.from({ length: input.length / 8 }, (__, i) => input[8 * i + n]));
  };
  return network;
}

/** @param {ArrayLike<number>[]} xs up to eight, one number of each after another */
function interleaved(xs) {
  const input = new Float64Array(8 * xs[0].length);
  xs.forEach((x, n) => { for (let i = 0; i < x.length; i++) input[8 * i + n] = x[i]; });
  return input;
}

/**
 * One layer for eight inputs at once: every weight is fetched once for all of them.
 * @param {{shape: number[], data: Float32Array, bias: Float32Array}} layer
 * @param {Float64Array} x (columns, 8)
 * @param {boolean} rectify
 */
function layerOfEight({ shape: [rows, columns], data, bias }, x, rectify) {
  if (x.length !== 8 * columns) throw new RangeError(`Expected ${columns} numbers, got ${x.length / 8}.`);
  const output = new Float64Array(8 * rows);
  for (let row = 0, at = 0; row < rows; row++) {
    let s0 = bias[row];
    let [s1, s2, s3, s4, s5, s6, s7] = [s0, s0, s0, s0, s0, s0, s0];
    for (let i = 0; i < x.length; i += 8, at++) {
      const weight = data[at];
      s0 += weight * x[i];
      s1 += weight * x[i + 1];
      s2 += weight * x[i + 2];
      s3 += weight * x[i + 3];
      s4 += weight * x[i + 4];
      s5 += weight * x[i + 5];
      s6 += weight * x[i + 6];
      s7 += weight * x[i + 7];
    }
    output.set([s0, s1, s2, s3, s4, s5, s6, s7], 8 * row);
  }
  if (rectify) for (let i = 0; i < output.length; i++) if (!(output[i] > 0)) output[i] = 0;
  return output;
}

/**
 * Σ a[at + i]·b[i]. Four sums at once: a sum that waits for the one before takes three times as long.
 * @param {Float32Array} a
 * @param {number} at
 * @param {Float64Array} b
 */
function dot(a, at, b) {
  const length = b.length;
  let i = 0;
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  for (; i + 3 < length; i += 4, at += 4) {
    one += a[at] * b[i];
    two += a[at + 1] * b[i + 1];
    three += a[at + 2] * b[i + 2];
    four += a[at + 3] * b[i + 3];
  }
  for (; i < length; i++, at++) one += a[at] * b[i];
  return one + two + (three + four);
}
