// What may be in the address. In the query, which the server sees: dataset, ε, λ and mechanism. In the fragment, which no
// browser sends: which public example is shown. A drawing, a file or typed values are in neither. ε goes with the visitor
// from page to page, in this browser's memory of the tab.

/** @typedef {"pixels" | "numbers" | "codes"} Lane */
/** @typedef {{data: string, eps: number, lam: number, mech: Lane}} Chosen */
/**
 * Made by Python (ui/record/offer.py).
 * @typedef {object} Offer
 * @property {{value: number, word: string, odds: string}[]} epsilons
 * @property {Record<string, {title: string, words: string, about: string, record: string, classes: string[], networks: {name: string, note: string}[],
 *   lanes: Record<Lane, {name: string, k: number | null}[]>}>} datasets
 *   for every lane one mechanism for each position of ε
 * @property {Chosen} defaults eps: the position
 */

const KEY = "rlm-epsilon"; // the start page's slider has it too (ui/components/lanes)

/** The ε that was chosen last in this tab. @returns {string | null} */
function remembered() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** @param {number} epsilon */
export function remember(epsilon) {
  try {
    sessionStorage.setItem(KEY, epsilon === Infinity ? "inf" : String(epsilon));
  } catch { /* a browser that keeps nothing */ }
}

/** @param {{value: number}[]} epsilons @param {string | null} asked @returns {number} −1: none of them */
function position(epsilons, asked) {
  const value = asked === "inf" || asked === "∞" ? Infinity : Number(asked || NaN);
  return epsilons.findIndex((each) => each.value === value);
}

/** Where the ε stands that another page chose meanwhile; −1: nowhere. @param {Offer} offer */
export const rememberedPosition = ({ epsilons }) => position(epsilons, remembered());

/** @param {Offer} offer @returns {Chosen} */
export function fromAddress({ epsilons, datasets, defaults }) {
  const query = new URLSearchParams(location.search);
  const chosen = { ...defaults };
  const data = Object.keys(datasets).find((name) => [name, datasets[name].title].includes(query.get("data") ?? ""));
  if (data) chosen.data = data;
  const eps = [query.get("eps"), query.get("epsilon"), remembered()].map((asked) => position(epsilons, asked)).find((at) => at >= 0);
  if (eps !== undefined) chosen.eps = eps;
  const lam = Number(query.get("lam"));
  if (lam >= 0.05 && lam <= 1) chosen.lam = Math.round(lam * 20) / 20;
  const mech = /** @type {Lane} */ (query.get("mech"));
  if (mech in datasets[chosen.data].lanes) chosen.mech = mech;
  return chosen;
}

/** @param {Offer} offer @param {Chosen} chosen */
export function toAddress({ epsilons, datasets }, chosen) {
  const address = new URL(location.href);
  const { value } = epsilons[chosen.eps];
  address.searchParams.delete("epsilon");
  address.searchParams.set("eps", value === Infinity ? "inf" : String(value));
  address.searchParams.set("lam", String(chosen.lam));
  address.searchParams.set("mech", chosen.mech);
  if (Object.keys(datasets).length > 1) address.searchParams.set("data", datasets[chosen.data].title);
  for (const old of ["sample", "loan", "source"]) address.searchParams.delete(old);
  history.replaceState(history.state, "", address);
}

/** The public example that the address names; "": none. */
export const exampleInAddress = () => new URLSearchParams(location.hash.slice(1)).get("example") ?? "";

/** @param {string} example */
export function nameExample(example) {
  if (exampleInAddress() === example) return;
  const address = new URL(location.href);
  address.hash = example && new URLSearchParams({ example }).toString();
  history.replaceState(history.state, "", address);
}
