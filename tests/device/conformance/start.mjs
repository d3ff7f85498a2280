// node start.mjs DEVICE: what the start page's modules make of the cases on standard input; prints it as JSON.

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const base = `${pathToFileURL(process.argv[2]).href}/`;
const load = (name) => import(`${base}${name}.js`);
const [crowd, tree, verdicts, simulation, subset] = await Promise.all(
  ["crowd", "code_tree", "verdict", "simulation", "subset_selection"].map(load));
const cases = JSON.parse(await readFile("/dev/stdin", "utf8"));

const fits = cases.fits.map(({ epsilon, codes, classes, size, sets, frequencies, joint }) => {
  const reports = new crowd.PairSets({ epsilon, codes, classes, size });
  for (const set of sets) reports.add(set);
  const counts = Float64Array.from(frequencies);
  const guesses = [];
  crowd.guessSenders(reports, Float64Array.from(joint), (_, label) => guesses.push(label));
  return {
    table: [...crowd.expectationMaximisation(reports, counts)],
    oneToOne: crowd.oneToOne(counts, classes),
    owned: codes === classes ? crowd.labelsOf(crowd.everyLabelOwnsACode(reports), classes) : null,
    guesses,
  };
});
const draws = cases.draws.map(({ epsilon, symbols, symbol, count }) => {
  const channel = new subset.SubsetSelection({ epsilon, symbols });
  const sets = new simulation.SimulatedSets(channel);
  const held = new Array(symbols).fill(0);
  for (let n = 0; n < count; n++) for (const member of sets.draw(symbol)) held[member] += 1;
  return { held, size: channel.size, inside: channel.inside() };
});
console.log(JSON.stringify({
  fits,
  draws,
  verdicts: cases.epsilons.map(verdicts.verdict),
  codes: cases.epsilons.map((epsilon) => tree.codesFor(epsilon, cases.people, cases.finest)),
  cuts: cases.cuts.map((k) => tree.mergedCodes(cases.order, k)),
}));
