// The start page's two Workers: one rehearses the digit in three lanes, the other plays the crowd. As worker.js, it may
// fetch our weights and nothing else (device_routes.py). Messages: {open}, then {rehearse}, {collect} or {} to stop; the newest counts.

import { codesFor, frequencies, mergedCodes } from "./code_tree.js";
import { everyLabelOwnsACode, expectationMaximisation, guessSenders, labelsOf, oneToOne, PairSets } from "./crowd.js";
import { CodesLane, NumbersLane, PixelsLane } from "./lanes.js";
import { PairSelection } from "./pairs.js";
import { newTapes } from "./rehearsal.js";
import { SimulatedSets } from "./simulation.js";
import { download, tensors } from "./weights.js";

/** @typedef {import("./mechanism.js").Description} Description */
/** @typedef {{x: number[], label: number, order: [number, number][], people: number, descriptions: Record<string, Description>}} Stage */

const REHEARSALS = 8;
const STOPS = [100, 150, 200, 300, 450, 700, 1000, 1500, 2200, 3300, 5000, 7000, 10000]; // where the crowd's model is fitted

/** @type {{digit: (epsilon: number) => void, again: () => void} | null} */
let lanes = null;
/** @type {((epsilon: number, isOld: () => boolean) => Promise<void>) | null} */
let crowd = null;
let newest = 0;

const pause = (milliseconds = 0) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/**
 * @param {Description} description
 * @param {string[]} roles
 */
async function fetched({ files }, roles) {
  const found = await Promise.all(roles.map((role) => download(new URL(files[role].url, import.meta.url).href, files[role].sha256)));
  return Object.fromEntries(roles.map((role, i) => [role, found[i]]));
}

/** @param {Stage} stage */
async function openLanes({ x, label, order, people, descriptions }) {
  const roles = ["encoder", "decoder", "bundle"];
  const [forNumbers, forCodes] = await Promise.all([fetched(descriptions.numbers, roles), fetched(descriptions.codes, roles)]);
  const codes = new CodesLane(descriptions.codes, forCodes, order, people);
  const numbers = new NumbersLane(descriptions.numbers, forNumbers);
  const pixels = new PixelsLane(descriptions.pixels, codes);
  for (const lane of [codes, numbers, pixels]) lane.take(x);
  let tapes = newTapes(REHEARSALS);
  lanes = {
    again: () => { tapes = newTapes(REHEARSALS); },
    digit: (epsilon) => {
      const draws = Object.fromEntries(Object.entries({ pixels, numbers, codes }).map(([name, lane]) => [name, lane.rehearse(label, epsilon, tapes)]));
      self.postMessage({ epsilon, draws, codes: codes.codesAt(epsilon) });
    },
  };
}

/** @param {Stage} stage */
async function openCrowd({ order, people, descriptions: { codes: description } }) {
  const { bundle } = await fetched(description, ["bundle"]);
  const all = tensors(bundle);
  const [fine, labels] = [all.train_z.data.subarray(0, people), all.train_y.data.subarray(0, people)];
  const classes = description.classes.length;
  crowd = async (epsilon, isOld) => {
    const k = codesFor(epsilon, people, order.length + 1);
    const merge = mergedCodes(order, k);
    const channel = new PairSelection({ epsilon, codes: k, classes });
    const reports = new PairSets({ epsilon, codes: k, classes, size: channel.channel.size });
    const counts = frequencies(all.prior_z.data, merge);
    const pairs = Array.from({ length: k * classes }, (_, pair) => pair);
    const joint = frequencies(all.prior_z.data.map((code, m) => merge[code] * classes + all.prior_y.data[m]), pairs);
    const sets = new SimulatedSets(channel.channel);
    for (const stop of [...STOPS.filter((each) => each < people), people]) {
      for (let n = reports.count; n < stop; n++) reports.add(sets.draw(channel.symbol(merge[fine[n]], labels[n])));
      const table = oneToOne(counts, classes) ? everyLabelOwnsACode(reports) : expectationMaximisation(reports, counts);
      const named = labelsOf(table, classes);
      const right = all.test_z.data.reduce((sum, code, n) => sum + (named[merge[code]] === all.test_y.data[n] ? 1 : 0), 0);
      let guessed = 0;
      guessSenders(reports, joint, (n, label) => { if (label === labels[n]) guessed += 1; });
      await pause(30); // seen one after another, and a newer ε goes first
      if (isOld()) return;
      const last = stop === people;
      self.postMessage({ epsilon, people: stop, learnt: right / all.test_y.data.length, guessed: guessed / stop, last });
    }
  };
}

self.onmessage = async ({ data: { open, stage, rehearse, collect, again } }) => {
  try {
    if (open) {
      await (open === "lanes" ? openLanes(stage) : openCrowd(stage));
      self.postMessage({ opened: open });
      return;
    }
    const mine = ++newest;
    const isOld = () => mine !== newest;
    await pause(); // messages that wait are taken first
    if (isOld()) return;
    if (again) lanes?.again();
    if (rehearse !== undefined) lanes?.digit(rehearse);
    if (collect !== undefined) await crowd?.(collect, isOld);
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
