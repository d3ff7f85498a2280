// Subset selection: one of k symbols leaves as a random set of symbols. Twin of rlm_core/owner/subset_selection.py.

import { exponential, exponentialUp, PRECISION } from "./logarithm.js";
import { bernoulli, CERTAIN, randomWords, systemBytes, uniformBelow } from "./randomness.js";
import { checkedEpsilon, integer } from "./types.js";

const SHORT = 2048; // up to so many symbols the keys have 16 bits, else 64

/**
 * Uniform 16-bit keys, the first byte lowest.
 * @param {number} count
 * @param {import("./randomness.js").Source} source
 */
function shortKeys(count, source) {
  const bytes = source(2 * count);
  return Uint16Array.from({ length: count }, (_, i) => bytes[2 * i] | (bytes[2 * i + 1] << 8));
}

/**
 * c = argmax h; of equal scores the first.
 * @param {ArrayLike<number>} h
 */
export function codeOf(h) {
  let best = 0;
  for (let i = 1; i < h.length; i++) if (h[i] > h[best]) best = i;
  return best;
}

/**
 * One of k symbols c to a set S of ω symbols: P(S | c) is e^ε times larger if c is in S.
 *
 * Exactly ε-LDP: with probability κ = (e^ε − 1)ω/(k + (e^ε − 1)ω), rounded down to a multiple of 2^-64, S is uniform
 * among the sets that hold c, otherwise among all sets; the ratio 1 + (κ/(1 − κ))(k/ω) is at most e^ε.
 */
export class SubsetSelection {
  /** @param {{epsilon: number, symbols: number}} fields */
  constructor({ epsilon, symbols }) {
    this.epsilon = checkedEpsilon(epsilon);
    this.symbols = integer("symbols", symbols, 2, 2 ** 20);
    this.inverse = epsilon === Infinity ? 0 : exponential(epsilon); // e^−ε
    this.size = this.bestSize();
    this.keepThreshold = this.exactThreshold();
  }

  /**
   * ω: of the two integers around k/(e^ε + 1) the one that gives the smaller variance.
   * @returns {number}
   */
  bestSize() {
    if (this.epsilon === Infinity) return 1;
    const best = (this.symbols * this.inverse) / (1 + this.inverse);
    const [low, high] = [Math.floor(best), Math.ceil(best)].map((n) => Math.min(Math.max(1, n), this.symbols - 1));
    return this.energy(high) < this.energy(low) ? high : low;
  }

  /**
   * E‖z̃ − z‖² for sets of `size` symbols.
   * @param {number} size
   * @returns {number}
   */
  energy(size) {
    const p = this.inside(size);
    const q = (size - p) / (this.symbols - 1);
    return (p * (1 - p) + (this.symbols - 1) * q * (1 - q)) / (p - q) ** 2;
  }

  /**
   * p = P(c ∈ S).
   * @param {number} [size]
   * @returns {number}
   */
  inside(size = this.size) {
    return size / (size + (this.symbols - size) * this.inverse);
  }

  /** κ·2^64, rounded down. */
  exactThreshold() {
    if (this.epsilon === Infinity) return CERTAIN;
    const unit = 1n << PRECISION;
    const inverse = exponentialUp(this.epsilon);
    const above = BigInt(this.size) * (unit > inverse ? unit - inverse : 0n);
    return (above << 64n) / (BigInt(this.symbols) * inverse + above);
  }

  /**
   * Release a symbol as a set, with the browser's randomness.
   * @param {number} symbol
   */
  privatise(symbol) {
    return this.privatiseWith(systemBytes, symbol);
  }

  /**
   * The same with given random bytes: for rehearsals and vectors, never for what is sent.
   * @param {import("./randomness.js").Source} source
   * @param {number} symbol
   * @returns {Uint8Array} (k,), 1 for members
   */
  privatiseWith(source, symbol) {
    const c = this.check(symbol);
    if (this.size > 1) return this.drawSet(source, c);
    const keep = bernoulli(this.keepThreshold, source); // randomised response: no set has to be drawn
    const [other] = uniformBelow(this.symbols, 1, source);
    const members = new Uint8Array(this.symbols);
    members[keep ? c : other] = 1;
    return members;
  }

  /**
   * The ω smallest of k random keys; where c must be in, its key is 0. Where the ω-th and the next key are equal there
   * is no such set, and all keys are drawn again: that event treats all free symbols alike, so among the draws that
   * stay all sets are equally likely.
   * @param {import("./randomness.js").Source} source
   * @param {number} c
   */
  drawSet(source, c) {
    const keep = bernoulli(this.keepThreshold, source);
    for (;;) {
      const keys = this.symbols <= SHORT ? shortKeys(this.symbols, source) : randomWords(this.symbols, source);
      if (keep) keys[c] = typeof keys[c] === "bigint" ? 0n : 0;
      const ordered = keys.slice().sort();
      const last = ordered[this.size - 1];
      if (last !== ordered[this.size]) {
        return Uint8Array.from({ length: this.symbols }, (_, i) => (keys[i] <= last ? 1 : 0));
      }
    }
  }

  /** @param {number} symbol */
  check(symbol) {
    return integer("symbol", symbol, 0, this.symbols - 1);
  }
}
