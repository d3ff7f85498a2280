// A drawn digit: loaded only by campaigns that ask for one. The drawing goes to the Worker, and nowhere else.

import { toJson } from "../../device/report.js";
import { addStyle, element, radios } from "./forms.js";

/** A drawn digit and which it is: the pair (code, digit), by the mechanism's Worker, which alone holds the drawing. */
export class DigitAnswer {
  /** @param {any} campaign @param {import("../../device/client.js").Owner} owner */
  constructor(campaign, owner) {
    this.campaign = campaign;
    this.owner = owner;
    this.name = campaign.mechanism;
  }

  /** @param {any} campaign @param {(done: number, total: number) => void} onProgress */
  static async load(campaign, onProgress) {
    const { Owner } = await import("../../device/client.js");
    const owner = new Owner();
    const description = await owner.load(campaign.mechanism, { onProgress });
    if (description.digest !== campaign.digest) throw new Error("The mechanism has changed; nothing is sent.");
    return new DigitAnswer(campaign, owner);
  }

  /** @param {{picture: Blob, digit: number}} value */
  async parts({ picture, digit }) {
    return [await this.owner.prepare(this.name, { picture }), this.campaign.question.label ? digit : null];
  }

  /** @param {{picture: Blob, digit: number}} value @param {number} count */
  async rehearse(value, count) {
    const [x, label] = await this.parts(value);
    const { epsilon } = this.campaign;
    const { id, draws } = await this.owner.rehearse(this.name, x, label, { epsilon }, count);
    this.owner.forget(id);
    const { label: isSent } = this.campaign.question; // with it symbols are pairs (code, digit), else codes
    const words = draws.map(({ members }) => {
      const held = Array.from(members ?? [], (bit, i) => (bit ? (isSent ? i % 10 : i) : -1)).filter((each) => each >= 0);
      return `${isSent ? "" : "codes "}${[...new Set(held)].sort((a, b) => a - b).join(" ")}`;
    });
    return { words, bytes: toJson(this.campaign, { epsilon }, { members: draws[0].members ?? new Uint8Array() }) };
  }

  /** @param {{picture: Blob, digit: number}} value */
  async release(value) {
    const [x, label] = await this.parts(value);
    return this.owner.release(this.name, x, label, { epsilon: this.campaign.epsilon }, "me");
  }
}

/** @param {HTMLElement} place @param {any} campaign @param {() => void} onChange @returns {import("./forms.js").Form} */
export function digitForm(place, { question: { label } }, onChange) {
  const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", { width: 280, height: 280 }));
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Draw a digit here with a finger, or choose a picture below");
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const hint = element("span", {}, "Draw here with a finger");
  let drawn = false;
  /** @type {Blob | null} */
  let file = null;
  const clear = () => {
    Object.assign(pen, { fillStyle: "#000", strokeStyle: "#fff", lineWidth: 22, lineCap: "round", lineJoin: "round" });
    pen.fillRect(0, 0, 280, 280);
    [drawn, file, hint.hidden] = [false, null, false];
  };
  const at = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * 280) / box.width, ((event.clientY - box.top) * 280) / box.height];
  };
  canvas.onpointerdown = (event) => {
    if (file) clear();
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = at(event);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + 0.1, y);
    pen.stroke();
    [drawn, hint.hidden] = [true, true];
  };
  canvas.onpointermove = (event) => {
    if (!(event.buttons & 1)) return;
    const [x, y] = at(event);
    pen.lineTo(x, y);
    pen.stroke();
  };
  canvas.onpointerup = onChange;
  const again = element("button", { type: "button", onclick: () => { clear(); onChange(); } }, "Clear");
  const picture = element("input", { type: "file", accept: "image/*", onchange: async (/** @type {any} */ event) => {
    clear();
    const chosen = event.target.files[0] ?? null;
    event.target.value = ""; // the same file may be chosen again
    const bitmap = chosen && (await createImageBitmap(chosen).catch(() => null));
    if (bitmap) {
      const scale = 280 / Math.max(bitmap.width, bitmap.height);
      const [width, height] = [bitmap.width * scale, bitmap.height * scale];
      pen.drawImage(bitmap, (280 - width) / 2, (280 - height) / 2, width, height);
      file = chosen;
    }
    [hint.textContent, hint.hidden] = [chosen && !bitmap ? "That file is no picture" : "Draw here with a finger", bitmap !== null];
    onChange();
  } });
  const { labels, chosen } = radios(Array.from({ length: 10 }, (_, i) => String(i)), onChange);
  clear();
  const which = element("div", { role: "radiogroup", ariaLabel: "Which digit is it?" }, element("h2", {}, "Which digit is it?"),
    element("div", { className: "digits" }, ...labels));
  const tools = element("div", { className: "tools" }, again, element("label", { className: "file" }, "Choose a picture", picture));
  addStyle();
  place.replaceChildren(element("div", { className: "pad" }, canvas, hint), tools, ...(label ? [which] : []));
  return {
    value: async () => {
      const digit = label ? chosen() : 0;
      if (digit === null || !(drawn || file)) return null;
      const blob = file ?? (await new Promise((resolve) => canvas.toBlob(resolve, "image/png")));
      return { picture: /** @type {Blob} */ (blob), digit };
    },
  };
}
