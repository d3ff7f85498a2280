// A picture file to a record, as the app's Python side fits it (ui/image/files.py): decoded by the browser, turned as
// the camera meant, transparency put on a ground that the rest stands out from. Runs in the Worker: pixels stay there.
//
// The same file gives the same x as in Python, to 1e-5, for opaque 8-bit pictures up to 1,024 pixels a side without
// loss (PNG). Elsewhere the browser decodes to 8 bits and reduces by its own filter: within 0.05 (tests/device).

import { border, findInk } from "./ink.js";
import { openPicture } from "./picture_file.js";
import { largest } from "./quantile.js";
import { LANCZOS, resized } from "./resize.js";
import { roundHalfEven } from "./rounding.js";

const MIN_SIDE = 8;
const WORKING_SIDE = 1024; // larger pictures are reduced to this first
const INK_CONTRAST = 0.08; // less difference than this between ink and paper is an empty picture
const WEAK_CONTRAST = 0.15; // less than this is found, but doubted

/** @typedef {{rgb: Float64Array, height: number, width: number}} Picture  rgb in [0, 1], (height, width, 3) */

/** @typedef {{x: Float32Array, doubt: string}} Fitted  doubt: why this may be no digit, in words; "" where it looks like one */

/**
 * A file to x: 784 numbers for a digit, 3,072 for a photo.
 * @param {Blob} file
 * @param {string} dataset
 * @returns {Promise<Fitted>}
 */
export async function fitRecord(file, dataset) {
  const picture = await decode(file);
  return dataset === "mnist" ? fitDigit(picture) : { x: fitPhoto(picture), doubt: "" };
}

/**
 * Any picture that the browser can read.
 * @param {Blob} file
 * @returns {Promise<Picture>}
 */
export async function decode(file) {
  const bitmap = await openPicture(file, { smallest: MIN_SIDE });
  const { width: w, height: h } = bitmap;
  const scale = Math.min(1, WORKING_SIDE / Math.max(w, h));
  const [width, height] = [w, h].map((side) => Math.max(1, Math.round(side * scale)));
  const pen = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("This browser cannot read pictures here.");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return { rgb: onGround(pen.getImageData(0, 0, width, height).data), height, width };
}

/**
 * RGBA, 0 to 255, to RGB: transparent parts on white, or on black where what is seen is light.
 * @param {Uint8ClampedArray} rgba
 */
export function onGround(rgba) {
  let [seen, opaque] = [0, 0];
  for (let i = 0; i < rgba.length; i += 4) {
    seen += ((rgba[i] + rgba[i + 1] + rgba[i + 2]) / 765) * (rgba[i + 3] / 255);
    opaque += rgba[i + 3] / 255;
  }
  const ground = seen / Math.max(opaque, 1e-9) < 0.6 ? 1 : 0;
  return Float64Array.from({ length: (rgba.length / 4) * 3 }, (_, i) => {
    const [pixel, channel] = [4 * Math.floor(i / 3), i % 3];
    const alpha = rgba[pixel + 3] / 255;
    return (rgba[pixel + channel] / 255) * alpha + ground * (1 - alpha);
  });
}

/**
 * The central square, reduced to 32 × 32 × 3. A picture of that size is left as it is.
 * @param {Picture} picture
 */
export function fitPhoto({ rgb, height, width }) {
  const side = Math.min(height, width);
  const [top, left] = [(height - side) >> 1, (width - side) >> 1];
  const square = new Float32Array(side * side * 3);
  for (let y = 0; y < side; y++) {
    const from = ((top + y) * width + left) * 3;
    square.set(rgb.subarray(from, from + side * 3), y * side * 3);
  }
  if (side === 32) return square;
  const small = resized(square, { height: side, width: side, channels: 3 }, { height: 32, width: 32 }, LANCZOS);
  return small.map(unit);
}

/**
 * As MNIST's authors did: light ink on black, cropped, 20 × 20 with its shape kept, centred by mass in 28 × 28. Dark
 * ink on light paper (judged by the border) is inverted, uneven light is made even (ink.js). A picture that already is
 * such a digit is left as it is.
 * @param {Picture} picture
 * @returns {Fitted}
 */
export function fitDigit({ rgb, height, width }) {
  const grey = Float64Array.from({ length: height * width }, (_, i) =>
    0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2]);
  const grid = { values: grey, height, width };
  if (height === 28 && width === 28 && largest(border(grid)) === 0 && largest(grey) > INK_CONTRAST) {
    return { x: Float32Array.from(grey), doubt: "" };
  }
  const ink = findInk(grid);
  if (!ink) {
    throw new Error("No digit found: the picture has one even colour. Use dark ink on light paper, or the reverse.");
  }
  const crop = cropped(ink, height, width);
  const scale = 20 / Math.max(crop.height, crop.width);
  const to = { height: Math.max(1, roundHalfEven(crop.height * scale)), width: Math.max(1, roundHalfEven(crop.width * scale)) };
  const small = resized(crop.ink, { ...crop, channels: 1 }, to, LANCZOS).map(unit);
  const most = Math.max(largest(small), 1e-9);
  const x = centredByMass(Float64Array.from(small, (value) => value / most), to);
  return { x, doubt: doubtOf(x, ink) };
}

/**
 * Why this may be no digit.
 * @param {Float32Array} x
 * @param {import("./ink.js").Ink} ink
 */
function doubtOf(x, { contrast, level, touches, scattered }) {
  const share = x.reduce((sum, value) => sum + (value > 0.5 ? 1 : 0), 0) / x.length;
  if (share < 0.02 || share > 0.4) return "It has too much or too little ink for one digit.";
  if (contrast < WEAK_CONTRAST || level >= 0.5) return "Its ink hardly stands out from the paper.";
  if (touches) return "It runs into the edge of the picture.";
  return scattered > 0.5 ? "It is in many pieces." : "";
}

/**
 * @param {import("./ink.js").Ink} ink
 * @param {number} height
 * @param {number} width
 */
function cropped({ marks, level }, height, width) {
  let [top, bottom, left, right] = [height, -1, width, -1];
  marks.forEach((value, i) => {
    if (!(value > level)) return;
    const [y, x] = [Math.floor(i / width), i % width];
    [top, bottom, left, right] = [Math.min(top, y), Math.max(bottom, y), Math.min(left, x), Math.max(right, x)];
  });
  const size = { height: bottom - top + 1, width: right - left + 1 };
  const part = Float32Array.from({ length: size.height * size.width }, (_, i) =>
    marks[(top + Math.floor(i / size.width)) * width + left + (i % size.width)]);
  return { ink: part, ...size };
}

/**
 * Into 28 × 28 with its centre of mass at (14, 14), cutting nothing off.
 * @param {Float64Array} ink
 * @param {{height: number, width: number}} size
 */
function centredByMass(ink, { height, width }) {
  let [total, down, across] = [0, 0, 0];
  ink.forEach((value, i) => {
    total += value;
    down += value * Math.floor(i / width);
    across += value * (i % width);
  });
  const place = (/** @type {number} */ mass, /** @type {number} */ size) =>
    Math.min(Math.max(roundHalfEven(14 - mass / total), 0), 28 - size);
  const [top, left] = [place(down, height), place(across, width)];
  const digit = new Float32Array(784);
  ink.forEach((value, i) => { digit[(top + Math.floor(i / width)) * 28 + left + (i % width)] = value; });
  return digit;
}

/** @param {number} value */
const unit = (value) => Math.min(1, Math.max(0, value));
