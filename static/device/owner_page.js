// The page of one saved file (rlm_core/device/owner_file.py): a form, and a report as text. It can connect to nothing.

import { Ledger } from "./budget.js";
import { element } from "./element.js";
import { Mechanism } from "./mechanism.js";
import { pictureInput, pixelsInput } from "./picture_input.js";
import { plan, release } from "./release.js";
import { schemaForm } from "./schema_form.js";
import { tableRow } from "./table_row.js";
import { verify } from "./weights.js";

/** @param {string} id */
const embedded = (id) => document.getElementById(id)?.textContent ?? "";

/**
 * What is asked of the owner: x, and what is left out, in words ("" if nothing).
 * @typedef {{x: import("./picture_input.js").Input, leftOut: () => string}} Asked
 */

/**
 * A row of a table: one field for every column. Of an own table by its schema, empty at first: what nobody said is not
 * sent as if it were true. Of a shipped one filled with typical values, since its rows must be whole.
 * @param {HTMLElement} parent
 * @param {import("./table_row.js").Preprocessor} preprocessor
 * @param {import("./schema_form.js").Field[]} [schema]
 * @returns {Asked}
 */
function tableInput(parent, preprocessor, schema) {
  if (schema) {
    const form = schemaForm(parent, schema, preprocessor);
    form.fill({});
    for (const input of parent.querySelectorAll("input")) input.placeholder = "not said";
    const unsaid = () => Object.values(form.row()).filter((value) => value === "").length;
    return {
      x: () => {
        const wrong = Array.from(parent.querySelectorAll("input")).find(({ validity }) => validity.badInput);
        if (wrong) throw new RangeError(`Expected a ${wrong.type} for ${wrong.name}, or nothing.`);
        return tableRow(form.row(), preprocessor);
      },
      leftOut: () => (unsaid() ? `${unsaid()} of ${schema.length} fields are not said: they count as the average, or the commonest.` : ""),
    };
  }
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  const fields = {};
  for (const { name, mean } of preprocessor.numbers) {
    fields[name] = element("input", { type: "number", step: "any", value: String(Number(mean.toPrecision(3))) });
  }
  for (const { name, levels, rare } of preprocessor.categories) {
    const own = rare.length ? levels.slice(0, -1) : levels;
    fields[name] = element("select", {}, ...[...own, ...rare].map((level) => element("option", {}, level)));
  }
  parent.append(element("p", { className: "note" }, "Filled with typical values: put yours in their place."));
  for (const [name, field] of Object.entries(fields)) parent.append(element("label", {}, name, field));
  const row = () => Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  return { x: () => tableRow(row(), preprocessor), leftOut: () => "" };
}

/** What a class is if its owner keeps it: the select's value. */
const KEPT = "none";

/**
 * What to do with a report, once there is one: copy it, or save it as a line of a file that rlm learn reads.
 * @param {HTMLTextAreaElement} text
 */
