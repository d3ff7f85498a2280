// A row of a table: examples, a form that follows the model's preprocessor.json, and rehearsals column by column. It
// knows nothing of what the columns mean: titles, units and ranges come with the samples, or are left out.

import { choice, element, write } from "./elements.js";
import { COUNT, guess } from "./rehearsals.js";

/** @typedef {{title: string, unit: string, low: number | null, high: number | null, step: number | null, help: string, names: Record<string, string>}} Field */
/** @typedef {{label: string, classes: string[], telling: string[], groups: Record<string, string[]>, fields: Record<string, Field>, examples: {name: string, label: number, row: Record<string, any>}[]}} Rows */
/** @typedef {import("../table_row.js").Preprocessor} Preprocessor */

/**
 * @param {{samples: Rows, preprocessor: Preprocessor, prepare: (row: any) => Promise<Float32Array>, example: string,
 *   onPick: (picked: any, example: string) => void}} options
 */
export function rowSource({ samples, preprocessor, prepare, example, onPick }) {
  /** @type {Record<string, any>} */
  let row = {};
  /** @type {number | null | undefined} */
  let label;
  let named = ""; // which example it is, until a value is typed
  const note = element("p", { class: "note", role: "status" });
  const labels = choice(`${samples.label} (label)`, [
    ...samples.classes.map((words, value) => ({ value, words })), { value: null, words: "no label" },
  ], (value) => { label = value; changed(); });

  /** @type {Map<string, {input: any, problem: HTMLElement}>} */
  const inputs = new Map();
  let turn = 0; // an answer about earlier values comes too late
  const changed = async () => {
    const mine = ++turn;
    const problems = [...inputs].filter(([name]) => complaint(name)).length;
    if (problems) {
      note.textContent = problems === 1 ? "One value cannot be used." : `${problems} values cannot be used.`;
      onPick(null, "");
      return;
    }
    try {
      const x = await prepare(row);
      if (mine !== turn) return;
      note.textContent = "";
      onPick({ x, label }, named);
    } catch (error) {
      if (mine !== turn) return;
      note.textContent = /** @type {Error} */ (error).message;
      onPick(null, "");
    }
  };

  /** Say at the field what is wrong with its value. @param {string} name */
  const complaint = (name) => {
    const { input, problem } = /** @type {any} */ (inputs.get(name));
    const words = input.tagName === "SELECT" ? "" : rangeProblem(input.value, samples.fields[name]);
    problem.textContent = words;
    input.setAttribute("aria-invalid", String(Boolean(words)));
    return words;
  };

  const field = (/** @type {string} */ name) => {
    const about = samples.fields[name] ?? { title: name, unit: "", low: null, high: null, step: null, help: "", names: {} };
    const category = preprocessor.categories.find((each) => each.name === name);
    const input = category
      ? element("select", {}, ...levels(category).map((value) => element("option", { value }, about.names[value] ?? value)))
      : element("input", { type: "number", step: "any" });
    const problem = element("small", { class: "problem", role: "alert" });
    input.oninput = () => { row[name] = input.value; named = ""; changed(); };
    inputs.set(name, { input, problem });
    const unit = about.unit ? ` (${about.unit})` : "";
    return element("label", { class: "field", title: about.help }, element("span", {}, about.title + unit), input, problem);
  };

  const columns = [...preprocessor.numbers, ...preprocessor.categories].map(({ name }) => name);
  const telling = samples.telling.filter((name) => columns.includes(name));
  const grouped = Object.entries(samples.groups).map(([title, names]) => [title, names.filter((name) => columns.includes(name) && !telling.includes(name))]);
  const rest = columns.filter((name) => !telling.includes(name) && !grouped.some(([, names]) => names.includes(name)));
  const all = element("details", { class: "all-fields" }, element("summary", {}, `All ${columns.length} fields`),
    ...[...grouped, ["Others", rest]].filter(([, names]) => names.length).flatMap(([title, names]) => [
      element("h4", {}, /** @type {string} */ (title)), element("div", { class: "fields" }, .../** @type {string[]} */ (names).map(field))]));

  const fill = (/** @type {number} */ at) => {
    const chosen = samples.examples[at];
    row = Object.fromEntries(columns.map((name) => [name, chosen.row[name]]));
    for (const [name, { input }] of inputs) input.value = row[name];
    label = chosen.label;
    named = inAddress(chosen.name);
    labels.show(label);
    changed();
  };
  const examples = element("select", { "aria-label": "Example", onchange: () => fill(Number(examples.value)) },
    ...samples.examples.map(({ name }, i) => element("option", { value: i }, name)));
  const box = element("div", { class: "source" }, element("div", { class: "fields" }, ...telling.map(field)),
    element("div", { class: "says" }, element("span", { class: "cap" }, samples.label), labels.box, note), all);
  const tabs = element("label", { class: "examples" }, element("span", { class: "cap" }, "Example"), examples);
  const first = Math.max(0, samples.examples.findIndex(({ name }) => inAddress(name) === example));
  return { tabs, box, begin: () => { examples.value = String(first); fill(first); } };
}

