// Reports for a simulation with public people: fast, with rounded probabilities. NOT private: never send them.

import { systemBytes } from "./randomness.js";

const BUFFER = 16384; // random words fetched at a time

/** Uniform integers below a bound, from the browser's random source; biased by less than bound/2^32. */
export class RandomIntegers {
  constructor() {
    /** @type {Uint32Array} */
    this.words = new Uint32Array(0);
    this.at = 0;
  }

  /** A real number in [0, 1). */
  share() {
    if (this.at === this.words.length) {
      this.words = new Uint32Array(systemBytes(4 * BUFFER).buffer);
      this.at = 0;
    }
    return this.words[this.at++] / 2 ** 32;
  }

  /** @param {number} bound */
  below(bound) {
    return Math.floor(this.share() * bound);
  }
}

/** Sets as subset selection draws them: the symbol is in with probability p, all other members are uniform. */
export class SimulatedSets {
  /**
   * @param {import("./subset_selection.js").SubsetSelection} channel
   * @param {RandomIntegers} [random]
   */
  constructor(channel, random = new RandomIntegers()) {
    this.inside = channel.inside();
    this.members = new Uint16Array(channel.size);
    this.others = Uint16Array.from({ length: channel.symbols - 1 }, (_, i) => i);
    this.random = random;
  }

  /**
   * @param {number} symbol
   * @returns {Uint16Array} the members' numbers; overwritten by the next draw
   */
  draw(symbol) {
    const { others, members, random } = this;
    const kept = random.share() < this.inside ? 1 : 0;
    if (kept) members[0] = symbol;
    for (let i = 0; i < members.length - kept; i++) { // the beginning of a shuffle: uniform, wherever the last one ended
      const j = i + random.below(others.length - i);
      [others[i], others[j]] = [others[j], others[i]];
      members[i + kept] = others[i] < symbol ? others[i] : others[i] + 1;
    }
    return members;
  }
}
