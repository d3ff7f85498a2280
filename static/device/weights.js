// Weights as the zoo ships them: safetensors, F16 or F32, or I8 with a scale for every row (rlm_core/zoo/pack.py).

import { hex, sha256 } from "./sha256.js";

/** @typedef {{shape: number[], data: Float32Array}} Tensor */
/** @typedef {{dtype: string, shape: number[], data_offsets: [number, number]}} Entry */
/** @typedef {(done: number, total: number) => void} OnProgress  Bytes. */

/**
 * float16 to float32, exactly.
 * @param {Uint16Array} halves
 */
export function fromHalf(halves) {
  const floats = new Float32Array(halves.length);
  const bits = new Uint32Array(floats.buffer);
  halves.forEach((half, i) => {
    const sign = (half & 0x8000) << 16;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    if (exponent === 31) bits[i] = sign | 0x7f800000 | (fraction << 13);
    else if (exponent) bits[i] = sign | ((exponent + 112) << 23) | (fraction << 13);
    else {
      floats[i] = fraction * 2 ** -24; // zero and subnormal numbers
      bits[i] |= sign;
    }
  });
  return floats;
}

/**
 * The table of contents of a safetensors file, and where the data begins.
 * @param {ArrayBuffer} file
 * @returns {{entries: Record<string, Entry>, start: number}}
 */
export function contents(file) {
  const length = Number(new DataView(file).getBigUint64(0, true));
  if (!(8 + length <= file.byteLength)) throw new Error(`Expected a safetensors file, got ${file.byteLength} bytes.`);
  const { __metadata__, ...entries } = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)));
  return { entries, start: 8 + length };
}

/** @type {Record<string, (bytes: ArrayBuffer) => ArrayLike<number>>} */
const READERS = {
  F32: (bytes) => new Float32Array(bytes),
  F16: (bytes) => fromHalf(new Uint16Array(bytes)),
  I8: (bytes) => new Int8Array(bytes),
  U8: (bytes) => new Uint8Array(bytes),
  I16: (bytes) => new Int16Array(bytes),
  I32: (bytes) => new Int32Array(bytes),
  I64: (bytes) => Int32Array.from(new BigInt64Array(bytes), Number),
};

/** @type {WeakMap<ArrayBuffer, Record<string, Tensor>>} mechanisms share files: each is read once */
const known = new WeakMap();

/**
 * All tensors as float32; rows stored as int8 are multiplied by their scale.
 * @param {ArrayBuffer} file
 * @returns {Record<string, Tensor>}
 */
export function tensors(file) {
  const before = known.get(file);
  if (before) return before;
  const { entries, start } = contents(file);
  /** @param {string} name */
  const read = (name) => {
    const { dtype, data_offsets: [from, to] } = entries[name];
    if (!(dtype in READERS)) throw new Error(`Expected a type in ${Object.keys(READERS).join(", ")}, got ${dtype}.`);
    return READERS[dtype](file.slice(start + from, start + to)); // a copy: offsets need not be aligned
  };
  /** @type {Record<string, Tensor>} */
  const result = {};
  for (const [name, { shape }] of Object.entries(entries)) {
    if (name.endsWith(".scale")) continue;
    const data = Float32Array.from(read(name));
    if (`${name}.scale` in entries) {
      const scales = read(`${name}.scale`);
      const width = data.length / shape[0];
      data.forEach((value, i) => { data[i] = value * scales[Math.floor(i / width)]; });
    }
    result[name] = { shape, data };
  }
  known.set(file, result);
  return result;
}

/**
 * A file of the zoo, compared with its checksum.
 * @param {string} url
 * @param {string} expected SHA-256, hexadecimal
 * @param {OnProgress} [onProgress]
 * @returns {Promise<ArrayBuffer>}
 */
export async function download(url, expected, onProgress) {
  const answer = await fetch(url, { credentials: "omit" });
  if (!answer.ok || !answer.body) throw new Error(`Expected the weights at ${url}, got status ${answer.status}.`);
  const total = Number(answer.headers.get("content-length"));
  const parts = [];
  let done = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { done: ended, value } = await reader.read();
    if (ended) break;
    parts.push(value);
    done += value.length;
    onProgress?.(done, total);
  }
  const file = await new Blob(parts).arrayBuffer();
  await verify(file, expected, url);
  return file;
}

/**
 * Raise unless a file has this checksum.
 * @param {ArrayBuffer} file
 * @param {string} expected
 * @param {string} name
 */
export async function verify(file, expected, name) {
  const subtle = globalThis.crypto?.subtle; // on https and localhost only
  const found = hex(subtle ? new Uint8Array(await subtle.digest("SHA-256", file)) : sha256(new Uint8Array(file)));
  if (found !== expected) {
    throw new Error(`The file ${name} is damaged: expected SHA-256 ${expected.slice(0, 12)}…, got ${found.slice(0, 12)}….`);
  }
}
