// The owner's side as a Worker: the one place that holds a record. Its own response header (device_routes.py) lets it
// talk to nothing but our weights. client.js calls it; each method below is one call.

import { collectorOf } from "./collector.js";
import { Mechanism } from "./mechanism.js";
import { fitPixels } from "./own_picture.js";
import { fitRecord } from "./picture.js";
import { newTapes, rehearse } from "./rehearsal.js";
import { PublicPhotos } from "./public_photos.js";
import { plan, release } from "./release.js";
import { codeOf } from "./subset_selection.js";
import { tableRow } from "./table_row.js";
import { trunkFeatures } from "./trunk.js";
import { download } from "./weights.js";

/** @typedef {import("./mechanism.js").Description} Description */
/** @typedef {import("./release.js").Settings} Settings */

/** @type {Map<string, {mechanism: Mechanism, collector: ReturnType<typeof collectorOf> | null}>} */
const loaded = new Map();
/**
 * @type {Map<number, {x: Float32Array, label: number | null, tapes: import("./rehearsal.js").Tapes[],
 *   h: Map<string, Float64Array>}>}
 */
const rehearsals = new Map();
/** @type {Map<string, Promise<ArrayBuffer>>} by checksum: mechanisms share files */
const files = new Map();
/** @type {Map<string, ReturnType<typeof trunkFeatures>>} by shape: mechanisms share the trunk */
const trunks = new Map();

const NUMBER = 26; // characters of a float64 in JSON, at most, with its comma

const methods = {
  /**
   * Fetch and verify a mechanism's weights; with `collector`, also what rehearsals show of the other side.
   * @param {{key: string, description: Description, collector?: boolean, photos?: import("./public_photos.js").PhotoFeatures}} options
   *   key: any name, for later calls; photos: public ones, to find those nearest to a rehearsal
   * @param {import("./weights.js").OnProgress} onProgress
   */
  async load({ key, description, collector = false, photos }, onProgress) {
    const roles = ["trunk", "encoder", ...(collector ? ["decoder", "bundle"] : [])].filter((r) => r in description.files);
    const total = roles.reduce((sum, role) => sum + description.files[role].bytes, 0);
    const done = new Map();
    const fetched = await Promise.all(roles.map((role) => file(description.files[role], (bytes) => {
      done.set(role, bytes);
      onProgress([...done.values()].reduce((a, b) => a + b, 0), total);
    })));
    /** @type {Record<string, ArrayBuffer>} */
    const by = Object.fromEntries(roles.map((role, i) => [role, fetched[i]]));
    const features = description.trunk ? await trunk(description.trunk, by.trunk) : null;
    const mechanism = Mechanism.from(description, by.encoder ?? null, features);
    const other = collector && by.bundle ? collectorOf(mechanism, by.decoder, by.bundle) : null;
    if (other && photos && description.trunk) other.photos = new PublicPhotos(mechanism, photos);
    if (other && "prepare" in other && !other.photos) await other.prepare(pause); // photos say more than a mean of blurs
    loaded.set(key, { mechanism, collector: other });
    return { bytes: total, before: other?.before ?? null };
  },

  /**
   * A file of a picture, or a row of a table, to the numbers of a record.
   * @param {{key: string, picture?: Blob, row?: Record<string, unknown>}} options
   */
  async prepare({ key, picture, row }) {
    const { description } = get(key).mechanism;
    if (picture) return (await methods.fit({ key, picture })).x;
    if (!description.preprocessor) throw new Error(`Expected a picture for ${description.name}, got a row.`);
    return tableRow(row ?? {}, description.preprocessor);
  },

  /**
   * A file of a picture to x, and why it may be no digit.
   * @param {{key: string, picture: Blob}} options
   * @returns {Promise<import("./picture.js").Fitted>}
   */
  async fit({ key, picture }) {
    const { dataset, pictures } = get(key).mechanism.description;
    return pictures ? { x: (await fitPixels(picture, pictures)).x, doubt: "" } : fitRecord(picture, dataset);
  },

  /**
   * h, and what of it stays after the clip: z, or the code. NOT private: for the owner's own screen.
   * @param {{key: string, x: Float32Array}} options
   */
  encode({ key, x }) {
    const { mechanism } = get(key);
    const h = mechanism.encode(x);
    const { release: kind } = mechanism.description;
    if (kind === "codes") return { h, code: codeOf(h) };
    const noise = mechanism.noise(mechanism.description.input_dim); // any ε: the clip does not depend on it
    return { h, z: "clip" in noise && typeof noise.clip !== "function" ? noise.clip.clip(h) : h };
  },

  /**
   * n rehearsals of a record: free, never sent. The answer's id is for `rescale`.
   * @param {{key: string, x: Float32Array, label: number | null, settings: Settings, count: number}} options
   */
  rehearse({ key, x, label, settings, count }) {
    const id = Math.max(0, ...rehearsals.keys()) + 1;
    rehearsals.set(id, { x, label, tapes: newTapes(count), h: new Map() });
    return methods.rescale({ key, id, settings });
  },

  /**
   * The same rehearsals, by the same chance, with another ε, λ or mechanism.
   * @param {{key: string, id: number, settings: Settings}} options
   */
  rescale({ key, id, settings }) {
    const { mechanism, collector } = get(key);
    const kept = rehearsals.get(id);
    if (!kept) throw new Error(`Expected the id of rehearsals, got ${id}.`);
    const h = kept.h.get(key) ?? mechanism.encode(kept.x); // ε moves often, the record does not
    kept.h.set(key, h);
    return { id, draws: rehearse(mechanism, collector, h, kept.label, settings, kept.tapes) };
  },

  /**
   * Forget rehearsals.
   * @param {{id: number}} options
   */
  forget({ id }) {
    rehearsals.delete(id);
  },

  /**
   * What a release would cost, after every check: the ledger is charged with this before `release`. `room`: more
   * characters than its report can have.
   * @param {{key: string, x: Float32Array, label: number | null, settings: Settings}} options
   */
  cost({ key, x, label, settings }) {
    const { mechanism } = get(key);
    mechanism.check(x);
    const { epsilonX, epsilonY } = plan(mechanism, label, settings);
    const { release: kind, input_dim, latent_dim, classes } = mechanism.description;
    const room = 1000 + NUMBER * (kind === "features" ? input_dim : latent_dim) + latent_dim * classes.length;
    return { mechanism: mechanism.description.name, epsilon_x: epsilonX, epsilon_y: epsilonY, room };
  },

  /**
   * Draw a release, once, and write its report. Charge the ledger first (client.js does).
   * @param {{key: string, x: Float32Array, label: number | null, settings: Settings}} options
   */
  release({ key, x, label, settings }) {
    return release(get(key).mechanism, x, label, settings);
  },
};

