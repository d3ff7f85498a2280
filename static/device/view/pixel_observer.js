// What a collector can infer from noisy pixels: the same Bayesian observer as for representations (inference.js), whose
// public records are the shipped pictures themselves.

import { weightedMean } from "../collector.js";
import { infer, laplaceLogLikelihood } from "../inference.js";
import { RandomisedResponse } from "../labels.js";
import { distance, nearest } from "../public_photos.js";

export class PixelObserver {
  /**
   * @param {Float32Array[]} pictures
   * @param {number[]} labels
   * @param {number} classes
   * @param {number[]} [photos] which of them are shown as the nearest ones
   */
  constructor(pictures, labels, classes, photos) {
    const width = pictures[0].length;
    const z = new Float32Array(pictures.length * width);
    pictures.forEach((picture, m) => z.set(picture, m * width));
    this.prior = { z, y: Float32Array.from(labels), width };
    this.classes = classes;
    this.photos = photos?.map((row) => pictures[row]);
  }

  /**
   * @param {Float64Array} numbers x̃
   * @param {number | null} label ỹ
   * @param {number} epsilonX
   * @param {number} epsilonY
   */
  read(numbers, label, epsilonX, epsilonY) {
    const { z, width } = this.prior;
    const said = label === null ? null : new RandomisedResponse({ epsilon: epsilonY, classes: this.classes }).logLikelihood(label);
    const scale = epsilonX === Infinity ? 0 : width / epsilonX; // every pixel lies in [0, 1]
    const belief = infer(laplaceLogLikelihood(numbers, scale, this.prior, said), this.prior, this.classes, said);
    const shown = this.photos
      ? { best: null, nearest: nearest(this.photos.map((photo) => distance(photo, numbers))) }
      : { best: weightedMean(belief.records, z), nearest: null };
    return { ...shown, classes: belief.classes };
  }
}
