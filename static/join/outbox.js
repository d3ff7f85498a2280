// Reports that were drawn and must go out exactly as they are: kept on the device until the server has them.
// A lost connection sends the same bytes with the same nonce again; the server counts a nonce once.

import { isWorthAnother, secondsToWait, sleep } from "./patience.js";

const PREFIX = "rlm-campaign/1/";

/** @typedef {{nonce: string, report: string, acknowledged: boolean, since?: number}} Letter */
/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Store */

const CLAIM = ""; // instead of a report: a place that is taken while one is drawn
const LONGEST_DRAW = 120_000; // milliseconds; a claim that is older is of a tab that died over it

/** Exactly what is sent of a letter. @param {Letter} letter */
export const envelope = ({ nonce, report }) => `{"nonce":"${nonce}","report":${report}}`;

export class Outbox {
  /** @param {string} campaign @param {Store} [storage] */
  constructor(campaign, storage = localStorage) {
    this.campaign = campaign;
    this.storage = storage;
    this.prefix = `${PREFIX}${campaign}/`;
  }

  /** @returns {Letter[]} places that are taken: reports, and claims of tabs that are drawing */
  get places() {
    const keys = Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i) ?? "");
    const places = keys.filter((key) => key.startsWith(this.prefix)).map((key) => JSON.parse(this.storage.getItem(key) ?? ""));
    return places.filter(({ report, since }) => report !== CLAIM || Math.abs(Date.now() - since) < LONGEST_DRAW);
  }

  /** @returns {Letter[]} */
  get letters() {
    return this.places.filter((place) => place.report !== CLAIM);
  }

  /** A drawn report that the server has not acknowledged. */
  get waiting() {
    return this.letters.find((letter) => !letter.acknowledged) ?? null;
  }

  /**
   * Take a place before anything is drawn. Counted with the own claim in place, so of two tabs at most one goes on.
   * @param {number} most reports that this device may send
   * @returns {Letter}
   */
  claim(most) {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
    const place = this.save({ nonce, report: CLAIM, acknowledged: false, since: Date.now() });
    if (this.places.length <= most) return place;
    this.leave(place);
    throw new Error("This browser has sent its reports already, in another tab.");
  }

  /**
   * The drawn report takes the claimed place; not if that took so long that another tab may have taken it.
   * @param {Letter} place @param {string} report
   * @returns {Letter}
   */
  fill({ nonce }, report) {
    if (!this.places.some((place) => place.nonce === nonce)) throw new Error("Drawing took too long, so nothing was sent.");
    return this.save({ nonce, report, acknowledged: false });
  }

  /** Nothing goes out: the place is free again. @param {Letter} place */
  leave(place) {
    this.storage.removeItem(this.prefix + place.nonce);
  }

  /** @param {Letter} letter */
  save(letter) {
    this.storage.setItem(this.prefix + letter.nonce, JSON.stringify(letter));
    return letter;
  }

  /**
   * Send until the server has it; `onWait` is told why it is not there yet. Throws what no repetition can cure.
   * @param {Letter} letter
   * @param {(reason: string, seconds: number) => void} onWait
   */
  async deliver(letter, onWait) {
    const body = envelope(letter);
    for (let tries = 0; ; tries++) {
      const answer = await fetch(new URL(`../../api/campaigns/${this.campaign}/reports`, import.meta.url), {
        method: "POST", body, headers: { "content-type": "application/json" }, credentials: "omit", cache: "no-store",
      }).catch(() => null);
      if (answer?.ok) {
        try {
          this.save({ ...letter, acknowledged: true });
        } catch { /* a full storage keeps it as it was: it goes again at the next visit, and counts once */ }
        return;
      }
      if (answer && !isWorthAnother(answer)) {
        const { error } = await answer.json().catch(() => ({ error: `status ${answer.status}` }));
        throw new Error(error);
      }
      const seconds = secondsToWait(answer, tries);
      onWait(answer ? "The server is busy." : "There is no connection.", Math.ceil(seconds));
      await sleep(seconds);
    }
  }
}
