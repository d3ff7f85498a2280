// Rehearsals: draws that never leave the device, and what a collector would make of them. Nothing is spent by them,
// because nothing is sent. What is sent is drawn afresh (release.js): to choose among draws would not be ε-LDP.

import { discreteLaplace, systemBytes } from "./randomness.js";
import { plan } from "./release.js";

/** Random bytes that are kept, so that a rehearsal can be made again with other settings and the same chance. */
export class Tape {
  constructor() {
    this.bytes = new Uint8Array(0);
    /** @type {Map<number, number[]>} by count */
    this.drawn = new Map();
  }

  /**
   * From the beginning; what was never read before is drawn from the browser's source.
   * @returns {import("./randomness.js").Source}
   */
  read() {
    let at = 0;
    return (count) => {
      if (at + count > this.bytes.length) {
        const longer = new Uint8Array(at + count);
        longer.set(this.bytes);
        longer.set(systemBytes(at + count - this.bytes.length), this.bytes.length);
        this.bytes = longer;
      }
      at += count;
      return this.bytes.slice(at - count, at);
    };
  }

  /**
   * The integer noise that this tape gives, drawn once: at another ε only its scale changes.
   * @param {number} count
   */
  laplace(count) {
    const noise = this.drawn.get(count) ?? discreteLaplace(count, this.read());
    this.drawn.set(count, noise);
    return noise;
  }
}

/** @typedef {{record: Tape, label: Tape}} Tapes  two, so that a change of ε, λ or mechanism moves as little as it can */

/** @param {number} count @returns {Tapes[]} */
export const newTapes = (count) => Array.from({ length: count }, () => ({ record: new Tape(), label: new Tape() }));

/**
 * What would have been sent, and what a collector would make of it.
 * @typedef {object} Rehearsal
 * @property {Float64Array | null} numbers z̃, if numbers are sent
 * @property {Uint8Array | null} members 1 for the symbols of the set, if a set is sent
 * @property {{value: number, of: number} | null} symbol if one symbol is sent
 * @property {number | null} coordinate that a joint report is about
 * @property {number | null} label as k-RR would send it, where λ divides ε
 * @property {Float64Array | null} decoded x̃ = decoder(z̃); null where there is no decoder in the browser
 * @property {Float64Array | null} best the mean record under the collector's belief
 * @property {Float64Array | null} classes the collector's belief: a probability for every class
 * @property {number[] | null} nearest public photos that are most like it, where there are some
 */

/**
 * One rehearsal of h for each pair of tapes: exact noise.
 * @param {import("./mechanism.js").Mechanism} mechanism
 * @param {ReturnType<typeof import("./collector.js").collectorOf> | null} collector
 * @param {Float64Array} h
 * @param {number | null} label
 * @param {import("./release.js").Settings} settings
 * @param {Tapes[]} tapes
 * @returns {Rehearsal[]}
 */
export function rehearse(mechanism, collector, h, label, settings, tapes) {
  const planned = plan(mechanism, label, settings); // once for all: its thresholds take long
  const sent = tapes.map((each) => {
    const payload = planned.rehearse(each.record, h);
    const reported = planned.labels && label !== null ? planned.labels.privatiseWith(each.label.read(), label) : null;
    const numbers = "numbers" in payload ? Float64Array.from(payload.numbers) : null;
    const members = "members" in payload ? payload.members : null;
    const symbol = "symbol" in payload ? { value: payload.symbol, of: payload.of } : null;
    return { numbers, members, symbol, coordinate: payload.coordinate ?? null, label: reported };
  });
  const read = collector?.readAll(sent, planned);
  return sent.map((each, i) => ({ ...each, ...(read?.[i] ?? { decoded: null, best: null, classes: null, nearest: null }) }));
}
