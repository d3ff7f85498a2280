// What a person answers with: options, a number, a drawing. Each form gives its value, or null while there is none.

/** @typedef {{value: () => Promise<any>}} Form */

/** @param {string} tag @param {Record<string, any>} fields @param {...(Node | string)} children */
function element(tag, fields, ...children) {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

/** @param {string[]} names @param {() => void} onChange */
function radios(names, onChange) {
  const inputs = names.map((_, i) => element("input", { type: "radio", name: "answer", value: String(i), onchange: onChange }));
  const labels = inputs.map((input, i) => element("label", { className: "choice" }, input, names[i]));
  const chosen = () => {
    const at = inputs.findIndex((input) => /** @type {HTMLInputElement} */ (input).checked);
    return at < 0 ? null : at;
  };
  return { labels, chosen };
}

/** @param {HTMLElement} place @param {any} campaign @param {() => void} onChange @returns {Form} */
export function optionsForm(place, campaign, onChange) {
  const { labels, chosen } = radios(campaign.question.answers, onChange);
  place.replaceChildren(...labels);
  return { value: async () => chosen() };
}

/** @param {HTMLElement} place @param {any} campaign @param {() => void} onChange @returns {Form} */
export function numberForm(place, { question: { low, high, unit, text } }, onChange) {
  const input = /** @type {HTMLInputElement} */ (element("input", {
    type: "number", min: low, max: high, step: "any", inputMode: "decimal", ariaLabel: text, oninput: onChange,
  }));
  place.replaceChildren(input, element("p", {}, `From ${low} to ${high} ${unit}`.trim()));
  const inside = (/** @type {number} */ value) => value >= low && value <= high;
  return { value: async () => (input.value !== "" && inside(input.valueAsNumber) ? input.valueAsNumber : null) };
}

/** @param {HTMLElement} place @param {any} campaign @param {() => void} onChange @returns {Form} */
export function digitForm(place, { question: { label } }, onChange) {
  const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", { width: 280, height: 280 }));
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Draw a digit here with a finger, or choose a picture below");
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let drawn = false;
  /** @type {Blob | null} */
  let file = null;
  const clear = () => {
    Object.assign(pen, { fillStyle: "#000", strokeStyle: "#fff", lineWidth: 22, lineCap: "round", lineJoin: "round" });
    pen.fillRect(0, 0, 280, 280);
    [drawn, file] = [false, null];
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
    drawn = true;
  };
  canvas.onpointermove = (event) => {
    if (!(event.buttons & 1)) return;
    const [x, y] = at(event);
    pen.lineTo(x, y);
    pen.stroke();
  };
  canvas.onpointerup = onChange;
  const again = element("button", { type: "button", onclick: () => { clear(); onChange(); } }, "Clear");
  const picture = element("input", { type: "file", accept: "image/*", onchange: (/** @type {any} */ event) => {
    clear();
    file = event.target.files[0] ?? null;
    onChange();
  } });
  const { labels, chosen } = radios(Array.from({ length: 10 }, (_, i) => String(i)), onChange);
  clear();
  const which = element("div", { className: "digits", role: "group", ariaLabel: "Which digit is it?" }, ...labels);
  place.replaceChildren(canvas, again, element("label", {}, " or a picture: ", picture), ...(label ? [which] : []));
  return {
    value: async () => {
      const digit = label ? chosen() : 0;
      if (digit === null || !(drawn || file)) return null;
      const blob = file ?? (await new Promise((resolve) => canvas.toBlob(resolve, "image/png")));
      return { picture: /** @type {Blob} */ (blob), digit };
    },
  };
}
