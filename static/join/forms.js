// What a person answers with: options, a number (a drawing: digit.js). Each form gives its value, or null while there is none.

/** @typedef {{value: () => Promise<any>}} Form */

/** @param {string} tag @param {Record<string, any>} fields @param {...(Node | string)} children */
export function element(tag, fields, ...children) {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

/** @param {string[]} names @param {() => void} onChange */
export function radios(names, onChange) {
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

/** What one symbol stands for. @param {any} campaign @param {number} symbol @returns {string} */
export function symbolName({ question, symbols }, symbol) {
  if (question.kind !== "number") return question.answers[symbol];
  const value = question.low + (symbol / (symbols - 1)) * (question.high - question.low);
  return `${+value.toPrecision(4)} ${question.unit}`.trim();
}

/** The look of larger forms, on first use. */
export const addStyle = () => document.head.append(element("link", { rel: "stylesheet", href: "files/record.css" }));
