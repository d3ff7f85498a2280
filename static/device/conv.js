// The kernels of conv.c in plain JavaScript, for browsers without WebAssembly SIMD: the same arguments (addresses in
// bytes of one buffer), the same order of every sum. Several times slower; sums are kept in double precision.

import { fromHalf } from "./weights.js";

/** @typedef {Record<"pack" | "conv" | "pool" | "mean", (...numbers: number[]) => void>} Kernels */

/**
 * @param {ArrayBuffer} buffer the memory that all addresses are of
 * @returns {Kernels}
 */
export function plainKernels(buffer) {
  const floats = new Float32Array(buffer);
  return {
    // Weights [O][I][H][W] in float16 to panels of 8 output channels, [O/8][H][W][I][8], in float32.
    pack(weights, panels, O, I, H, W) {
      const values = fromHalf(new Uint16Array(buffer, weights, O * I * H * W));
      let to = panels >> 2;
      for (let o = 0; o < O; o += 8) {
        for (let y = 0; y < H; y++) {
          for (let x = 0; x < W; x++) {
            for (let i = 0; i < I; i++) {
              for (let k = 0; k < 8; k++) floats[to++] = values[(((o + k) * I + i) * H + y) * W + x];
            }
          }
        }
      }
    },

    conv(input, inRow, inMap, depth, stride, rows, run, weights, bias, output, outRow, outMap, channels, side, batch, rest, relu) {
      const [from, to, other] = [input >> 2, output >> 2, rest >> 2];
      const sums = new Float64Array(8);
      let panel = weights >> 2;
      for (let o = 0; o < channels; o += 8, panel += rows * run * 8) {
        const start = floats.slice((bias >> 2) + o, (bias >> 2) + o + 8);
        for (let n = 0; n < batch; n++) {
          for (let y = 0; y < side; y++) {
            for (let x = 0; x < side; x++) {
              sums.set(start);
              dot(floats, from + n * inMap + (y * inRow + x * depth) * stride, inRow, rows, run, panel, sums);
              const at = n * outMap + y * outRow + x * channels + o;
              for (let k = 0; k < 8; k++) {
                const sum = sums[k] + (rest ? floats[other + at + k] : 0);
                floats[to + at + k] = relu && sum < 0 ? 0 : sum;
              }
            }
          }
        }
      }
    },

    // The largest of 3 x 3, every second pixel; what is pooled is not negative, so the padding's zeros do no harm.
    pool(input, inRow, inMap, output, outRow, outMap, channels, side, batch) {
      const [from, to] = [input >> 2, output >> 2];
      for (let n = 0; n < batch; n++) {
        for (let y = 0; y < side; y++) {
          for (let x = 0; x < side; x++) {
            for (let c = 0; c < channels; c++) {
              let best = 0;
              for (let dy = 0; dy < 3; dy++) {
                for (let dx = 0; dx < 3; dx++) {
                  best = Math.max(best, floats[from + n * inMap + (2 * y + dy) * inRow + (2 * x + dx) * channels + c]);
                }
              }
              floats[to + n * outMap + y * outRow + x * channels + c] = best;
            }
          }
        }
      }
    },

    // The mean of every channel over all pixels of all pictures of the batch.
    mean(input, inRow, inMap, output, channels, side, batch) {
      const from = input >> 2;
      for (let c = 0; c < channels; c++) {
        let sum = 0;
        for (let n = 0; n < batch; n++) {
          for (let y = 0; y < side; y++) {
            for (let x = 0; x < side; x++) sum += floats[from + n * inMap + y * inRow + x * channels + c];
          }
        }
        floats[(output >> 2) + c] = sum / (side * side * batch);
      }
    },
  };
}

/**
 * Add to eight sums what a kernel of `rows` runs sees at one place: eight channels at once, each sum in a register.
 * @param {Float32Array} floats
 * @param {number} place
 * @param {number} step floats between rows
 * @param {number} rows
 * @param {number} run
 * @param {number} panel of weights
 * @param {Float64Array} sums
 */
function dot(floats, place, step, rows, run, panel, sums) {
  let [s0, s1, s2, s3, s4, s5, s6, s7] = sums;
  let w = panel;
  for (let r = 0, row = place; r < rows; r++, row += step) {
    for (let at = row; at < row + run; at++, w += 8) {
      const value = floats[at];
      s0 += value * floats[w];
      s1 += value * floats[w + 1];
      s2 += value * floats[w + 2];
      s3 += value * floats[w + 3];
      s4 += value * floats[w + 4];
      s5 += value * floats[w + 5];
      s6 += value * floats[w + 6];
      s7 += value * floats[w + 7];
    }
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
  sums[4] = s4;
  sums[5] = s5;
  sums[6] = s6;
  sums[7] = s7;
}
