// ν of the paper: bring a vector into the l1 ball. Twin of rlm_core/owner/clip.py.

import { finite, positive } from "./types.js";

const UNIT = 2 ** -52;

/**
 * Σ values in numpy's order (pairs of blocks, eight running sums each), so that both sides round alike.
 * @param {Float64Array} values
 * @param {number} [start]
 * @param {number} [count]
 * @returns {number}
 */
export function pairwiseSum(values, start = 0, count = values.length) {
  if (count > 128) {
    const half = (count >> 1) - ((count >> 1) % 8);
    return pairwiseSum(values, start, half) + pairwiseSum(values, start + half, count - half);
  }
  const even = count < 8 ? 0 : count - (count % 8);
  const sums = new Float64Array(8);
  for (let i = 0; i < even; i++) sums[i % 8] += values[start + i];
  let total = sums[0] + sums[1] + (sums[2] + sums[3]) + (sums[4] + sums[5] + (sums[6] + sums[7]));
  for (let i = even; i < count; i++) total += values[start + i];
  return total;
}

/**
 * ν(h) = h·min(1, l/‖h‖₁): a radial rescale. Σ|νᵢ| <= l holds in exact arithmetic, so any two results are at most
 * 2l apart, and this class owns that number. A vector safely inside the ball is returned unchanged.
 */
export class L1Clip {
  /** @param {number} radius */
  constructor(radius) {
    this.radius = positive("radius", radius);
    if (!(1e-100 <= radius && radius <= 1e100)) {
      throw new RangeError(`Expected 1e-100 <= radius <= 1e100, got radius=${radius}.`);
    }
  }

  /** max ‖ν(h) − ν(h′)‖₁ = 2l. */
  get l1Sensitivity() {
    return 2 * this.radius;
  }

  /**
   * @param {ArrayLike<number>} values one record's h
   * @returns {Float64Array}
   */
  clip(values) {
    const h = finite("h", values);
    // Dividing by the largest entry first keeps the sum finite for entries up to 1e308.
    const largest = h.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
    const norm = Math.max(1, pairwiseSum(h.map((value) => Math.abs(value / largest))));
    const slack = (h.length + 8) * UNIT;
    if (largest <= this.radius / (norm * (1 + slack))) return h;
    const shrink = (this.radius * (1 - 2 * slack)) / norm;
    return h.map((value) => (value / largest) * shrink);
  }
}
