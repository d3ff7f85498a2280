// What an ε is worth, in words: twin of rlm_core/theory/verdict.py.

const [STRONG_UP_TO, MODERATE_UP_TO, WARNING_FROM] = [1, 2, 8];
const SUSPICION = 0.1;

/** @typedef {{strength: "strong" | "moderate" | "weak" | "hardly any" | "none", sentence: string, warning: boolean}} Verdict */

/**
 * The most that a suspicion of `before` can become by one report: p·e^ε/(p·e^ε + 1 − p).
 * @param {number} epsilon
 * @param {number} [before]
 */
export function suspicionAfter(epsilon, before = SUSPICION) {
  if (!(epsilon > 0)) throw new RangeError(`Expected epsilon > 0, got epsilon=${epsilon}.`);
  if (!(0 <= before && before <= 1)) throw new RangeError(`Expected 0 <= before <= 1, got before=${before}.`);
  return before === 0 ? 0 : before / (before + (1 - before) * Math.exp(-epsilon));
}

/**
 * The verdict on one report with ε.
 * @param {number} epsilon
 * @returns {Verdict}
 */
export function verdict(epsilon) {
  const after = suspicionAfter(epsilon);
  if (epsilon === Infinity) {
    return { strength: "none", sentence: "Without noise a report may give everything away.", warning: true };
  }
  const sentence = `A suspicion of ${percent(SUSPICION)} can become at most ${percent(after)}.`;
  if (epsilon >= WARNING_FROM) {
    return { strength: "hardly any", sentence: `${sentence} Hardly anything is protected.`, warning: true };
  }
  const strength = epsilon <= STRONG_UP_TO ? "strong" : epsilon <= MODERATE_UP_TO ? "moderate" : "weak";
  return { strength, sentence, warning: false };
}

/**
 * A share below 1 as percent: to the nearest whole one, from 99 on upwards and never to 100.
 * @param {number} share
 */
function percent(share) {
  const value = 100 * share;
  if (value < 99) return `${Math.floor(value + 0.5)} %`;
  let decimals = 1;
  while (Math.ceil(value * 10 ** decimals) >= 10 ** (decimals + 2) && decimals < 6) decimals += 1;
  return `${(Math.ceil(value * 10 ** decimals) / 10 ** decimals).toFixed(decimals)} %`;
}
