// Holds static/device to the vectors, in any engine: run(base, vectors, read) gives what was checked and what failed.

import { tapes } from "./tape.js";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const number = (value) => (value === "inf" ? Infinity : value);
const bits = (hex, count) =>
  Uint8Array.from({ length: count }, (_, i) => (parseInt(hex.slice(2 * (i >> 3), 2 * (i >> 3) + 2), 16) >> (7 - (i & 7))) & 1);

/**
 * @param {string} base address of static/device, with a slash at the end
 * @param {Record<string, any>} vectors by file name
 * @param {(sha256: string) => Promise<ArrayBuffer>} read weights by their checksum
 */
export async function run(base, vectors, read) {
  const from = (name) => import(`${base}${name}.js`);
  const device = Object.assign({}, ...(await Promise.all([
    "sha256", "randomness", "clip", "laplace", "labels", "subset_selection", "pairs", "joint", "joint_bits", "per_feature_laplace", "budget",
    "mechanism", "release", "table_row", "decoder", "inference", "weights", "trunk", "picture", "own_picture",
  ].map(from))));
  const failures = [];
  let checks = 0;
  const same = (what, found, expected) => {
    checks += 1;
    const equal = found.length === expected.length && Array.from(expected, (v, i) => Object.is(found[i] + 0, v + 0)).every(Boolean);
    if (!equal) failures.push(`${what}: expected ${Array.from(expected).slice(0, 8)}, got ${Array.from(found).slice(0, 8)}`);
  };
  const near = (what, found, expected, tolerance) => {
    checks += 1;
    const off = expected.length === found.length ? Math.max(0, ...Array.from(expected, (v, i) => Math.abs(v - found[i]))) : NaN;
    if (!(off <= tolerance)) failures.push(`${what}: off by ${off}`);
    return off;
  };
  const guarded = (what, check) => {
    try { check(); } catch (error) { failures.push(`${what}: ${error}`); }
  };
  const context = { device, from, tape: tapes(device.sha256), same, near, guarded, read };
  for (const [name, suite] of Object.entries({ draws, channels, mechanisms, own, own_pictures: ownPictures, pictures })) {
    if (vectors[name]) await suite(vectors[name], context);
  }
  return { checks, failures };
}

const words = (values) => new Uint8Array(BigInt64Array.from(values, BigInt).buffer);

