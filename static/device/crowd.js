// What a collector learns from many reports, and what from one. Twin of rlm_core/collector/codes.py, for sets of pairs
// (code, label): exact maximum likelihood of p(y | code) under the known channel. No record is seen here, and nothing
// random is drawn.

const ONE_TO_ONE = [0.6, 1.6]; // shares of a code, in units of 1/K, between which it can be one class

/** Sets of pairs c·K + y, from subset selection with ε on all k·K pairs: member numbers of n sets, one after another. */
export class PairSets {
  /** @param {{epsilon: number, codes: number, classes: number, size: number}} fields size: members of every set */
  constructor({ epsilon, codes, classes, size }) {
    this.codes = codes;
    this.classes = classes;
    this.size = size;
    this.outside = Math.exp(-epsilon); // in units of the likelihood inside
    this.count = 0;
    this.members = new Uint16Array(1024 * size);
  }

  /** @param {ArrayLike<number>} set numbers of its members */
  add(set) {
    if (set.length !== this.size) throw new RangeError(`Expected ${this.size} members, got ${set.length}.`);
    const from = this.count * this.size;
    if (from === this.members.length) {
      const longer = new Uint16Array(2 * this.members.length);
      longer.set(this.members);
      this.members = longer;
    }
    this.members.set(set, from);
    this.count += 1;
  }

  /**
   * Σ_cy joint_cy L(reportₙ | c, y): (k·K,) to (n,).
   * @param {Float64Array} joint
   */
  evidence(joint) {
    const all = sum(joint);
    const { members, size, outside } = this;
    const result = new Float64Array(this.count);
    for (let n = 0, at = 0; n < this.count; n++) {
      let inside = 0;
      for (const end = at + size; at < end; at++) inside += joint[members[at]];
      result[n] = inside + outside * Math.max(all - inside, 0);
    }
    return result;
  }

  /**
   * Σₙ weightsₙ L(reportₙ | c, y): (n,) to (k·K,), the transpose of `evidence`.
   * @param {Float64Array} weights
   */
  gather(weights) {
    const inside = new Float64Array(this.codes * this.classes);
    const { members, size, outside } = this;
    for (let n = 0, at = 0; n < this.count; n++) {
      for (const end = at + size; at < end; at++) inside[members[at]] += weights[n];
    }
    const all = sum(weights);
    return inside.map((value) => value + outside * (all - value));
  }
}

/**
 * The maximum-likelihood p(y | code), given the frequencies of the codes: EM with leaps (SQUAREM, scheme S3).
 * @param {PairSets} reports
 * @param {Float64Array} counts (k,) of the codes in D₁
 * @param {{steps?: number, tolerance?: number}} [options]
 * @returns {Float64Array} (k·K,) rows add up to 1
 */
export function expectationMaximisation(reports, counts, { steps = 500, tolerance = 1e-7 } = {}) {
  const { codes, classes } = reports;
  const people = sum(counts);
  /** @param {Float64Array} table */
  const step = (table) => {
    const joint = table.map((share, pair) => (share * counts[Math.floor(pair / classes)]) / people);
    const evidence = reports.evidence(joint).map((value) => Math.max(value, 1e-300));
    const expected = reports.gather(evidence.map((value) => 1 / value)).map((value, pair) => value * joint[pair]);
    const value = evidence.reduce((total, each) => total + Math.log(each), 0) / evidence.length;
    return { next: rowsToOne(expected, classes, table), value };
  };
  /** @type {Float64Array} */
  let table = new Float64Array(codes * classes).fill(1 / classes);
  let best = { table, value: -Infinity };
  /** @type {number[]} */
  const history = [];
  while (history.length < steps) {
    const { next: first, value } = step(table);
    if (value < best.value) { // the leap went too far: back to where plain EM stood
      table = best.table;
      best = { table, value: -Infinity };
      continue;
    }
    history.push(value);
    if (history.length > 1 && value - history[history.length - 2] < tolerance) break;
    const { next: second } = step(first);
    best = { table: second, value };
    table = leap(table, first, second, classes);
  }
  return history.length === steps ? best.table : table;
}

/**
 * Where two steps of EM point to, further along.
 * @param {Float64Array} table
 * @param {Float64Array} first
 * @param {Float64Array} second
 * @param {number} classes
 */
function leap(table, first, second, classes) {
  const r = first.map((value, i) => value - table[i]);
  const v = second.map((value, i) => value - 2 * first[i] + table[i]);
  const length = Math.sqrt(sum(v.map((value) => value * value)));
  if (length === 0) return second;
  const alpha = Math.max(1, Math.sqrt(sum(r.map((value) => value * value))) / length);
  return rowsToOne(table.map((value, i) => Math.max(value + 2 * alpha * r[i] + alpha ** 2 * v[i], 1e-12)), classes, table);
}

