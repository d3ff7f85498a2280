// The collector's side before anything has arrived: what everybody knows, and the most that one report with this ε could
// make of it. It moves with the slider, since it is arithmetic: no record is in it.

import { suspicionAfter } from "../verdict.js";
import { element, percent, written } from "./elements.js";

/**
 * @param {string[]} names of the classes
 * @param {ArrayLike<number>} before what is believed of each before a report
 * @param {number} epsilon
 * @returns {HTMLElement}
 */
export function limits(names, before, epsilon) {
  const bar = (/** @type {string} */ name, /** @type {number} */ i) => {
    const most = suspicionAfter(epsilon, before[i]);
    const line = element("div", {}, element("i"), element("u"), element("s"));
    const [filled, tick, dot] = line.children;
    filled.style.width = `${100 * most}%`;
    tick.style.left = `${100 * most}%`;
    dot.style.left = `${100 * before[i]}%`;
    return element("li", {}, element("span", {}, name), line, element("em", {}, `≤ ${percent(most)}`));
  };
  return element("div", {},
    element("h3", {}, "What could it infer, at most?"),
    element("ul", { class: "rlm-shares could-be" }, ...names.map(bar)),
    element("p", { class: "note" }, element("b", { class: "rlm-dot" }), " what everybody knows before · ", element("b", { class: "rlm-tick" }),
      epsilon === Infinity ? " without noise there is no limit" : ` the most that one report with ε = ${written(epsilon)} allows, whoever reads it`));
}
