// Decoders x̃ = g(z̃), twin of rlm_core/collector/decoder.py and code_decoder.py. On the device they show the owner
// what a collector would make of a rehearsal: post-processing, which costs nothing.

import { mlp } from "./encoder.js";

/**
 * @typedef {object} DecoderShape
 * @property {"pixels" | "table" | "codes" | "picture"} kind
 * @property {[number, number][]} [categorical] start and stop of every one-hot block of a table
 */

/**
 * z̃ to x̃, for numbers.
 * @param {DecoderShape} shape
 * @param {Record<string, import("./weights.js").Tensor>} weights
 * @returns {(z: ArrayLike<number>) => Float64Array}
 */
export function decoder(shape, weights) {
  if (shape.kind === "pixels") {
    const network = mlp(weights);
    return (z) => network(z).map((logit) => 1 / (1 + Math.exp(-logit)));
  }
  if (shape.kind === "picture") return pictureDecoder(weights);
  if (shape.kind !== "table") throw new Error(`Expected a decoder of pixels, tables or pictures, got ${shape.kind}.`);
  const network = mlp(weights, "network.");
  return (z) => {
    const row = network(z);
    for (const [start, stop] of shape.categorical ?? []) softmax(row.subarray(start, stop));
    return row;
  };
}

/**
 * z̃ to a photo, (32, 32, 3): a linear layer to 4 × 4, then three transposed convolutions that double the side.
 * @param {Record<string, import("./weights.js").Tensor>} weights
 */
function pictureDecoder(weights) {
  const { "0.weight": weight, "0.bias": bias } = weights;
  const linear = mlp({ "0.weight": weight, "0.bias": bias });
  const layers = ["3", "5", "7"].map((name) => ({ ...weights[`${name}.weight`], bias: weights[`${name}.bias`].data }));
  return (/** @type {ArrayLike<number>} */ z) => {
    let maps = linear(z).map((value) => Math.max(0, value));
    layers.forEach((layer, i) => {
      maps = doubled(maps, 4 << i, layer).map((value) => (i < 2 ? Math.max(0, value) : 1 / (1 + Math.exp(-value))));
    });
    return maps.map((_, i) => maps[(i % 3) * 1024 + Math.floor(i / 3)]); // channels last
  };
}

/**
 * A transposed convolution with a kernel of 4 × 4, stride 2 and padding 1: (in, side, side) to (out, 2 side, 2 side).
 * @param {Float64Array} maps
 * @param {number} side
 * @param {{shape: number[], data: Float32Array, bias: Float32Array}} layer (in, out, 4, 4)
 */
function doubled(maps, side, { shape: [inputs, outputs], data, bias }) {
  const wide = 2 * side;
  const result = new Float64Array(outputs * wide * wide);
  result.forEach((_, at) => { result[at] = bias[Math.floor(at / (wide * wide))]; });
  for (let i = 0; i < inputs; i++) {
    for (let at = 0; at < side * side; at++) {
      const value = maps[i * side * side + at];
      if (value === 0) continue; // half of them, after the ReLU
      const [top, left] = [2 * Math.floor(at / side) - 1, 2 * (at % side) - 1];
      for (let o = 0; o < outputs; o++) {
        for (let k = 0; k < 16; k++) {
          const [y, x] = [top + (k >> 2), left + (k & 3)];
          if (y >= 0 && y < wide && x >= 0 && x < wide) {
            result[(o * wide + y) * wide + x] += value * data[(i * outputs + o) * 16 + k];
          }
        }
      }
    }
  }
  return result;
}

/**
 * In place.
 * @param {Float64Array} logits
 */
function softmax(logits) {
  const highest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  logits.forEach((value, i) => { logits[i] = Math.exp(value - highest); });
  const total = logits.reduce((a, b) => a + b, 0);
  logits.forEach((value, i) => { logits[i] = value / total; });
}

/** For codes: the mean record of every code in D₁, and how frequent it is. */
export class CodeDecoder {
  /** @param {Record<string, import("./weights.js").Tensor>} weights */
  constructor({ prototypes, frequencies }) {
    this.prototypes = prototypes.data;
    this.frequencies = frequencies.data;
    this.width = prototypes.data.length / prototypes.shape[0];
    this.shape = prototypes.shape;
    this.picture = prototypes.shape.length === 4; // channels first, to be written as rows of RGB
  }

  /**
   * The decoder of merged codes: the mean of the mean records, weighted by the codes' frequencies.
   * @param {number[]} into the merged code of every code
   */
  merged(into) {
    const { prototypes, frequencies: shares, width } = this;
    const codes = Math.max(...into) + 1;
    const total = new Float32Array(codes);
    const size = new Float32Array(codes);
    into.forEach((code, fine) => { total[code] += shares[fine]; size[code] += 1; });
    const means = new Float32Array(codes * width);
    into.forEach((code, fine) => {
      const share = total[code] > 0 ? shares[fine] / total[code] : 1 / size[code]; // where none of them ever occurs
      for (let i = 0; i < width; i++) means[code * width + i] += share * prototypes[fine * width + i];
    });
    return new CodeDecoder({
      prototypes: { shape: [codes, ...this.shape.slice(1)], data: means },
      frequencies: { shape: [codes], data: total },
    });
  }

  /**
   * p(c | S) ∝ π_c·(e^ε if c ∈ S, 1 otherwise).
   * @param {Uint8Array} members
   * @param {number} epsilon
   */
  posterior(members, epsilon) {
    const outside = epsilon === Infinity ? 0 : Math.exp(-epsilon);
    return normalised(Float64Array.from(members, (inside, c) => this.frequencies[c] * (inside ? 1 : outside)));
  }

  /**
   * Σ_c weight_c·(mean record of c).
   * @param {Float64Array} weights
   */
  mean(weights) {
    const record = new Float64Array(this.width);
    weights.forEach((weight, c) => {
      for (let i = 0; i < this.width; i++) record[i] += weight * this.prototypes[c * this.width + i];
    });
    if (!this.picture) return record;
    const pixels = this.width / 3;
    return record.map((_, i) => record[(i % 3) * pixels + Math.floor(i / 3)]);
  }
}

/**
 * The decoder of a mechanism's codes, which its file has finer if there is a cut.
 * @param {Record<string, import("./weights.js").Tensor>} weights
 * @param {number[]} [cut] the merged code of every code of the file
 */
export function codeDecoder(weights, cut) {
  const stored = new CodeDecoder(weights);
  return cut ? stored.merged(cut) : stored;
}

/** @param {Float64Array} weights */
export function normalised(weights) {
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
}
