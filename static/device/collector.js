// What a collector makes of one report: it has the mechanism's decoder and public records (D₁), and sees no record of the
// owner's. On the device it shows what a rehearsal would tell. Everything here runs for eight rehearsals at every position
// of a slider: plain loops over typed arrays.

import { codeDecoder, decodeAll, decoder, normalised, SMALL } from "./decoder.js";
import { infer, laplaceLogLikelihood, priorOf } from "./inference.js";
import { tensors } from "./weights.js";

/** @typedef {{numbers: Float64Array | null, members: Uint8Array | null, label: number | null}} Sent */
/** @typedef {{epsilonX: number, labels: import("./labels.js").RandomisedResponse | null}} Planned */
/**
 * @typedef {{decoded: Float64Array | null, best: Float64Array | null, classes: Float64Array | null, nearest: number[] | null}} Read
 *   nearest: which public photos, where there are some
 */

const PICTURED = 300; // public records that the best picture is the mean of; a photo takes longer to decode
const PHOTOS = 100;
const AT_ONCE = 8;

/**
 * The collector of a mechanism.
 * @param {import("./mechanism.js").Mechanism} mechanism
 * @param {ArrayBuffer} decoderFile
 * @param {ArrayBuffer} bundleFile
 */
export function collectorOf(mechanism, decoderFile, bundleFile) {
  const [weights, bundle] = [tensors(decoderFile), tensors(bundleFile)];
  return mechanism.description.release === "codes"
    ? new CodesCollector(mechanism.description, weights, bundle)
    : new NumbersCollector(mechanism, weights, bundle);
}

/** @param {Sent} sent @param {Planned} planned */
const saidBy = ({ label }, { labels }) => (labels && label !== null ? labels.logLikelihood(label) : null);

/** Of numbers with Laplace noise. */
export class NumbersCollector {
  /** @type {import("./public_photos.js").PublicPhotos | null} */
  photos = null;
  /** @type {{rows: number[], records: Float32Array} | null} decoder(z′) of some public records */
  #pictured = null;

  /**
   * @param {import("./mechanism.js").Mechanism} mechanism
   * @param {Record<string, import("./weights.js").Tensor>} weights of the decoder
   * @param {Record<string, import("./weights.js").Tensor>} bundle
   */
  constructor(mechanism, weights, bundle) {
    const { decoder: shape, classes } = mechanism.description;
    this.mechanism = mechanism;
    this.classes = classes.length;
    this.prior = priorOf(bundle);
    this.decode = shape ? decoder(shape, weights) : null;
  }

  /**
   * @param {Sent[]} sent
   * @param {Planned} planned
   * @returns {Read[]}
   */
  readAll(sent, planned) {
    return this.readWithoutBest(sent, planned).map(({ decoded, records, classes }, i) => ({
      decoded, best: this.meanRecord(records), classes, nearest: this.photos?.nearestToNumbers(sent[i].numbers ?? []) ?? null,
    }));
  }

  /**
   * x̃ and the belief, which the best record would be the mean under.
   * @param {Sent[]} sent
   * @param {Planned} planned
   */
  readWithoutBest(sent, planned) {
    const { scale } = /** @type {import("./laplace.js").LaplaceNoise} */ (this.mechanism.noise(planned.epsilonX));
    const numbers = sent.map((each) => each.numbers ?? new Float64Array());
    const decoded = this.decode && !this.photos ? decodeAll(this.decode, numbers) : null; // photos are shown instead
    return sent.map((each, i) => {
      const said = saidBy(each, planned);
      const belief = infer(laplaceLogLikelihood(numbers[i], scale, this.prior, said), this.prior, this.classes, said);
      return { decoded: decoded?.[i] ?? null, ...belief };
    });
  }

  /** What it believes before any report: the share of every class among the public people. */
  get before() {
    const shares = new Float64Array(this.classes);
    for (const y of this.prior.y) shares[y] += 1 / this.prior.y.length;
    return shares;
  }

