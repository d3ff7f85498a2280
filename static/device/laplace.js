// The Laplace mechanism on the l1 ball: twin of rlm_core/owner/laplace.py, the release path only.

import { L1Clip } from "./clip.js";
import { discreteLaplace, systemBytes } from "./randomness.js";
import { checkedEpsilon } from "./types.js";

/**
 * z̃ = z + Laplace(0, b)^d with b = 2l/ε, for z in the l1 ball of radius l.
 *
 * Exactly ε′-LDP with ε′ = 2G·2^-30 <= ε, G = ⌊ε·2^29⌋: z is truncated to integers k of steps l/G with Σ|kᵢ| <= G,
 * checked in integers, and integer noise with P(n) ∝ e^(−|n|/2^30) is added exactly. The ratio of any output's
 * probabilities is at most exp(‖k − k′‖₁/2^30) <= e^ε′. Every integer is below 2^53, so float64 holds it exactly.
 * At ε = ∞ nothing is added.
 */
export class LaplaceNoise {
  /** @param {{epsilon: number, clip: L1Clip}} fields */
  constructor({ epsilon, clip }) {
    this.epsilon = checkedEpsilon(epsilon);
    this.clip = clip;
  }

  /** b = 2l/ε, zero for ε = ∞. */
  get scale() {
    return this.clip.l1Sensitivity / this.epsilon;
  }

  /** G: the number of grid steps from 0 to l. */
  get gridRadius() {
    return Math.floor(this.epsilon * 2 ** 29); // a power of two times a float is exact
  }

  /**
   * Release one record's h (clipped first), with the browser's randomness.
   * @param {ArrayLike<number>} h
   */
  privatise(h) {
    return this.privatiseWith(systemBytes, h);
  }

  /**
   * The same with given random bytes: for rehearsals and vectors, never for what is sent.
   * @param {import("./randomness.js").Source} source
   * @param {ArrayLike<number>} h
   * @returns {Float64Array}
   */
  privatiseWith(source, h) {
    return this.add(h, this.epsilon === Infinity ? [] : discreteLaplace(h.length, source));
  }

  /**
   * z̃ for integer noise that was drawn before, at any ε: its scale is in the grid.
   * @param {ArrayLike<number>} h
   * @param {ArrayLike<number>} noise
   * @returns {Float64Array}
   */
  add(h, noise) {
    const z = this.clip.clip(h);
    if (this.epsilon === Infinity) return z;
    const steps = this.toGrid(z);
    const unit = this.clip.radius / this.gridRadius;
    return steps.map((value, i) => (value + noise[i]) * unit);
  }

  /**
   * Truncate to the grid; where rounding left the ball, take the excess off the largest entry.
   * @param {Float64Array} z
   */
  toGrid(z) {
    const grid = this.gridRadius;
    const steps = z.map((value) => Math.trunc((value / this.clip.radius) * grid));
    const total = () => steps.reduce((sum, value) => sum + Math.abs(value), 0);
    const excess = total() - grid;
    if (excess > 0) {
      const largest = steps.reduce((best, value, i) => (Math.abs(value) > Math.abs(steps[best]) ? i : best), 0);
      steps[largest] -= Math.sign(steps[largest]) * excess;
    }
    if (!(total() <= grid)) throw new Error("The representation lies outside the l1 ball; nothing was released.");
    return steps;
  }
}
