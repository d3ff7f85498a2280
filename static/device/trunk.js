// ResNet-18 without its last layer: twin of TrunkEncoder (rlm_core/owner/encoder.py) with resize of rlm_core/vision.py. It
// runs on the kernels of conv.c, and on those of conv.js where there is no SIMD. BatchNorm is folded into the weights
// as they are shipped.

import { plainKernels } from "./conv.js";
import { BICUBIC, resized } from "./resize.js";
import { contents } from "./weights.js";

const SIDE = 32; // of the pictures that come in
const PAD = 1;
const MEAN = [0.485, 0.456, 0.406];
const STD = [0.229, 0.224, 0.225];
const CHANNELS = [64, 128, 256, 512];
const FEATURES = 512;

/** @typedef {{side: number, channels: number, row: number, floats: number, at: number, first: number}} FeatureMap */

/**
 * A picture to its 512 features: enlarge, normalise, trunk; with `mirrored` the mean with its mirror image's.
 * @param {{side: number, mirrored: boolean}} shape
 * @param {ArrayBuffer} file trunk.safetensors
 * @param {BufferSource | null} [binary] conv.wasm, if it is at hand; null: plain JavaScript
 * @returns {Promise<(x: ArrayLike<number>) => Float32Array>}
 */
export async function trunkFeatures({ side, mirrored }, file, binary) {
  const compiled = await simdKernels(binary === undefined ? await kernelFile() : binary);
  const features = await trunk(file, side, mirrored ? 2 : 1, compiled);
  return (x) => {
    const picture = enlarged(x, side);
    return features(mirrored ? [picture, mirror(picture, side)] : [picture]);
  };
}

async function kernelFile() {
  const answer = await fetch(new URL("conv.wasm", import.meta.url), { credentials: "omit" });
  if (!answer.ok) throw new Error(`Expected conv.wasm, got status ${answer.status}.`);
  return answer.arrayBuffer();
}

/** null where this browser has no WebAssembly, or no SIMD in it. @param {BufferSource | null} binary */
async function simdKernels(binary) {
  if (!binary || typeof WebAssembly === "undefined") return null;
  try {
    return await WebAssembly.compile(binary);
  } catch {
    return null;
  }
}

/**
 * RGB in [0, 1], (32, 32, 3), to the trunk's input.
 * @param {ArrayLike<number>} x
 * @param {number} side
 */
export function enlarged(x, side) {
  const large = resized(x, { height: SIDE, width: SIDE, channels: 3 }, { height: side, width: side }, BICUBIC);
  return large.map((value, i) => (Math.min(1, Math.max(0, value)) - MEAN[i % 3]) / STD[i % 3]);
}

/** @param {Float32Array} picture @param {number} side */
function mirror(picture, side) {
  return picture.map((_, i) => {
    const [pixel, channel] = [Math.floor(i / 3), i % 3];
    return picture[(pixel - (pixel % side) + side - 1 - (pixel % side)) * 3 + channel];
  });
}

/**
 * A memory of so many bytes, and the kernels that work in it.
 * @param {WebAssembly.Module | null} compiled
 * @param {number} bytes
 * @returns {Promise<{buffer: ArrayBuffer, kernel: import("./conv.js").Kernels}>}
 */
async function workbench(compiled, bytes) {
  if (!compiled) {
    const buffer = new ArrayBuffer(16 * Math.ceil(bytes / 16));
    return { buffer, kernel: plainKernels(buffer) };
  }
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  const { exports } = await WebAssembly.instantiate(compiled, { env: { memory } });
  return { buffer: memory.buffer, kernel: /** @type {import("./conv.js").Kernels} */ (/** @type {unknown} */ (exports)) };
}

/**
 * @param {ArrayBuffer} file
 * @param {number} side
 * @param {number} batch how many pictures the mean of the features is taken over
 * @param {WebAssembly.Module | null} compiled conv.wasm; null: plain JavaScript
 * @returns {Promise<(pictures: Float32Array[]) => Float32Array>}
 */
