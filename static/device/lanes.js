// One record, three mechanisms, the same ε: rehearsals side by side, each with what a collector makes of it. Every lane
// sends picture and label, and the guess comes from the whole report, so that lanes can be compared. The collector
// knows public people (D₁) with their labels, and nothing else.

import { codesFor, frequencies, mergedCodes } from "./code_tree.js";
import { CodeDecoder, decoder, normalised } from "./decoder.js";
import { infer, laplaceLogLikelihood, priorOf } from "./inference.js";
import { Mechanism } from "./mechanism.js";
import { discreteLaplace } from "./randomness.js";
import { rehearse, Tape } from "./rehearsal.js";
import { plan } from "./release.js";
import { tensors } from "./weights.js";

/** @typedef {import("./mechanism.js").Description} Description */
/** @typedef {Record<string, ArrayBuffer>} Files  by role */
/** @typedef {{record: Tape, label: Tape}} Tapes */
/** @typedef {{picture: Float64Array, classes: Float64Array}} Seen  what a collector sees, and believes */

const LAM = 0.7; // the paper's, for pictures: how pixels and numbers divide ε
const PUBLIC = 1000; // people of D₁ whom a report of numbers is compared with

/** Noise on 8 learnt numbers: the paper's V-RLM. The picture is decoder(z̃). */
export class NumbersLane {
  /**
   * @param {Description} description
   * @param {Files} files
   */
  constructor(description, files) {
    this.mechanism = Mechanism.from(description, files.encoder);
    this.decode = decoder(/** @type {any} */ (description.decoder), tensors(files.decoder));
    const { z, y, width } = priorOf(tensors(files.bundle));
    this.prior = { z: z.subarray(0, PUBLIC * width), y: y.subarray(0, PUBLIC), width };
    this.h = new Float64Array(description.latent_dim);
  }

  /** @param {ArrayLike<number>} x */
  take(x) {
    this.h = this.mechanism.encode(x);
  }

  /**
   * @param {number} label
   * @param {number} epsilon
   * @param {Tapes} tapes
   * @returns {Seen}
   */
  rehearse(label, epsilon, tapes) {
    const settings = { epsilon, lam: LAM };
    const { numbers, label: sent } = rehearse(this.mechanism, null, this.h, label, settings, tapes);
    const { epsilonX, labels } = plan(this.mechanism, label, settings);
    if (!numbers || sent === null || !labels) throw new Error("Expected numbers and a label.");
    const said = labels.logLikelihood(sent);
    const { scale } = /** @type {import("./laplace.js").LaplaceNoise} */ (this.mechanism.noise(epsilonX));
    const belief = infer(laplaceLogLikelihood(numbers, scale, this.prior), this.prior, said.length, said);
    return { picture: this.decode(numbers), classes: belief.classes };
  }
}

/** Noise on every pixel. What it looks like is compared with the mean pictures of the public people's codes. */
export class PixelsLane {
  /**
   * @param {Description} description
   * @param {CodesLane} codes
   */
  constructor(description, codes) {
    this.mechanism = Mechanism.from({ ...description, classes: codes.description.classes }, null);
    const { prototypes: z, width } = codes.fine;
    this.means = { z, y: new Float32Array(z.length / width), width };
    this.joint = codes.jointOf(codes.finest);
    /** @type {WeakMap<Tape, number[]>} drawn once for each tape: at another ε only their scale changes */
    this.drawn = new WeakMap();
    this.x = new Float64Array(width);
  }

  /** @param {ArrayLike<number>} x */
  take(x) {
    this.x = this.mechanism.encode(x);
  }

