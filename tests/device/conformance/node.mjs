// node node.mjs DEVICE VECTORS: the vectors in node; prints {checks, failures} as JSON. Weights are asked for by their
// checksum; standard input says where they are, as JSON.

import { readFile, readdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { run } from "./run.js";

const [device, folder] = process.argv.slice(2);
const weights = JSON.parse(await readFile("/dev/stdin", "utf8"));
const vectors = {};
for (const file of await readdir(folder)) {
  if (file.endsWith(".json")) vectors[file.slice(0, -5)] = JSON.parse(await readFile(`${folder}/${file}`, "utf8"));
}
const read = async (sha256) => Uint8Array.from(await readFile(sha256 in weights ? weights[sha256] : `${device}/${sha256}`)).buffer;
console.log(JSON.stringify(await run(`${pathToFileURL(device).href}/`, vectors, read)));
