// Exact random draws from the browser's cryptographic source: twin of rlm_core/owner/randomness.py, bit for bit.
//
// The same random bytes give the same integers as in Python, consumed in the same order; tests/device/vectors hold
// both to it. How a draw is exact: U is a uniform real number of which 64 bits are known. G = ⌊−2^30·ln U⌋ is
// computed in integers at both ends of the interval of U (logarithm.js). Where they agree, no further bit can change
// G; where they do not, 64 more bits are drawn. So G has the distribution of the real-number algorithm,
// P(G >= g) = e^(−g/2^30), not of a rounded copy. (Python reaches the same decisions faster, by float64 bounds with a
// proven error. JavaScript's Math.log has none: the standard leaves its accuracy open.)
//
// No float decides an outcome here, no function takes a seed, none keeps state. A Source is an argument because the
// vectors and the rehearsals need one; what is released comes from `systemBytes` (see release.js).
// Not promised: constant time. The number of slow cases depends on the noise alone, never on the record.

import { floorLog } from "./logarithm.js";

/** @typedef {(count: number) => Uint8Array} Source  So many random bytes. */

const WORD = 64n;
/** A probability is a multiple of 2^-64, given as its numerator. */
export const CERTAIN = 1n << WORD;
const MOST_BYTES = 65536; // that getRandomValues gives at once

/** @type {Source} */
export function systemBytes(count) {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count; at += MOST_BYTES) crypto.getRandomValues(bytes.subarray(at, at + MOST_BYTES));
  return bytes;
}

/**
 * Uniform 64-bit words, the first byte lowest.
 * @param {number} count
 * @param {Source} source
 * @returns {BigUint64Array}
 */
export function randomWords(count, source) {
  const bytes = source(8 * count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return BigUint64Array.from({ length: count }, (_, i) => view.getBigUint64(8 * i, true));
}

/**
 * Uniform integers in {0, …, bound − 1}: words masked to the needed bits, too large ones drawn again.
 * @param {number} bound at most 2^53
 * @param {number} count
 * @param {Source} source
 * @returns {number[]}
 */
export function uniformBelow(bound, count, source) {
  if (!(Number.isInteger(bound) && 1 <= bound && bound <= 2 ** 53)) {
    throw new RangeError(`Expected an integer 1 <= bound <= 2^53, got bound=${bound}.`);
  }
  const bits = bound > 1 ? (bound - 1).toString(2).length : 0;
  const mask = (1n << BigInt(bits)) - 1n;
  /** @type {number[]} */
  const values = new Array(count).fill(bound);
  for (let again = values.map((_, i) => i); again.length; again = again.filter((i) => values[i] >= bound)) {
    const words = randomWords(again.length, source);
    again.forEach((i, j) => { values[i] = Number(words[j] & mask); });
  }
  return values;
}

/**
 * True with probability threshold/2^64 exactly. A certain outcome costs no randomness.
 * @param {bigint} threshold
 * @param {Source} source
 * @returns {boolean}
 */
export function bernoulli(threshold, source) {
  if (!(0n <= threshold && threshold <= CERTAIN)) {
    throw new RangeError(`Expected 0 <= threshold <= 2^64, got threshold=${threshold}.`);
  }
  return threshold === CERTAIN || randomWords(1, source)[0] < threshold;
}

/**
 * Draws of P(G >= g) = e^(−g/2^30), g = 0, 1, …
 * @param {number} count
 * @param {Source} source
 * @returns {number[]}
 */
export function geometric(count, source) {
  return Array.from(randomWords(count, source), (word) => settle(word, source));
}

/**
 * ⌊−2^30·ln U⌋ for a U that starts with the bits of `word`; further bits are drawn until it is certain.
 * @param {bigint} word
 * @param {Source} source
 */
function settle(word, source) {
  for (let bits = 64; ; bits += 64) {
    if (word !== 0n) {
      const low = floorLog(word + 1n, bits);
      if (low === floorLog(word, bits)) return Number(low);
    }
    word = (word << WORD) | randomWords(1, source)[0];
  }
}

/**
 * Integers with P(k) ∝ e^(−|k|/2^30): a geometric magnitude with a random sign.
 * Zero would be counted twice (+0 and −0), so −0 is drawn again.
 * @param {number} count
 * @param {Source} source
 * @returns {number[]}
 */
export function discreteLaplace(count, source) {
  const magnitudes = geometric(count, source);
  const signs = source(Math.ceil(count / 8));
  /** @param {number} i */
  const negative = (i) => ((signs[i >> 3] >> (7 - (i & 7))) & 1) === 1;
  const result = magnitudes.map((magnitude, i) => (negative(i) ? -magnitude : magnitude));
  const again = result.flatMap((value, i) => (Object.is(value, -0) ? [i] : []));
  if (again.length) discreteLaplace(again.length, source).forEach((value, j) => { result[again[j]] = value; });
  return result;
}
