// Public photos beside a rehearsal about a photo: those that a collector would find nearest to it. Twin of
// ui/record/public_photos.py. The decoder's x̃ of a photo is a brown blur; a photo that leads to a similar report says more.

import { L1Clip } from "./clip.js";
import { codeOf } from "./subset_selection.js";
import { fromHalf } from "./weights.js";

/** @typedef {{features: Uint16Array, width: number}} PhotoFeatures  what the trunk makes of every photo, as float16 */

const NEAREST = 4;

export class PublicPhotos {
  /**
   * @param {import("./mechanism.js").Mechanism} mechanism
   * @param {PhotoFeatures} photos
   */
  constructor(mechanism, { features, width }) {
    const values = fromHalf(features);
    const h = Array.from({ length: values.length / width }, (_, i) => mechanism.adapter(values.subarray(i * width, (i + 1) * width)));
    const { radius, release } = mechanism.description;
    this.codes = h.map(codeOf);
    this.z = release === "numbers" ? h.map((each) => new L1Clip(radius ?? 1).clip(each)) : [];
  }

  /** By the picture's part of the report alone: the least ‖z̃ − z‖₁. @param {ArrayLike<number>} numbers z̃ */
  nearestToNumbers(numbers) {
    return nearest(this.z.map((z) => distance(z, numbers)));
  }

  /** Those whose code is believed most. @param {Float64Array} belief of every code */
  nearestToCodes(belief) {
    return nearest(this.codes.map((code) => -belief[code]));
  }
}

/** @param {ArrayLike<number>} one @param {ArrayLike<number>} other */
export function distance(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs(one[i] - other[i]);
  return sum;
}

/** Where the smallest stand; of equals the first. @param {number[]} distances */
export function nearest(distances) {
  return Array.from(distances.keys()).sort((a, b) => distances[a] - distances[b] || a - b).slice(0, NEAREST);
}
