// The two sides of the privacy boundary on one screen. Left, here: the record, the sliders, rehearsals that never leave,
// and the one act that spends. Right: what Python made of the reports that arrived. Between them, the bytes that crossed.
//
//   const sides = new TwoSides(offer, post)      post("report", {...}) hands over to the server
//   parent.append(sides.root); sides.received(data)

import { Budget } from "../budget.js";
import { Owner } from "../client.js";
import { hex, sha256 } from "../sha256.js";
import { choice, element, slider, write, written } from "./elements.js";
import { pictures, pictureSource } from "./picture_source.js";
import { PixelObserver } from "./pixel_observer.js";
import { COUNT, pictureRehearsals, representation, spoken } from "./rehearsals.js";
import { rowRehearsals, rowSource } from "./row_source.js";
import { fromAddress, remember, rememberedPosition, toAddress } from "./settings.js";

const LANES = { pixels: "Noise on every pixel", numbers: "Numbers with noise", codes: "Codes" };
const LANE_TITLES = {
  pixels: "Laplace noise on every pixel: nothing is learnt",
  numbers: "the paper’s mechanism: a few numbers, with Laplace noise (V-RLM, C-RLM)",
  codes: "one symbol for code and label, in a random set (Q-RLM)",
};

export class TwoSides {
  /** @param {any} offer @param {(kind: string, value: any) => void} post */
  constructor(offer, post) {
    for (const each of offer.epsilons) each.value ??= Infinity;
    this.offer = offer;
    this.post = post;
    this.owner = new Owner();
    this.chosen = fromAddress(offer);
    remember(this.epsilon);
    /** @type {{x: Float32Array, label: number | null | undefined, name: string} | null} */
    this.record = null;
    this.rehearsals = /** @type {number | null} */ (null);
    this.wanted = "";
    this.running = false;
    this.loaded = new Map(); // name to description
    this.loading = new Map(); // name to a promise of it
    this.queue = Promise.resolve(); // one after another
    this.updates = 0;
    this.#build();
    this.#openDataset();
  }

  get epsilon() { return this.offer.epsilons[this.chosen.eps].value; }
  get about() { return this.offer.datasets[this.chosen.data]; }
  get mechanism() {
    const own = this.chosen.mech === "numbers" && this.about.networks.find((/** @type {any} */ each) => each.name === this.network);
    return own || this.about.lanes[this.chosen.mech][this.chosen.eps];
  }

  /** ε and λ as the release takes them, with the label that is then sent. */
  get settings() {
    const said = this.record?.label ?? null;
    const label = this.chosen.lam === 1 && this.chosen.mech !== "codes" ? null : said;
    const lam = label === null || this.chosen.mech === "codes" ? null : this.chosen.lam;
    return { label, settings: { epsilon: this.epsilon, lam } };
  }

