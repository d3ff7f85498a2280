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
  if (shape.kind !== "table") throw new Error(`Expected a decoder of pixels or tables, got ${shape.kind}.`);
  const network = mlp(weights, "network.");
  return (z) => {
    const row = network(z);
    for (const [start, stop] of shape.categorical ?? []) softmax(row.subarray(start, stop));
    return row;
  };
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
    this.picture = prototypes.shape.length === 4; // channels first, to be written as rows of RGB
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

/** @param {Float64Array} weights */
export function normalised(weights) {
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
}
