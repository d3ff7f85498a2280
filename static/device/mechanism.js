// A mechanism as the device knows it: twin of rlm_core/mechanism.py. What it must know is public and comes as a
// Description (rlm_core/device/description.py); the record is an argument.

import { L1Clip } from "./clip.js";
import { mlp } from "./encoder.js";
import { LaplaceNoise } from "./laplace.js";
import { merged } from "./merged_encoder.js";
import { PerFeatureLaplace } from "./per_feature_laplace.js";
import { SubsetSelection } from "./subset_selection.js";
import { finite } from "./types.js";
import { tensors } from "./weights.js";

/** @typedef {{url: string, sha256: string, bytes: number}} WeightsFile */
/**
 * @typedef {object} Description
 * @property {string} name as in the report
 * @property {string} digest as in the report
 * @property {"numbers" | "codes" | "features"} release Laplace noise on h; a set of codes; noise on every feature of x
 * @property {string} dataset
 * @property {string[]} classes
 * @property {number} input_dim
 * @property {number} latent_dim
 * @property {number} [radius] of the clip
 * @property {number[]} [merge] the code of every score of the network
 * @property {number[]} [cut] the code of every code in the files of decoder and bundle, if they are finer ones
 * @property {number[]} [low] public bounds of the features
 * @property {number[]} [high]
 * @property {{side: number, mirrored: boolean}} [trunk] a picture goes through ResNet-18 first
 * @property {import("./together.js").Joint} [joint] how h and a label leave as one report with all of ε
 * @property {import("./decoder.js").DecoderShape} [decoder]
 * @property {import("./table_row.js").Preprocessor} [preprocessor] of a table row
 * @property {number} [epsilon] that it was fitted for
 * @property {string} [label] what the label of an own mechanism is called
 * @property {number} [lam] the record's share of ε, where an own table sends its label apart
 * @property {import("./schema_form.js").Field[]} [fields] what the columns of an own table mean, for a form
 * @property {import("./picture_file.js").Size} [pictures] the grey pixels that an own mechanism of pictures sees
 * @property {Record<string, WeightsFile>} files by role: encoder, trunk, decoder, bundle
 */

/** A description with the network that belongs to it. */
export class Mechanism {
  /**
   * @param {Description} description
   * @param {import("./encoder.js").Network} encoder x to h
   * @param {import("./encoder.js").Network} [adapter] what follows the trunk, where there is one: features to h
   */
  constructor(description, encoder, adapter = encoder) {
    this.description = description;
    this.encoder = encoder;
    this.adapter = adapter;
  }

  /**
   * @param {Description} description
   * @param {ArrayBuffer | null} encoderFile null where there is nothing to learn
   * @param {((x: ArrayLike<number>) => Float32Array) | null} [features] of the trunk, where a picture goes through one
   */
  static from(description, encoderFile, features = null) {
    if (encoderFile === null) return new Mechanism(description, (x) => Float64Array.from(x));
    const network = mlp(tensors(encoderFile));
    const encoder = description.merge ? merged(network, description.merge) : network;
    return new Mechanism(description, features ? (x) => encoder(features(x)) : encoder, encoder);
  }

  /**
   * The record, checked. Whatever is wrong with it is said before anything is spent.
   * @param {ArrayLike<number>} x
   */
  check(x) {
    const record = finite("x", x);
    if (record.length !== this.description.input_dim) {
      throw new RangeError(`Expected x with ${this.description.input_dim} numbers, got ${record.length}.`);
    }
    return record;
  }

  /**
   * h of a record. NOT private. Total: where the network gives NaN or ∞ (a record of huge numbers), h is the fixed
   * point 0, so that whether a report comes says nothing about the record.
   * @param {ArrayLike<number>} x
   */
  encode(x) {
    const h = this.encoder(this.check(x));
    return h.every(Number.isFinite) ? h : new Float64Array(h.length);
  }

  /**
   * What follows the encoder, at this ε.
   * @param {number} epsilon
   */
  noise(epsilon) {
    const { release, latent_dim: symbols, radius = 1, low = [], high = [] } = this.description;
    if (release === "codes") return new SubsetSelection({ epsilon, symbols });
    if (release === "features") return new PerFeatureLaplace({ epsilon, low, high });
    return new LaplaceNoise({ epsilon, clip: new L1Clip(radius) });
  }
}
