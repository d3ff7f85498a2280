// The Laplace mechanism, feature by feature, for bounded features such as pixels. Twin of rlm_core/baselines/laplace.py.

import { discreteLaplace, systemBytes } from "./randomness.js";
import { roundHalfEven } from "./rounding.js";
import { finite, positive } from "./types.js";

const LOG2_SCALE = 30n;

/**
 * x̃ⱼ = xⱼ + Laplace(0, (highⱼ − lowⱼ)·d/ε), for x clipped to public bounds.
 *
 * Exactly ε′-LDP with ε′ = d·G·2^-30 <= ε, G = ⌊ε·2^30/d⌋: the place of xⱼ between its bounds is rounded to an integer
 * in {0, …, G}, checked, and integer noise with P(n) ∝ e^(−|n|/2^30) is added exactly. A feature with low = high is a
 * constant: it tells nothing, costs nothing and is reported as it is.
 */
export class PerFeatureLaplace {
  /** @param {{epsilon: number, low: ArrayLike<number>, high: ArrayLike<number>}} fields */
  constructor({ epsilon, low, high }) {
    this.low = finite("low", low);
    this.high = finite("high", high);
    if (low.length !== high.length) {
      throw new RangeError(`Expected as many low as high, got ${low.length} and ${high.length}.`);
    }
    this.width = this.high.map((value, j) => value - this.low[j]);
    if (!this.width.every((value) => value >= 0)) throw new RangeError("Expected low <= high for every feature.");
    this.epsilon = positive("epsilon", epsilon, { allowInfinite: true });
    /** How many features are no constants. */
    this.varied = this.width.reduce((count, value) => count + (value > 0 ? 1 : 0), 0);
    /** d: how many features share ε; at least 1. */
    this.varying = Math.max(1, this.varied);
    const share = epsilon / this.varying;
    if (!((1e-6 <= share && share <= 1e6) || epsilon === Infinity)) {
      throw new RangeError(
        `Expected 1e-6 <= epsilon per feature <= 1e6 or inf, got epsilon=${epsilon} for ${this.varying} features.`,
      );
    }
  }

  /** G = ⌊ε·2^30/d⌋, exactly: ε is a dyadic number. */
  get gridSteps() {
    let whole = this.epsilon;
    let shift = 0n;
    while (!Number.isInteger(whole)) {
      whole *= 2; // exact
      shift += 1n;
    }
    return Number((BigInt(whole) << LOG2_SCALE) / (BigInt(this.varying) << shift));
  }

  /**
   * Release one record, in its own units, with the browser's randomness.
   * @param {ArrayLike<number>} x
   */
  privatise(x) {
    return this.privatiseWith(systemBytes, x);
  }

  /**
   * The same with given random bytes: for rehearsals and vectors, never for what is sent.
   * @param {import("./randomness.js").Source} source
   * @param {ArrayLike<number>} x
   * @returns {Float64Array}
   */
  privatiseWith(source, x) {
    return this.add(x, this.epsilon === Infinity ? [] : discreteLaplace(this.varied, source));
  }

  /**
   * x̃ for integer noise that was drawn before, at any ε: its scale is in the grid. One number for each that varies.
   * @param {ArrayLike<number>} x
   * @param {ArrayLike<number>} noise
   * @returns {Float64Array}
   */
  add(x, noise) {
    const clipped = this.clip(x);
    if (this.epsilon === Infinity) return clipped;
    const grid = this.gridSteps;
    const steps = clipped.map((value, j) => roundHalfEven(((value - this.low[j]) / (this.width[j] || 1)) * grid));
    if (!steps.every((value) => 0 <= value && value <= grid)) {
      throw new Error("The record lies outside the bounds; nothing was released.");
    }
    let next = 0;
    return steps.map((value, j) => {
      const total = this.width[j] > 0 ? value + noise[next++] : value;
      return total * (this.width[j] / grid) + this.low[j];
    });
  }

  /**
   * x within the bounds.
   * @param {ArrayLike<number>} x
   */
  clip(x) {
    const record = finite("x", x);
    if (record.length !== this.low.length) {
      throw new RangeError(`Expected x with ${this.low.length} numbers, got ${record.length}.`);
    }
    return record.map((value, j) => Math.min(Math.max(value, this.low[j]), this.high[j]));
  }
}