  #build() {
    const { datasets } = this.offer;
    this.source = element("div", { class: "source-place" });
    this.tabs = element("div", { class: "tabs-place" });
    const sets = choice("Dataset", Object.entries(datasets).map(([value, { title }]) => ({ value, words: title })), (data) => {
      this.chosen.data = data;
      this.#openDataset();
    });
    sets.show(this.chosen.data);
    sets.box.hidden = Object.keys(datasets).length < 2;
    this.lanes = element("div", { class: "lanes-place" });
    this.eps = slider({ name: "epsilon, the privacy budget of one report", min: 0, max: this.offer.epsilons.length - 1, step: 1, className: "eps" },
      (at) => { this.chosen.eps = at; this.#moved(); });
    this.lam = slider({ name: "lambda, the share of epsilon for the record", min: 0.05, max: 1, step: 0.05, className: "lam" },
      (value) => { this.chosen.lam = Math.round(value * 20) / 20; this.#moved(); });
    for (const { input } of [this.eps, this.lam]) input.onchange = () => toAddress(this.offer, this.chosen);
    this.z = representation();
    this.progress = element("div", { class: "progress", role: "status", hidden: true });
    this.tilesPlace = element("div");
    this.again = element("button", { type: "button", class: "plain", onclick: () => this.refresh("record") }, "Again");
    this.send = element("button", { type: "button", class: "send", onclick: () => this.#send() });
    this.sendNote = element("p", { class: "note send-note" });
    this.message = element("p", { class: "message", role: "alert" });
    this.ledger = element("p", { class: "note ledger-line" });
    this.live = element("p", { class: "unseen", "aria-live": "polite" });
    this.server = element("input", { type: "checkbox", onchange: () => { this.#describe(); this.refresh("record"); } });
    this.serverWords = element("span");
    this.networks = element("select", { "aria-label": "Network for numbers", onchange: () => { this.network = this.networks.value; this.#moved(); } });
    this.networkNote = element("p", { class: "note" });
    this.there = /** @type {{id: string, resolve: (draws: any[]) => void, reject: (error: Error) => void} | null} */ (null);
    this.bytes = element("strong", {}, "0 bytes");
    this.collector = element("section", { class: "side collector", "aria-label": "The collector: this server" });
    const own = element("section", { class: "side owner", "aria-label": "Your device: this browser" },
      element("h2", {}, "Your device — this browser"),
      element("div", { class: "top" }, sets.box, this.tabs),
      element("div", { class: "bench" }, this.source,
        element("div", { class: "controls" }, this.lanes, this.eps.box, this.lam.box, this.z.box)),
      element("div", { class: "rehearsing" }, element("h3", {}, "Rehearsals"),
        element("span", { class: "note" }, "eight reports you could send, as a collector would read them. None of them leaves."), this.again),
      this.progress, this.tilesPlace,
      element("div", { class: "sending" }, this.send, this.sendNote), this.message, this.ledger,
      element("div", { class: "last" },
        this.offer.server === false ? null // a public demonstration takes no records
          : element("label", { class: "switch" }, this.server, this.serverWords),
        element("label", { class: "switch network" }, element("span", {}, "Network"), this.networks)),
      this.networkNote,
      this.live);
    const wall = element("div", { class: "wall", role: "separator", "aria-label": "privacy boundary" },
      element("span", {}, "privacy boundary"), element("em", {}, this.bytes, " crossed"));
    this.root = element("div", { class: "sides" }, own, wall, this.collector);
  }

  async #openDataset() {
    const { data } = this.chosen;
    if (!(this.chosen.mech in this.about.lanes)) this.chosen.mech = "numbers";
    const lanes = choice("Mechanism", Object.keys(this.about.lanes).map((value) => ({
      value, words: /** @type {any} */ (LANES)[value], title: `${/** @type {any} */ (LANES)[value]}: ${/** @type {any} */ (LANE_TITLES)[value]}`,
    })), (mech) => { this.chosen.mech = mech; toAddress(this.offer, this.chosen); this.#moved(); });
    lanes.show(this.chosen.mech);
    this.lanes.replaceChildren(lanes.box);
    this.network = "";
    this.networks.replaceChildren(element("option", { value: "" }, "automatic, by ε"),
      ...this.about.networks.map((/** @type {any} */ { name }) => element("option", { value: name }, name)));
    this.record = null;
    this.rehearsals = null;
    this.#describe();
    this.#countReports();
    this.#load(this.mechanism.name).catch((/** @type {unknown} */ error) => this.#complain(error));
    try {
      const answer = await fetch(new URL(`../samples/${data}.json`, import.meta.url));
      this.samples = await answer.json();
      if (data !== this.chosen.data) return;
      await this.#openSource(data);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** @param {string} data */
  async #openSource(data) {
    const onPick = (/** @type {any} */ picked, /** @type {string} */ name = "") => this.#pick(picked, name);
    if (this.about.record === "picture") {
      const side = data === "mnist" ? 28 : 32;
      const all = pictures(this.samples);
      const pixels = this.about.lanes.pixels[0].name;
      await this.#load(pixels);
      this.observer = new PixelObserver(all, this.samples.labels, this.samples.classes.length);
      this.tiles = pictureRehearsals(side, data !== "mnist");
      const made = pictureSource({ dataset: data, samples: this.samples, all, side, onPick,
        prepare: (picture) => this.owner.prepare(pixels, { picture }) });
      this.tabs.replaceChildren(made.tabs);
      this.source.replaceChildren(made.box);
    } else {
      const { name } = this.mechanism;
      const description = await this.#load(name);
      this.tiles = rowRehearsals(this.samples, () => this.loaded.get(this.mechanism.name)?.preprocessor ?? description.preprocessor, () => this.record?.x ?? []);
      const made = rowSource({ samples: this.samples, preprocessor: description.preprocessor, onPick,
        prepare: (row) => this.owner.prepare(name, { row }) });
      this.tabs.replaceChildren(made.tabs);
      this.source.replaceChildren(made.box);
    }
    this.tilesPlace.replaceChildren(this.tiles.box);
  }

  /** @param {any} picked @param {string} name */
  #pick(picked, name) {
    const bytes = picked && new Uint8Array(picked.x.buffer, picked.x.byteOffset, picked.x.byteLength);
    this.record = picked && { ...picked, name: name || hex(sha256(bytes)).slice(0, 16) };
    this.#describe();
    this.#countReports();
    if (picked) this.refresh("record");
    else this.tiles?.box.classList.add("none");
  }

  #moved() {
    remember(this.epsilon);
    this.#describe();
    this.refresh("settings");
    this.#loadAll();
  }

  /** Whoever moves ε will pass other positions: what they need is fetched whole, the nearest first, whatever the record. */
  #loadAll() {
    const at = this.chosen.eps;
    const lane = this.about.lanes[this.chosen.mech].map((/** @type {any} */ { name }, /** @type {number} */ i) => ({ name, far: Math.abs(i - at) }));
    lane.sort((/** @type {any} */ a, /** @type {any} */ b) => a.far - b.far);
    for (const { name } of [this.mechanism, ...(this.network ? [] : lane)]) {
      this.#load(name).catch((/** @type {unknown} */ error) => this.#complain(error));
    }
  }

  /** The words beside every control: what it does now. */
  #describe() {
    const { value, word, odds } = this.offer.epsilons[this.chosen.eps];
    const { lam, mech } = this.chosen;
    const thing = this.about.record;
    this.eps.show(this.chosen.eps, [element("b", {}, `ε = ${written(value)}`), ` ${word}. ${odds}`], `epsilon ${written(value)}, ${word}: ${odds}`);
    const off = mech === "codes" || this.record?.label === null;
    const why = mech === "codes" ? `λ has nothing to divide: code and label leave as one symbol of ${this.mechanism.k} codes × ${this.samples?.classes.length ?? ""} labels, with all of ε`
      : this.record?.label === null ? `no label is sent: all of ε goes to the ${thing}`
      : lam === 1 ? `λ = 1: all of ε for the ${thing}; the label is not sent`
      : `λ = ${lam.toFixed(2)} of it for the ${thing}, the rest for the label`;
    this.lam.show(lam, [why], why);
    this.lam.input.disabled = off;
    this.lam.box.classList.toggle("off", off);
    this.networks.parentElement.hidden = mech !== "numbers";
    write(this.networkNote, mech === "numbers" ? /** @type {any} */ (this.mechanism).note ?? "" : "");
    const ready = this.record && this.record.label !== undefined;
    this.send.disabled = !ready || value === Infinity || this.sending;
    write(this.send, value === Infinity ? "ε = ∞ can be rehearsed, not sent" : `Send one report · spends ε = ${written(value)}`);
    const server = this.server.checked;
    write(this.serverWords, `Compute on the server instead (${this.offer.device}): your ${thing} then travels there, also to rehearse`);
    write(this.sendNote, !this.record ? (thing === "picture" ? "Choose or draw a picture first." : "Complete the form first.")
      : this.record.label === undefined ? "To send it, say what it shows, or choose “no label”."
      : server ? `Your ${thing} itself will travel to this server, which rehearses and draws the report with the library.`
      : "The report is drawn afresh when you send it: it is none of these eight. The collector also learns ε, and whether a label came.");
    this.sendNote.classList.toggle("warn", server);
  }

  /** What was sent about this record, from the browser's own ledger. */
  #countReports() {
    const thing = this.about.record;
    const about = this.record ? this.owner.ledger.of(this.record.name) : [];
    this.ledger.textContent = about.length
      ? `About this ${thing}: ${about.length} sent, ε = ${written(this.owner.ledger.spent(this.record?.name ?? ""))} in total. This browser keeps count, reloads included; it knows of no other browser.`
      : `About this ${thing}: nothing sent so far.`;
  }

  /**
   * Fetch a mechanism once, after those that were asked for before: so what is fetched when never depends on the record.
   * @param {string} name
   */
  #load(name) {
    const known = this.loading.get(name);
    if (known) return known;
    const loading = this.queue.then(() => this.#fetch(name));
    this.queue = loading.catch(() => {});
    this.#waitingFor(1);
    this.queue.then(() => this.#waitingFor(-1));
    this.loading.set(name, loading);
    loading.catch(() => this.loading.delete(name)); // another try may succeed
    return loading;
  }

  /** How many files are still to come; tests and measurements wait for none. @param {number} more */
  #waitingFor(more) {
    this.pending = (this.pending ?? 0) + more;
    this.root.dataset.loading = String(this.pending);
  }

  /** @param {string} name */
  async #fetch(name) {
    const description = await this.owner.load(name, { collector: true, onProgress: (done, total) => {
      this.progress.hidden = total < 3e6 || done >= total;
      this.progress.textContent = `Loading the network: ${(done / 1e6).toFixed(0)} of ${(total / 1e6).toFixed(0)} MB`;
      this.progress.style.setProperty("--done", `${(100 * done) / total}%`);
    } });
    this.progress.hidden = true;
    this.loaded.set(name, description);
    return description;
  }

  /**
   * Show rehearsals for what is chosen now. While one answer is awaited, only the newest wish is remembered.
   * @param {"record" | "settings"} what "record": with new chance; "settings": the same chance
   */
  async refresh(what) {
    this.wanted = this.wanted === "record" ? "record" : what;
    if (this.running) return;
    this.running = true;
    while (this.wanted && this.record) {
      const wish = this.wanted;
      this.wanted = "";
      try {
        await this.#rehearse(wish);
      } catch (error) {
        this.#complain(error);
      }
    }
    this.running = false;
  }

  /** @param {string} wish */
  async #rehearse(wish) {
    const { name } = this.mechanism;
    const record = /** @type {NonNullable<typeof this.record>} */ (this.record);
    if (this.server.checked) return this.#rehearseThere(name, record);
    const description = await this.#load(name);
    const { label, settings } = this.settings;
    const fresh = wish === "record" || this.rehearsals === null || this.rehearsed !== `${record.name}/${label}`;
    if (fresh && this.rehearsals !== null) this.owner.forget(this.rehearsals);
    const { id, draws } = fresh
      ? await this.owner.rehearse(name, record.x, label, settings, COUNT)
      : await this.owner.rescale(name, /** @type {number} */ (this.rehearsals), settings);
    this.rehearsals = id;
    this.rehearsed = `${record.name}/${label}`;
    const key = `${name}/${record.name}`;
    if (this.encodedFor !== key && description.release !== "features") {
      this.encoded = await this.owner.encode(name, record.x);
      this.encodedFor = key;
    }
    this.#paint({ record, description, draws, settings });
  }

  /** The library on the server rehearses, because the switch says so. @param {string} name @param {any} record */
  async #rehearseThere(name, record) {
    const { label, settings } = this.settings;
    if (settings.epsilon === Infinity) throw new Error("ε = ∞ is rehearsed on your device only.");
    const id = hex(crypto.getRandomValues(new Uint8Array(8)));
    const draws = await new Promise((resolve, reject) => {
      this.there = { id, resolve, reject };
      this.post("rehearsal", { id, mechanism: name, x: Array.from(record.x), label, epsilon: settings.epsilon, lam: settings.lam });
    });
    this.#paint({ record, description: { release: "there" }, draws, settings });
  }

  /**
   * At the next frame; what is newer by then is shown instead. Meanwhile the Worker goes on.
   * @param {any} shown
   */
  #paint(shown) {
    if (!this.shown) requestAnimationFrame(() => {
      const { record, description, draws, settings } = this.shown;
      this.shown = null;
      if (record !== this.record && record.name !== this.record?.name) return;
      if (description.release === "features") this.#readPixels(draws, settings);
      this.#showRepresentation(record, description, draws);
      this.tiles.show(draws, this.samples.classes, record.label);
      write(this.message, "");
      this.updates += 1;
      this.root.dataset.updates = String(this.updates);
      this.#say(spoken(draws, this.samples.classes));
    });
    this.shown = shown;
  }

  /** @param {any[]} draws @param {{epsilon: number, lam: number | null}} settings */
  #readPixels(draws, { epsilon, lam }) {
    const budget = lam === null ? null : new Budget({ epsilon, lam });
    for (const draw of draws) {
      draw.decoded = draw.numbers;
      Object.assign(draw, this.observer?.read(draw.numbers, draw.label, budget ? budget.epsilonX : epsilon, budget ? budget.epsilonY : 0));
    }
  }

  /** @param {any} record @param {any} description @param {any[]} draws */
  #showRepresentation(record, description, draws) {
    if (description.release === "there") {
      this.z.say(`Your ${this.about.record} has travelled: the library on the server (${this.offer.device}) computed these eight.`);
    } else if (description.release === "features") {
      this.z.say(`All ${description.input_dim.toLocaleString("en")} pixels are sent, each with noise of its own. They share ε, so each gets very little of it.`);
    } else if (description.release === "codes") {
      const symbols = record.label === null ? `${description.latent_dim} codes` : `${description.latent_dim} × ${description.classes.length} pairs of a code and a label`;
      const size = draws[0].members.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
      const what = size === 1 ? "one" : `a random set of ${size}`;
      this.z.say(`Your ${this.about.record} has code ${this.encoded.code + 1} of ${description.latent_dim}. What would be sent is ${what} of the ${symbols}.`);
    } else this.z.numbers(this.encoded.z, draws[0].numbers, this.about.record);
  }

  /** @param {string} words once the slider has come to rest */
  #say(words) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { this.live.textContent = words; }, 700);
  }

  /** Charge, draw once, keep, hand over exactly that. */
  async #send() {
    if (this.sending || !this.record || this.record.label === undefined || this.epsilon === Infinity) return;
    this.sending = true;
    this.#describe();
    const { name } = this.mechanism;
    const { label, settings } = this.settings;
    const record = this.record;
    const id = hex(crypto.getRandomValues(new Uint8Array(8)));
    try {
      if (this.server.checked) {
        const budget = settings.lam === null ? null : new Budget({ epsilon: settings.epsilon, lam: settings.lam });
        this.owner.ledger.spend({ record: record.name, mechanism: name,
          epsilon_x: budget ? budget.epsilonX : settings.epsilon, epsilon_y: budget ? budget.epsilonY : 0 });
        this.post("record", { id, mechanism: name, x: Array.from(record.x), label, epsilon: settings.epsilon, lam: settings.lam });
      } else {
        const report = await this.owner.release(name, record.x, label, settings, record.name);
        this.post("report", { id, report });
      }
      this.awaited = id;
    } catch (error) {
      this.#complain(error);
      this.sending = false;
    }
    this.#describe();
  }

  /** The visitor is back from another page, where ε may have been moved. */
  returned() {
    const at = rememberedPosition(this.offer);
    if (at < 0 || at === this.chosen.eps) return;
    this.chosen.eps = at;
    this.#moved();
  }

  /** What Python says after every run. @param {{html: string, bytes: number, last: string, spoken: string, problem: string, rehearsed: any}} data */
  received(data) {
    this.collector.innerHTML = data.html; // ours: everything from outside is escaped in Python
    this.bytes.textContent = `${data.bytes.toLocaleString("en")} bytes`;
    if (this.there && data.rehearsed?.id === this.there.id) {
      const { resolve, reject } = this.there;
      this.there = null;
      if (data.rehearsed.problem) reject(new Error(data.rehearsed.problem));
      else resolve(data.rehearsed.draws);
    }
    if (this.awaited && data.last === this.awaited) {
      this.awaited = "";
      this.sending = false;
      this.#say(data.spoken);
      if (data.problem) this.message.textContent = data.problem;
    }
    this.#describe();
    this.#countReports();
  }

  /** @param {unknown} error */
  #complain(error) {
    this.message.textContent = error instanceof Error ? error.message : String(error);
  }
}
