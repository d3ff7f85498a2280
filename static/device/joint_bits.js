// The joint report of two classes as bits: do random bits of the record agree with the label? Twin of
// rlm_core/owner/joint_bits.py, where the proof stands.

import { checked, isBelow, placeIn } from "./joint.js";
import { RandomisedResponse } from "./labels.js";
import { exponential } from "./logarithm.js";
import { randomWords, systemBytes, uniformBelow } from "./randomness.js";
import { checkedEpsilon, finite, integer } from "./types.js";

export const MOST_BITS = 12;

/**
 * A coordinate j at random, of d and a constant one; a random bit of each of the m from j on; which of them agree with
 * the label is one of 2^m symbols, sent by k-RR with all of ε. j is drawn without looking at the record.
 */
export class JointBits {
  /** @param {{epsilon: number, low: ArrayLike<number>, high: ArrayLike<number>, bits?: number | null}} fields */
  constructor({ epsilon, low, high, bits = null }) {
    this.epsilon = checkedEpsilon(epsilon);
    this.low = finite("low", low);
    this.high = finite("high", high);
    if (low.length !== high.length || !this.low.every((value, j) => Number.isFinite(high[j] - value) && value < high[j])) {
      throw new RangeError("Expected low < high, a finite range, for every coordinate.");
    }
    this.coordinates = low.length + 1;
    this.bits = integer("bits", bits ?? Math.min(this.coordinates, bestBits(epsilon)), 1, Math.min(MOST_BITS, this.coordinates));
    this.response = new RandomisedResponse({ epsilon, classes: 2 ** this.bits });
  }

  /** @param {ArrayLike<number>} h @param {number} y */
  privatise(h, y) {
    return this.privatiseWith(systemBytes, h, y);
  }

  /**
   * The same with given random bytes: for rehearsals and vectors, never for what is sent.
   * @param {import("./randomness.js").Source} source
   * @param {ArrayLike<number>} h
   * @param {number} y
   */
  privatiseWith(source, h, y) {
    const label = integer("label", y, 0, 1);
    const record = checked(h, this.low.length);
    const [coordinate] = uniformBelow(this.coordinates, 1, source);
    let symbol = 0; // the first bit is the lowest
    randomWords(this.bits, source).forEach((word, i) => {
      const at = (coordinate + i) % this.coordinates;
      const place = at < record.length ? placeIn(record[at], this.low[at], this.high[at]) : 1; // the last one is constant
      if (isBelow(word, place) === (label === 1)) symbol += 2 ** i;
    });
    return { coordinate, symbol: this.response.privatiseWith(source, symbol), of: 2 ** this.bits };
  }
}

/**
 * The m with the least noise: the largest m·κ², where κ = (e^ε − 1)/(e^ε + 2^m − 1); of equals the smallest.
 * @param {number} epsilon
 */
export function bestBits(epsilon) {
  const inverse = epsilon === Infinity ? 0 : exponential(epsilon); // e^−ε
  let [best, most] = [1, 0];
  for (let bits = 1; bits <= MOST_BITS; bits++) {
    const kept = (1 - inverse) / (1 + (2 ** bits - 1) * inverse);
    if (bits * kept * kept > most) [best, most] = [bits, bits * kept * kept];
  }
  return best;
}
