// Encoders h(x), twin of rlm_core/owner/encoder.py. Nothing about privacy rests on an encoder.

/** @typedef {(x: ArrayLike<number>) => Float64Array} Network */

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
  return (x) => {
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
