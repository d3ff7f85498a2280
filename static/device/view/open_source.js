// What a dataset needs on the owner's side: where its records come from, and how its rehearsals are shown.

import { Budget } from "../budget.js";
import { pictures, pictureSource } from "./picture_source.js";
import { PixelObserver } from "./pixel_observer.js";
import { photoRehearsals, pictureRehearsals } from "./rehearsals.js";
import { rowRehearsals, rowSource } from "./row_source.js";

/**
 * @typedef {object} Wanted
 * @property {string} dataset
 * @property {any} samples public ones, all of them
 * @property {Record<string, {name: string}[]>} lanes
 * @property {string} mechanism that is chosen now
 * @property {import("./mechanism_loader.js").MechanismLoader} loader
 * @property {import("../client.js").Owner} owner
 * @property {string} example that the address names
 * @property {(picked: {x: Float32Array, label: number | null | undefined} | null, example: string) => void} onPick
 * @property {() => {x: Float32Array} | null} record
 * @property {() => import("./mechanism_loader.js").Loaded | undefined} now what is known of the mechanism in use
 */
/**
 * @typedef {object} Opened
 * @property {HTMLElement} tabs
 * @property {HTMLElement} source
 * @property {{box: HTMLElement, show: (draws: any[], classes: string[], label: number | null | undefined) => void}} tiles
 * @property {string} explains what the rehearsals are
 * @property {() => void} begin with the first record
 * @property {import("../public_photos.js").PhotoFeatures} [photos] public ones
 * @property {(draws: any[], settings: {epsilon: number, lam: number | null}) => void} [readPixels] what a collector makes of noisy pixels
 */

const EXPLAINS = "eight reports you could send, as a collector would read them. None of them leaves.";
const EXPLAINS_PHOTOS = "eight you could send: of each the four nearest public photos, and the guess. None of them leaves.";

/** @param {Wanted} wanted @returns {Promise<Opened>} */
export async function openPictures({ dataset, samples, lanes, loader, owner, example, onPick }) {
  const side = Math.round(Math.sqrt(samples.pixels));
  const all = pictures(samples);
  const pixels = lanes.pixels[0].name;
  await loader.load(pixels);
  const source = pictureSource({ dataset, samples, all, side, example, onPick, fit: (picture) => owner.fit(pixels, picture) });
  const observer = new PixelObserver(all, samples.labels, samples.classes.length, samples.public_photos?.rows);
  const photos = samples.public_photos && {
    features: new Uint16Array(Uint8Array.from(atob(samples.public_photos.features), (letter) => letter.charCodeAt(0)).buffer),
    width: samples.public_photos.width,
  };
  return {
    tabs: source.tabs,
    source: source.box,
    begin: source.begin,
    tiles: photos ? photoRehearsals(side, samples.public_photos.rows.map((/** @type {number} */ row) => ({ picture: all[row], name: samples.classes[samples.labels[row]] })))
      : pictureRehearsals(side),
    explains: photos ? EXPLAINS_PHOTOS : EXPLAINS,
    photos,
    readPixels(draws, { epsilon, lam }) {
      const budget = lam === null ? null : new Budget({ epsilon, lam });
      for (const draw of draws) {
        draw.decoded = draw.numbers;
        Object.assign(draw, observer.read(draw.numbers, draw.label, budget ? budget.epsilonX : epsilon, budget ? budget.epsilonY : 0));
      }
    },
  };
}

/** @param {Wanted} wanted @returns {Promise<Opened>} */
export async function openRows({ samples, mechanism, loader, owner, example, onPick, record, now }) {
  const { preprocessor } = await loader.load(mechanism);
  if (!preprocessor) throw new Error(`Expected a mechanism for rows of a table, got ${mechanism}.`);
  const source = rowSource({ samples, preprocessor, example, onPick, prepare: (row) => owner.prepare(mechanism, { row }) });
  const tiles = rowRehearsals(samples, () => now()?.preprocessor ?? preprocessor, () => record()?.x ?? []);
  return { tabs: source.tabs, source: source.box, begin: source.begin, tiles, explains: EXPLAINS };
}
