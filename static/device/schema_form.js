// A form made from a table's schema: one field for every column, empty where nothing is said. What it gives is a row
// as table_row.js takes it; dates become years with the day as their fraction, as in rlm_core/tables/values.py. A word
// that the schema does not list is "other": the level that rare words share, as in Python.

import { RARE } from "./table_row.js";

/**
 * A column as rlm_core/tables/feature.py has it.
 * @typedef {object} Field
 * @property {string} name
 * @property {string} title
 * @property {string} unit
 * @property {"number" | "integer" | "category" | "boolean" | "date"} kind
 * @property {string[]} choices
 * @property {number | null} [low] of a bounded column: a number beyond counts as the bound (table_row.js)
 * @property {number | null} [high]
 */
/** @typedef {import("./table_row.js").Preprocessor} Preprocessor */

/**
 * @param {HTMLElement} parent where the fields go
 * @param {Field[]} fields
 * @param {Preprocessor} preprocessor its means and commonest levels fill the form at first
 * @returns {{row: () => Record<string, unknown>, fill: (row: Record<string, any>) => void}}
 */
export function schemaForm(parent, fields, preprocessor) {
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  const inputs = new Map();
  /** @type {(() => void)[]} */
  const checks = [];
  const withRare = new Set(preprocessor.categories.filter(({ levels }) => levels.includes(RARE)).map(({ name }) => name));
  for (const { name, title, unit, kind, choices, low, high } of fields) {
    const hasOther = kind === "category" && withRare.has(name);
    const input = kind === "category" || choices.length ? select(choices, hasOther) : document.createElement("input");
    if (input instanceof HTMLInputElement) {
      Object.assign(input, { type: kind === "date" ? "date" : "number", step: "any" });
      const [from, to] = [low, high].map((bound) => bound == null ? "" : kind === "date" ? dateOf(bound) : String(bound));
      Object.assign(input, { min: from, max: to });
      if (from || to) input.title = `Beyond ${[from, to].filter(Boolean).join(" and ")} it counts as the bound`;
    }
    input.name = name;
    const label = document.createElement("label");
    const words = document.createElement("span");
    words.textContent = unit && kind !== "date" ? `${title} (${unit})` : title;
    words.title = title === name ? words.textContent : `${words.textContent}: ${name}`; // it may be cut
    label.append(words, input);
    parent.append(label);
    inputs.set(name, input);
    const column = preprocessor.numbers.find((each) => each.name === name);
    if (column && kind !== "date") {
      const far = document.createElement("small");
      far.className = "far";
      label.append(far);
      checks.push(() => { far.textContent = countsAs(input.value, column, low, high, preprocessor.clip); });
      input.addEventListener("input", checks[checks.length - 1]);
    }
  }
  const kinds = new Map(fields.map(({ name, kind }) => [name, kind]));
  /** @param {Record<string, any>} row */
  const fill = (row) => {
    for (const [name, input] of inputs) {
      const value = row[name] ?? "";
      input.value = kinds.get(name) === "date" && typeof value === "number" ? dateOf(value) : String(value);
      const isUnknown = input instanceof HTMLSelectElement && input.selectedIndex < 0;
      if (isUnknown) input.value = Array.from(input.options).some((option) => option.value === RARE) ? RARE : "";
    }
    for (const check of checks) check();
  };
  fill(typical(preprocessor, kinds));
  return {
    fill,
    row: () => Object.fromEntries(Array.from(inputs, ([name, { value }]) =>
      [name, kinds.get(name) === "date" && value !== "" ? yearOf(value) : value])),
  };
}

/**
 * What a number beyond all public ones is taken for, in words; "" for an ordinary one. As table_row.js cuts it.
 * @param {string} text
 * @param {{mean: number, std: number}} column
 * @param {number | null} [low]
 * @param {number | null} [high]
 * @param {number} [clip]
 */
function countsAs(text, { mean, std }, low, high, clip = Infinity) {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) return "";
  const bounded = Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity);
  const cut = Math.min(Math.max(bounded, mean - clip * std), mean + clip * std);
  return cut === value ? "" : `counts as ${Number(cut.toPrecision(3))}`;
}

/**
 * @param {string[]} choices
 * @param {boolean} hasOther whether words that are not listed have a level
 */
function select(choices, hasOther) {
  const made = document.createElement("select");
  made.append(new Option("not said", ""), ...choices.map((choice) => new Option(choice, choice)));
  if (hasOther) made.append(new Option("other (not listed)", RARE));
  return made;
}

/**
 * A row to start with: the mean of every number, the commonest word of every category.
 * @param {Preprocessor} preprocessor
 * @param {Map<string, string>} kinds
 */
function typical({ numbers, categories }, kinds) {
  /** @type {Record<string, unknown>} */
  const row = {};
  for (const { name, mean } of numbers) {
    row[name] = kinds.get(name) === "number" ? Number(mean.toPrecision(3)) : kinds.get(name) === "date" ? mean : Math.round(mean);
  }
  for (const { name, commonest } of categories) row[name] = commonest;
  return row;
}

/**
 * "2021-07-02" to 2021.4986…: the year, and of its days those before.
 * @param {string} text
 */
export function yearOf(text) {
  const [year, month, day] = text.split("-").map(Number);
  const start = dayOf(year, 0, 1);
  return year + (dayOf(year, month - 1, day) - start) / (dayOf(year + 1, 0, 1) - start);
}

/**
 * 2021.4986… to "2021-07-02", a day of the same year.
 * @param {number} year
 */
export function dateOf(year) {
  const whole = Math.floor(year);
  const start = dayOf(whole, 0, 1);
  const length = dayOf(whole + 1, 0, 1) - start;
  const days = Math.min(Math.round((year - whole) * length), length - 1);
  return new Date((start + days) * 86400000).toISOString().slice(0, 10);
}

/**
 * The day's number, counted from 1970. `Date.UTC` would take the years 0 to 99 for 1900 to 1999.
 * @param {number} year
 * @param {number} month from 0 on
 * @param {number} day
 */
const dayOf = (year, month, day) => new Date(0).setUTCFullYear(year, month, day) / 86400000;
