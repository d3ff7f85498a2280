// What is public and may be in the address: dataset, ε, λ and mechanism. Nothing of the record is here.

/** @typedef {"pixels" | "numbers" | "codes"} Lane */
/** @typedef {{data: string, eps: number, lam: number, mech: Lane}} Chosen */
/**
 * Made by Python (ui/record/offer.py).
 * @typedef {object} Offer
 * @property {{value: number, word: string, odds: string}[]} epsilons
 * @property {Record<string, {title: string, record: string, networks: {name: string, note: string}[],
 *   lanes: Record<Lane, {name: string, k: number | null}[]>}>} datasets
 *   for every lane one mechanism for each position of ε
 * @property {Chosen} defaults eps: the position
 */

/** @param {Offer} offer @returns {Chosen} */
export function fromAddress({ epsilons, datasets, defaults }) {
  const query = new URLSearchParams(location.search);
  const chosen = { ...defaults };
  const data = Object.keys(datasets).find((name) => [name, datasets[name].title].includes(query.get("data") ?? ""));
  if (data) chosen.data = data;
  const asked = query.get("eps") ?? "";
  const eps = epsilons.findIndex(({ value }) => (asked === "inf" || asked === "∞" ? value === Infinity : asked !== "" && value === Number(asked)));
  if (eps >= 0) chosen.eps = eps;
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
  address.searchParams.set("eps", value === Infinity ? "inf" : String(value));
  address.searchParams.set("lam", String(chosen.lam));
  address.searchParams.set("mech", chosen.mech);
  if (Object.keys(datasets).length > 1) address.searchParams.set("data", datasets[chosen.data].title);
  for (const old of ["sample", "loan", "source"]) address.searchParams.delete(old);
  history.replaceState(history.state, "", address);
}
