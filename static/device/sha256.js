// SHA-256 (FIPS 180-4), for browsers that offer crypto.subtle on secure pages only.

const CONSTANTS = new Uint32Array(64);
const INITIAL = new Uint32Array(8);
{
  // The first 32 bits of the fractional parts of the cube and square roots of the first primes, in exact integers.
  /** @param {bigint} value @param {bigint} power */
  const root = (value, power) => {
    let low = 0n;
    for (let bit = 1n << 40n; bit; bit >>= 1n) if ((low + bit) ** power <= value) low += bit;
    return Number(low & 0xffffffffn);
  };
  let count = 0;
  for (let n = 2n; count < 64; n += 1n) {
    let prime = true;
    for (let d = 2n; d * d <= n; d += 1n) prime &&= n % d !== 0n;
    if (!prime) continue;
    if (count < 8) INITIAL[count] = root(n << 64n, 2n);
    CONSTANTS[count++] = root(n << 96n, 3n);
  }
}

/**
 * The 32 bytes of SHA-256.
 * @param {Uint8Array} message
 * @returns {Uint8Array}
 */
export function sha256(message) {
  const state = INITIAL.slice();
  const whole = message.length - (message.length % 64);
  const input = new DataView(message.buffer, message.byteOffset, message.byteLength);
  for (let at = 0; at < whole; at += 64) block(state, input, at);
  const tail = new Uint8Array(message.length % 64 < 56 ? 64 : 128);
  tail.set(message.subarray(whole));
  tail[message.length - whole] = 0x80;
  const last = new DataView(tail.buffer);
  last.setBigUint64(tail.length - 8, BigInt(message.length) * 8n);
  for (let at = 0; at < tail.length; at += 64) block(state, last, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((value, i) => digest.setUint32(4 * i, value));
  return new Uint8Array(digest.buffer);
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const schedule = new Int32Array(64);

/** @param {number} x @param {number} n */
const rotate = (x, n) => (x >>> n) | (x << (32 - n));

/** @param {Uint32Array} state @param {DataView} input @param {number} at */
function block(state, input, at) {
  const w = schedule;
  for (let i = 0; i < 16; i++) w[i] = input.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = Int32Array.from(state);
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + CONSTANTS[i] + w[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0;
    d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] += value; });
}
