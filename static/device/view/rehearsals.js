// Eight rehearsals side by side: what could be sent, as a collector would decode it, each with the collector's guess.

import { bars, element, paint, percent, pictureCanvas, write } from "./elements.js";

export const COUNT = 8;

/** @typedef {{numbers: Float64Array | null, decoded: ArrayLike<number> | null, best: ArrayLike<number> | null, classes: Float64Array | null}} Shown */

/** The collector's guess in words. @param {Float64Array | null} classes @param {string[]} names */
export function guess(classes, names) {
  if (!classes) return { words: "no guess", at: -1 };
  const at = classes.indexOf(Math.max(...classes));
  return { words: `${names[at]}, ${percent(classes[at])}`, at };
}

/** In one sentence, for the live region. @param {Shown[]} draws @param {string[]} names */
export function spoken(draws, names) {
  const counts = new Map();
  for (const { classes } of draws) {
    const { at } = guess(classes, names);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const said = [...counts].sort((a, b) => b[1] - a[1]).map(([at, n]) => `${names[at] ?? "nothing"} ${n} times`);
  return `Eight rehearsals; the collector would guess ${said.join(", ")}.`;
}

/**
 * Photos: the public ones nearest to each rehearsal, the guess under them.
 * @param {number} side
 * @param {{picture: ArrayLike<number>, name: string}[]} photos public ones
 */
export function photoRehearsals(side, photos) {
  const tiles = Array.from({ length: COUNT }, () => {
    const four = Array.from({ length: 4 }, () => pictureCanvas(side));
    const words = element("figcaption");
    return { four, words, mosaic: element("div", { class: "mosaic", role: "img" }, ...four) };
  });
  const box = element("div", { class: "tiles photos" }, ...tiles.map(({ mosaic, words }) => element("figure", {}, mosaic, words)));
  return {
    box,
    /** @param {(Shown & {nearest?: number[] | null})[]} draws @param {string[]} names @param {number | null | undefined} label */
    show(draws, names, label) {
      box.classList.remove("none");
      draws.forEach((draw, i) => {
        const { four, words, mosaic } = tiles[i];
        const near = (draw.nearest ?? []).map((at) => photos[at]);
        four.forEach((canvas, n) => paint(canvas, near[n]?.picture ?? null));
        mosaic.setAttribute("aria-label", `rehearsal ${i + 1}: nearest public photos ${near.map(({ name }) => name).join(", ")}`);
        const { words: said, at } = guess(draw.classes, names);
        write(words, said);
        words.className = label !== null && label !== undefined && at === label ? "right" : "";
      });
    },
  };
}

/** Pictures: x̃ above, the collector's best picture below it, the guess under both. @param {number} side */
export function pictureRehearsals(side) {
  const tiles = Array.from({ length: COUNT }, (_, i) => {
    const decoded = pictureCanvas(side, `rehearsal ${i + 1} as the decoder draws it`);
    const best = pictureCanvas(side, `rehearsal ${i + 1}, the collector’s best picture`);
    const words = element("figcaption");
    return { decoded, best, words, box: element("figure", {}, decoded, best, words) };
  });
  const box = element("div", { class: "tiles" },
    element("div", { class: "names" }, element("span", { class: "of-decoded" }, "x̃, decoded"), element("span", { class: "of-best" }, "best picture")),
    ...tiles.map((tile) => tile.box));
  return {
    box,
    /** @param {Shown[]} draws @param {string[]} names @param {number | null | undefined} label */
    show(draws, names, label) {
      const both = draws.some((draw) => draw.decoded && draw.best && draw.decoded !== draw.best);
      box.classList.toggle("one", !both);
      box.classList.toggle("none", !draws.some((draw) => draw.decoded || draw.best));
      draws.forEach((draw, i) => {
        const { decoded, best, words } = tiles[i];
        const { words: said, at } = guess(draw.classes, names);
        paint(decoded, both ? draw.decoded : draw.decoded ?? draw.best);
        paint(best, draw.best);
        write(words, said);
        words.className = label !== null && label !== undefined && at === label ? "right" : "";
      });
    },
  };
}

/** z and one rehearsal of z̃ as bars; for codes, which code; for pixels, a sentence. */
export function representation() {
  const own = element("div", { class: "bars own-bars", role: "img" });
  const sent = element("div", { class: "bars sent-bars", role: "img" });
  const [ownWords, sentWords] = [element("span", { class: "cap" }), element("span", { class: "cap" })];
  const sentence = element("p", { class: "note" });
  const pair = element("div", { class: "pair" }, element("div", {}, ownWords, own), element("div", {}, sentWords, sent));
  return {
    box: element("div", { class: "representation" }, pair, sentence),
    /** @param {ArrayLike<number>} z @param {Float64Array} noisy @param {string} thing */
    numbers(z, noisy, thing) {
      pair.hidden = false;
      write(sentence, "");
      const reach = Math.max(...Array.from(z, Math.abs), ...Array.from(noisy, Math.abs), 1e-9);
      bars(own, z, reach);
      bars(sent, noisy, reach);
      write(ownWords, `z: your ${thing} in ${z.length} numbers`);
      write(sentWords, "one rehearsal of z + noise");
      own.setAttribute("aria-label", `z: ${z.length} numbers`);
      sent.setAttribute("aria-label", "a rehearsal of z with noise");
    },
    /** @param {string} words */
    say(words) {
      pair.hidden = true;
      write(sentence, words);
    },
  };
}
