// The join page: ask, rehearse, send once, show the bytes. Everything about the answer stays in this page and its Worker.

import { Ledger } from "../../device/budget.js";
import { SymbolAnswer } from "./answer.js";
import { numberForm, optionsForm } from "./forms.js";
import { Outbox } from "./outbox.js";

const REHEARSALS = 8;
const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const id = location.pathname.split("/").pop() ?? "";
const outbox = new Outbox(id);
const ledger = new Ledger();

/** @param {string} text @param {boolean} [wrong] */
function say(text, wrong = false) {
  $("status").textContent = text;
  $("status").classList.toggle("wrong", wrong);
}

/** @param {number} value */
const percent = (value) => `${(100 * value).toFixed(1)} %`;

/** @param {any} campaign */
function describe({ title, question, epsilon, odds: [inside, outside], payload }) {
  document.title = title;
  $("title").textContent = title;
  $("question").textContent = question.text;
  const verb = payload === "symbol" ? "names" : "holds";
  $("odds-text").textContent = `Your report ${verb} your true answer with a chance of ${percent(inside)}, and any other ` +
    `one with ${percent(outside)}. So whatever it says, you can say it was chance: no answer becomes more than ` +
    `e^ε = ${Math.exp(epsilon).toFixed(1)} times as believable by it (ε = ${epsilon}).`;
  $("odds").hidden = false;
  $("insecure").hidden = location.protocol === "https:";
  showLedger(epsilon);
}

/** @param {number} epsilon */
function showLedger(epsilon) {
  const spent = ledger.spent("me");
  $("cost").textContent = `Sending spends ε = ${epsilon}. This phone has spent ${+spent.toFixed(3)} for you so far.`;
  $("ledger").textContent = `All your reports from this browser together: ε = ${+spent.toFixed(3)}.`;
}

/** @param {import("./outbox.js").Letter} letter @param {any} campaign */
async function deliver(letter, campaign) {
  $("form").hidden = true;
  say("Sending…");
  try {
    await outbox.deliver(letter, (reason, seconds) => say(`${reason} The same report goes again in ${seconds} s.`, true));
  } catch (error) {
    return say(`Your report was not taken: ${error instanceof Error ? error.message : error}`, true);
  }
  say("Sent. Thank you.");
  $("bytes").textContent = letter.report;
  $("sent").hidden = false;
  showLedger(campaign.epsilon);
  document.body.dataset.state = "sent";
}

/** @param {any} campaign */
async function ask(campaign) {
  const { kind } = campaign.question;
  const digit = kind === "digit" ? await import("./digit.js") : null;
  const progress = (/** @type {number} */ done, /** @type {number} */ total) => say(`Loading ${percent(done / total)}…`);
  const answer = digit ? await digit.DigitAnswer.load(campaign, progress) : new SymbolAnswer(campaign);
  const make = digit?.digitForm ?? (kind === "number" ? numberForm : optionsForm);
  const send = /** @type {HTMLButtonElement} */ ($("send"));
  let turn = 0;
  const form = make($("answers"), campaign, async () => {
    const mine = ++turn;
    const value = await form.value();
    send.disabled = value === null;
    if (value === null) return void ($("rehearsals").hidden = true);
    const { words, bytes } = await answer.rehearse(value, REHEARSALS);
    if (mine !== turn) return;
    $("draws").replaceChildren(...words.map((/** @type {string} */ text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
    $("rehearsed").textContent = bytes;
    $("rehearsals").hidden = false;
  });
  $("form").onsubmit = async (event) => {
    event.preventDefault();
    if (send.disabled) return;
    send.disabled = true;
    const value = await form.value();
    if (value === null) return;
    try {
      const report = await answer.release(value, ledger);
      await deliver(outbox.put(report), campaign);
    } catch (error) {
      say(String(error instanceof Error ? error.message : error), true);
    }
  };
  $("form").hidden = false;
  say("");
}

async function main() {
  const answer = await fetch(new URL(`../../api/campaigns/${encodeURIComponent(id)}`, import.meta.url), { cache: "no-store" });
  if (answer.status === 404) return say("There is no such campaign. Is the link complete?", true);
  if (!answer.ok) throw new Error("The server does not answer. Try again in a moment.");
  const campaign = await answer.json();
  describe(campaign);
  const waiting = outbox.waiting;
  if (waiting) await deliver(waiting, campaign); // drawn before, and not there yet: the same one, never another
  else if (!campaign.open) say("This campaign is closed. Nothing can be sent any more.");
  else if (outbox.letters.length >= campaign.reports_per_device) {
    say("This browser has sent its report already.");
    $("bytes").textContent = outbox.letters.map((letter) => letter.report).join("\n");
    $("sent").hidden = false;
  } else await ask(campaign);
  document.body.dataset.ready = String(Math.round(performance.now()));
}

main().catch((error) => say(String(error instanceof Error ? error.message : error), true));
