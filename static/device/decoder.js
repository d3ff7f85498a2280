// Decoders x̃ = g(z̃), twin of rlm_core/collector/decoder.py and code_decoder.py. On the device they show the owner
// what a collector would make of a rehearsal: post-processing, which costs nothing.

import { mlp } from "./encoder.js";

/** A weight that no picture of 256 shades shows. */
export const SMALL = 1e-6;

/**
 * @typedef {object} DecoderShape
 * @property {"pixels" | "table" | "codes" | "picture"} kind
 * @property {[number, number][]} [categorical] start and stop of every one-hot block of a table
 */

/**
 * z̃ to x̃, for numbers.
 * @param {DecoderShape} shape
 * @param {Record<string, import("./weights.js").Tensor>} weights
 * @returns {import("./encoder.js").Network}
 */
export function decoder(shape, weights) {
  if (shape.kind === "pixels") {
    const network = mlp(weights);
    return followedBy(network, squashed);
  }
  if (shape.kind === "picture") return pictureDecoder(weights);
  if (shape.kind !== "table") throw new Error(`Expected a decoder of pixels, tables or pictures, got ${shape.kind}.`);
  return followedBy(mlp(weights, "network."), (row) => {
    for (const [start, stop] of shape.categorical ?? []) softmax(row.subarray(start, stop));
    return row;
  });
}

/**
 * @param {import("./encoder.js").Network} network
 * @param {(x: Float64Array) => Float64Array} last
 * @returns {import("./encoder.js").Network}
 */
function followedBy(network, last) {
  const { eight } = network;
  return Object.assign((/** @type {ArrayLike<number>} */ z) => last(network(z)),
    eight ? { eight: (/** @type {ArrayLike<number>[]} */ zs) => eight(zs).map(last) } : {});
}

/**
 * All of them, eight at a time where that is faster.
 * @param {import("./encoder.js").Network} decode
 * @param {ArrayLike<number>[]} zs
 */
export function decodeAll(decode, zs) {
  const { eight } = decode;
  if (!eight) return zs.map((z) => decode(z));
  return Array.from({ length: Math.ceil(zs.length / 8) }, (_, i) => eight(zs.slice(8 * i, 8 * i + 8))).flat();
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
    let maps = linear(z);
    layers.forEach((layer, i) => { maps = doubled(rectified(maps), 4 << i, layer); });
    return channelsLast(squashed(maps));
  };
}

/** @param {Float64Array} maps (3, pixels) to (pixels, 3) */
function channelsLast(maps) {
  const picture = new Float64Array(maps.length);
  for (let c = 0, at = 0; c < 3; c++) for (let i = c; i < picture.length; i += 3) picture[i] = maps[at++];
  return picture;
}

/** In place: the logistic function. @param {Float64Array} values */
function squashed(values) {
  for (let i = 0; i < values.length; i++) values[i] = 1 / (1 + Math.exp(-values[i]));
  return values;
}

/** In place: max(0, value). @param {Float64Array} values */
function rectified(values) {
  for (let i = 0; i < values.length; i++) if (!(values[i] > 0)) values[i] = 0;
  return values;
}

/**
 * A transposed convolution with a kernel of 4 × 4, stride 2 and padding 1: (in, side, side) to (out, 2 side, 2 side).
 * @param {Float64Array} maps
 * @param {number} side
 * @param {{shape: number[], data: Float32Array, bias: Float32Array}} layer (in, out, 4, 4)
 */
function doubled(maps, side, { shape: [inputs, outputs], data, bias }) {
  const wide = 2 * side + 2; // with the padding: so no place has to be looked at
  const area = wide * wide;
  const padded = new Float64Array(outputs * area);
  for (let i = 0; i < inputs; i++) {
    for (let at = 0; at < side * side; at++) {
      const value = maps[i * side * side + at];
      if (value === 0) continue; // half of them, after the ReLU
      const corner = 2 * Math.floor(at / side) * wide + 2 * (at % side);
      for (let o = 0, k = i * outputs * 16; o < outputs; o++) {
        for (let row = o * area + corner, last = row + 4 * wide; row < last; row += wide, k += 4) {
          padded[row] += value * data[k];
          padded[row + 1] += value * data[k + 1];
          padded[row + 2] += value * data[k + 2];
          padded[row + 3] += value * data[k + 3];
        }
      }
    }
  }
  const result = new Float64Array(4 * outputs * side * side);
  for (let o = 0, to = 0; o < outputs; o++) {
    for (let row = 1; row < wide - 1; row++) {
      for (let x = 1; x < wide - 1; x++) result[to++] = padded[o * area + row * wide + x] + bias[o];
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
    for (let c = 0; c < weights.length; c++) {
      const weight = weights[c];
      if (weight < SMALL) continue;
      for (let i = 0, at = c * this.width; i < this.width; i++, at++) record[i] += weight * this.prototypes[at];
    }
    return this.picture ? channelsLast(record) : record;
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
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += weights[i];
  const shares = new Float64Array(weights.length);
  for (let i = 0; i < shares.length; i++) shares[i] = total > 0 ? weights[i] / total : 1 / weights.length;
  return shares;
}
