// What may be spent, how it is divided, and what has been spent: twin of rlm_core/owner/budget.py.

import { positive } from "./types.js";

/** ε = εx + εy with εx = λε for the features and εy = (1 − λ)ε for the label. */
export class Budget {
  /** @param {{epsilon: number, lam: number}} fields */
  constructor({ epsilon, lam }) {
    this.epsilon = positive("epsilon", epsilon, { allowInfinite: true });
    if (!(typeof lam === "number" && 0 <= lam && lam <= 1)) {
      throw new RangeError(`Expected 0 <= lam <= 1, got lam=${lam}.`);
    }
    this.lam = lam;
  }

  get epsilonX() {
    return this.lam === 0 ? 0 : this.lam * this.epsilon;
  }

  /** The remainder, rounded down: both never add up to more than ε, not even by a unit. */
  get epsilonY() {
    if (this.lam === 1) return 0;
    if (this.epsilon === Infinity) return Infinity;
    const x = this.epsilonX;
    const rest = this.epsilon - x;
    const sum = x + rest;
    const lost = x - (sum - rest) + (rest - (sum - (sum - rest))); // x + rest = sum + lost exactly (Knuth's two-sum)
    return sum > this.epsilon || (sum === this.epsilon && lost > 0) ? below(rest) : rest;
  }
}

/**
 * The next smaller float64 of a positive one.
 * @param {number} value
 */
function below(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

/**
 * One entry of the ledger. `report` is null from the charge until the draw; it never goes back. `unsent`: the id of the
 * message that is to carry it, and whose it is, until the collector has said that it came.
 * @typedef {{record: string, mechanism: string, epsilon_x: number, epsilon_y: number, report: string | null,
 *   time: string, unsent?: {id: string, dataset: string}}} Release
 */
/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Store */

const PREFIX = "rlm-ledger/1/";
let entries = 0; // of this page: orders what was entered within one millisecond

/**
 * Every release of this browser, in order. n releases of one record cost the sum of their ε (sequential composition).
 *
 * One key of the storage for every entry: two tabs cannot overwrite each other's. A release is charged before it is
 * drawn; the limit is checked with the new entry in place, so of two tabs at the limit at most one goes on.
 */
export class Ledger {
  /** @param {{storage?: Store, limit?: number}} [fields] */
  constructor({ storage = browserStorage(), limit = Infinity } = {}) {
    this.storage = storage;
    this.limit = positive("limit", limit, { allowInfinite: true });
  }

  /**
   * Enter a release before it is drawn; raises, and enters nothing, where it would pass the limit or nothing can be kept.
   * @param {Omit<Release, "report" | "time">} release
   * @param {number} [room] characters to reserve for the report, so that `keep` cannot fail for want of them
   * @returns {string} the entry's key
   */
  spend(release, room = 0) {
    for (const name of /** @type {const} */ (["epsilon_x", "epsilon_y"])) {
      if (!(release[name] >= 0)) throw new RangeError(`Expected ${name} >= 0, got ${name}=${release[name]}.`);
    }
    const time = new Date().toISOString();
    const unique = Array.from(crypto.getRandomValues(new Uint32Array(2)), (word) => word.toString(36)).join("");
    const key = `${PREFIX}${time}/${String(entries++).padStart(6, "0")}-${unique}`;
    try {
      this.storage.setItem(key, write({ ...release, report: null, time }) + " ".repeat(room));
    } catch {
      throw new Error("This browser’s storage is full: it could not keep count. Nothing was charged, and nothing was sent.");
    }
    const total = this.spent(release.record);
    if (total > this.limit) {
      this.storage.removeItem(key);
      throw new RangeError(
        `Expected a total of at most ${this.limit} for the record "${release.record}"; ` +
          `this release would bring it to ${total}.`,
      );
    }
    return key;
  }

  /**
   * Keep the report with its charge, once.
   * @param {string} key
   * @param {string} report
   */
  keep(key, report) {
    const text = this.storage.getItem(key);
    if (text === null) throw new Error("Expected a release that was charged, got none: nothing may be sent.");
    const entry = read(text);
    if (entry.report !== null) throw new Error("A release is drawn once; this one has its report already.");
    this.storage.setItem(key, write({ ...entry, report }));
  }

  /**
   * Take a charge back: nothing was drawn, or what was drawn could not be kept and is forgotten.
   * @param {string} key
   */
  cancel(key) {
    this.storage.removeItem(key);
  }

  /**
   * The collector has the message of this id. The entry becomes shorter, so this fits into any storage.
   * @param {string} id
   */
  delivered(id) {
    for (const key of this.#keys) {
      const { unsent, ...entry } = read(this.storage.getItem(key) ?? "");
      if (unsent?.id === id) this.storage.setItem(key, write(entry));
    }
  }

  get #keys() {
    const keys = Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i) ?? "");
    return keys.filter((key) => key.startsWith(PREFIX)).sort();
  }

  /** All releases, oldest first. */
  get releases() {
    return this.#keys.map((key) => read(this.storage.getItem(key) ?? ""));
  }

  /**
   * The releases of one record, oldest first.
   * @param {string} record
   */
  of(record) {
    return this.releases.filter((release) => release.record === record);
  }

  /**
   * Σ ε over the releases of one record, rounded once.
   * @param {string} record
   */
  spent(record) {
    return exactSum(this.of(record).map((release) => release.epsilon_x + release.epsilon_y));
  }
}

/** @param {Release} entry */
const write = (entry) =>
  JSON.stringify(entry, (_, value) => (value === Infinity ? "inf" : value));

/**
 * @param {string} text
 * @returns {Release}
 */
function read(text) {
  const entry = JSON.parse(text);
  for (const name of ["epsilon_x", "epsilon_y"]) if (entry[name] === "inf") entry[name] = Infinity;
  return entry;
}

/**
 * Σ values >= 0, rounded once, as Python's fsum.
 * @param {number[]} values
 */
export function exactSum(values) {
  if (values.some((value) => !Number.isFinite(value))) return values.reduce((a, b) => a + b, 0);
  let shift = 0;
  const whole = values.slice();
  while (whole.some((value) => !Number.isInteger(value))) {
    shift += 1;
    whole.forEach((value, i) => { whole[i] = value * 2; });
  }
  const sum = whole.reduce((total, value) => total + BigInt(value), 0n);
  return Number(sum) / 2 ** shift; // one rounding, in Number
}

/** The browser's own storage, or the page's memory where there is none (some browsers give files none). */
function browserStorage() {
  try {
    localStorage.getItem(PREFIX);
    return localStorage;
  } catch {
    return new MemoryStorage();
  }
}

/** @implements {Store} */
export class MemoryStorage {
  /** @type {Map<string, string>} */
  #entries = new Map();
  get length() { return this.#entries.size; }
  /** @param {number} i */
  key(i) { return [...this.#entries.keys()][i] ?? null; }
  /** @param {string} key */
  getItem(key) { return this.#entries.get(key) ?? null; }
  /** @param {string} key @param {string} value */
  setItem(key, value) { this.#entries.set(key, value); }
  /** @param {string} key */
  removeItem(key) { this.#entries.delete(key); }
}
