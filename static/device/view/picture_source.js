// Where the picture comes from: gallery, drawing, file, camera. All of it stays in this browser; what comes of it is x and
// a label for the Worker. The gallery is fetched whole, so that no request tells which picture was chosen.

import { cameraPanel, hasCamera } from "./camera.js";
import { choice, element, paint, pictureCanvas } from "./elements.js";

/** @typedef {{x: Float32Array, label: number | null | undefined}} Picked  label null: none; undefined: not said yet */
/**
 * @typedef {{classes: string[], labels: number[], count: number, pixels: number, images: string, in_gallery: number}} Samples
 *   in_gallery: pictures of each class that can be chosen
 */

const PEN = 22; // of a canvas with 280 pixels a side
const SAID = { 0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine" };

/**
 * The samples as numbers in [0, 1], one array a picture.
 * @param {Samples} samples
 * @returns {Float32Array[]}
 */
export function pictures({ images, count }) {
  const bytes = Uint8Array.from(atob(images), (letter) => letter.charCodeAt(0));
  const size = bytes.length / count;
  return Array.from({ length: count }, (_, i) => Float32Array.from(bytes.subarray(i * size, (i + 1) * size), (b) => b / 255));
}

/**
 * @param {{dataset: string, samples: Samples, all: Float32Array[], side: number, example: string,
 *   fit: (picture: Blob) => Promise<import("../picture.js").Fitted>, onPick: (picked: Picked | null, example: string) => void}} options
 */
export function pictureSource({ dataset, samples, all, side, example, fit: fitted, onPick }) {
  const digits = dataset === "mnist";
  const preview = pictureCanvas(side, "your picture");
  const note = element("p", { class: "note", role: "status" });
  /** @type {Picked | null} */
  let picked = null;
  let named = ""; // which public picture it is
  let turn = 0; // a picture that is ready after another was picked, or after Clear, comes too late

  const labels = choice("What does it show?", [
    ...samples.classes.map((words, value) => ({ value, words, title: digits ? /** @type {any} */ (SAID)[words] : words })),
    { value: null, words: "none of these · no label", title: "no label: none of these, or do not send one" },
  ], (label) => { if (picked) { picked = { ...picked, label }; onPick(picked, named); } }, `labels${digits ? "" : " long"}`);
  labels.show(undefined);

  /** @param {Picked | null} next @param {string} [words] @param {string} [name] of a public picture */
  const pick = (next, words = "", name = "") => {
    turn += 1;
    [picked, named] = [next, name];
    paint(preview, next && next.x);
    labels.show(next ? next.label : undefined);
    note.textContent = words;
    onPick(next, name);
  };

  /** @param {Blob | Promise<Blob>} file @param {string} words */
  const fit = async (file, words) => {
    const mine = ++turn;
    try {
      const { x, doubt } = await fitted(await file);
      if (mine !== turn) return;
      pick({ x, label: undefined }, doubt ? `This hardly looks like one digit: the collector’s guesses will be off. ${doubt}` : words);
    } catch (error) {
      if (mine === turn) pick(null, `This picture cannot be used. ${/** @type {Error} */ (error).message}`);
    }
  };

  const gallery = galleryPanel(samples, all, side, digits, example, (i, name) => pick({ x: all[i], label: samples.labels[i] }, "", name));
  const drawing = digits ? drawingPanel((file) => fit(file, ""), () => pick(null)) : null;
  const file = element("input", { type: "file", accept: "image/*", "aria-label": "A picture from this device" });
  file.onchange = () => { if (file.files[0]) fit(file.files[0], "Read in this browser; the file was not sent."); };
  const upload = element("div", { class: "panel" }, file,
    element("p", { class: "note" }, digits ? "One digit, dark on light or light on dark. The file is read here and is not sent."
      : "Its central square becomes 32 × 32 pixels. The file is read here and is not sent."));

  const camera = hasCamera() ? cameraPanel((photo) => { if (!camera?.box.hidden) fit(photo, "Taken in this browser; it was not sent."); }, (words) => { note.textContent = words; }) : null;

  const panels = /** @type {Record<string, HTMLElement>} */ ({
    Gallery: gallery.box, ...(drawing ? { Draw: drawing } : {}), Upload: upload, ...(camera ? { Camera: camera.box } : {}),
  });
  const open = (/** @type {string} */ name) => {
    for (const [each, panel] of Object.entries(panels)) panel.hidden = each !== name;
    camera?.stop();
    if (name === "Gallery") return gallery.again();
    pick(null, name === "Draw" ? "Draw a digit; it stays in this browser." : "");
    if (name === "Camera") camera?.start();
  };
  const tabs = choice("Picture from", Object.keys(panels).map((words) => ({ value: words, words })), open);
  const box = element("div", { class: "source" },
    element("div", { class: "shown" }, preview, element("div", { class: "says" }, element("span", { class: "cap" }, "It is a"), labels.box, note)),
    ...Object.values(panels));
  return { tabs: tabs.box, box, begin: () => open("Gallery") };
}

/**
 * @param {Samples} samples
 * @param {Float32Array[]} all
 * @param {number} side
 * @param {boolean} digits
 * @param {string} example that the address names
 * @param {(index: number, name: string) => void} onChoose name: for the address
 */
function galleryPanel(samples, all, side, digits, example, onChoose) {
  const rows = samples.classes.map((_, label) => samples.labels.flatMap((y, i) => (y === label ? [i] : [])).slice(0, samples.in_gallery));
  const order = Array.from({ length: samples.in_gallery }, (_, n) => rows.map((of) => of[n])).flat();
  const ordinal = ["first", "second", "third"];
  const nameOf = (/** @type {number} */ i) => `${samples.classes[samples.labels[i]]}-${rows[samples.labels[i]].indexOf(i) + 1}`;
  let chosen = order.find((i) => nameOf(i) === example) ?? order[digits ? 13 : 6];
  const thumbs = choice("Sample picture", order.map((i, place) => {
    const picture = pictureCanvas(side);
    picture.setAttribute("aria-hidden", "true");
    paint(picture, all[i]);
    const name = samples.classes[samples.labels[i]];
    const title = `${digits ? `a handwritten ${/** @type {any} */ (SAID)[name]}` : `a photo of class ${name}`}, ${ordinal[Math.floor(place / samples.classes.length)]} of three`;
    return { value: i, words: "", title, picture };
  }), (i) => { chosen = i; onChoose(i, nameOf(i)); }, "gallery");
  thumbs.show(chosen);
  return { box: element("div", { class: "panel" }, thumbs.box), again: () => onChoose(chosen, nameOf(chosen)) };
}

/** @param {(file: Promise<Blob>) => void} onDrawn @param {() => void} onClear */
function drawingPanel(onDrawn, onClear) {
  const canvas = element("canvas", { width: 280, height: 280, class: "pad", role: "img", "aria-label": "Drawing area for a digit" });
  const pen = canvas.getContext("2d");
  /** @type {[number, number][][]} */
  let strokes = [];
  const draw = () => {
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, 280, 280);
    Object.assign(pen, { lineWidth: PEN, lineCap: "round", lineJoin: "round", strokeStyle: "#fff" });
    for (const stroke of strokes) {
      pen.beginPath();
      stroke.forEach(([x, y]) => pen.lineTo(x, y));
      pen.lineTo(stroke[0][0], stroke[0][1] + 0.01);
      if (stroke.length > 1) { pen.beginPath(); stroke.forEach(([x, y]) => pen.lineTo(x, y)); }
      pen.stroke();
    }
  };
  const at = (/** @type {PointerEvent} */ event) => {
    const place = canvas.getBoundingClientRect();
    return /** @type {[number, number]} */ ([((event.clientX - place.left) * 280) / place.width, ((event.clientY - place.top) * 280) / place.height]);
  };
  const done = () => {
    draw();
    if (!strokes.length) return onClear();
    onDrawn(new Promise((resolve, reject) => {
      canvas.toBlob((/** @type {Blob | null} */ file) => (file ? resolve(file) : reject(new Error("The drawing could not be read."))));
    }));
  };
  canvas.onpointerdown = (/** @type {PointerEvent} */ event) => {
    canvas.setPointerCapture(event.pointerId);
    strokes.push([at(event)]);
    draw();
  };
  canvas.onpointermove = (/** @type {PointerEvent} */ event) => {
    if (!event.buttons || !strokes.length) return;
    strokes[strokes.length - 1].push(at(event));
    draw();
  };
  canvas.onpointerup = done;
  const undo = element("button", { type: "button", onclick: () => { strokes.pop(); done(); } }, "Undo");
  const clear = element("button", { type: "button", onclick: () => { strokes = []; done(); } }, "Clear");
  draw();
  return element("div", { class: "panel pad-row" }, canvas, element("div", { class: "small" }, undo, clear));
}
