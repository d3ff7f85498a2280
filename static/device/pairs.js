// A code and a label as one symbol: twin of rlm_core/owner/pairs.py.

import { SubsetSelection } from "./subset_selection.js";
import { systemBytes } from "./randomness.js";
import { integer } from "./types.js";

/**
 * The pair (c, y) of one of k codes and one of K labels is symbol c·K + y of k·K, and a set of pairs is sent.
 * Together record and label cost ε, not ε each: there is nothing to divide.
 */
export class PairSelection {
  /** @param {{epsilon: number, codes: number, classes: number}} fields */
  constructor({ epsilon, codes, classes }) {
    this.codes = integer("codes", codes, 1, 2 ** 19);
    this.classes = integer("classes", classes, 2, 2 ** 19);
    this.channel = new SubsetSelection({ epsilon, symbols: codes * classes });
    this.epsilon = this.channel.epsilon;
  }

  /**
   * @param {number} code
   * @param {number} label
   */
  symbol(code, label) {
    return integer("code", code, 0, this.codes - 1) * this.classes + integer("label", label, 0, this.classes - 1);
  }

  /**
   * Release a pair as a set of pairs, with the browser's randomness.
   * @param {number} code
   * @param {number} label
   */
  privatise(code, label) {
    return this.privatiseWith(systemBytes, code, label);
  }

  /**
   * The same with given random bytes: for rehearsals and vectors, never for what is sent.
   * @param {import("./randomness.js").Source} source
   * @param {number} code
   * @param {number} label
   */
  privatiseWith(source, code, label) {
    return this.channel.privatiseWith(source, this.symbol(code, label));
  }
}
