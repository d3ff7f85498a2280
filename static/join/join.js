// The join page: ask, rehearse, send once, show the bytes. Everything about the answer stays in this page and its Worker.

import { Ledger } from "../../device/budget.js";
import { verdict } from "../../device/verdict.js";
import { SymbolAnswer } from "./answer.js";
import { element, numberForm, optionsForm } from "./forms.js";
import { envelope, Outbox } from "./outbox.js";
import { isWorthAnother, secondsToWait, sleep } from "./patience.js";

const REHEARSALS = 8;
const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const id = location.pathname.split("/").pop() ?? "";
const ledger = new Ledger();
/** @type {Outbox} */
let outbox;

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
    `one with ${percent(outside)}. So it can be chance, whatever it says: no answer becomes more than ` +
    `e^ε = ${Math.exp(epsilon).toFixed(1)} times as believable by it (ε = ${epsilon}). A larger ε gives away more.`;
  $("odds").hidden = $("script").hidden = false;
  $("insecure").hidden = location.protocol === "https:";
  showLedger(epsilon);
}

/** @param {number} epsilon */
function showLedger(epsilon) {
  const spent = ledger.spent("me");
  const { strength, sentence } = verdict(epsilon);
  $("cost").textContent = `Sending spends ε = ${epsilon}, protection: ${strength}. ${sentence} This phone has spent ${+spent.toFixed(3)} for you so far.`;
  $("ledger").textContent = `All your reports from this browser together: ε = ${+spent.toFixed(3)}.`;
}

/** What has been sent, in words and as bytes; and a way to send another, where the campaign takes more. @param {any} campaign */
async function showSent(campaign) {
  const { letters } = outbox;
  const { explain } = await import("./explain.js");
  $("words").textContent = letters.map(({ report }) => explain(campaign, report)).join(" ");
  $("bytes").textContent = letters.map(envelope).join("\n");
  $("sent").hidden = false;
  const left = campaign.open ? campaign.reports_per_device - letters.length : 0;
  $("again").hidden = left <= 0;
  $("again").textContent = `Send another one (${left} left; each spends ε = ${campaign.epsilon})`;
  $("again").onclick = () => {
    $("sent").hidden = $("again").hidden = true;
    delete document.body.dataset.state;
    ask(campaign).catch(fail);
  };
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
  await showSent(campaign);
  showLedger(campaign.epsilon);
  document.body.dataset.state = "sent";
}

/** @type {Record<string, (campaign: any) => Promise<{answer: any, make: any}>>} What asks for a kind, and what answers it. */
const KINDS = {
  digit: async (campaign) => {
    const { DigitAnswer, digitForm } = await import("./digit.js");
    return { answer: await DigitAnswer.load(campaign, showProgress), make: digitForm };
  },
  row: async (campaign) => {
    const { RowAnswer, rowForm } = await import("./row.js");
    return { answer: await RowAnswer.load(campaign, showProgress), make: rowForm };
  },
  number: async (campaign) => ({ answer: await SymbolAnswer.load(campaign), make: numberForm }),
  "one-of": async (campaign) => ({ answer: await SymbolAnswer.load(campaign), make: optionsForm }),
};
/** @type {Promise<{answer: any, make: any}> | null} loaded once, also for several reports */
let loading = null;
const showProgress = (/** @type {number} */ done, /** @type {number} */ total) => say(`Loading ${percent(done / total)}…`);

/** @param {any} campaign */
async function ask(campaign) {
  loading ??= KINDS[campaign.question.kind](campaign);
  const { answer, make } = await loading;
  const send = /** @type {HTMLButtonElement} */ ($("send"));
  let turn = 0;
  const form = make($("answers"), campaign, async () => {
    const mine = ++turn;
    try {
      const value = await form.value();
      const rehearsed = value === null ? null : await answer.rehearse(value, REHEARSALS);
      if (mine !== turn) return;
      send.disabled = $("rehearsals").hidden = rehearsed === null;
      if (!rehearsed) return;
      $("draws").replaceChildren(...rehearsed.words.map((/** @type {string} */ text) =>
        element("li", { className: text === rehearsed.own ? "own" : "" }, text)));
      $("rehearsed").textContent = rehearsed.bytes;
      say("");
    } catch (error) {
      send.disabled = true;
      fail(error);
    }
  }, answer);
  send.disabled = $("rehearsals").hidden = true;
  $("form").onsubmit = async (event) => {
    event.preventDefault();
    if (send.disabled) return;
    send.disabled = true;
    const value = await form.value();
    if (value === null) return;
    let place = null;
    let letter = null;
    try {
      place = outbox.claim(campaign.reports_per_device);
      letter = outbox.fill(place, await answer.release(value, ledger));
    } catch (error) {
      if (place) outbox.leave(place);
      showLedger(campaign.epsilon); // drawn in vain is spent all the same
      return fail(error);
    }
    await deliver(letter, campaign);
  };
  $("form").hidden = false;
  say("");
  import("./explain.js").catch(() => {}); // ahead: nothing but the report is to leave when it is sent
}

/** The campaign, asked for until the server answers. */
async function fetchCampaign() {
  for (let tries = 0; ; tries++) {
    const address = new URL(`../../api/campaigns/${encodeURIComponent(id)}`, import.meta.url);
    const answer = await fetch(address, { cache: "no-store" }).catch(() => null);
    if (answer?.ok) return answer.json();
    if (answer?.status === 404) throw new Error("There is no such campaign. Is the link complete?");
    if (!isWorthAnother(answer)) throw new Error(`The server refuses (${answer?.status}).`);
    const seconds = secondsToWait(answer, tries);
    say(`The server does not answer. Trying again in ${Math.ceil(seconds)} s.`, true);
    await sleep(seconds);
  }
}

/** The ledger and the drawn report live there; without it a reload would send a second report. */
function hasStorage() {
  try {
    localStorage.setItem("rlm-try", "");
    localStorage.removeItem("rlm-try");
    return true;
  } catch {
    return false;
  }
}

async function main() {
  if (!hasStorage()) {
    throw new Error("This browser keeps nothing for this page, so it could not remember that you have answered. Nothing was " +
      "sent. Allow the page to store data, or open the link in another browser.");
  }
  outbox = new Outbox(id);
  const campaign = await fetchCampaign();
  describe(campaign);
  const waiting = outbox.waiting;
  if (waiting) await deliver(waiting, campaign); // drawn before, and not there yet: the same one, never another
  else if (outbox.letters.length) {
    const isFull = outbox.letters.length >= campaign.reports_per_device;
    say(isFull ? "This browser has sent its report already." : "Sent. Thank you.");
    await showSent(campaign);
  } else if (!campaign.open) say("This campaign is closed. Nothing can be sent any more.");
  else await ask(campaign);
}

/** @param {any} error */
const fail = (error) => say(error?.name === "QuotaExceededError"
  ? "This browser has no space left for this page, so nothing was sent. Free some, and answer again."
  : String(error?.message ?? error), true);

main().catch(fail).finally(() => { document.body.dataset.ready = String(Math.round(performance.now())); });