function draws(vectors, { device, tape, same, guarded }) {
  const digest = (values) => device.hex(device.sha256(words(values)));
  same("sha256 of nothing", [digest([])], ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"].map(String));
  for (const { label, count, sha256 } of vectors.laplace) {
    guarded(label, () => same(label, [digest(device.discreteLaplace(count, tape(label)))], [sha256]));
  }
  for (const { label, head, values } of [vectors.laplace_at_boundaries, ...vectors.laplace_at_zero.cases]) {
    guarded(label, () => same(label, device.discreteLaplace(values.length, tape(label, head)), values));
  }
  for (const { label, bound, count, sha256 } of vectors.uniform) {
    guarded(label, () => same(label, [digest(device.uniformBelow(bound, count, tape(label)))], [sha256]));
  }
  for (const [epsilon, classes, threshold] of vectors.thresholds.labels) {
    const what = `k-RR threshold at ${epsilon}, ${classes}`;
    guarded(what, () => same(what, [String(new device.RandomisedResponse({ epsilon, classes }).keepThreshold)], [threshold]));
  }
  for (const [epsilon, symbols, size, threshold] of vectors.thresholds.sets) {
    const what = `subset selection at ${epsilon}, ${symbols}`;
    guarded(what, () => {
      const channel = new device.SubsetSelection({ epsilon, symbols });
      same(what, [channel.size, String(channel.keepThreshold)], [size, threshold]);
    });
  }
}

function channels(vectors, { device, tape, same, guarded }) {
  vectors.clip.forEach(({ h, radius, z }, i) => guarded(`clip ${i}`, () => same(`clip ${i}`, new device.L1Clip(radius).clip(h), z)));
  for (const { label, h, radius, epsilon, sent } of vectors.laplace) {
    guarded(label, () => {
      const noise = new device.LaplaceNoise({ epsilon: number(epsilon), clip: new device.L1Clip(radius) });
      same(label, noise.privatiseWith(tape(label), h), sent);
    });
  }
  for (const { label, epsilon, low, high, x, sent } of vectors.per_feature_laplace) {
    guarded(label, () => {
      const noise = new device.PerFeatureLaplace({ epsilon: number(epsilon), low, high });
      same(label, noise.privatiseWith(tape(label), x), sent);
    });
  }
  for (const { label, epsilon, classes, sent } of vectors.labels) {
    guarded(label, () => {
      const [channel, source] = [new device.RandomisedResponse({ epsilon: number(epsilon), classes }), tape(label)];
      same(label, sent.map((_, y) => channel.privatiseWith(source, y % classes)), sent);
    });
  }
  for (const { label, head, epsilon, symbols, first = 0, sent } of vectors.sets) {
    guarded(label, () => {
      const [channel, source] = [new device.SubsetSelection({ epsilon: number(epsilon), symbols }), tape(label, head)];
      sent.forEach((set, c) => same(label, channel.privatiseWith(source, (first + c) % symbols), bits(set, symbols)));
    });
  }
  for (const { label, epsilon, codes, classes, sent } of vectors.pairs) {
    guarded(label, () => {
      const [channel, source] = [new device.PairSelection({ epsilon: number(epsilon), codes, classes }), tape(label)];
      sent.forEach((set, c) => same(label, channel.privatiseWith(source, c % codes, c % classes), bits(set, codes * classes)));
    });
  }
  for (const { label, epsilon, radius, centre, constant, h, y, sent } of vectors.joint_laplace) {
    guarded(label, () => {
      const joint = new device.JointLaplace({ epsilon: number(epsilon), radius, centre, constant });
      same(label, joint.privatiseWith(tape(label), h, y), sent);
    });
  }
  for (const { label, epsilon, classes, low, high, h, sent } of vectors.joint_sets) {
    guarded(label, () => {
      const [joint, source] = [new device.JointSelection({ epsilon: number(epsilon), classes, low, high }), tape(label)];
      sent.forEach(([coordinate, set], i) => {
        const found = joint.privatiseWith(source, h[i], i % classes);
        same(label, [found.coordinate, ...found.members], [coordinate, ...bits(set, 2 * classes)]);
      });
    });
  }
  for (const [epsilon, lam, epsilonX, epsilonY] of vectors.budget) {
    const budget = new device.Budget({ epsilon, lam });
    same(`budget ${epsilon} ${lam}`, [budget.epsilonX, budget.epsilonY], [epsilonX, epsilonY]);
  }
  vectors.sums.forEach(({ values, total }, i) => same(`sum ${i}`, [device.exactSum(values)], [total]));
}

/** Cuts of the same codes differ after the trunk: a picture goes through it once for all of them. */
function remembered(features) {
  const known = new Map();
  return (x) => {
    const key = x.join();
    if (!known.has(key)) known.set(key, features(x).slice());
    return known.get(key);
  };
}

async function mechanisms({ records, mechanisms: all }, { device, tape, same, near, read }) {
  const pictures = (texts) => texts.map((text) => Array.from(bytesOf(text), (value) => value / 255));
  const x = { mnist: pictures(records.mnist), cifar10: pictures(records.cifar10) };
  const [trunks, once] = [new Map(), new Map()];
  for (const { description, h, codes, reports, belief } of all) {
    const { name, dataset, trunk, files } = description;
    const rows = description.preprocessor
      ? records.loans.map((loan) => device.tableRow(loan, description.preprocessor)) : x[dataset];
    const file = async (role) => (role in files ? read(files[role].sha256) : null);
    const shape = JSON.stringify(trunk);
    if (trunk && !trunks.has(shape)) {
      const weights = await file("trunk");
      trunks.set(shape, await device.trunkFeatures(trunk, weights, await read("conv.wasm")));
      const plain = await device.trunkFeatures(trunk, weights, null); // where there is no SIMD
      near(`${shape}: features by plain JavaScript`, plain(rows[0]), trunks.get(shape)(rows[0]), 1e-4);
    }
    if (trunk && description.cut && !once.has(shape)) once.set(shape, remembered(trunks.get(shape)));
    const features = trunk ? (description.cut ? once : trunks).get(shape) : null;
    const mechanism = device.Mechanism.from(description, await file("encoder"), features);
    if (h) {
      const found = rows.map((row) => mechanism.encode(row));
      found.forEach((each, i) => near(`${name}: h of record ${i}`, each, h[i], 1e-4));
      same(`${name}: codes`, found.map((each) => device.codeOf(each)), codes);
    }
    for (const { epsilon, lam, label, record, tape: at, report } of reports) {
      const text = device.releaseWith(tape(at), mechanism, rows[record], label, { epsilon: number(epsilon), lam });
      const [found, expected] = [JSON.parse(text), JSON.parse(report)];
      if (h && expected.numbers) {
        near(`${name}: numbers of a report`, found.numbers, expected.numbers, 1e-4);
        delete found.numbers;
        delete expected.numbers;
        same(`${name}: the rest of a report`, [JSON.stringify(found)], [JSON.stringify(expected)]);
      } else same(`${name}: bytes of a report`, [text], [report]);
    }
    if (belief) {
      const prior = device.priorOf(device.tensors(await file("bundle")), description.cut);
      const weights = device.tensors(await file("decoder"));
      const isSet = description.release === "codes";
      const likelihood = isSet
        ? device.setLogLikelihood(Uint8Array.from(belief.sent), belief.epsilon, prior, null)
        : device.laplaceLogLikelihood(belief.sent, mechanism.noise(belief.epsilon).scale, prior);
      const labels = new device.RandomisedResponse({ epsilon: belief.epsilon_label, classes: description.classes.length });
      const classes = device.infer(likelihood, prior, labels.classes, labels.logLikelihood(belief.label)).classes;
      near(`${name}: belief`, classes, belief.classes, 1e-3);
      const codeDecoder = isSet && device.codeDecoder(weights, description.cut);
      const decoded = codeDecoder
        ? codeDecoder.mean(codeDecoder.posterior(Uint8Array.from(belief.sent), belief.epsilon))
        : device.decoder(description.decoder, weights)(belief.sent);
      const step = Math.max(1, Math.floor(decoded.length / 64));
      near(`${name}: decoded`, Array.from(decoded).filter((_, i) => i % step === 0), belief.decoded, 1e-3);
    }
  }
}

async function own({ joint_bits: bits, tables }, { device, from, tape, same, near, guarded }) {
  const { schemaForm } = typeof document === "undefined" ? { schemaForm: null } : await from("schema_form");
  for (const { label, epsilon, low, high, h, sent } of bits) {
    guarded(label, () => {
      const [joint, source] = [new device.JointBits({ epsilon: number(epsilon), low, high }), tape(label)];
      sent.forEach((expected, i) => {
        const { coordinate, symbol, of } = joint.privatiseWith(source, h[i], i % 2);
        same(label, [coordinate, symbol, of], expected);
      });
    });
  }
  for (const { description, encoder, rows, x, reports } of tables) {
    const mechanism = device.Mechanism.from(description, bytesOf(encoder).buffer);
    const records = rows.map((row) => device.tableRow(row, description.preprocessor));
    records.forEach((record, i) => near(`${description.name}: row ${i}`, record, x[i], 1e-6));
    if (schemaForm) { // what a form gives back for a row is the same to both sides, words that nobody knew included
      const form = schemaForm(document.createElement("form"), description.fields, description.preprocessor);
      rows.forEach((row, i) => {
        form.fill(row);
        near(`${description.name}: row ${i} by a form`, device.tableRow(form.row(), description.preprocessor), x[i], 1e-6);
      });
    }
    released(mechanism, records, reports, { device, tape, same, near, guarded });
  }
}

/** Reports of own data: every byte, but for numbers, which are h within 1e-4. */
function released(mechanism, records, reports, { device, tape, same, near, guarded }) {
  for (const { epsilon, lam, label, record, tape: at, report } of reports) {
    guarded(at, () => {
      const found = JSON.parse(device.releaseWith(tape(at), mechanism, records[record], label, { epsilon: number(epsilon), lam }));
      const expected = JSON.parse(report);
      near(`${at}: numbers`, found.numbers ?? [], expected.numbers ?? [], 1e-4);
      same(at, [JSON.stringify({ ...found, numbers: 0 })], [JSON.stringify({ ...expected, numbers: 0 })]);
    });
  }
}

/** From decoded bytes in any engine; a browser decodes the files as well, and what it read of them is what it sends. */
async function ownPictures({ pictures: all, mechanisms: kinds }, context) {
  const { device, near, same } = context;
  const records = [];
  for (const { name, file, from, bytes, to, x, tolerance } of all) {
    const decoded = bytesOf(bytes);
    const channels = decoded.length / (from.height * from.width); // 0 where they are not in the vectors
    const rgba = (top, rows) => Uint8Array.from({ length: 4 * rows * from.width }, (_, i) =>
      (i % 4 < 3 ? decoded[channels * (top * from.width + (i >> 2)) + ((i % 4) % channels)] : 255));
    let found = channels ? device.pixels(from, to, rgba) : null;
    if (found) near(`${name}: its bytes`, found, x, Math.min(tolerance, 1e-6));
    if (typeof createImageBitmap !== "undefined") {
      const fitted = await device.fitPixels(new Blob([bytesOf(file)]), to);
      found = fitted.x;
      near(`${name}: its file`, found, x, tolerance);
      same(`${name}: its size`, [fitted.from.height, fitted.from.width], [from.height, from.width]);
    }
    records.push(found);
  }
  for (const { description, encoder, reports } of kinds) {
    released(device.Mechanism.from(description, bytesOf(encoder).buffer), records, reports, context);
  }
}

async function pictures(vectors, { device, near, same }) {
  if (typeof createImageBitmap === "undefined") return; // only a browser can decode
  for (const { name, dataset, tolerance, file, x, doubtful } of vectors.pictures) {
    const fitted = await device.fitRecord(new Blob([bytesOf(file)]), dataset);
    near(name, fitted.x, x, tolerance);
    same(`${name}: doubt`, [fitted.doubt !== ""], [doubtful]);
  }
}
