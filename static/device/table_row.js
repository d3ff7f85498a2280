// One row of a table to the encoder's numbers, by the model's own preprocessor.json: twin of transform() of the
// table's preprocessor in Python. It knows nothing of what the columns mean.

/** @typedef {{name: string, mean: number, std: number}} NumberColumn */
/** @typedef {{name: string, levels: string[], rare: string[]}} CategoryColumn */
/** @typedef {{numbers: NumberColumn[], categories: CategoryColumn[]}} Preprocessor */

/**
 * Standardised numbers, then one block of zeros and a one for every category.
 * @param {Record<string, unknown>} row
 * @param {Preprocessor} preprocessor
 * @returns {Float32Array}
 */
export function tableRow(row, { numbers, categories }) {
  const values = numbers.map(({ name, mean, std }) => (number(row, name) - mean) / std);
  for (const { name, levels, rare } of categories) {
    const given = /** @type {string} */ (row[name]);
    const own = rare.length ? levels.slice(0, -1) : levels; // the last level stands for all rare ones
    const at = rare.includes(given) ? levels.length - 1 : own.indexOf(given);
    if (at < 0) throw new RangeError(`Expected one of ${[...own, ...rare].join(", ")} for ${name}, got "${given}".`);
    levels.forEach((_, i) => values.push(i === at ? 1 : 0));
  }
  return Float32Array.from(values);
}

/**
 * @param {Record<string, unknown>} row
 * @param {string} name
 */
function number(row, name) {
  const given = row[name];
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new RangeError(`Expected a number for ${name}, got ${name}=${String(given)}.`);
  }
  return value;
}
