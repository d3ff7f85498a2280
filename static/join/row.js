// A row of an own table: loaded only by campaigns that ask for one. The form is made from the mechanism's own schema,
// and the row goes to the Worker and nowhere else.

import { toJson } from "../../device/report.js";
import { schemaForm } from "../../device/schema_form.js";
import { addStyle, element, radios } from "./forms.js";

/** A row and its label as one report (joint bits, or a pair of code and label), by the mechanism that the campaign brought. */
export class RowAnswer {
  /** @param {any} campaign @param {import("../../device/client.js").Owner} owner @param {any} about */
  constructor(campaign, owner, about) {
    this.campaign = campaign;
    this.owner = owner;
    this.about = about;
    this.name = nameOf(campaign);
  }

  /** @param {any} campaign @param {(done: number, total: number) => void} onProgress */
  static async load(campaign, onProgress) {
    const { Owner } = await import("../../device/client.js");
    const owner = new Owner();
    const about = await owner.load(nameOf(campaign), { onProgress });
    const digests = about.joint?.digests ?? [about.digest];
    if (about.digest !== campaign.question.fitted || !digests.includes(campaign.digest)) {
      throw new Error("The mechanism has changed; nothing is sent.");
    }
    return new RowAnswer(campaign, owner, about);
  }

  /** @param {{row: Record<string, unknown>, label: number}} value @param {number} count */
  async rehearse({ row, label }, count) {
    const x = await this.owner.prepare(this.name, { row });
    const { epsilon, mechanism, digest } = this.campaign;
    const { id, draws } = await this.owner.rehearse(this.name, x, label, { epsilon }, count);
    this.owner.forget(id);
    const payloads = draws.map(({ symbol, members, coordinate }) => ({
      ...(symbol ? { symbol: symbol.value, of: symbol.of } : { members: members ?? new Uint8Array() }),
      ...(coordinate === null ? {} : { coordinate }),
    }));
    return { words: payloads.map(words), bytes: toJson({ mechanism, digest }, { epsilon }, payloads[0]) };
  }

  /** @param {{row: Record<string, unknown>, label: number}} value */
  async release({ row, label }) {
    const x = await this.owner.prepare(this.name, { row });
    return this.owner.release(this.name, x, label, { epsilon: this.campaign.epsilon }, "me");
  }
}

const nameOf = (/** @type {{id: string}} */ { id }) => `campaign-${id}`;

/** A draw, short enough for eight of them. @param {any} payload */
function words({ symbol, of, members, coordinate }) {
  if (members) {
    const held = Array.from(members, (bit, i) => (bit ? i + 1 : 0)).filter(Boolean);
    return `{${held.slice(0, 3).join(", ")}${held.length > 3 ? ", …" : ""}}`;
  }
  const bits = Array.from({ length: Math.round(Math.log2(of)) }, (_, i) => ((symbol >> i) & 1 ? "●" : "○"));
  return `${bits.join("")} from ${coordinate + 1}`;
}

/**
 * @param {HTMLElement} place @param {any} campaign @param {() => void} onChange @param {RowAnswer} answer
 * @returns {import("./forms.js").Form}
 */
export function rowForm(place, { question: { target, classes } }, onChange, { about: { fields, preprocessor } }) {
  const box = element("div", { className: "row", oninput: onChange });
  const form = schemaForm(box, fields, preprocessor);
  form.fill({}); // a person's own row: what nobody said is not filled in for them
  const { labels, chosen } = radios(classes, onChange);
  const note = element("p", { className: "note" }, "All of it stays on this phone. What you leave out counts as the average.");
  const group = element("div", { role: "radiogroup", ariaLabel: target }, element("h2", {}, target), ...labels);
  addStyle();
  place.replaceChildren(note, box, group);
  return {
    value: async () => {
      const row = form.row();
      const isSaid = Object.values(row).some((value) => value !== "");
      const label = chosen();
      return label === null || !isSaid ? null : { row, label };
    },
  };
}
