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
      for (let row = 0, at = 0; row < rows; row++) {
        let sum = bias[row];
        for (let column = 0; column < columns; column++) sum += data[at++] * input[column];
        output[row] = layer < layers.length - 1 && !(sum > 0) ? 0 : sum;
      }
      input = output;
    });
    return input;
  };
}
