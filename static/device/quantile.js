// Order statistics, as numpy has them.

/** @param {ArrayLike<number>} values */
export function largest(values) {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
  return most;
}

/** @param {ArrayLike<number>} values @param {number} q */
export function quantile(values, q) {
  const sorted = Float64Array.from(values).sort();
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}
