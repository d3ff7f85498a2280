// What a collector can infer from a report: twin of rlm_core/collector/inference.py. A Bayesian observer who knows M
// public records z′ₘ with their labels, any of which the sender might be: p(m | z̃, ỹ) ∝ p(z̃ | z′ₘ)·p(ỹ | y′ₘ).

/** @typedef {{z: Float32Array, y: Float32Array, width: number}} Prior  width 1: z are codes */
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
 * log p(z̃ | z′ₘ) + constant for Laplace noise: −‖z̃ − z′ₘ‖₁/b. Without noise (b = 0) the nearest records are it.
 * @param {ArrayLike<number>} numbers z̃
 * @param {number} scale b
 * @param {Prior} prior
 */
export function laplaceLogLikelihood(numbers, scale, { z, y, width }) {
  const distances = new Float64Array(y.length);
  for (let m = 0, at = 0; m < distances.length; m++) { // plain loops: this runs for every rehearsal while a slider moves
    let distance = 0;
    for (let i = 0; i < width; i++, at++) distance += Math.abs(numbers[i] - z[at]);
    distances[m] = distance;
  }
  if (scale > 0) return distances.map((distance) => -distance / scale);
  const nearest = distances.reduce((a, b) => Math.min(a, b), Infinity);
  return distances.map((distance) => (distance === nearest ? 0 : -Infinity));
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
  const logs = labelLogLikelihood ? logLikelihood.map((value, m) => value + labelLogLikelihood[y[m]]) : logLikelihood;
  const largest = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!Number.isFinite(largest)) throw new Error("Expected a finite log-likelihood for at least one prior record.");
  const weights = logs.map((value) => Math.exp(value - largest));
  const total = weights.reduce((a, b) => a + b, 0);
  const records = weights.map((weight) => weight / total);
  const byClass = new Float64Array(classes);
  records.forEach((share, m) => { byClass[y[m]] += share; });
  return { records, classes: byClass };
}
