// A picture's file, opened by the browser. What would cost too much is refused by what the head of the file says, before
// anything is decoded: 400 million pixels of one grey are half a megabyte of PNG, and would take 1.6 GB.

const MAX_BYTES = 10 * 2 ** 20;
const MAX_PIXELS = 50_000_000;

/** @typedef {{height: number, width: number}} Size */
/** @typedef {{size: Size | null, exif: [number, number] | null}} Head  exif: from where to where its block stands */

/**
 * @param {Blob} file
 * @param {{smallest: number, turned?: boolean}} options `turned`: as the camera meant; else as it is stored
 * @returns {Promise<ImageBitmap>} to be closed
 */
export async function openPicture(file, { smallest, turned = true }) {
  if (!file.size) throw new Error("The file is empty.");
  if (file.size > MAX_BYTES) {
    throw new Error(`The file has ${(file.size / 2 ** 20).toFixed(1)} MB; at most ${MAX_BYTES / 2 ** 20} MB can be read.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => new ArrayBuffer(0))); // none of a folder
  const { size, exif } = head(bytes);
  if (size) check(size, smallest);
  if (isMarkup(bytes)) throw new Error("This is SVG or HTML, not pixels. Save it as PNG first.");
  // Browsers turn a picture whatever imageOrientation says: without its EXIF block it stays as it is stored.
  const stored = exif && !turned ? new Blob([bytes.subarray(0, exif[0]), bytes.subarray(exif[1])], { type: file.type }) : file;
  let bitmap;
  try {
    bitmap = await createImageBitmap(stored, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  } catch {
    throw new Error("This is not a picture that can be read here. Use PNG or JPEG.");
  }
  check(bitmap, smallest);
  return bitmap;
}

/** @param {Size} size @param {number} smallest */
function check({ width, height }, smallest) {
  if (width * height > MAX_PIXELS) throw new Error(`The picture has ${width} × ${height} pixels; at most 50 million can be read.`);
  if (Math.min(width, height) < smallest) {
    throw new Error(`The picture has ${width} × ${height} pixels; each side needs at least ${smallest}.`);
  }
}

/**
 * What the bytes of a PNG, JPEG, GIF or WebP say; of other formats nothing. Damaged ones are left to the decoder.
 * @param {Uint8Array} bytes
 * @returns {Head}
 */
export function head(bytes) {
  const starts = (/** @type {string} */ word, at = 0) => Array.from(word).every((letter, i) => bytes[at + i] === letter.charCodeAt(0));
  const number = (/** @type {number} */ at, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => bytes[at + i] ?? 0).reduce((sum, byte) => sum * 256 + byte, 0);
  const little = (/** @type {number} */ at, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => bytes[at + i] ?? 0).reduceRight((sum, byte) => sum * 256 + byte, 0);
  const found = /** @type {Head} */ ({ size: null, exif: null });
  if (starts("\x89PNG")) {
    found.size = { width: number(16, 4), height: number(20, 4) };
    for (let at = 8; at < bytes.length; at += 12 + number(at, 4)) { // length, type, content, checksum
      if (starts("eXIf", at + 4)) found.exif = [at, at + 12 + number(at, 4)];
    }
  } else if (starts("\xff\xd8")) {
    for (let at = 2; bytes[at] === 0xff && bytes[at + 1] !== 0xda; at += bytes[at + 1] === 0xff ? 1 : 2 + number(at + 2, 2)) {
      const isFrame = bytes[at + 1] >= 0xc0 && bytes[at + 1] <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(bytes[at + 1]);
      if (isFrame) found.size = { height: number(at + 5, 2), width: number(at + 7, 2) };
      if (starts("\xff\xe1", at) && starts("Exif\0", at + 4)) found.exif = [at, at + 2 + number(at + 2, 2)];
    }
  } else if (starts("GIF8")) found.size = { width: little(6, 2), height: little(8, 2) };
  else if (starts("RIFF") && starts("WEBPVP8X", 8)) found.size = { width: 1 + little(24, 3), height: 1 + little(27, 3) };
  else if (starts("RIFF") && starts("WEBPVP8 ", 8)) found.size = { width: little(26, 2) % 2 ** 14, height: little(28, 2) % 2 ** 14 };
  else if (starts("RIFF") && starts("WEBPVP8L", 8)) {
    found.size = { width: 1 + (little(21, 4) % 2 ** 14), height: 1 + (Math.floor(little(21, 4) / 2 ** 14) % 2 ** 14) };
  }
  return found;
}

/** No picture of pixels begins with "<". @param {Uint8Array} bytes */
const isMarkup = (bytes) => new TextDecoder().decode(bytes.subarray(0, 512)).trimStart().startsWith("<");
