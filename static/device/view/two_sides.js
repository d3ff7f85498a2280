// The two sides of the privacy boundary on one screen. Left, here: the record, the sliders, rehearsals that never leave,
// and the one act that spends. Right: what Python made of the reports that arrived. Between them, the bytes that crossed.
//
//   const sides = new TwoSides(offer, post)      post("report", {...}) hands over to the server
//   parent.append(sides.root); sides.received(data)

import { Budget } from "../budget.js";
import { Owner } from "../client.js";
import { hex, sha256 } from "../sha256.js";
import { Delivery } from "./delivery.js";
import { choice, element, write, written } from "./elements.js";
import { layout } from "./layout.js";
import { limits } from "./limits.js";
import { MechanismLoader } from "./mechanism_loader.js";
import { openPictures, openRows } from "./open_source.js";
import { COUNT, spoken } from "./rehearsals.js";
import { exampleInAddress, fromAddress, nameExample, remember, rememberedPosition, toAddress } from "./settings.js";
import { buttonWords, lamWords, ledgerWords, representationWords, sendWords, serverWords, waitingWords } from "./words.js";

const LANES = /** @type {Record<string, string>} */ ({ pixels: "Noise on every pixel", numbers: "Numbers with noise", codes: "Codes" });
const LANE_TITLES = /** @type {Record<string, string>} */ ({
  pixels: "Laplace noise on every pixel: nothing is learnt",
  numbers: "the paper’s mechanism: a few numbers, with Laplace noise (V-RLM, C-RLM)",
  codes: "one symbol for code and label, in a random set (Q-RLM)",
});

/** @typedef {{x: Float32Array, label: number | null | undefined, name: string}} OwnRecord  label null: none; undefined: not said yet */

export class TwoSides {
  /** @type {OwnRecord | null} */
  record = null;
  /** @type {import("./open_source.js").Opened | null} */
  opened = null;
  /** @type {{h: Float64Array, z?: Float64Array, code?: number} | null} */
  encoded = null;
  /** @type {any} what is to be painted at the next frame */
  shown = null;
  /** @type {number | null} */
  rehearsals = null;
  /** @type {{id: string, resolve: (draws: any[]) => void, reject: (error: Error) => void} | null} */
  there = null;
  network = "";
  rehearsed = "";
  encodedFor = "";
  wanted = "";
  running = false;
  opening = 0;
  drawing = ""; // what the button waits for
  saying = 0;
  updates = 0;

