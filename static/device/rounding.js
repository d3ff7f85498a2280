/**
 * To the nearest integer, halves to the even one: as numpy's rint and Python's round. For |value| < 2^51.
 * @param {number} value
 */
export function roundHalfEven(value) {
  const below = Math.floor(value);
  const rest = value - below; // exact
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}
