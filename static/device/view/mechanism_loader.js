// Fetches mechanisms one after another, in the order they were asked for, each whole: so what is fetched when never
// depends on the record.

/** @typedef {Awaited<ReturnType<import("../client.js").Owner["load"]>>} Loaded */

export class MechanismLoader {
  /**
   * @param {import("../client.js").Owner} owner
   * @param {HTMLElement} progress a bar, shown while a large file comes
   * @param {(pending: number) => void} onPending how many files are still to come
   */
  constructor(owner, progress, onPending) {
    this.owner = owner;
    this.progress = progress;
    this.onPending = onPending;
    this.pending = 0;
    /** @type {Map<string, Loaded>} */
    this.loaded = new Map();
    /** @type {Map<string, Promise<Loaded>>} */
    this.loading = new Map();
    /** @type {Promise<unknown>} one after another */
    this.queue = Promise.resolve();
  }

  /**
   * A mechanism by its name, once.
   * @param {string} name
   * @param {import("../public_photos.js").PhotoFeatures} [photos] public ones, to find those nearest to a rehearsal
   * @returns {Promise<Loaded>}
   */
  load(name, photos) {
    const known = this.loading.get(name);
    if (known) return known;
    const loading = this.queue.then(() => this.#fetch(name, photos));
    this.queue = loading.catch(() => {});
    this.#waitFor(1);
    this.queue.then(() => this.#waitFor(-1));
    this.loading.set(name, loading);
    loading.catch(() => this.loading.delete(name)); // another try may succeed
    return loading;
  }

  /** @param {number} more */
  #waitFor(more) {
    this.pending += more;
    this.onPending(this.pending);
  }

  /** @param {string} name @param {import("../public_photos.js").PhotoFeatures} [photos] */
  async #fetch(name, photos) {
    const onProgress = (/** @type {number} */ done, /** @type {number} */ total) => {
      this.progress.hidden = total < 3e6 || done >= total;
      this.progress.textContent = `Loading the network: ${(done / 1e6).toFixed(0)} of ${(total / 1e6).toFixed(0)} MB`;
      this.progress.style.setProperty("--done", `${(100 * done) / total}%`);
    };
    const description = await this.owner.load(name, { collector: true, photos, onProgress });
    this.progress.hidden = true;
    this.loaded.set(name, description);
    return description;
  }
}
