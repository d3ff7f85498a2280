// Logarithms and exponentials in integers of any length (BigInt): no Math.log, no Math.exp, whose last digits
// differ between browsers. A number v stands here for v / 2^p; ">> p" rounds down.

const ONE = 1n;

/**
 * 2·atanh(top/bottom)·2^p for 0 <= top/bottom <= 1/3, too low by less than 2p.
 *
 * Every step rounds down, so the result is never too high. A power of the series is low by at most 1.7 units:
 * e' <= e/9 + (5/3)·3^-k + 1, from e = 1. Each of the at most 0.316p + 1 terms after the first is therefore low by
 * at most 1.7/3 + 1 < 1.6 units, and the terms left out by 2/3 in all: twice 0.51p + 4, below 2p for p >= 64.
 * @param {bigint} top
 * @param {bigint} bottom
 * @param {bigint} p
 */
function twiceAtanh(top, bottom, p) {
  const ratio = (top << p) / bottom;
  const square = (ratio * ratio) >> p;
  let power = ratio;
  let sum = ratio;
  for (let k = 3n; power; k += 2n) {
    power = (power * square) >> p;
    sum += power / k;
  }
  return sum << ONE;
}

/** @type {Map<bigint, bigint>} precision to ln 2 */
const logarithmsOfTwo = new Map();

/**
 * ln 2·2^p = 2·atanh(1/3)·2^p, too low by less than 2p.
 * @param {bigint} p
 * @returns {bigint}
 */
function logTwo(p) {
  let value = logarithmsOfTwo.get(p);
  if (value === undefined) {
    value = twiceAtanh(ONE, 3n, p);
    logarithmsOfTwo.set(p, value);
  }
  return value;
}

/** @param {bigint} n */
function bitLength(n) {
  const digits = n.toString(16);
  return 4 * (digits.length - 1) + 32 - Math.clz32(parseInt(digits[0], 16));
}

/**
 * ⌊−2^30·ln(n / 2^bits)⌋ for 0 < n <= 2^bits, exactly.
 *
 * With m halvings, n/2^bits = 2^-m·(1 + t)/(1 − t), t <= 1/3, so −ln = m·ln 2 − 2·atanh t, off by less than
 * 2p(m + 1). The value is an integer for n = 2^bits only, since e^q is irrational for every rational q ≠ 0: so a
 * high enough precision always decides, and the loop ends.
 * @param {bigint} n
 * @param {number} bits
 * @returns {bigint}
 */
export function floorLog(n, bits) {
  if (n === ONE << BigInt(bits)) return 0n;
  const length = bitLength(n);
  const half = ONE << BigInt(length - 1);
  const halvings = BigInt(bits - length + 1);
  for (let p = BigInt(bits + 64); ; p *= 2n) {
    const log = halvings * logTwo(p) - twiceAtanh(n - half, n + half, p);
    const error = (halvings + ONE) * 2n * p;
    const shift = p - 30n;
    const low = (log - error) >> shift;
    if (low === (log + error) >> shift) return low;
  }
}

/** Binary digits of e^−ε. */
export const PRECISION = 320n;
const SMALLEST_POWER = 1e4; // e^−10,000 is far below one unit
const SLACK = ONE << 24n;

/**
 * e^−ε·2^320 rounded up, by less than 2^25 + 1 units, for a float64 ε >= 0, which is taken exactly (it is dyadic).
 *
 * ε = k·ln 2 + r. Since ln 2 is low by less than 2p, r is high by less than 2pk < 2^24 units (k < 14,427), e^r from
 * its series (each term rounded down) by no more, relatively, and 1/e^r is too low by less than 2^24 units: added.
 * @param {number} epsilon
 * @returns {bigint}
 */
export function exponentialUp(epsilon) {
  if (epsilon > SMALLEST_POWER) return ONE;
  let whole = epsilon;
  let shift = 0n;
  while (!Number.isInteger(whole)) {
    whole *= 2; // exact
    shift += ONE;
  }
  const p = PRECISION;
  const x = (BigInt(whole) << p) >> shift;
  const k = x / logTwo(p);
  const r = x - k * logTwo(p);
  let term = ONE << p;
  let sum = term;
  for (let i = ONE; term; i += ONE) {
    term = (term * r) / (i << p);
    sum += term;
  }
  const inverse = (ONE << (2n * p)) / sum;
  return ((inverse + SLACK) >> k) + ONE;
}

/**
 * e^−ε as a float64, the same in every browser. For estimates; nothing exact rests on it.
 * @param {number} epsilon
 */
export function exponential(epsilon) {
  return epsilon > SMALLEST_POWER ? 0 : Number(exponentialUp(epsilon)) * 2 ** -320;
}
