// How long to wait before the same request goes again.

const PAUSE = 2; // seconds, where the server names none
const LONGEST = 60;
const AGAIN = [408, 429, 500, 502, 503, 504];

/** Whether the same request may succeed later: no answer at all, or one of a busy server. @param {Response | null} answer */
export const isWorthAnother = (answer) => answer === null || AGAIN.includes(answer.status);

/**
 * Not before the server wants it, and up to as long again by chance: a room of refused phones must not return together.
 * Without Retry-After, twice as long after every try.
 * @param {Response | null} answer
 * @param {number} tries before this one
 * @param {() => number} [chance] a number from 0 to 1
 */
export function secondsToWait(answer, tries, chance = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32) {
  const asked = Number(answer?.headers.get("retry-after"));
  const least = asked > 0 ? Math.min(asked, 3600) : Math.min(PAUSE * 2 ** Math.min(tries, 10), LONGEST);
  return least * (1 + chance());
}

/** @param {number} seconds */
export const sleep = (seconds) => new Promise((resolve) => { setTimeout(resolve, 1000 * seconds); });
