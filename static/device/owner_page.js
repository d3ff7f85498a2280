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
 * A row of a table: one field for every column; of an own table, by its schema.
 * @param {HTMLElement} parent
 * @param {import("./table_row.js").Preprocessor} preprocessor
 * @param {import("./schema_form.js").Field[]} [schema]
 * @returns {import("./picture_input.js").Input}
 */
function tableInput(parent, preprocessor, schema) {
  if (schema) {
    const form = schemaForm(parent, schema, preprocessor);
    return () => tableRow(form.row(), preprocessor);
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
  for (const [name, field] of Object.entries(fields)) parent.append(element("label", {}, name, field));
  return () => tableRow(Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])), preprocessor);
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

  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const message = element("p", { className: "error", role: "alert" });
  const complain = (/** @type {string} */ text) => { message.textContent = text; };
  const record = element("fieldset", {}, element("legend", {}, "Your record"));
  const settings = element("fieldset", {}, element("legend", {}, "What may be learnt"));
  const label = element("select", { id: "label" }, element("option", { value: "" }, "not sent"),
    ...about.classes.map((name, y) => element("option", { value: String(y) }, name)));
  const epsilon = element("input", { type: "number", id: "epsilon", min: "0.000001", step: "any", value: String(about.epsilon ?? 4) });
  const lam = element("input", { type: "number", id: "lam", min: "0", max: "1", step: "0.05", value: String(about.lam ?? 0.75) });
  const text = element("textarea", { id: "report", readOnly: true, ariaLabel: "The report" });
  const spent = element("output", { id: "spent" });
  const go = element("button", { type: "button", id: "release" }, "Make the report");
  main.append(
    element("h1", {}, `${about.name}: your side`),
    element("p", {}, "Everything happens in this file. It cannot connect to anything; what you make of the report is up to you."),
    record, settings, go, message, text, spent,
  );
  const input = about.preprocessor ? tableInput(record, about.preprocessor, about.fields)
    : about.pictures ? pixelsInput(record, about.pictures, () => complain("")) : pictureInput(record, about.dataset, complain);
  if (about.classes.length) settings.append(element("label", {}, "Its class", label));
  settings.append(element("label", {}, "Privacy ε, smaller is safer", epsilon));
  if (!pairs && about.classes.length) settings.append(element("label", {}, "Share λ of ε for the record", lam));

  const tell = () => {
    const count = ledger.releases.length;
    spent.textContent = count ? `${count} released in this browser; about this record ε = ${ledger.spent("record")} in total.` : "";
  };
  tell();
  go.onclick = () => {
    try {
      complain("");
      const y = label.value === "" ? null : Number(label.value);
      const chosen = { epsilon: Number(epsilon.value), lam: pairs || y === null ? null : Number(lam.value) };
      const x = mechanism.check(input());
      const { epsilonX, epsilonY } = plan(mechanism, y, chosen);
      const key = ledger.spend({ record: "record", mechanism: about.name, epsilon_x: epsilonX, epsilon_y: epsilonY });
      const report = release(mechanism, x, y, chosen);
      ledger.keep(key, report);
      text.value = report;
      tell();
    } catch (error) {
      complain(String(/** @type {Error} */ (error).message));
    }
  };
  document.body.dataset.ready = "yes";
}

start().catch((error) => { document.body.append(String(error)); });