/** A rehearsal that waits goes first. */
const pause = () => new Promise((/** @type {(value: void) => void} */ resolve) => { setTimeout(resolve); });

/** @param {string} key */
function get(key) {
  const found = loaded.get(key);
  if (!found) throw new Error(`Expected a mechanism that was loaded, got "${key}".`);
  return found;
}

/**
 * @param {import("./mechanism.js").WeightsFile} about
 * @param {(bytes: number) => void} onBytes
 */
function file({ url, sha256, bytes }, onBytes) {
  const known = files.get(sha256);
  if (known) return known.then((buffer) => (onBytes(bytes), buffer));
  const fetched = download(new URL(url, import.meta.url).href, sha256, onBytes);
  files.set(sha256, fetched);
  fetched.catch(() => files.delete(sha256)); // another try may succeed
  return fetched;
}

/**
 * @param {{side: number, mirrored: boolean}} shape
 * @param {ArrayBuffer} weights
 */
function trunk(shape, weights) {
  const name = JSON.stringify(shape);
  const known = trunks.get(name) ?? trunkFeatures(shape, weights).then(remembering);
  trunks.set(name, known);
  known.catch(() => trunks.delete(name));
  return known;
}

/**
 * The features of the newest picture are kept: another network after the same trunk costs no second passage.
 * @param {(x: ArrayLike<number>) => Float32Array} features
 */
function remembering(features) {
  /** @type {{x: Float64Array, found: Float32Array} | null} */
  let last = null;
  return (/** @type {ArrayLike<number>} */ x) => {
    if (!last || !last.x.every((value, i) => value === x[i])) last = { x: Float64Array.from(x), found: features(x) };
    return last.found;
  };
}

self.onmessage = async ({ data: { id, method, options } }) => {
  try {
    const call = /** @type {(options: any, onProgress: any) => unknown} */ (methods[/** @type {"load"} */ (method)]);
    const result = await call(options, (/** @type {number} */ done, /** @type {number} */ total) => {
      self.postMessage({ id, progress: { done, total } });
    });
    self.postMessage({ id, result });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