  /**
   * Decode public records, once, before a slider moves.
   * @param {() => Promise<void>} pause so that others have their turn
   */
  async prepare(pause) {
    const decode = this.decode;
    if (!decode || this.#pictured) return;
    const { z, y, width } = this.prior;
    const step = Math.max(1, Math.ceil(y.length / (this.mechanism.description.trunk ? PHOTOS : PICTURED)));
    const rows = Array.from({ length: Math.ceil(y.length / step) }, (_, i) => i * step);
    /** @type {Float64Array[]} */
    const decoded = [];
    while (decoded.length < rows.length) {
      const next = rows.slice(decoded.length, decoded.length + AT_ONCE);
      decoded.push(...decodeAll(decode, next.map((m) => z.subarray(m * width, (m + 1) * width))));
      await pause();
    }
    const records = new Float32Array(rows.length * decoded[0].length);
    decoded.forEach((record, i) => records.set(record, i * record.length));
    this.#pictured = { rows, records };
  }

  /** The mean record under the belief, once it is prepared: a blur where nothing is known. @param {Float64Array} belief */
  meanRecord(belief) {
    if (!this.#pictured) return null;
    const { rows, records } = this.#pictured;
    return weightedMean(normalised(Float64Array.from(rows, (m) => belief[m])), records);
  }
}

/**
 * Σ weight·row.
 * @param {Float64Array} weights
 * @param {Float32Array} rows
 */
export function weightedMean(weights, rows) {
  const size = rows.length / weights.length;
  const mean = new Float64Array(size);
  const told = Array.from(weights.keys()).filter((i) => weights[i] >= SMALL);
  for (let n = 0; n < told.length; n += 4) { // four rows at once: the mean is fetched and stored once for them
    const [i0, i1 = 0, i2 = 0, i3 = 0] = told.slice(n, n + 4);
    const left = told.length - n;
    const w0 = weights[i0];
    const w1 = left > 1 ? weights[i1] : 0;
    const w2 = left > 2 ? weights[i2] : 0;
    const w3 = left > 3 ? weights[i3] : 0;
    const [at0, at1, at2, at3] = [i0 * size, i1 * size, i2 * size, i3 * size];
    for (let j = 0; j < size; j++) {
      mean[j] += w0 * rows[at0 + j] + w1 * rows[at1 + j] + w2 * rows[at2 + j] + w3 * rows[at3 + j];
    }
  }
  return mean;
}

/** Of a set of codes, or of pairs (code, label). A merged code has the mean record of its fine codes. */
export class CodesCollector {
  /** @type {import("./public_photos.js").PublicPhotos | null} */
  photos = null;

  /**
   * @param {import("./mechanism.js").Description} description
   * @param {Record<string, import("./weights.js").Tensor>} weights of the decoder: of these codes, or of finer ones
   * @param {Record<string, import("./weights.js").Tensor>} bundle with the public people's codes, likewise
   */
  constructor({ latent_dim: codes, classes, cut }, weights, bundle) {
    this.classes = classes.length;
    this.codes = codeDecoder(weights, cut);
    /** How many public people have each pair of a code and a label: symbol c·K + y. */
    this.people = new Float64Array(codes * this.classes);
    const { z, y } = priorOf(bundle, cut);
    for (let m = 0; m < y.length; m++) this.people[z[m] * this.classes + y[m]] += 1;
  }

  /**
   * @param {Sent[]} sent
   * @param {Planned} planned
   * @returns {Read[]}
   */
  readAll(sent, planned) {
    return sent.map((each) => this.#read(each, planned));
  }

  /** What it believes before any report: the share of every class among the public people. */
  get before() {
    const shares = new Float64Array(this.classes);
    this.people.forEach((count, pair) => { shares[pair % this.classes] += count; });
    return normalised(shares);
  }

  /**
   * @param {Sent} sent
   * @param {Planned} planned
   * @returns {Read}
   */
  #read(sent, planned) {
    const { members } = sent;
    if (!members) throw new Error("Expected a report of a set.");
    const outside = planned.epsilonX === Infinity ? 0 : Math.exp(-planned.epsilonX);
    const pairs = members.length === this.people.length;
    const said = saidBy(sent, planned);
    let [codes, classes] = this.#weights(this.people, members, outside, said);
    // Without noise it may be that nobody public has what was sent: then the report alone is believed.
    if (!codes.some((weight) => weight > 0)) [codes, classes] = this.#weights(null, members, outside, said);
    const belief = normalised(codes);
    const best = this.codes.mean(belief);
    const alone = pairs ? best : this.codes.mean(this.codes.posterior(members, planned.epsilonX));
    return { decoded: alone, best, classes: normalised(classes), nearest: this.photos?.nearestToCodes(belief) ?? null };
  }

  /**
   * p(c, y | report) up to a factor, summed over labels and over codes.
   * @param {Float64Array | null} people null: every pair alike
   * @param {Uint8Array} members
   * @param {number} outside e^−ε
   * @param {Float64Array | null} said log p(ỹ | y)
   */
  #weights(people, members, outside, said) {
    const pairs = members.length === this.people.length;
    const codes = new Float64Array(this.people.length / this.classes);
    const classes = new Float64Array(this.classes);
    const label = said && said.map(Math.exp);
    for (let c = 0, pair = 0; c < codes.length; c++) {
      for (let y = 0; y < this.classes; y++, pair++) {
        const weight = (people ? people[pair] : 1) * (members[pairs ? pair : c] ? 1 : outside) * (label ? label[y] : 1);
        codes[c] += weight;
        classes[y] += weight;
      }
    }
    return [codes, classes];
  }
}
