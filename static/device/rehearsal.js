// Rehearsals: draws that never leave the device, and what a collector would make of them. Nothing is spent by them,
// because nothing is sent. What is sent is drawn afresh (release.js): to choose among draws would not be ε-LDP.

import { codeDecoder, decoder, normalised } from "./decoder.js";
import { infer, laplaceLogLikelihood, priorOf, setLogLikelihood } from "./inference.js";
import { systemBytes } from "./randomness.js";
import { plan } from "./release.js";
import { tensors } from "./weights.js";

/** Random bytes that are kept, so that a rehearsal can be made again with other settings and the same chance. */
export class Tape {
  constructor() {
    this.bytes = new Uint8Array(0);
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
}

/**
 * What would have been sent, and what a collector would make of it.
 * @typedef {object} Rehearsal
 * @property {Float64Array | null} numbers z̃, if numbers are sent
 * @property {Uint8Array | null} members 1 for the symbols of the set, if a set is sent
 * @property {number | null} label as k-RR would send it, where λ divides ε
 * @property {Float64Array | null} decoded x̃ = decoder(z̃); null where there is no decoder in the browser
 * @property {Float64Array | null} best the mean record under the collector's belief
 * @property {Float64Array | null} classes the collector's belief: a probability for every class
 */

/**
 * One rehearsal of h: exact noise, from two tapes, so that a change of ε, λ or mechanism moves it as little as it can.
 * @param {import("./mechanism.js").Mechanism} mechanism
 * @param {Collector | null} collector
 * @param {Float64Array} h
 * @param {number | null} label
 * @param {import("./release.js").Settings} settings
 * @param {{record: Tape, label: Tape}} tapes
 * @returns {Rehearsal}
 */
export function rehearse(mechanism, collector, h, label, settings, tapes) {
  const planned = plan(mechanism, label, settings);
  const payload = planned.send(tapes.record.read(), h, true);
  const reported = planned.labels && label !== null ? planned.labels.privatiseWith(tapes.label.read(), label) : null;
  const numbers = "numbers" in payload ? Float64Array.from(payload.numbers) : null;
  const members = "members" in payload ? payload.members : null;
  const seen = { numbers, members, label: reported };
  return { ...seen, ...(collector ? collector.read(seen, planned) : { decoded: null, best: null, classes: null }) };
}

const PICTURED = 800; // public records whose pictures the mean is taken over; a photo takes longer to decode
const PHOTOS = 100;

/** A collector with the mechanism's decoder and public records (D₁): reads reports, sees no record. */
export class Collector {
  /** @type {Float32Array | null} one row a public record */
  #pictures = null;

  /**
   * @param {import("./mechanism.js").Mechanism} mechanism
   * @param {ArrayBuffer} decoderFile
   * @param {ArrayBuffer} bundleFile
   */
  constructor(mechanism, decoderFile, bundleFile) {
    const { decoder: shape, classes, cut } = mechanism.description;
    const weights = tensors(decoderFile);
    this.mechanism = mechanism;
    this.classes = classes.length;
    this.prior = priorOf(tensors(bundleFile), cut);
    this.codes = shape?.kind === "codes" ? codeDecoder(weights, cut) : null;
    this.decode = shape && !this.codes ? decoder(shape, weights) : null;
  }

  /**
   * @param {{numbers: Float64Array | null, members: Uint8Array | null, label: number | null}} seen
   * @param {import("./release.js").Plan} planned
   */
  read({ numbers, members, label }, { epsilonX, labels }) {
    const said = labels && label !== null ? labels.logLikelihood(label) : null;
    if (members) {
      const pairs = members.length > this.mechanism.description.latent_dim ? this.classes : null;
      const belief = infer(setLogLikelihood(members, epsilonX, this.prior, pairs), this.prior, this.classes, said);
      const best = this.codes && this.codes.mean(this.#codeWeights(belief.records));
      const alone = this.codes && !pairs ? this.codes.mean(this.codes.posterior(members, epsilonX)) : null;
      return { decoded: alone ?? best, best, classes: belief.classes };
    }
    if (!numbers) return { decoded: null, best: null, classes: null };
    const noise = /** @type {import("./laplace.js").LaplaceNoise} */ (this.mechanism.noise(epsilonX));
    const belief = infer(laplaceLogLikelihood(numbers, noise.scale, this.prior), this.prior, this.classes, said);
    return { decoded: this.decode?.(numbers) ?? null, best: this.#meanPicture(belief.records), classes: belief.classes };
  }

  /** @param {Float64Array} records */
  #codeWeights(records) {
    const weights = new Float64Array(this.mechanism.description.latent_dim);
    records.forEach((share, m) => { weights[this.prior.z[m]] += share; });
    return normalised(weights);
  }

  /** @param {Float64Array} records */
  #meanPicture(records) {
    const decode = this.decode;
    if (!decode) return null;
    const { z, width } = this.prior;
    const most = this.mechanism.description.trunk ? PHOTOS : PICTURED;
    const step = Math.max(1, Math.ceil(records.length / most));
    const chosen = Array.from({ length: Math.ceil(records.length / step) }, (_, i) => i * step);
    if (!this.#pictures) {
      const decoded = chosen.map((m) => decode(z.subarray(m * width, (m + 1) * width)));
      this.#pictures = new Float32Array(chosen.length * decoded[0].length);
      decoded.forEach((picture, i) => this.#pictures?.set(picture, i * picture.length));
    }
    const weights = normalised(Float64Array.from(chosen, (m) => records[m]));
    const pictures = this.#pictures;
    const size = pictures.length / chosen.length;
    const mean = new Float64Array(size);
    for (let i = 0; i < weights.length; i++) { // plain loops: this runs for every rehearsal while a slider moves
      const weight = weights[i];
      if (weight <= 1e-6) continue;
      for (let j = 0, at = i * size; j < size; j++, at++) mean[j] += weight * pictures[at];
    }
    return mean;
  }
}