/** An example's name as the address has it: "nurse-pays-off-her-credit-cards". @param {string} name */
const inAddress = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** @param {import("../table_row.js").CategoryColumn} category */
const levels = ({ levels: names, rare }) => [...(rare.length ? names.slice(0, -1) : names), ...rare];

/** @param {string} text @param {Field | undefined} about */
function rangeProblem(text, about) {
  if (text.trim() === "" || !Number.isFinite(Number(text))) return "A number, please.";
  const value = Number(text);
  if (!about || about.low === null || about.high === null || (value >= about.low && value <= about.high)) return "";
  return `From ${about.low.toLocaleString("en")} to ${about.high.toLocaleString("en")}, please.`;
}

/**
 * A decoded row in its own units: every number, and for words the most likely level.
 * @param {ArrayLike<number>} x @param {Preprocessor} preprocessor
 */
function inverse(x, { numbers, categories }) {
  /** @type {Record<string, number | string>} */
  const row = {};
  numbers.forEach(({ name, mean, std }, i) => { row[name] = x[i] * std + mean; });
  let at = numbers.length;
  for (const { name, levels: names } of categories) {
    const block = Array.from({ length: names.length }, (_, i) => x[at + i]);
    row[name] = names[block.indexOf(Math.max(...block))];
    at += names.length;
  }
  return row;
}

/**
 * @param {Rows} samples
 * @param {() => Preprocessor} preprocessor of the mechanism in use
 * @param {() => ArrayLike<number>} own the record itself, for the column beside the rehearsals
 */
export function rowRehearsals(samples, preprocessor, own) {
  const names = ["yours", ...Array.from({ length: COUNT }, (_, i) => String(i + 1))];
  const line = (/** @type {string} */ title) => {
    const cells = names.map((_, i) => element("td", { class: i ? "" : "mine" }));
    return { row: element("tr", {}, element("th", { scope: "row" }, title), ...cells), cells };
  };
  const lines = new Map(samples.telling.map((name) => [name, line(samples.fields[name]?.title ?? name)]));
  const guesses = line("guess");
  const top = element("tr", {}, element("th"), ...names.map((words, i) => element("th", { scope: "col", class: i ? "" : "mine" }, words)));
  const box = element("div", { class: "rows" }, element("table", {},
    element("tbody", {}, top, ...[...lines.values()].map(({ row }) => row), guesses.row)));
  const [whole, tenths] = [0, 1].map((maximumFractionDigits) => new Intl.NumberFormat("en", { maximumFractionDigits }));
  const format = (/** @type {string} */ name, /** @type {any} */ value) => {
    const about = samples.fields[name];
    if (typeof value !== "number") return about?.names[value] ?? value.replaceAll("_", " ");
    const text = (Math.abs(value) < 100 ? tenths : whole).format(Math.abs(value));
    return `${value < 0 ? "−" : ""}${about?.unit === "$" ? "$" : ""}${text}${about?.unit === "%" ? "\u00a0%" : ""}`;
  };
  return {
    box,
    /** @param {any[]} draws @param {string[]} classes @param {number | null | undefined} label */
    show(draws, classes, label) {
      box.classList.remove("none");
      const decoded = draws.map(({ decoded: x, best }) => (x ?? best ? inverse(x ?? best, preprocessor()) : null));
      const rows = [inverse(own(), preprocessor()), ...decoded];
      for (const [name, { cells }] of lines) {
        rows.forEach((row, i) => {
          const words = typeof row?.[name] === "string";
          cells[i].classList.toggle("words", words);
          write(cells[i], row ? format(name, row[name]) : "—");
          if (words) cells[i].title = cells[i].textContent; // it may be cut off
        });
      }
      guesses.cells[0].textContent = classes[label ?? -1] ?? "no label";
      draws.forEach((draw, i) => {
        const { words, at } = guess(draw.classes, classes);
        write(guesses.cells[i + 1], words.replace(" %", "\u00a0%"));
        guesses.cells[i + 1].className = at === label ? "right" : "";
      });
    },
  };
}
