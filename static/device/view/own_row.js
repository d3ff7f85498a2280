// One row of the visitor's own table, privatised here by the mechanism that was just fitted to it. Left the form, made
// from the schema, with rehearsals that never leave and the one act that spends; right what Python made of what came.
//
//   const row = await OwnRow.open(offer, post)      post({id, report}) hands over to the server
//   parent.append(row.root); row.received(data)

import { Owner } from "../client.js";
import { schemaForm } from "../schema_form.js";
import { hex } from "../sha256.js";
import { Delivery } from "./delivery.js";
import { bars, choice, element, slider, written } from "./elements.js";
import { waitingWords } from "./words.js";

const COUNT = 8;
/**
 * @typedef {object} Offer
 * @property {string} mechanism its address, from /device/mechanisms/ on
 * @property {string} label what the label is called
 * @property {{value: number, odds: string}[]} epsilons
 * @property {number} start the position of ε at first
 * @property {{row: Record<string, any>, label: string}[]} examples public rows
 */

export class OwnRow {
  /** @param {Offer} offer @param {(value: any) => void} post */
  static async open(offer, post) {
    const owner = new Owner();
    return new OwnRow(offer, post, owner, await owner.load(offer.mechanism));
  }

  /** @param {Offer} offer @param {(value: any) => void} post @param {Owner} owner @param {any} about */
  constructor(offer, post, owner, about) {
    this.offer = offer;
    this.post = post;
    this.owner = owner;
    this.about = about;
    this.at = offer.start;
    this.label = 0;
    this.drawing = false;
    this.updates = 0;
    this.rehearsed = /** @type {number | null} */ (null);
    this.x = /** @type {Float32Array | undefined} */ (undefined);
    this.form = /** @type {any} */ (null);
    this.labels = /** @type {any} */ (null);
    this.eps = /** @type {any} */ (null);
    this.delivery = new Delivery({ ledger: owner.ledger, datasets: [], // nothing to resume: this mechanism ends with the visit
      post: (_, message) => { if (this.root.isConnected) this.post(message); }, // another page is shown: later
      onWait: (seconds) => { this.message.textContent = waitingWords(seconds); } });
    this.#build();
    this.#fill(0);
  }

  /** Whether a report is being drawn or is on its way. */
  get sending() { return Boolean(this.drawing || this.delivery.awaited); }

  get epsilon() { return this.offer.epsilons[this.at].value; }

