// A report in words, from its bytes alone: the page keeps no answer, so it explains what anybody could read in them.

import { symbolName } from "./forms.js";

/** "73 of 100", never a certainty that is not one. @param {number} share */
function percent(share) {
  const shown = 100 * share;
  return shown > 99.9 ? "more than 99.9 of 100" : `${shown.toFixed(shown < 10 || shown > 99 ? 1 : 0)} of 100`;
}

/** @param {any} campaign @param {string} report */
export function explain(campaign, report) {
  const { question, odds: [inside, outside], subset, symbols, epsilon } = campaign;
  const { symbol, set, coordinate } = JSON.parse(report);
  const factor = Math.exp(epsilon);
  const doubt = `So it makes no answer more than ${factor.toFixed(factor < 10 ? 1 : 0)} times as believable.`;
  if (question.kind === "row" && symbol) {
    const bits = Array.from({ length: Math.round(Math.log2(symbol.of)) }, (_, i) => ((symbol.value >> i) & 1 ? "●" : "○"));
    return `It says ${bits.join("")} from direction ${coordinate + 1} on: in which directions your row is said to agree with ` +
      `“${question.classes[1]}”. The true pattern is sent by ${percent(inside)} people, each of the ${symbols - 1} others by ` +
      `${percent(outside)}. ${doubt}`;
  }
  if (set && ["digit", "row"].includes(question.kind)) {
    const thing = question.kind === "row" ? `pairs of a group of rows and ${question.target}`
      : question.label ? "pairs of a shape and a digit" : "shapes";
    return `It is a set of ${subset} of ${symbols} ${thing}. The true one is in the sets of ${percent(inside)} people, any other one in ` +
      `those of ${percent(outside)}. ${doubt}`;
  }
  if (symbol) {
    const said = `“${symbolName(campaign, symbol.value)}”`;
    const level = question.kind === "number" ? ` (one of ${symbols} levels)` : "";
    return `It says ${said}${level}. That is what ${percent(inside)} people say whose answer it is, and ${percent(outside)} of those with ` +
      `another one. ${doubt}`;
  }
  const bytes = atob(set.members);
  const names = Array.from({ length: set.of }, (_, i) => i).filter((i) => bytes.charCodeAt(i >> 3) & (128 >> (i & 7)));
  return `It holds ${names.map((i) => `“${symbolName(campaign, i)}”`).join(", ")}. Each is in the reports of ${percent(inside)} people whose ` +
    `answer it is, and of ${percent(outside)} others. ${doubt}`;
}