  /**
   * @param {number} label
   * @param {number} epsilon
   * @param {Tapes} tapes
   * @returns {Seen}
   */
  rehearse(label, epsilon, tapes) {
    const { epsilonX, labels } = plan(this.mechanism, label, { epsilon, lam: LAM });
    const { gridSteps } = /** @type {import("./per_feature_laplace.js").PerFeatureLaplace} */ (this.mechanism.noise(epsilonX));
    const noise = this.drawn.get(tapes.record) ?? discreteLaplace(this.x.length, tapes.record.read());
    this.drawn.set(tapes.record, noise);
    const numbers = this.x.map((value, j) => (Math.round(value * gridSteps) + noise[j]) / gridSteps);
    if (!labels) throw new Error("Expected a label.");
    const said = labels.logLikelihood(labels.privatiseWith(tapes.label.read(), label));
    const scale = this.x.length / epsilonX;
    const likelihood = infer(laplaceLogLikelihood(numbers, scale, this.means), this.means, 1).records;
    const classes = new Float64Array(said.length);
    this.joint.forEach((people, pair) => {
      const y = pair % classes.length;
      classes[y] += people * likelihood[Math.floor(pair / classes.length)] * Math.exp(said[y]);
    });
    const [low, high] = [-4 * scale, 1 + 4 * scale]; // from black to white
    return { picture: numbers.map((value) => (value - low) / (high - low)), classes: normalised(classes) };
  }
}

/** A set of pairs (learnt code, label), k by the rule for ε: Q-RLM. The picture is the mean under the belief. */
export class CodesLane {
  /**
   * @param {Description} description of the finest codes
   * @param {Files} files
   * @param {[number, number][]} order of their merges
   * @param {number} people whom a campaign expects: k follows from it
   */
  constructor(description, files, order, people) {
    this.description = description;
    this.order = order;
    this.people = people;
    this.classes = description.classes.length;
    this.finest = order.length + 1;
    this.encoder = files.encoder;
    this.fine = new CodeDecoder(tensors(files.decoder));
    this.prior = priorOf(tensors(files.bundle));
    this.x = new Float64Array(description.input_dim);
    /** @type {Map<number, {mechanism: Mechanism, h: Float64Array, joint: Float64Array, decoder: CodeDecoder}>} */
    this.cuts = new Map();
  }

  /** @param {number} epsilon */
  at(epsilon) {
    const k = codesFor(epsilon, this.people, this.finest);
    const known = this.cuts.get(k) ?? this.cut(k);
    this.cuts.set(k, known);
    return known;
  }

  /**
   * The mechanism with k codes, the public people's pairs and the codes' mean pictures.
   * @param {number} k
   */
  cut(k) {
    const merge = mergedCodes(this.order, k);
    const mechanism = Mechanism.from({ ...this.description, merge, latent_dim: k }, this.encoder);
    return { mechanism, h: mechanism.encode(this.x), joint: this.jointOf(k), decoder: this.fine.merged(merge) };
  }

  /**
   * How many public people have each pair of k codes and a label.
   * @param {number} k
   */
  jointOf(k) {
    const merge = mergedCodes(this.order, k);
    const pairs = Float64Array.from(this.prior.z, (fine, m) => merge[fine] * this.classes + this.prior.y[m]);
    return frequencies(pairs, Array.from({ length: k * this.classes }, (_, pair) => pair));
  }

  /** @param {ArrayLike<number>} x */
  take(x) {
    this.x = Float64Array.from(x);
    this.cuts.clear();
  }

  /**
   * @param {number} label
   * @param {number} epsilon
   * @param {Tapes} tapes
   * @returns {Seen}
   */
  rehearse(label, epsilon, tapes) {
    const { mechanism, h, joint, decoder: means } = this.at(epsilon);
    const { members } = rehearse(mechanism, null, h, label, { epsilon }, tapes);
    const outside = Math.exp(-epsilon);
    const codes = new Float64Array(means.frequencies.length);
    const classes = new Float64Array(this.classes);
    joint.forEach((people, pair) => {
      const weight = people * (members?.[pair] ? 1 : outside);
      codes[Math.floor(pair / this.classes)] += weight;
      classes[pair % this.classes] += weight;
    });
    return { picture: means.mean(normalised(codes)), classes: normalised(classes) };
  }
}

/** @param {number} count */
export function newTapes(count) {
  return Array.from({ length: count }, () => ({ record: new Tape(), label: new Tape() }));
}
