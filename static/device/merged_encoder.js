// Fine scores to scores of merged codes, twin of rlm_core/owner/merged_encoder.py.

/**
 * Of each group its best score, so that argmax picks the group of the argmax.
 * @param {import("./encoder.js").Network} fine inputs to scores of fine codes
 * @param {number[]} merge the merged code of every fine code
 * @returns {import("./encoder.js").Network}
 */
export function merged(fine, merge) {
  const codes = Math.max(...merge) + 1;
  return (x) => {
    const best = new Float64Array(codes).fill(-Infinity);
    fine(x).forEach((score, i) => {
      if (!(score <= best[merge[i]])) best[merge[i]] = score; // a score that is not a number is passed on
    });
    return best;
  };
}