function afterwards(text) {
  const copy = element("button", { type: "button", id: "copy", className: "plain" }, "Copy the report");
  const save = element("button", { type: "button", id: "save", className: "plain" }, "Save it as report.jsonl");
  const done = element("output", { id: "copied", ariaLive: "polite" });
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text.value);
    } catch { // no clipboard for this file: the old way
      text.select();
      if (!document.execCommand("copy")) return void (done.textContent = "Not copied: mark the report and copy it by hand.");
    }
    done.textContent = "Copied.";
  };
  save.onclick = () => {
    const url = URL.createObjectURL(new Blob([`${text.value}\n`], { type: "application/jsonl" }));
    element("a", { href: url, download: "report.jsonl" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    done.textContent = "Saved on this device. It has not been sent.";
  };
  const words = "Send it to whoever asked you, by any way you like. They put every report on a line of its own in a file that ends in .jsonl, and rlm learn reads that.";
  return element("section", { id: "after", hidden: true, ariaLabel: "What to do with the report" },
    element("div", {}, copy, save), done, element("p", { className: "note" }, words));
}

async function start() {
  /** @type {import("./mechanism.js").Description} */
  const about = JSON.parse(embedded("description"));
  const letters = atob(embedded("encoder"));
  const file = about.files.encoder ? Uint8Array.from(letters, (letter) => letter.charCodeAt(0)).buffer : null;
  if (file) await verify(file, about.files.encoder.sha256, "encoder");
  const mechanism = Mechanism.from(about, file);
  const ledger = new Ledger();
  const pairs = about.release === "codes" || "joint" in about; // record and label leave as one, with all of ε
  const given = about.epsilon === undefined ? null : { epsilon: about.epsilon, lam: about.lam }; // of an own mechanism
  const asksClass = about.classes.length > 0;
  const divides = !pairs && asksClass;

  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const message = element("p", { className: "error", role: "alert" });
  const complain = (/** @type {string} */ text) => { message.textContent = text; };
  const record = element("fieldset", {}, element("legend", {}, "Your record"));
  const settings = element("fieldset", {}, element("legend", {}, "What may be learnt"));
  const label = element("select", { id: "label" }, element("option", { value: "" }, "choose …"),
    ...about.classes.map((name, y) => element("option", { value: String(y) }, name)),
    element("option", { value: KEPT }, "I keep this to myself"));
  const epsilon = element("input", { type: "number", id: "epsilon", min: "0.000001", step: "any", value: String(given?.epsilon ?? 4) });
  const lam = element("input", { type: "number", id: "lam", min: "0", max: "1", step: "0.05", value: String(given?.lam ?? 0.75) });
  const text = element("textarea", { id: "report", readOnly: true, ariaLabel: "The report" });
  const spent = element("output", { id: "spent" });
  const after = afterwards(text);
  const notes = element("ul", { id: "notes", className: "note", ariaLive: "polite" });
  const go = element("button", { type: "button", id: "release" });
  const title = given ? (about.label ? `Your report about ${about.label}` : "Your report") : `${about.name}: your side`;
  document.title = title;
  main.append(
    element("h1", {}, title),
    element("p", {}, "Everything happens in this file. It cannot connect to anything; what you make of the report is up to you."),
    record, settings, go, notes, message, text, after, spent,
  );
  const tell = () => {
    const count = ledger.releases.length;
    spent.textContent = count ? `${count} released in this browser; about this record ε = ${ledger.spent("record")} in total.` : "";
  };
  const input = about.preprocessor ? tableInput(record, about.preprocessor, about.fields) : {
    x: about.pictures ? pixelsInput(record, about.pictures, () => complain("")) : pictureInput(record, about.dataset, complain),
    leftOut: () => "",
  };
  const className = about.label || "its class";
  if (asksClass) settings.append(element("label", {}, about.label || "Its class", label));
  const budget = [element("label", {}, given ? "Privacy ε" : "Privacy ε, smaller is safer", epsilon)];
  if (divides) budget.push(element("label", {}, "Share λ of ε for the record", lam));
  if (given) {
    settings.append(element("p", { id: "asked" }, `Privacy: ε = ${given.epsilon}, as this collection asks. So much one report costs you.`),
      element("details", {}, element("summary", {}, "Another ε, for experts"),
        element("p", { className: "note" }, `This collection can only use reports at ε = ${given.epsilon}.`), ...budget));
  } else settings.append(...budget);

  const isOther = () => given !== null && (Number(epsilon.value) !== given.epsilon || (divides && given.lam !== undefined && Number(lam.value) !== given.lam));
  const describe = () => {
    const isMissing = asksClass && label.value === "";
    go.disabled = isMissing;
    go.textContent = isMissing ? `Choose first: ${className}` : given ? `Make the report (costs ε = ${epsilon.value})` : "Make the report";
    const kept = asksClass && label.value === KEPT;
    const said = [
      input.leftOut(),
      kept && given ? "The collector cannot learn from a report without its class; it costs as much." : "",
      isOther() ? `This collection will not use a report at this ${Number(epsilon.value) === given?.epsilon ? "λ" : "ε"}.` : "",
    ].filter(Boolean);
    notes.replaceChildren(...said.map((words) => element("li", {}, words)));
  };
  record.addEventListener("input", describe);
  settings.addEventListener("input", describe);
  describe();
  tell();
  go.onclick = () => {
    try {
      complain("");
      const y = !asksClass || label.value === KEPT ? null : Number(label.value);
      const chosen = { epsilon: Number(epsilon.value), lam: pairs || y === null ? null : Number(lam.value) };
      const x = mechanism.check(input.x());
      const { epsilonX, epsilonY } = plan(mechanism, y, chosen);
      const key = ledger.spend({ record: "record", mechanism: about.name, epsilon_x: epsilonX, epsilon_y: epsilonY });
      const report = release(mechanism, x, y, chosen);
      ledger.keep(key, report);
      text.value = report;
      after.hidden = false;
      /** @type {HTMLOutputElement} */ (after.querySelector("#copied")).textContent = ""; // that was another report
      tell();
    } catch (error) {
      complain(String(/** @type {Error} */ (error).message));
    }
  };
  document.body.dataset.ready = "yes";
}

start().catch((error) => { document.body.append(String(error)); });
