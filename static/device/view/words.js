// What the two sides say beside their controls. Every statement about where data go stands next to the control that it
// is about.

import { written } from "./elements.js";

/** @typedef {"picture" | "loan"} Thing  what a record is called */

/**
 * λ: what it divides, or why it has nothing to divide.
 * @param {{mech: string, lam: number, label: number | null | undefined, thing: string, k: number | null, classes: number}} now
 * @returns {{words: string, off: boolean}}
 */
export function lamWords({ mech, lam, label, thing, k, classes }) {
  if (label === null) return { words: `λ is off: no label is sent, so all of ε goes to the ${thing}`, off: true };
  if (mech === "codes") {
    return { words: `λ is off: code and label leave as one symbol of ${k} codes × ${classes} labels, with all of ε`, off: true };
  }
  if (lam === 1) return { words: `λ = 1: all of ε for the ${thing}; the label is not sent`, off: false };
  return { words: `λ = ${lam.toFixed(2)} of it for the ${thing}, the rest for the label`, off: false };
}

/**
 * What would happen now.
 * @param {{ready: boolean, label: number | null | undefined, sendsLabel: boolean, thing: string, server: boolean}} now
 */
export function sendWords({ ready, label, sendsLabel, thing, server }) {
  if (!ready) return thing === "picture" ? "Choose or draw a picture first." : "Complete the form first.";
  if (label === undefined) return "To send it, say what it shows, or choose “no label”.";
  if (server) return `Your ${thing} itself will travel to this server, which rehearses and draws the report with the library.`;
  const afresh = "The report is drawn afresh when you send it: it is none of these eight.";
  return sendsLabel ? `${afresh} The collector also sees which ε you chose.`
    : `${afresh} The collector also sees which ε you chose, and that no label came. A campaign fixes both for everybody.`;
}

/** @param {number} epsilon @param {string} busy what it waits for, if anything */
export const buttonWords = (epsilon, busy) => busy || (
  epsilon === Infinity ? "ε = ∞ can be rehearsed, not sent" : `Send one report · spends ε = ${written(epsilon)}`);

/** @param {number} seconds */
export const waitingWords = (seconds) => `The server has not said that it came. The same report goes again, every ${seconds} s: nothing is drawn anew.`;

/** @param {string} device @param {string} thing */
export const serverWords = (device, thing) => `Compute on the server instead (${device}): your ${thing} then travels there, also to rehearse`;

/**
 * What was sent about a record, from the browser's own ledger.
 * @param {number} count
 * @param {number} spent
 * @param {string} thing
 */
export function ledgerWords(count, spent, thing) {
  if (!count) return `About this ${thing}: nothing sent so far.`;
  return `About this ${thing}: ${count} sent, ε = ${written(spent)} in total. This browser keeps count, reloads included; it knows of no other browser.`;
}

/**
 * What stands in the place of z for a mechanism that sends no numbers.
 * @param {{release: string, input_dim: number, latent_dim: number, classes: string[]}} description
 * @param {{code?: number} | null} encoded
 * @param {number} size members of the set
 * @param {boolean} paired whether code and label are one symbol
 * @param {string} thing
 */
export function representationWords({ release, input_dim: pixels, latent_dim: codes, classes }, encoded, size, paired, thing) {
  if (release === "features") {
    return `All ${pixels.toLocaleString("en")} pixels are sent, each with noise of its own. They share ε, so each gets very little of it.`;
  }
  const symbols = paired ? `${codes} × ${classes.length} pairs of a code and a label` : `${codes} codes`;
  return `Your ${thing} has code ${(encoded?.code ?? 0) + 1} of ${codes}. What would be sent is ${size === 1 ? "one" : `a random set of ${size}`} of the ${symbols}.`;
}