  #build() {
    const { classes, fields, preprocessor } = this.about;
    const formBox = element("div", { class: "own-form", oninput: () => this.#changed() });
    this.form = schemaForm(formBox, fields, preprocessor);
    this.labels = choice(this.offer.label, [
      ...classes.map((/** @type {string} */ words, /** @type {number} */ value) => ({ value, words })), { value: null, words: "not sent" },
    ], (value) => { this.label = value; this.#changed(); });
    this.examples = element("select", { "aria-label": "Example row", onchange: () => this.#fill(Number(this.examples.value)) },
      ...this.offer.examples.map(({ label }, i) => element("option", { value: i }, `public row ${i + 1}: ${label}`)));
    this.eps = slider({ name: "epsilon, the privacy budget of this report", min: 0, max: this.offer.epsilons.length - 1, step: 1, className: "eps" },
      (at) => { this.at = at; this.#rescale(); });
    this.draws = element("ul", { class: "own-draws" });
    this.send = element("button", { type: "button", class: "send", onclick: () => this.#send() });
    this.message = element("p", { class: "message", role: "alert" });
    this.ledger = element("p", { class: "note ledger-line" });
    this.bytes = element("strong", {}, "0 bytes");
    this.collector = element("section", { class: "side collector", "aria-label": "The collector: this server" });
    const again = element("button", { type: "button", class: "plain", onclick: () => this.#changed() }, "Again");
    const own = element("section", { class: "side owner", "aria-label": "Your device: this browser" },
      element("h2", {}, "Your device — this browser"),
      element("div", { class: "own-tools" },
        element("label", {}, element("span", { class: "cap" }, "Start from"), this.examples),
        element("div", {}, element("div", { class: "cap" }, `${this.offer.label} (the label)`), this.labels.box)),
      formBox, this.eps.box,
      element("div", { class: "rehearsing" }, element("h3", {}, "Rehearsals"),
        element("span", { class: "note" }, "eight reports that you could send. Nothing has left."), again),
      this.draws, element("div", { class: "sending" }, this.send), this.message, this.ledger);
    const wall = element("div", { class: "wall", role: "separator", "aria-label": "privacy boundary" },
      element("span", {}, "privacy boundary"), element("em", {}, this.bytes, " crossed"));
    this.root = element("div", { class: "sides" }, own, wall, this.collector);
  }

  /** @param {number} at */
  #fill(at) {
    const example = this.offer.examples[at];
    if (example) {
      this.form.fill(example.row);
      this.label = this.about.classes.indexOf(example.label);
      this.labels.show(this.label);
    }
    this.#changed();
  }

  /** The row or its label changed: eight rehearsals anew. */
  async #changed() {
    const update = ++this.updates;
    try {
      const x = await this.owner.prepare(this.offer.mechanism, { row: this.form.row() });
      const found = await this.owner.rehearse(this.offer.mechanism, x, this.label, { epsilon: this.epsilon }, COUNT);
      if (update !== this.updates) return void this.owner.forget(found.id);
      if (this.rehearsed !== null) this.owner.forget(this.rehearsed);
      [this.x, this.rehearsed] = [x, found.id];
      this.#show(found.draws);
      this.message.textContent = "";
    } catch (error) {
      this.x = undefined;
      this.message.textContent = /** @type {Error} */ (error).message;
    }
    this.#describe();
  }

  /** ε moved: the same chance at another ε. */
  async #rescale() {
    this.#describe();
    if (this.rehearsed === null || !this.x) return;
    const found = await this.owner.rescale(this.offer.mechanism, this.rehearsed, { epsilon: this.epsilon });
    if (found.id === this.rehearsed) this.#show(found.draws);
  }

  /** @param {any[]} draws */
  #show(draws) {
    this.draws.replaceChildren(...draws.map((draw) => element("li", {}, ...described(draw, this.about.classes, this.label !== null))));
  }

  #describe() {
    const { odds } = this.offer.epsilons[this.at];
    this.eps.show(this.at, ["Privacy budget ", element("b", {}, `ε = ${written(this.epsilon)}`), ` · ${odds}`], `${written(this.epsilon)}. ${odds}`);
    this.send.textContent = this.sending ? "Sending …" : `Send one report (spends ε = ${written(this.epsilon)})`;
    this.send.disabled = this.sending || !this.x;
    const { releases } = this.owner.ledger;
    this.ledger.textContent = releases.length ? `This browser has sent ${releases.length === 1 ? "one report" : `${releases.length} reports`} about this row, ε = ${written(this.owner.ledger.spent("my row"))} in all.` : "";
  }

  /** Charge, draw once, keep, hand over exactly that, until it is there. */
  async #send() {
    if (this.sending || !this.x) return;
    this.drawing = true;
    this.#describe();
    try {
      const report = await this.owner.release(this.offer.mechanism, this.x, this.label, { epsilon: this.epsilon }, "my row");
      this.delivery.send("report", { id: hex(crypto.getRandomValues(new Uint8Array(8))), report });
    } catch (error) {
      this.message.textContent = /** @type {Error} */ (error).message;
    }
    this.drawing = false;
    this.#describe();
  }

  /** What Python says after every run. @param {{html: string, bytes: number, last: string, problem: string}} data */
  received(data) {
    this.collector.innerHTML = data.html; // ours: everything from outside is escaped in Python
    this.bytes.textContent = `${data.bytes.toLocaleString("en")} bytes`;
    if (this.delivery.acknowledge(data.last)) this.message.textContent = data.problem;
    this.#describe();
  }
}

/**
 * What would be sent, in short.
 * @param {any} draw @param {string[]} classes @param {boolean} labelled whether a label goes along
 */
function described({ symbol, members, numbers, coordinate }, classes, labelled) {
  if (symbol) {
    const bits = Array.from({ length: Math.round(Math.log2(symbol.of)) }, (_, i) => ((symbol.value >> i) & 1 ? "●" : "○"));
    return [element("b", { title: "● a bit that is said to agree with the label" }, bits.join("")), `from direction ${coordinate + 1}`];
  }
  if (members) {
    const count = members.reduce((/** @type {number} */ sum, /** @type {number} */ bit) => sum + bit, 0);
    if (count === 1 && coordinate === null) {
      const only = members.indexOf(1);
      const code = labelled ? Math.floor(only / classes.length) : only;
      return [element("b", {}, `group ${code + 1}`), labelled ? classes[only % classes.length] : ""];
    }
    const thing = coordinate === null ? (labelled ? "pairs of group and label" : "groups") : `symbols, direction ${coordinate + 1}`;
    return [element("b", {}, String(count)), `of ${members.length} ${thing}`];
  }
  const box = element("div", { class: "bars" });
  bars(box, numbers, Math.max(...Array.from(numbers, Math.abs), 1e-9));
  return [box];
}
