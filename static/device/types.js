// The two checks every entry point makes: twin of rlm_core/types.py.

/**
 * Numbers as float64; an error if any of them is NaN or infinite.
 * @param {string} name
 * @param {ArrayLike<number>} values
 * @returns {Float64Array}
 */
export function finite(name, values) {
  const array = Float64Array.from(values);
  const bad = array.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
  if (bad) throw new RangeError(`Expected finite numbers in ${name}, got ${bad} NaN or infinite of ${array.length}.`);
  return array;
}

/**
 * A number above zero; an error with its name and value otherwise (NaN included).
 * @param {string} name
 * @param {unknown} value
 * @param {{allowInfinite?: boolean}} [options]
 * @returns {number}
 */
export function positive(name, value, { allowInfinite = false } = {}) {
  if (typeof value !== "number") throw new TypeError(`Expected a number for ${name}, got ${name}=${String(value)}.`);
  if (!(value > 0)) throw new RangeError(`Expected ${name} > 0, got ${name}=${value}.`);
  if (value === Infinity && !allowInfinite) throw new RangeError(`Expected a finite ${name}, got ${name}=inf.`);
  return value;
}

/**
 * The ε of a release: in [1e-6, 1e6], or ∞.
 * @param {unknown} value
 * @returns {number}
 */
export function checkedEpsilon(value) {
  const epsilon = positive("epsilon", value, { allowInfinite: true });
  if (!((epsilon >= 1e-6 && epsilon <= 1e6) || epsilon === Infinity)) {
    throw new RangeError(`Expected 1e-6 <= epsilon <= 1e6 or inf, got epsilon=${epsilon}.`);
  }
  return epsilon;
}

/**
 * An integer from `low` to `high`.
 * @param {string} name
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @returns {number}
 */
export function integer(name, value, low, high) {
  if (typeof value !== "number" || !Number.isInteger(value) || !(low <= value && value <= high)) {
    throw new RangeError(`Expected an integer ${low} <= ${name} <= ${high}, got ${name}=${String(value)}.`);
  }
  return value;
}