async function trunk(file, side, batch, compiled) {
  const { entries, start } = contents(file);
  const names = Object.keys(entries).filter((name) => name.endsWith(".weight"));
  const count = (/** @type {number[]} */ shape) => shape.reduce((a, b) => a * b, 1);

  // The memory: weights, biases, maps, and a place for weights as they are shipped.
  let bytes = 1 << 16; // the kernels' stack lies below
  const reserve = (/** @type {number} */ floats) => {
    const at = bytes;
    bytes += 16 * Math.ceil(floats / 4);
    return at;
  };
  /** @type {Record<string, {shape: number[], weight: number, bias: number}>} */
  const layers = {};
  for (const name of names) {
    const { shape } = entries[name];
    layers[name.slice(0, -".weight".length)] = { shape, weight: reserve(count(shape)), bias: reserve(shape[0]) };
  }
  const map = (/** @type {number} */ size, /** @type {number} */ channels, pad = PAD) => {
    const row = (size + 2 * pad) * channels;
    const floats = row * (size + 2 * pad);
    return { side: size, channels, row, floats, at: reserve(floats * batch), first: 4 * (pad * row + pad * channels) };
  };
  const after = (/** @type {number} */ halvings) => Math.ceil(side / 2 ** halvings);
  const input = map(side, 3, 3);
  const stem = map(after(1), CHANNELS[0]);
  const stages = CHANNELS.map((channels, i) => [0, 1, 2].map(() => map(after(2 + i), channels)));
  const shortcuts = CHANNELS.map((channels, i) => (i ? map(after(2 + i), channels) : null));
  const output = reserve(FEATURES);
  const staging = reserve(Math.max(...names.map((name) => count(entries[name].shape))) / 2);
  const { buffer, kernel } = await workbench(compiled, bytes);

  for (const [name, { shape: [o, i, h, w], weight, bias }] of Object.entries(layers)) {
    const { dtype, data_offsets: [from, to] } = entries[`${name}.weight`];
    const { dtype: other, data_offsets: [begin, end] } = entries[`${name}.bias`];
    if (dtype !== "F16" || other !== "F32") throw new Error(`Expected F16 and F32 in ${name}, got ${dtype} and ${other}.`);
    new Uint8Array(buffer, staging, to - from).set(new Uint8Array(file, start + from, to - from));
    kernel.pack(staging, weight, o, i, h, w);
    new Uint8Array(buffer, bias, end - begin).set(new Uint8Array(file, start + begin, end - begin));
  }

  /**
   * @param {string} name
   * @param {FeatureMap} from
   * @param {FeatureMap} to
   * @param {{stride?: number, rest?: FeatureMap | null, relu?: boolean}} [options]
   */
  const conv = (name, from, to, { stride = 1, rest = null, relu = true } = {}) => {
    const { shape: [o, i, h, w], weight, bias } = layers[name];
    const origin = from.at + (h === 1 ? from.first : 0); // a 1 x 1 kernel skips the padding
    kernel.conv(origin, from.row, from.floats, i, stride, h, w * i, weight, bias, to.at + to.first, to.row, to.floats,
      o, to.side, batch, rest ? rest.at + rest.first : 0, relu ? 1 : 0);
  };

  /** @param {FeatureMap} x @param {number} stage @param {number} block @returns {FeatureMap} */
  const residual = (x, stage, block) => {
    const name = `layer${stage + 1}.${block}`;
    const free = stages[stage].filter((each) => each !== x);
    const shortcut = block === 0 ? shortcuts[stage] : null;
    if (shortcut) conv(`${name}.downsample.0`, x, shortcut, { stride: 2, relu: false });
    conv(`${name}.conv1`, x, free[0], { stride: shortcut ? 2 : 1 });
    conv(`${name}.conv2`, free[0], free[1], { rest: shortcut ?? x });
    return free[1];
  };

  return (pictures) => {
    pictures.forEach((picture, n) => {
      const to = new Float32Array(buffer, input.at + input.first + 4 * n * input.floats);
      for (let y = 0; y < side; y++) to.set(picture.subarray(y * side * 3, (y + 1) * side * 3), y * input.row);
    });
    conv("conv1", input, stem, { stride: 2 });
    let x = stages[0][0];
    kernel.pool(stem.at, stem.row, stem.floats, x.at + x.first, x.row, x.floats, x.channels, x.side, batch);
    for (let stage = 0; stage < 4; stage++) for (let block = 0; block < 2; block++) x = residual(x, stage, block);
    kernel.mean(x.at + x.first, x.row, x.floats, output, FEATURES, x.side, batch);
    return new Float32Array(buffer, output, FEATURES).slice();
  };
}
