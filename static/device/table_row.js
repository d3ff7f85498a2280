// One row of a table to the encoder's numbers, by the model's own preprocessor.json: twin of transform() of the
// table's preprocessor in Python. It knows nothing of what the columns mean.

export const RARE = "(rare)"; // the level that rare words share, always the last

/** @typedef {{name: string, mean: number, std: number}} NumberColumn */
/** @typedef {{name: string, levels: string[], rare: string[], commonest: string}} CategoryColumn */
/**
 * `lenient`, as own tables are read: what is missing becomes the mean or the commonest word, an unknown word a rare
 * one, and numbers are cut at `clip` deviations. Without it all of these are errors, and nothing is cut.
 * `bounds`: by column, the lowest and highest number, beyond which one counts as the bound. `missing`: by column, words
 * and numbers that say nothing.
 * @typedef {{numbers: NumberColumn[], categories: CategoryColumn[], lenient?: boolean, clip?: number,
 *   bounds?: Record<string, [number | null, number | null]>, missing?: Record<string, string[]>}} Preprocessor
 */

/**
 * Standardised numbers, then one block of zeros and a one for every category.
 * @param {Record<string, unknown>} row
 * @param {Preprocessor} preprocessor
 * @returns {Float32Array}
 */
export function tableRow(row, { numbers, categories, lenient = false, clip = Infinity, bounds = {}, missing = {} }) {
  /** @param {string} name */
  const cell = (name) => Object.hasOwn(row, name) ? row[name] : undefined; // "constructor" is a column like any other
  /** @param {string} name */
  const isMissing = (name) => lenient && (String(cell(name) ?? "").trim() === ""
    || (Object.hasOwn(missing, name) && saysNothing(cell(name), missing[name])));
  const values = numbers.map(({ name, mean, std }) => {
    if (isMissing(name)) return 0;
    const [low, high] = Object.hasOwn(bounds, name) ? bounds[name] : [null, null];
    const value = Math.min(Math.max(number(cell(name), name), low ?? -Infinity), high ?? Infinity);
    return Math.min(Math.max((value - mean) / std, -clip), clip);
  });
  for (const { name, levels, rare, commonest } of categories) {
    const own = levels.filter((level) => level !== RARE);
    const word = lenient ? spelt(cell(name), [...own, ...rare]) : cell(name);
    const given = isMissing(name) ? commonest : /** @type {string} */ (word);
    const isRare = rare.includes(given) || (lenient && levels.includes(RARE) && !own.includes(given));
    const at = isRare ? levels.length - 1 : own.indexOf(given);
    if (at < 0) throw new RangeError(`Expected one of ${[...own, ...rare].join(", ")} for ${name}, got "${given}".`);
    levels.forEach((_, i) => values.push(i === at ? 1 : 0));
  }
  return Float32Array.from(values);
}

/**
 * Whether a cell is one of these words, or a number that one of them writes.
 * @param {unknown} value
 * @param {string[]} words
 */
function saysNothing(value, words) {
  const text = String(value).trim();
  return words.some((word) => word === text || (word.trim() !== "" && Number(word) === Number(text)));
}

/**
 * A word as the levels have it: 1, "1" and "1.0" are one, as in rlm_core/tables/infer.py; of two, the first by its text.
 * @param {unknown} value
 * @param {string[]} levels
 */
function spelt(value, levels) {
  const text = String(value).trim();
  const same = [text, plain(text)].find((word) => levels.includes(word));
  return same ?? levels.filter((level) => plain(level) === plain(text)).sort()[0] ?? text;
}

/**
 * One spelling of a number, of truth and of a whole day: same_text of rlm_core/tables/values.py.
 * @param {string} text
 */
function plain(text) {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase();
  const day = /^(\d{4}-\d{2}-\d{2})[ T]00:00:00$/.exec(text);
  return day ? day[1] : /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, "") : text;
}

/**
 * @param {unknown} given
 * @param {string} name
 */
function number(given, name) {
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new RangeError(`Expected a number for ${name}, got ${name}=${String(given)}.`);
  }
  return value;
}
