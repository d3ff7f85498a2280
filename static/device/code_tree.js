// Any number of codes from the finest ones: twin of merged_codes and codes_for in rlm_core/training/codes.

const MARGIN = 10;
const FEWEST_CODES = 10;

/**
 * How many codes n reports at ε can bear: k ≤ √n·sinh(ε/2)/10, between 10 and the finest (choice.py).
 * @param {number} epsilon
 * @param {number} reports n
 * @param {number} finest
 */
export function codesFor(epsilon, reports, finest) {
  const bearable = (Math.sqrt(reports) * Math.sinh(Math.min(epsilon, 100) / 2)) / MARGIN;
  return Math.floor(Math.min(finest, Math.max(FEWEST_CODES, bearable)));
}

/**
 * The merged code of every fine code, with `codes` left (hierarchy.py).
 * @param {[number, number][]} order pairs of codes, the second merged into the first
 * @param {number} codes
 * @returns {number[]}
 */
export function mergedCodes(order, codes) {
  const fine = order.length + 1;
  if (!(Number.isInteger(codes) && 1 <= codes && codes <= fine)) {
    throw new RangeError(`Expected 1 <= codes <= ${fine}, got codes=${codes}.`);
  }
  const label = Array.from({ length: fine }, (_, code) => code);
  for (const [kept, gone] of order.slice(0, fine - codes)) {
    label.forEach((now, code) => { if (now === gone) label[code] = kept; });
  }
  const left = [...new Set(label)].sort((a, b) => a - b);
  return label.map((now) => left.indexOf(now));
}

/**
 * How often each merged code occurs among people with these fine codes.
 * @param {ArrayLike<number>} fine
 * @param {number[]} merge
 */
export function frequencies(fine, merge) {
  const counts = new Float64Array(Math.max(...merge) + 1);
  for (let i = 0; i < fine.length; i++) counts[merge[fine[i]]] += 1;
  return counts;
}
