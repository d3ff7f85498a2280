// The joint report: representation and label leave together, with all of ε. Twin of rlm_core/owner/joint.py.

import { L1Clip } from "./clip.js";
import { LaplaceNoise } from "./laplace.js";
import { randomWords, systemBytes, uniformBelow } from "./randomness.js";
import { SubsetSelection } from "./subset_selection.js";
import { finite, integer, positive } from "./types.js";

/**
 * Two classes: v = ν((h − μ, c)·(2y − 1)) with Laplace noise of scale 2l/ε. The clip comes last, on the whole of v, so
 * any two pairs (h, y) are at most 2l apart.
 */
export class JointLaplace {
  /** @param {{epsilon: number, radius: number, centre: ArrayLike<number>, constant: number}} fields */
  constructor({ epsilon, radius, centre, constant }) {
    this.centre = finite("centre", centre);
    this.constant = positive("constant", constant);
    this.noise = new LaplaceNoise({ epsilon, clip: new L1Clip(radius) });
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
    const sign = 2 * integer("label", y, 0, 1) - 1;
    const record = checked(h, this.centre.length);
    return this.noise.privatiseWith(source, [...record.map((v, i) => (Math.min(Math.max(v, -1e300), 1e300) - this.centre[i]) * sign), this.constant * sign]);
  }
}

/**
 * K classes: a coordinate j at random, a random bit that is 1 with the probability of hⱼ's place in its range, and
 * (y, bit) as one of 2K symbols by subset selection with all of ε. j is drawn without looking at the record.
 */
export class JointSelection {
  /** @param {{epsilon: number, classes: number, low: ArrayLike<number>, high: ArrayLike<number>}} fields */
  constructor({ epsilon, classes, low, high }) {
    this.classes = integer("classes", classes, 2, 2 ** 19);
    this.low = finite("low", low);
    this.high = finite("high", high);
    if (low.length !== high.length || !this.low.every((value, j) => Number.isFinite(high[j] - value) && value < high[j])) {
      throw new RangeError("Expected low < high, a finite range, for every coordinate.");
    }
    this.channel = new SubsetSelection({ epsilon, symbols: 2 * classes });
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
    const label = integer("label", y, 0, this.classes - 1);
    const record = checked(h, this.low.length);
    const [coordinate] = uniformBelow(this.low.length, 1, source);
    const place = placeIn(record[coordinate], this.low[coordinate], this.high[coordinate]);
    const bit = isBelow(randomWords(1, source)[0], place);
    return { coordinate, members: this.channel.privatiseWith(source, 2 * label + (bit ? 1 : 0)) };
  }
}

/**
 * Where a number lies in its range, from 0 to 1; one outside counts as its end.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function placeIn(value, low, high) {
  return Math.min(Math.max((Math.min(Math.max(value, low), high) - low) / (high - low), 0), 1);
}

/**
 * Whether a random word is below place·2^64: true with probability `place`, in exact multiples of 2^-64.
 * @param {bigint} word
 * @param {number} place
 */
export function isBelow(word, place) {
  return word < BigInt(Math.floor(Math.min(place, 1 - 2 ** -53) * 2 ** 64)) || place === 1; // exact: a power of two
}

/** @param {ArrayLike<number>} h @param {number} width */
export function checked(h, width) {
  const record = finite("h", h);
  if (record.length !== width) throw new RangeError(`Expected h with ${width} numbers, got ${record.length}.`);
  return record;
}
