// What a collector can infer from a report: twin of rlm_core/collector/inference.py. A Bayesian observer who knows M
// public records z′ₘ with their labels, any of which the sender might be: p(m | z̃, ỹ) ∝ p(z̃ | z′ₘ)·p(ỹ | y′ₘ).

/** @typedef {{z: Float32Array, y: Float32Array, width: number}} Prior  width 1: z are codes */
const NEGLIGIBLE = -60; // e^−60 of the likeliest record: far below a float's rounding of the sum

/** @typedef {{records: Float64Array, classes: Float64Array}} Posterior */

/**
 * The public records of a zoo bundle.
 * @param {Record<string, import("./weights.js").Tensor>} bundle
 * @param {number[]} [cut] the merged code of every code that the bundle has
 * @returns {Prior}
 */
export function priorOf({ prior_z: z, prior_y: y }, cut) {
  return { z: cut ? z.data.map((code) => cut[code]) : z.data, y: y.data, width: z.shape[1] ?? 1 };
}

/**
 * log p(z̃ | z′ₘ) + constant for Laplace noise: −‖z̃ − z′ₘ‖₁/b. Without noise (b = 0) the nearest records are it, of
 * those whose label is possible.
 * @param {ArrayLike<number>} numbers z̃
 * @param {number} scale b
 * @param {Prior} prior
 * @param {Float64Array | null} [possible] log p(ỹ | y); −∞ where a label is ruled out, as without noise
 */
export function laplaceLogLikelihood(numbers, scale, { z, y, width }, possible = null) {
  const distances = new Float64Array(y.length);
  for (let m = 0, at = 0; m < distances.length; m++) { // plain loops: this runs for every rehearsal while a slider moves
    let distance = 0;
    for (let i = 0; i < width; i++, at++) distance += Math.abs(numbers[i] - z[at]);
    distances[m] = distance;
  }
  if (scale > 0) {
    for (let m = 0; m < distances.length; m++) distances[m] /= -scale;
    return distances;
  }
  let nearest = Infinity;
  for (let m = 0; m < distances.length; m++) {
    if (possible?.[y[m]] === -Infinity) distances[m] = Infinity;
    nearest = Math.min(nearest, distances[m]);
  }
  for (let m = 0; m < distances.length; m++) distances[m] = distances[m] === nearest ? 0 : -Infinity;
  return distances;
}

/**
 * log P(S | record m) + constant for a set: 0 if the record's symbol is in it, −ε otherwise.
 * @param {Uint8Array} members of codes, or of pairs (code, label)
 * @param {number} epsilon
 * @param {Prior} prior
 * @param {number | null} classes K where the symbols are pairs
 */
export function setLogLikelihood(members, epsilon, { z, y }, classes) {
  const logs = new Float64Array(y.length);
  for (let m = 0; m < logs.length; m++) logs[m] = members[classes === null ? z[m] : z[m] * classes + y[m]] ? 0 : -epsilon;
  return logs;
}

/**
 * @param {Float64Array} logLikelihood (M,)
 * @param {Prior} prior
 * @param {number} classes K
 * @param {Float64Array | null} labelLogLikelihood (K,) log p(ỹ | y), if a label was reported
 * @returns {Posterior}
 */
export function infer(logLikelihood, { y }, classes, labelLogLikelihood = null) {
  const records = new Float64Array(logLikelihood.length);
  let largest = -Infinity;
  for (let m = 0; m < records.length; m++) {
    records[m] = logLikelihood[m] + (labelLogLikelihood ? labelLogLikelihood[y[m]] : 0);
    if (records[m] > largest) largest = records[m];
  }
  if (!Number.isFinite(largest)) throw new Error("Expected a finite log-likelihood for at least one prior record.");
  let total = 0;
  for (let m = 0; m < records.length; m++) {
    const below = records[m] - largest;
    records[m] = below > NEGLIGIBLE ? Math.exp(below) : 0;
    total += records[m];
  }
  const byClass = new Float64Array(classes);
  for (let m = 0; m < records.length; m++) {
    records[m] /= total;
    byClass[y[m]] += records[m];
  }
  return { records, classes: byClass };
}
