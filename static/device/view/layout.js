// The elements of the two sides and where they stand; what they say and do is two_sides.js's.

import { choice, element, slider } from "./elements.js";
import { representation } from "./rehearsals.js";

/**
 * @param {any} offer
 * @param {{dataset: (name: string) => void, eps: (at: number) => void, lam: (value: number) => void, rest: () => void,
 *   again: () => void, send: () => void, server: () => void, network: (name: string) => void}} on what each control does
 */
export function layout(offer, on) {
  const source = element("div", { class: "source-place" });
  const tabs = element("div", { class: "tabs-place" });
  const datasets = choice("Dataset",
    Object.entries(offer.datasets).map(([value, { words, about }]) => ({ value, words, title: about })), on.dataset);
  datasets.box.hidden = Object.keys(offer.datasets).length < 2;
  const lanes = element("div", { class: "lanes-place" });
  const eps = slider({ name: "epsilon, the privacy budget of one report", min: 0, max: offer.epsilons.length - 1, step: 1, className: "eps" }, on.eps);
  const lam = slider({ name: "lambda, the share of epsilon for the record", min: 0.05, max: 1, step: 0.05, className: "lam" },
    (value) => on.lam(Math.round(value * 20) / 20));
  for (const { input } of [eps, lam]) input.onchange = on.rest;
  const z = representation();
  const progress = element("div", { class: "progress", role: "status", hidden: true });
  const tiles = element("div");
  const rehearsing = element("span", { class: "note" });
  const send = element("button", { type: "button", class: "send", onclick: on.send });
  const sendNote = element("p", { class: "note send-note" });
  const message = element("p", { class: "message", role: "alert" });
  const ledger = element("p", { class: "note ledger-line" });
  const live = element("p", { class: "unseen", "aria-live": "polite" });
  const server = element("input", { type: "checkbox", onchange: on.server });
  const serverWords = element("span");
  const networks = element("select", { "aria-label": "Network for numbers", onchange: () => on.network(networks.value) });
  const network = element("label", { class: "switch network" }, element("span", {}, "Network"), networks);
  const networkNote = element("p", { class: "note" });
  const bytes = element("strong", {}, "0 bytes");
  const collector = element("section", { class: "side collector", "aria-label": "The collector: this server" });

  const owner = element("section", { class: "side owner", "aria-label": "Your device: this browser" },
    element("h2", {}, "Your device — this browser"),
    element("div", { class: "top" }, datasets.box, tabs),
    element("div", { class: "bench" }, source, element("div", { class: "controls" }, lanes, eps.box, lam.box, z.box)),
    element("div", { class: "rehearsing" }, element("h3", {}, "Rehearsals"), rehearsing,
      element("button", { type: "button", class: "plain", onclick: on.again }, "Again")),
    progress, tiles,
    element("div", { class: "sending" }, send, sendNote), message, ledger,
    element("div", { class: "last" },
      offer.server === false ? null : element("label", { class: "switch" }, server, serverWords), // a public demonstration takes no records
      network),
    networkNote, live);
  const wall = element("div", { class: "wall", role: "separator", "aria-label": "privacy boundary" },
    element("span", {}, "privacy boundary"), element("em", {}, bytes, " crossed"));
  const root = element("div", { class: "sides" }, owner, wall, collector);
  return {
    root, source, tabs, datasets, lanes, eps, lam, z, progress, tiles, rehearsing, send, sendNote, message, ledger, live, server, serverWords,
    networks, network, networkNote, bytes, collector,
  };
}
