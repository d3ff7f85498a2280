// The one value that leaves the device: twin of rlm_core/report.py, format 2.

export const FORMAT = "rlm-report/2";

/**
 * What is sent, by kind: numbers, a set of symbols, or one symbol; of a joint report also which coordinate it is about.
 * @typedef {({numbers: ArrayLike<number>} | {members: Uint8Array} | {symbol: number, of: number}) & {coordinate?: number}} Payload
 */
/**
 * One ε for all that is sent, or the paper's split with a label.
 * @typedef {{epsilon: number} | {epsilonX: number, epsilonY: number, label: number}} Cost
 */

/**
 * A report as compact JSON. Nothing in it is computed from x or y except through the noise.
 * @param {{mechanism: string, digest: string}} about
 * @param {Cost} cost
 * @param {Payload} payload
 * @returns {string}
 */
export function toJson({ mechanism, digest }, cost, payload) {
  if (!(mechanism.length >= 1 && mechanism.length <= 100)) {
    throw new RangeError(`Expected a mechanism name of 1 to 100 characters, got "${mechanism}".`);
  }
  if (!/^[0-9a-f]{32}$/.test(digest)) throw new RangeError(`Expected a digest of 32 hex digits, got "${digest}".`);
  /** @type {Record<string, unknown>} */
  const report = { format: FORMAT, mechanism, digest };
  if ("epsilon" in cost) report.epsilon = written("epsilon", cost.epsilon);
  else {
    report.epsilon_x = written("epsilon_x", cost.epsilonX);
    report.epsilon_y = written("epsilon_y", cost.epsilonY);
    report.label = cost.label;
  }
  if ("numbers" in payload) {
    report.numbers = Array.from(payload.numbers, (value) => {
      if (!Number.isFinite(value)) throw new RangeError("Expected finite numbers in a report.");
      return value;
    });
  } else if ("members" in payload) report.set = { of: payload.members.length, members: packedBase64(payload.members) };
  else report.symbol = { of: payload.of, value: payload.symbol };
  if (payload.coordinate !== undefined) report.coordinate = payload.coordinate;
  return JSON.stringify(report);
}

/** @param {string} name @param {number} epsilon */
function written(name, epsilon) {
  if (!(epsilon >= 0)) throw new RangeError(`Expected ${name} >= 0, got ${name}=${epsilon}.`);
  return epsilon === Infinity ? "inf" : epsilon;
}

/**
 * Bits packed as numpy.packbits does, the first one highest, in base64.
 * @param {Uint8Array} members
 */
export function packedBase64(members) {
  const packed = new Uint8Array(Math.ceil(members.length / 8));
  members.forEach((bit, i) => { if (bit) packed[i >> 3] |= 128 >> (i & 7); });
  return btoa(String.fromCharCode(...packed));
}
