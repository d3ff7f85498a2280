// How an answer leaves this device: rehearse as often as you like, release once.
// The randomness is the browser's (static/device/randomness.js); a rehearsal uses it too, and is never sent.

import { systemBytes } from "../../device/randomness.js";
import { toJson } from "../../device/report.js";
import { symbolName } from "./forms.js";

/** One of k answers, or a number as one of k + 1 levels: one symbol, by k-RR or subset selection. */
export class SymbolAnswer {
  /** @param {any} campaign its description, as the server gives it @param {any} channel k-RR or subset selection */
  constructor(campaign, channel) {
    this.campaign = campaign;
    this.channel = channel;
  }

  /** Fetches the one channel that the campaign needs. @param {any} campaign */
  static async load(campaign) {
    const { epsilon, symbols, payload, subset } = campaign;
    if (payload === "symbol") {
      const { RandomisedResponse } = await import("../../device/labels.js");
      return new SymbolAnswer(campaign, new RandomisedResponse({ epsilon, classes: symbols }));
    }
    const { SubsetSelection } = await import("../../device/subset_selection.js");
    const channel = new SubsetSelection({ epsilon, symbols });
    if (channel.size !== subset) {
      throw new Error("This phone computes another size of the set than the campaign says; nothing is sent.");
    }
    return new SymbolAnswer(campaign, channel);
  }

  /**
   * The symbol of an answer: itself, or the level of a number, rounded up or down at random so that it is right on
   * average. The guarantee is the channel's, whatever this gives.
   * @param {number} value
   */
  symbol(value) {
    const { question, symbols } = this.campaign;
    if (question.kind !== "number") return value;
    const share = Math.min(1, Math.max(0, (value - question.low) / (question.high - question.low)));
    const place = share * (symbols - 1);
    const below = Math.min(Math.floor(place), symbols - 2);
    const view = new DataView(systemBytes(4).buffer);
    return below + (view.getUint32(0) / 2 ** 32 < place - below ? 1 : 0);
  }

  /** @param {number} value */
  payload(value) {
    const drawn = this.channel.privatiseWith(systemBytes, this.symbol(value));
    return typeof drawn === "number" ? { symbol: drawn, of: this.campaign.symbols } : { members: drawn };
  }

  /** @param {any} payload what a draw says, in the reader's words */
  words(payload) {
    const name = (/** @type {number} */ symbol) => symbolName(this.campaign, symbol);
    if ("symbol" in payload) return name(payload.symbol);
    return Array.from(payload.members, (bit, i) => (bit ? name(i) : "")).filter(Boolean).join(" or ");
  }

  /** @param {number} value @param {number} count */
  async rehearse(value, count) {
    const draws = Array.from({ length: count }, () => this.payload(value));
    return { words: draws.map((draw) => this.words(draw)), bytes: this.json(draws[0]), own: this.campaign.question.answers?.[value] };
  }

  /**
   * Charge, draw once, keep: what is sent is exactly this text.
   * @param {number} value
   * @param {import("../../device/budget.js").Ledger} ledger
   */
  async release(value, ledger) {
    const { mechanism, epsilon } = this.campaign;
    this.channel.check(this.symbol(value)); // what is wrong is said before anything is spent
    const key = ledger.spend({ record: "me", mechanism, epsilon_x: epsilon, epsilon_y: 0 });
    const report = this.json(this.payload(value));
    ledger.keep(key, report);
    return report;
  }

  /** @param {any} payload */
  json(payload) {
    return toJson(this.campaign, { epsilon: this.campaign.epsilon }, payload);
  }
}