  /** @param {any} offer @param {(kind: string, value: any) => void} post */
  constructor(offer, post) {
    for (const each of offer.epsilons) each.value ??= Infinity;
    this.offer = offer;
    this.post = post;
    this.owner = new Owner();
    this.chosen = fromAddress(offer);
    remember(this.epsilon);
    this.parts = layout(offer, {
      dataset: (name) => { this.chosen.data = name; this.#openDataset(); },
      eps: (at) => { this.chosen.eps = at; this.#moved(); },
      lam: (value) => { this.chosen.lam = value; this.#moved(); },
      rest: () => toAddress(this.offer, this.chosen),
      again: () => this.refresh("record"),
      send: () => this.#send(),
      server: () => { this.#describe(); this.refresh("record"); },
      network: (name) => { this.network = name; this.#moved(); },
    });
    this.root = this.parts.root;
    this.delivery = new Delivery({ ledger: this.owner.ledger, datasets: Object.keys(offer.datasets),
      post: (kind, message) => {
        if (this.root.isConnected) this.post(kind, message); // another page is shown: later
        this.#describe();
      },
      onWait: (seconds) => write(this.parts.message, waitingWords(seconds)) });
    this.parts.datasets.show(this.chosen.data);
    this.loader = new MechanismLoader(this.owner, this.parts.progress, (pending) => { this.root.dataset.loading = String(pending); });
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

  /** Whether a report is being drawn or is on its way. */
  get sending() { return Boolean(this.drawing || this.delivery.awaited); }

  async #openDataset() {
    const { data } = this.chosen;
    const opening = ++this.opening; // what comes after another was opened is of no use
    if (!(this.chosen.mech in this.about.lanes)) this.chosen.mech = "numbers";
    const lanes = choice("Mechanism", Object.keys(this.about.lanes).map((value) => (
      { value, words: LANES[value], title: `${LANES[value]}: ${LANE_TITLES[value]}` }
    )), (mech) => { this.chosen.mech = mech; toAddress(this.offer, this.chosen); this.#moved(); });
    lanes.show(this.chosen.mech);
    this.parts.lanes.replaceChildren(lanes.box);
    this.network = "";
    this.parts.networks.replaceChildren(element("option", { value: "" }, "automatic, by ε"),
      ...this.about.networks.map((/** @type {any} */ { name }) => element("option", { value: name }, name)));
    this.record = this.rehearsals = this.opened = null;
    this.#describe();
    try {
      const answer = await fetch(new URL(`../samples/${data}.json`, import.meta.url));
      const samples = await answer.json();
      if (opening !== this.opening) return;
      const open = this.about.record === "picture" ? openPictures : openRows;
      const opened = await open({ dataset: data, samples, lanes: this.about.lanes, mechanism: this.mechanism.name, loader: this.loader, owner: this.owner,
        example: exampleInAddress(), onPick: (picked, example) => { if (opening === this.opening) this.#pick(picked, example); }, record: () => this.record,
        now: () => this.loader.loaded.get(this.mechanism.name) });
      if (opening !== this.opening) return;
      this.opened = opened;
      this.parts.tabs.replaceChildren(this.opened.tabs);
      this.parts.source.replaceChildren(this.opened.source);
      this.parts.tiles.replaceChildren(this.opened.tiles.box);
      write(this.parts.rehearsing, this.opened.explains);
      this.#load(this.mechanism.name).then(() => this.#showLimits(), (error) => this.#complain(error));
      this.opened.begin();
    } catch (error) {
      this.#complain(error);
    }
  }

  /** @param {{x: Float32Array, label: number | null | undefined} | null} picked @param {string} example which public one it is; "": none */
  #pick(picked, example) {
    const bytes = picked && new Uint8Array(picked.x.buffer, picked.x.byteOffset, picked.x.byteLength);
    this.record = picked && bytes && { ...picked, name: hex(sha256(bytes)).slice(0, 16) };
    nameExample(example);
    this.#describe();
    if (picked) this.refresh("record");
    else this.opened?.tiles.box.classList.add("none");
  }

  #moved() {
    remember(this.epsilon);
    this.#describe();
    this.#showLimits();
    this.refresh("settings");
    this.#loadAll();
  }

  /** @param {string} name */
  #load(name) {
    return this.loader.load(name, this.opened?.photos);
  }

  /** Whoever moves ε will pass other positions: what they need is fetched whole, the nearest first, whatever the record. */
  #loadAll() {
    const at = this.chosen.eps;
    const lane = this.about.lanes[this.chosen.mech].map((/** @type {any} */ { name }, /** @type {number} */ i) => ({ name, far: Math.abs(i - at) }));
    lane.sort((/** @type {any} */ a, /** @type {any} */ b) => a.far - b.far);
    for (const { name } of [this.mechanism, ...(this.network ? [] : lane)]) this.#load(name).catch((error) => this.#complain(error));
  }

  /** The words beside every control: what it does now. */
  #describe() {
    const { value, word, odds } = this.offer.epsilons[this.chosen.eps];
    const { lam, mech } = this.chosen;
    const { parts, record } = this;
    const thing = this.about.record;
    parts.eps.show(this.chosen.eps, [element("b", {}, `ε = ${written(value)}`), ` ${word}. ${odds}`], `epsilon ${written(value)}, ${word}: ${odds}`);
    const { words, off } = lamWords({ mech, lam, label: record?.label, thing, k: this.mechanism.k, classes: this.about.classes.length });
    parts.lam.show(lam, [words], words);
    parts.lam.input.disabled = off;
    parts.lam.box.classList.toggle("off", off);
    parts.network.hidden = mech !== "numbers";
    write(parts.networkNote, mech === "numbers" ? this.mechanism.note ?? "" : "");
    parts.send.disabled = !record || record.label === undefined || value === Infinity || this.sending;
    write(parts.send, buttonWords(value, this.drawing || (this.delivery.awaited && "Sending …")));
    const server = parts.server.checked;
    write(parts.serverWords, serverWords(this.offer.device, thing));
    write(parts.sendNote, sendWords({ ready: Boolean(record), label: record?.label, sendsLabel: this.settings.label !== null, thing, server }));
    parts.sendNote.classList.toggle("warn", server);
    const sent = record ? this.owner.ledger.of(record.name) : [];
    write(parts.ledger, ledgerWords(sent.length, record ? this.owner.ledger.spent(record.name) : 0, thing));
  }

  /** While nothing has arrived: the most that a report could tell. */
  #showLimits() {
    const place = this.parts.collector.querySelector(".could");
    const before = this.loader.loaded.get(this.mechanism.name)?.before ?? this.about.classes.map(() => 1 / this.about.classes.length);
    place?.replaceChildren(limits(this.about.classes, before, this.epsilon));
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
        await this.#rehearse(wish, this.record);
      } catch (error) {
        this.#complain(error);
      }
    }
    this.running = false;
  }

