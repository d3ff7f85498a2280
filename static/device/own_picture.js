// A picture's file to the pixels of an own mechanism: twin of rlm_core/pictures, for grey ones. Grey by 0.299, 0.587 and
// 0.114, then Pillow's BOX filter in float32 to the size that was fitted; one of that size is left as it is. The numbers
// are Python's within 1e-6 (tests/device/vectors/own_pictures.json), of grey ones of the same size to the last bit.
//
// White is 255 here, always: x = value / 255, whatever white the public pictures had. So pictures fitted as 16-bit words,
// or as numbers up to 1 or 16, are shown to this side as files whose white is the same full pixel.
//
// As in Python, transparent parts are white and a camera's turn (EXIF of JPEG and PNG) is ignored. What a browser does its
// own way: more than 8 bits become 8; JPEG, CMYK and half transparent pixels may be a few 255ths off; of a grey PNG one
// value may be transparent, which Python leaves grey and a browser takes out; AVIF is turned. Files of more than 10 MB are
// refused here alone.

import { openPicture } from "./picture_file.js";
import { BOX, resized } from "./resize.js";

const SMALLEST_SIDE = 4;
const STRIP = 2 ** 20; // pixels at a time: phones limit the area of a canvas, and 50 million are 200 MB

/** @typedef {import("./picture_file.js").Size} Size */

/**
 * @param {Blob} file
 * @param {Size} to
 * @returns {Promise<{x: Float32Array, from: Size}>} x in [0, 1], row by row; and the size that the picture had
 */
export async function fitPixels(file, to) {
  const bitmap = await openPicture(file, { smallest: SMALLEST_SIDE, turned: false });
  const { width, height } = bitmap;
  try {
    const pen = new OffscreenCanvas(width, stripOf({ width, height })).getContext("2d", { willReadFrequently: true });
    if (!pen) throw new Error("This browser cannot read pictures here.");
    pen.fillStyle = "#fff";
    const x = pixels({ width, height }, to, (top, rows) => {
      pen.fillRect(0, 0, width, rows);
      pen.drawImage(bitmap, 0, top, width, rows, 0, 0, width, rows);
      const { data } = pen.getImageData(0, 0, width, rows);
      if (data[3] !== 255) throw new Error(`This browser cannot read a picture that is ${width} pixels wide.`); // nothing was drawn
      return data;
    });
    return { x, from: { width, height } };
  } finally {
    bitmap.close();
  }
}

/**
 * Twin of PictureFormat._pixels: across strip by strip, then down.
 * @param {Size} from
 * @param {Size} to
 * @param {(top: number, rows: number) => ArrayLike<number>} rgba of some rows, opaque, 0 to 255
 */
export function pixels(from, to, rgba) {
  const strip = stripOf(from);
  const narrow = new Float32Array(from.height * to.width);
  for (let top = 0; top < from.height; top += strip) {
    const rows = Math.min(strip, from.height - top);
    const size = { height: rows, width: from.width, channels: 1 };
    narrow.set(resized(grey(rgba(top, rows)), size, { height: rows, width: to.width }, BOX), top * to.width);
  }
  return resized(narrow, { height: from.height, width: to.width, channels: 1 }, to, BOX).map((value) => Math.min(1, Math.max(0, value)));
}

/** How many rows are read at a time. @param {Size} size */
const stripOf = ({ width, height }) => Math.min(height, Math.max(1, Math.floor(STRIP / width)));

/** @param {ArrayLike<number>} rgba */
function grey(rgba) {
  const values = new Float32Array(rgba.length / 4);
  for (let i = 0; i < values.length; i++) {
    values[i] = (0.299 * rgba[4 * i] + 0.587 * rgba[4 * i + 1] + 0.114 * rgba[4 * i + 2]) / 255;
  }
  return values;
}
