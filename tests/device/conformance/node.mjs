// node node.mjs DEVICE MODELS VECTORS: the vectors in node; prints {checks, failures} as JSON.

import { readFile, readdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { run } from "./run.js";

const [device, models, folder] = process.argv.slice(2);
const vectors = {};
for (const file of await readdir(folder)) {
  if (file.endsWith(".json")) vectors[file.slice(0, -5)] = JSON.parse(await readFile(`${folder}/${file}`, "utf8"));
}
const read = async (path) => { const { buffer, byteOffset, byteLength } = await readFile(`${models}/${path}`); return buffer.slice(byteOffset, byteOffset + byteLength); };
console.log(JSON.stringify(await run(`${pathToFileURL(device).href}/`, vectors, read)));
