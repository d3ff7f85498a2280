// Hands a message over until the collector says that it has it: always the same one, by the same id, never another draw.
// A socket that is down loses what is posted, and says nothing. The collector counts an id once. A report that was
// neither acknowledged nor forgotten when the page was closed goes out at the next visit, as it is.

const FIRST = 5_000; // milliseconds before it goes again
const LONGEST = 20_000;

/** @typedef {{id: string} & Record<string, any>} Message */

export class Delivery {
  /** The id of the message that is under way; "": none. */
  awaited = "";
  #timer = 0;

  /**
   * @param {{ledger: import("../budget.js").Ledger, datasets: string[], post: (kind: string, message: Message) => void,
   *   onWait: (seconds: number) => void, first?: number}} options
   *   onWait: told whenever a message goes again; first: milliseconds before that
   */
  constructor({ ledger, datasets, post, onWait, first = FIRST }) {
    this.ledger = ledger;
    this.datasets = datasets;
    this.post = post;
    this.onWait = onWait;
    this.first = first;
  }

  /** @param {string} kind @param {Message} message */
  send(kind, message) {
    this.awaited = message.id;
    this.#post(kind, message, this.first);
  }

  /** @param {string} kind @param {Message} message @param {number} wait */
  #post(kind, message, wait) {
    this.post(kind, message);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const longer = Math.min(2 * wait, Math.max(LONGEST, wait));
      this.onWait(longer / 1000);
      this.#post(kind, message, longer);
    }, wait);
  }

  /** What the collector has last. @param {string} id @returns {boolean} whether it is what was awaited */
  acknowledge(id) {
    if (!this.awaited || id !== this.awaited) return false;
    clearTimeout(this.#timer);
    this.awaited = "";
    this.ledger.delivered(id);
    return true;
  }

  /** Send the oldest report that an earlier visit drew and nobody acknowledged. One of just now may be under way in another tab. */
  resume() {
    if (this.awaited) return;
    const waiting = this.ledger.releases.find(({ unsent, report }) => unsent && report !== null && this.datasets.includes(unsent.dataset));
    if (!waiting?.unsent) return;
    const { unsent: { id }, report, time } = waiting;
    const left = Date.parse(time) + this.first - Date.now();
    clearTimeout(this.#timer);
    if (left > 0) this.#timer = setTimeout(() => this.resume(), left);
    else this.send("report", { id, report });
  }
}