/**
 * Whether codes may be the classes themselves: as many, and each about as frequent in D₁ as a class is.
 * @param {Float64Array} counts
 * @param {number} classes
 */
export function oneToOne(counts, classes) {
  const [low, high] = ONE_TO_ONE.map((bound) => (bound * sum(counts)) / classes);
  return counts.length === classes && counts.every((each) => low <= each && each <= high);
}

/**
 * One code for every label and one label for every code: the pairing that most reports hold.
 * @param {PairSets} reports
 * @returns {Float64Array} (K·K,)
 */
export function everyLabelOwnsACode(reports) {
  const { codes, classes, members, size, count } = reports;
  if (codes !== classes) throw new RangeError(`Expected as many codes as classes, got ${codes} and ${classes}.`);
  const held = new Float64Array(codes * classes);
  for (let at = 0; at < count * size; at++) held[members[at]] += 1;
  const table = new Float64Array(codes * classes);
  assignment(held.map((value) => -value), classes).forEach((label, code) => { table[code * classes + label] = 1; });
  return table;
}

/**
 * The cheapest assignment of columns to rows: shortest augmenting paths (Kuhn 1955, Munkres 1957; Jonker and
 * Volgenant 1987).
 * @param {Float64Array} cost (n·n,)
 * @param {number} n
 * @returns {number[]} the column of every row
 */
export function assignment(cost, n) {
  const rowPrice = new Float64Array(n + 1);
  const columnPrice = new Float64Array(n + 1);
  const rowOf = new Int32Array(n + 1).fill(-1); // of each column; column n is where a path begins
  for (let row = 0; row < n; row++) {
    const least = new Float64Array(n + 1).fill(Infinity);
    const before = new Int32Array(n + 1).fill(-1);
    const seen = new Uint8Array(n + 1);
    let column = n;
    rowOf[n] = row;
    while (rowOf[column] !== -1) {
      seen[column] = 1;
      const at = rowOf[column];
      let [next, slack] = [-1, Infinity];
      for (let j = 0; j < n; j++) {
        if (seen[j]) continue;
        const reduced = cost[at * n + j] - rowPrice[at] - columnPrice[j];
        if (reduced < least[j]) [least[j], before[j]] = [reduced, column];
        if (least[j] < slack) [next, slack] = [j, least[j]];
      }
      for (let j = 0; j <= n; j++) {
        if (seen[j]) {
          rowPrice[rowOf[j]] += slack;
          columnPrice[j] -= slack;
        } else least[j] -= slack;
      }
      column = next;
    }
    for (; column !== n; column = before[column]) rowOf[column] = rowOf[before[column]];
  }
  const columns = new Array(n).fill(0);
  rowOf.slice(0, n).forEach((row, column) => { columns[row] = column; });
  return columns;
}

/**
 * The most likely label of every code.
 * @param {Float64Array} table (k·K,)
 * @param {number} classes
 */
export function labelsOf(table, classes) {
  return Array.from({ length: table.length / classes }, (_, code) => largest(table.subarray(code * classes, (code + 1) * classes)));
}

/**
 * The collector's best guess about the sender of each set: argmax_y Σ_c p(c, y)·L(S | c, y), with p of public people.
 * @param {PairSets} reports
 * @param {Float64Array} joint (k·K,) how many public people have each pair
 * @param {(n: number, label: number) => void} each
 */
export function guessSenders({ members, size, count, outside, classes }, joint, each) {
  const byLabel = new Float64Array(classes);
  joint.forEach((people, pair) => { byLabel[pair % classes] += outside * people; });
  for (let n = 0, at = 0; n < count; n++) {
    const belief = byLabel.slice();
    for (const end = at + size; at < end; at++) belief[members[at] % classes] += (1 - outside) * joint[members[at]];
    each(n, largest(belief));
  }
}

/** @param {Float64Array} values */
function largest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** @param {Float64Array} values */
function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

/**
 * Rows divided by their sums; a row of zeros stays as in `otherwise`.
 * @param {Float64Array} table
 * @param {number} classes
 * @param {Float64Array} otherwise
 */
function rowsToOne(table, classes, otherwise) {
  const totals = new Float64Array(table.length / classes);
  table.forEach((value, i) => { totals[Math.floor(i / classes)] += value; });
  return table.map((value, i) => {
    const total = totals[Math.floor(i / classes)];
    return total > 0 ? value / total : otherwise[i];
  });
}
