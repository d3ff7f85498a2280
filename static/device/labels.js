// k-ary randomised response: twin of rlm_core/owner/labels.py.

import { exponential, exponentialUp, PRECISION } from "./logarithm.js";
import { bernoulli, CERTAIN, systemBytes, uniformBelow } from "./randomness.js";
import { integer, positive } from "./types.js";

/**
 * k-RR: P(ỹ = y) = e^ε/(e^ε + K − 1), any other label 1/(e^ε + K − 1).
 *
 * Exactly ε-LDP: y is kept with probability κ = (1 − e^−ε)/(1 + (K − 1)e^−ε) rounded down to a multiple of 2^-64
 * (e^−ε is rounded up, κ falls as it rises), otherwise one of all K labels is drawn uniformly. The ratio
 * 1 + Kκ/(1 − κ) is at most e^ε, whatever was rounded.
 */
export class RandomisedResponse {
  /** @param {{epsilon: number, classes: number}} fields */
  constructor({ epsilon, classes }) {
    this.classes = integer("classes", classes, 2, 2 ** 31);
    this.epsilon = epsilon === 0 ? 0 : positive("epsilon", epsilon, { allowInfinite: true });
    this.keepThreshold = this.exactThreshold();
  }

  /** κ·2^64, rounded down. */
  exactThreshold() {
    if (this.epsilon === Infinity) return CERTAIN;
    const unit = 1n << PRECISION;
    const inverse = exponentialUp(this.epsilon);
    const above = unit > inverse ? unit - inverse : 0n;
    return (above << 64n) / (unit + BigInt(this.classes - 1) * inverse);
  }

  /**
   * Release a label, with the browser's randomness.
   * @param {number} y
   */
  privatise(y) {
    return this.privatiseWith(systemBytes, y);
  }

  /**
   * The same with given random bytes: for rehearsals and vectors, never for what is sent.
   * @param {import("./randomness.js").Source} source
   * @param {number} y
   */
  privatiseWith(source, y) {
    const label = this.check(y);
    const keep = bernoulli(this.keepThreshold, source);
    const [other] = uniformBelow(this.classes, 1, source);
    return keep ? label : other;
  }

  /**
   * log p(ỹ | y) for every y.
   * @param {number} reported
   */
  logLikelihood(reported) {
    const inverse = this.epsilon === Infinity ? 0 : exponential(this.epsilon);
    const all = Math.log(1 + (this.classes - 1) * inverse);
    return Float64Array.from({ length: this.classes }, (_, y) => (y === reported ? 0 : -this.epsilon) - all);
  }

  /** @param {number} y */
  check(y) {
    return integer("label", y, 0, this.classes - 1);
  }
}
