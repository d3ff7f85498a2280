// One record, three mechanisms, the same ε: rehearsals side by side, each with what a collector makes of it. Every lane
// sends picture and label, and the guess comes from the whole report, so that lanes can be compared. The collector
// knows public people (D₁) with their labels, and nothing else.

import { codesFor, mergedCodes } from "./code_tree.js";
import { CodesCollector, NumbersCollector } from "./collector.js";
import { normalised } from "./decoder.js";
import { infer, laplaceLogLikelihood } from "./inference.js";
import { Mechanism } from "./mechanism.js";
import { rehearse } from "./rehearsal.js";
import { plan } from "./release.js";
import { tensors } from "./weights.js";

/** @typedef {import("./mechanism.js").Description} Description */
/** @typedef {Record<string, ArrayBuffer>} Files  by role */
/** @typedef {import("./rehearsal.js").Tapes} Tapes */
/** @typedef {{picture: Float64Array, classes: Float64Array}} Seen  what a collector sees, and believes */

const LAM = 0.7; // the paper's, for pictures: how pixels and numbers divide ε

/** Noise on 8 learnt numbers: the paper's V-RLM. The picture is decoder(z̃). */
export class NumbersLane {
  /**
   * @param {Description} description
   * @param {Files} files
   */
  constructor(description, files) {
    this.mechanism = Mechanism.from(description, files.encoder);
    this.collector = new NumbersCollector(this.mechanism, tensors(files.decoder), tensors(files.bundle));
    /** @type {Float64Array} */
    this.h = new Float64Array(description.latent_dim);
  }

  /** @param {ArrayLike<number>} x */
  take(x) {
    this.h = this.mechanism.encode(x);
  }

  /**
   * @param {number} label
   * @param {number} epsilon
   * @param {Tapes[]} tapes
   * @returns {Seen[]}
   */
  rehearse(label, epsilon, tapes) {
    const settings = { epsilon, lam: LAM };
    const planned = plan(this.mechanism, label, settings);
    const sent = rehearse(this.mechanism, null, this.h, label, settings, tapes);
    return this.collector.readWithoutBest(sent, planned).map(({ decoded, classes }) => {
      if (!decoded) throw new Error("Expected a mechanism with a decoder.");
      return { picture: decoded, classes };
    });
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
    const { collector } = codes.cut(codes.finest);
    const { prototypes: z, width } = collector.codes;
    this.means = { z, y: new Float32Array(z.length / width), width };
    this.people = collector.people;
    /** @type {Float64Array} */
    this.x = new Float64Array(width);
  }

  /** @param {ArrayLike<number>} x */
  take(x) {
    this.x = this.mechanism.encode(x);
  }

  /**
   * @param {number} label
   * @param {number} epsilon
   * @param {Tapes[]} tapes
   * @returns {Seen[]}
   */
  rehearse(label, epsilon, tapes) {
    const settings = { epsilon, lam: LAM };
    const { epsilonX, labels } = plan(this.mechanism, label, settings);
    if (!labels) throw new Error("Expected a label.");
    const scale = this.x.length / epsilonX;
    const [low, high] = [-4 * scale, 1 + 4 * scale]; // from black to white
    return rehearse(this.mechanism, null, this.x, label, settings, tapes).map(({ numbers, label: sent }) => {
      if (!numbers || sent === null) throw new Error("Expected numbers and a label.");
      const said = labels.logLikelihood(sent).map(Math.exp);
      const likelihood = infer(laplaceLogLikelihood(numbers, scale, this.means), this.means, 1).records;
      const classes = new Float64Array(said.length);
      for (let c = 0, pair = 0; c < likelihood.length; c++) {
        for (let y = 0; y < said.length; y++) classes[y] += this.people[pair++] * likelihood[c] * said[y];
      }
      return { picture: numbers.map((value) => (value - low) / (high - low)), classes: normalised(classes) };
    });
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
    this.files = files;
    this.order = order;
    this.people = people;
    this.finest = order.length + 1;
    this.x = new Float64Array(description.input_dim);
    /** @type {Map<number, ReturnType<CodesLane["cut"]>>} */
    this.cuts = new Map();
    /** @type {Map<number, Float64Array>} of this record, by k */
    this.h = new Map();
  }

  /** @param {number} epsilon */
  codesAt(epsilon) {
    return codesFor(epsilon, this.people, this.finest);
  }

  /**
   * The mechanism with k codes and its collector.
   * @param {number} k
   */
  cut(k) {
    const merge = mergedCodes(this.order, k); // the finest codes are the network's scores
    const description = { ...this.description, merge, cut: merge, latent_dim: k };
    const mechanism = Mechanism.from(description, this.files.encoder);
    return { mechanism, collector: new CodesCollector(description, tensors(this.files.decoder), tensors(this.files.bundle)) };
  }

  /** @param {ArrayLike<number>} x */
  take(x) {
    this.x = Float64Array.from(x);
    this.h.clear();
  }

  /**
   * @param {number} label
   * @param {number} epsilon
   * @param {Tapes[]} tapes
   * @returns {Seen[]}
   */
  rehearse(label, epsilon, tapes) {
    const k = this.codesAt(epsilon);
    const { mechanism, collector } = this.cuts.get(k) ?? this.cut(k);
    this.cuts.set(k, { mechanism, collector });
    const h = this.h.get(k) ?? mechanism.encode(this.x);
    this.h.set(k, h);
    return rehearse(mechanism, collector, h, label, { epsilon }, tapes).map(({ best, classes }) => {
      if (!best || !classes) throw new Error("Expected a picture and a guess.");
      return { picture: best, classes };
    });
  }
}
