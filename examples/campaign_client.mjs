// Answer a campaign of k-RR: node examples/campaign_client.mjs http://127.0.0.1:8501/join/ID 1
import { RandomisedResponse } from "../static/device/labels.js";
import { toJson } from "../static/device/report.js";

const [link, answer] = process.argv.slice(2);
const api = link.replace("/join/", "/api/campaigns/");
const about = await (await fetch(api)).json();
const { epsilon, symbols } = about;
const symbol = new RandomisedResponse({ epsilon, classes: symbols }).privatise(Number(answer)); // once: do not draw again
const report = toJson(about, { epsilon }, { symbol, of: symbols });
const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
const body = `{"nonce":"${nonce}","report":${report}}`;
const sent = await fetch(`${api}/reports`, { method: "POST", body, headers: { "content-type": "application/json" } });
console.log(sent.status, report);
