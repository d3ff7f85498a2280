// The owner's one act, twin of rlm_core/release.py: check, charge, draw, write.

import { Budget } from "./budget.js";
import { RandomisedResponse } from "./labels.js";
import { PairSelection } from "./pairs.js";
import { systemBytes } from "./randomness.js";
import { toJson } from "./report.js";
import { codeOf, SubsetSelection } from "./subset_selection.js";
import { together } from "./together.js";

/**
 * ε of all that is sent. `lam` divides it between record and label, as the paper does; without it a code and its
 * label are one symbol (a pair), or numbers and their label one joint report.
 * @typedef {{epsilon: number, lam?: number | null}} Settings
 */
/**
 * How h and a label leave: one channel, or two where λ divides ε.
 * @typedef {object} Plan
 * @property {number} epsilonX
 * @property {number} epsilonY 0 where nothing is divided
 * @property {(source: import("./randomness.js").Source, h: Float64Array) => import("./report.js").Payload} send
 * @property {(tape: import("./rehearsal.js").Tape, h: Float64Array) => import("./report.js").Payload} rehearse
 *   the same from kept bytes, so that another ε moves it little by little. Never for what is sent.
 * @property {RandomisedResponse | null} labels
 * @property {string} [digest] of the report, where it is not the mechanism's own
 */

/**
 * What a release will do and cost, with everything checked that can be checked before the charge.
 * @param {import("./mechanism.js").Mechanism} mechanism
 * @param {number | null} label null: only the record is sent
 * @param {Settings} settings
 * @returns {Plan}
 */
export function plan(mechanism, label, { epsilon, lam = null }) {
  const { classes, latent_dim: codes, release } = mechanism.description;
  if (label !== null && lam === null && release === "codes") {
    const pairs = new PairSelection({ epsilon, codes, classes: classes.length });
    pairs.symbol(0, label); // raises on a label that is none
    return {
      epsilonX: epsilon,
      epsilonY: 0,
      labels: null,
      ...setSender(pairs.channel, (h) => pairs.symbol(codeOf(h), label)),
    };
  }
  if (label !== null && lam === null && mechanism.description.joint) {
    const { digest, send } = together(mechanism.description, label, epsilon);
    return { epsilonX: epsilon, epsilonY: 0, labels: null, digest, send, rehearse: (tape, h) => send(tape.read(), h) };
  }
  if (label !== null && lam === null) {
    throw new RangeError(`Expected lam, how ${mechanism.description.name} divides epsilon between record and label.`);
  }
  const budget = label === null || lam === null ? null : new Budget({ epsilon, lam });
  const labels = budget && new RandomisedResponse({ epsilon: budget.epsilonY, classes: classes.length });
  if (labels && label !== null) labels.check(label);
  const epsilonX = budget ? budget.epsilonX : epsilon;
  const noise = mechanism.noise(epsilonX);
  return {
    epsilonX,
    epsilonY: budget ? budget.epsilonY : 0,
    labels,
    ...(noise instanceof SubsetSelection ? setSender(noise, codeOf) : {
      send: (source, h) => ({ numbers: noise.privatiseWith(source, h) }),
      rehearse: (tape, h) => ({ numbers: noise.add(h, tape.laplace("varied" in noise ? noise.varied : h.length)) }),
    }),
  };
}

/**
 * A rehearsal orders the same keys at every ε, also where a set has one member.
 * @param {SubsetSelection} channel
 * @param {(h: Float64Array) => number} symbol
 * @returns {Pick<Plan, "send" | "rehearse">}
 */
function setSender(channel, symbol) {
  return {
    send: (source, h) => ({ members: channel.privatiseWith(source, symbol(h)) }),
    rehearse: (tape, h) => ({ members: channel.drawSet(tape.read(), symbol(h)) }),
  };
}

/**
 * One release of a record that has been checked and charged: drawn with the browser's randomness, once.
 * @param {import("./mechanism.js").Mechanism} mechanism
 * @param {ArrayLike<number>} x
 * @param {number | null} label
 * @param {Settings} settings
 * @returns {string} the report
 */
export function release(mechanism, x, label, settings) {
  return releaseWith(systemBytes, mechanism, x, label, settings);
}

/**
 * The same with given random bytes: for the vectors, never for what is sent.
 * @param {import("./randomness.js").Source} source
 * @param {import("./mechanism.js").Mechanism} mechanism
 * @param {ArrayLike<number>} x
 * @param {number | null} label
 * @param {Settings} settings
 */
export function releaseWith(source, mechanism, x, label, settings) {
  const { name, digest } = mechanism.description;
  const h = mechanism.encode(x);
  const { epsilonX, epsilonY, send, labels, digest: joint = digest } = plan(mechanism, label, settings);
  const payload = send(source, h); // first the record's part, then the label's, as Python does
  const cost = labels && label !== null
    ? { epsilonX, epsilonY, label: labels.privatiseWith(source, label) }
    : { epsilon: epsilonX };
  return toJson({ mechanism: name, digest: joint }, cost, payload);
}
