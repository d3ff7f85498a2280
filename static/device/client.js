// The page's hold on the Worker, and the ledger. `const me = new Owner()`, then
//
//   await me.load("mnist-qrlm-k96", { collector: true, onProgress })    weights, verified
//   x = await me.prepare("mnist-qrlm-k96", { picture: file })           or { row: {…} }
//   { id, draws } = await me.rehearse(name, x, 7, { epsilon: 4 }, 8)    free; nothing leaves
//   { draws } = await me.rescale(name, id, { epsilon: 2 })              the same chance, other settings
//   report = await me.release(name, x, 7, { epsilon: 4 })               charged, drawn once, kept; the text to send

import { Ledger } from "./budget.js";

/** @typedef {import("./release.js").Settings} Settings */
/** @typedef {{id: number, draws: import("./rehearsal.js").Rehearsal[]}} Rehearsals */

export class Owner {
  #worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  #next = 1;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void, onProgress?: any}>} */
  #waiting = new Map();

  /** @param {{ledger?: Ledger}} [fields] */
  constructor({ ledger = new Ledger() } = {}) {
    this.ledger = ledger;
    this.#worker.onmessage = ({ data: { id, result, error, progress } }) => {
      const call = this.#waiting.get(id);
      if (!call) return;
      if (progress) return void call.onProgress?.(progress.done, progress.total);
      this.#waiting.delete(id);
      if (error === undefined) call.resolve(result);
      else call.reject(new Error(error));
    };
    this.#worker.onerror = (event) => {
      const error = new Error(`The owner's side could not be started: ${event.message ?? "blocked"}.`);
      for (const call of this.#waiting.values()) call.reject(error);
      this.#waiting.clear();
    };
  }

  /**
   * @param {string} method
   * @param {object} options
   * @param {import("./weights.js").OnProgress} [onProgress]
   * @returns {Promise<any>}
   */
  #call(method, options, onProgress) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#worker.postMessage({ id, method, options });
    });
  }

  /**
   * Fetch a mechanism whole, before any record is there.
   * @param {string} name
   * @param {{collector?: boolean, photos?: import("./public_photos.js").PhotoFeatures, onProgress?: import("./weights.js").OnProgress}} [options]
   * @returns {Promise<import("./mechanism.js").Description & {before: Float64Array | null}>} before: what a collector
   *   believes about the classes before any report, where it is known
   */
  async load(name, { collector = false, photos, onProgress } = {}) {
    const answer = await fetch(new URL(`mechanisms/${encodeURIComponent(name)}.json`, import.meta.url));
    if (!answer.ok) throw new Error(`Expected a mechanism of this server, got "${name}".`);
    const description = await answer.json();
    const { before } = await this.#call("load", { key: name, description, collector, photos }, onProgress);
    return { ...description, before };
  }

  /**
   * @param {string} name
   * @param {{picture: Blob} | {row: Record<string, unknown>}} input
   * @returns {Promise<Float32Array>}
   */
  prepare(name, input) {
    return this.#call("prepare", { key: name, ...input });
  }

  /**
   * @param {string} name
   * @param {Blob} picture
   * @returns {Promise<import("./picture.js").Fitted>} x, and why it may be no digit
   */
  fit(name, picture) {
    return this.#call("fit", { key: name, picture });
  }

  /**
   * @param {string} name
   * @param {ArrayLike<number>} x
   * @returns {Promise<{h: Float64Array, z?: Float64Array, code?: number}>} NOT private
   */
  encode(name, x) {
    return this.#call("encode", { key: name, x });
  }

  /**
   * @param {string} name
   * @param {ArrayLike<number>} x
   * @param {number | null} label
   * @param {Settings} settings
   * @param {number} count
   * @returns {Promise<Rehearsals>}
   */
  rehearse(name, x, label, settings, count) {
    return this.#call("rehearse", { key: name, x, label, settings, count });
  }

  /**
   * @param {string} name
   * @param {number} id
   * @param {Settings} settings
   * @returns {Promise<Rehearsals>}
   */
  rescale(name, id, settings) {
    return this.#call("rescale", { key: name, id, settings });
  }

  /** @param {number} id */
  forget(id) {
    return this.#call("forget", { id });
  }

  /**
   * The one act that spends: checked, charged, drawn once, kept with its charge. Send exactly the text it gives. Where it
   * throws, nothing is charged.
   * @param {string} name
   * @param {ArrayLike<number>} x
   * @param {number | null} label
   * @param {Settings} settings
   * @param {string} [record] what the ledger calls the record
   * @param {{id: string, dataset: string}} [unsent] the message that is to carry it
   * @returns {Promise<string>}
   */
  async release(name, x, label, settings, record = "record", unsent) {
    const { room, ...cost } = await this.#call("cost", { key: name, x, label, settings });
    const key = this.ledger.spend({ record, ...cost, ...(unsent && { unsent }) }, room);
    try {
      const report = await this.#call("release", { key: name, x, label, settings });
      this.ledger.keep(key, report);
      return report;
    } catch (error) {
      this.ledger.cancel(key); // no draw has left this device
      throw error;
    }
  }

  close() {
    this.#worker.terminate();
  }
}