  /** @param {string} wish @param {OwnRecord} record */
  async #rehearse(wish, record) {
    const { name } = this.mechanism;
    if (this.parts.server.checked) return this.#rehearseThere(name, record);
    const { label, settings } = this.settings; // of now: another mechanism may be chosen while this one comes
    const description = await this.#load(name);
    const which = `${record.name}/${label}`;
    const kept = wish !== "record" && this.rehearsed === which ? this.rehearsals : null;
    if (kept === null && this.rehearsals !== null) this.owner.forget(this.rehearsals);
    const { id, draws } = kept === null
      ? await this.owner.rehearse(name, record.x, label, settings, COUNT)
      : await this.owner.rescale(name, kept, settings);
    [this.rehearsals, this.rehearsed] = [id, which];
    const key = `${name}/${record.name}`;
    if (this.encodedFor !== key && description.release !== "features") {
      this.encoded = await this.owner.encode(name, record.x);
      this.encodedFor = key;
    }
    this.#paint({ record, description, draws, settings });
  }

  /** The library on the server rehearses, because the switch says so. @param {string} name @param {OwnRecord} record */
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
      if (!this.opened || (record !== this.record && record.name !== this.record?.name)) return;
      if (description.release === "features") this.opened.readPixels?.(draws, settings);
      this.#showRepresentation(record, description, draws);
      this.opened.tiles.show(draws, this.about.classes, record.label);
      write(this.parts.message, "");
      this.updates += 1;
      this.root.dataset.updates = String(this.updates);
      this.#say(spoken(draws, this.about.classes));
    });
    this.shown = shown;
  }

  /** @param {OwnRecord} record @param {any} description @param {any[]} draws */
  #showRepresentation(record, description, draws) {
    const [{ z }, thing] = [this.parts, this.about.record];
    if (description.release === "there") z.say(`Your ${thing} has travelled: the library on the server (${this.offer.device}) computed these eight.`);
    else if (description.release === "numbers") z.numbers(this.encoded?.z ?? [], draws[0].numbers, thing);
    else {
      const size = draws[0].members?.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
      z.say(representationWords(description, this.encoded, size, record.label !== null, thing));
    }
  }

  /** @param {string} words once the slider has come to rest */
  #say(words) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { this.parts.live.textContent = words; }, 700);
  }

  /** Charge, draw once, keep, hand over exactly that, until it is there. */
  async #send() {
    const { record } = this;
    if (this.sending || !record || record.label === undefined || this.epsilon === Infinity) return;
    const { name } = this.mechanism;
    const { label, settings } = this.settings;
    const server = this.parts.server.checked;
    const dataset = this.chosen.data;
    const id = hex(crypto.getRandomValues(new Uint8Array(8)));
    this.drawing = server || this.loader.loaded.has(name) ? "Sending …" : "Loading the network, then sending …";
    this.#describe();
    try {
      if (server) {
        const budget = settings.lam === null ? null : new Budget({ epsilon: settings.epsilon, lam: settings.lam });
        this.owner.ledger.spend({ record: record.name, mechanism: name,
          epsilon_x: budget ? budget.epsilonX : settings.epsilon, epsilon_y: budget ? budget.epsilonY : 0 });
        this.delivery.send("record", { id, mechanism: name, x: Array.from(record.x), label, epsilon: settings.epsilon, lam: settings.lam });
      } else {
        await this.#load(name);
        const report = await this.owner.release(name, record.x, label, settings, record.name, { id, dataset });
        this.delivery.send("report", { id, report });
      }
    } catch (error) {
      this.#complain(error);
    }
    this.drawing = "";
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
    this.parts.collector.innerHTML = data.html; // ours: everything from outside is escaped in Python
    this.parts.bytes.textContent = `${data.bytes.toLocaleString("en")} bytes`;
    if (this.there && data.rehearsed?.id === this.there.id) {
      const { resolve, reject } = this.there;
      this.there = null;
      if (data.rehearsed.problem) reject(new Error(data.rehearsed.problem));
      else resolve(data.rehearsed.draws);
    }
    if (this.delivery.acknowledge(data.last)) {
      this.#say(data.spoken);
      this.parts.message.textContent = data.problem;
    }
    this.delivery.resume(); // what an earlier visit drew, and nobody has
    this.#describe();
    this.#showLimits();
  }

  /** @param {unknown} error */
  #complain(error) {
    this.parts.message.textContent = error instanceof Error ? error.message : String(error);
  }
}
