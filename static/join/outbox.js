// Reports that were drawn and must go out exactly as they are: kept on the device until the server has them.
// A lost connection sends the same bytes with the same nonce again; the server counts a nonce once.

const PREFIX = "rlm-campaign/1/";
const PAUSE = 2; // seconds, where the server names none

/** @typedef {{nonce: string, report: string, acknowledged: boolean}} Letter */

export class Outbox {
  /** @param {string} campaign @param {Pick<Storage, "getItem" | "setItem" | "key" | "length">} [storage] */
  constructor(campaign, storage = localStorage) {
    this.campaign = campaign;
    this.storage = storage;
    this.prefix = `${PREFIX}${campaign}/`;
  }

  /** @returns {Letter[]} */
  get letters() {
    const keys = Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i) ?? "");
    return keys.filter((key) => key.startsWith(this.prefix)).map((key) => JSON.parse(this.storage.getItem(key) ?? ""));
  }

  /** A drawn report that the server has not acknowledged. */
  get waiting() {
    return this.letters.find((letter) => !letter.acknowledged) ?? null;
  }

  /** @param {string} report @returns {Letter} */
  put(report) {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
    return this.save({ nonce, report, acknowledged: false });
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
    const body = `{"nonce":"${letter.nonce}","report":${letter.report}}`;
    for (;;) {
      const answer = await fetch(new URL(`../../api/campaigns/${this.campaign}/reports`, import.meta.url), {
        method: "POST", body, headers: { "content-type": "application/json" }, credentials: "omit", cache: "no-store",
      }).catch(() => null);
      if (answer?.ok) return this.save({ ...letter, acknowledged: true });
      if (answer && ![429, 500, 502, 503, 504].includes(answer.status)) {
        const { error } = await answer.json().catch(() => ({ error: `status ${answer.status}` }));
        throw new Error(error);
      }
      const seconds = Number(answer?.headers.get("retry-after")) || PAUSE;
      const reason = answer ? "The server is busy." : "There is no connection.";
      onWait(reason, seconds);
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    }
  }
}
