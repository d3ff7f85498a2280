// How the page of a saved file gets a picture: as a file that is chosen or dropped; for MNIST's digits also drawn.

import { element } from "./element.js";
import { fitPixels } from "./own_picture.js";
import { decode, fitDigit, fitPhoto, onGround } from "./picture.js";

/** A record from what the visitor does: a getter of x. @typedef {() => ArrayLike<number>} Input */

const PAD = 280; // pixels a side of the canvas
const PEN = 20;

/**
 * A picture of MNIST or CIFAR-10: a file, or, for digits, a drawing.
 * @param {HTMLElement} parent
 * @param {string} dataset
 * @param {(message: string) => void} complain
 * @returns {Input}
 */
export function pictureInput(parent, dataset, complain) {
  /** @type {Float32Array | null} */
  let fitted = null;
  const digits = dataset === "mnist";
  const file = element("input", { type: "file", accept: "image/*" });
  parent.append(element("label", {}, "A picture from this device", file));
  const canvas = element("canvas", { width: PAD, height: PAD, ariaLabel: "Draw a digit here" });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const clear = () => {
    fitted = null;
    pen.fillRect(0, 0, PAD, PAD);
  };
  clear();
  file.onchange = async () => {
    try {
      const picture = await decode(file.files[0]);
      clear();
      const { x, doubt } = digits ? fitDigit(picture) : { x: fitPhoto(picture), doubt: "" };
      fitted = x;
      show(pen, fitted, { width: digits ? 28 : 32, channels: digits ? 1 : 3 });
      canvas.dataset.picture = file.files[0].name;
      complain(doubt && `This hardly looks like one digit. ${doubt}`);
    } catch (error) {
      complain(String(/** @type {Error} */ (error).message));
    }
  };
  if (digits) {
    Object.assign(pen, { lineWidth: PEN, lineCap: "round", lineJoin: "round", strokeStyle: "#fff" });
    const at = (/** @type {PointerEvent} */ event) => {
      const scale = PAD / canvas.getBoundingClientRect().width;
      return /** @type {const} */ ([event.offsetX * scale, event.offsetY * scale]);
    };
    canvas.onpointerdown = (/** @type {PointerEvent} */ event) => {
      if (fitted) clear(); // a file's picture makes room for a drawing
      canvas.setPointerCapture(event.pointerId);
      pen.beginPath();
      pen.moveTo(...at(event));
    };
    canvas.onpointermove = (/** @type {PointerEvent} */ event) => {
      if (!event.buttons) return;
      pen.lineTo(...at(event));
      pen.stroke();
    };
    const wipe = element("button", { type: "button", className: "plain", onclick: clear }, "Clear");
    parent.append(element("p", {}, "… or draw a digit:"), canvas, wipe);
  } else parent.append(canvas);
  return () => {
    if (fitted) return fitted;
    if (!digits) throw new Error("Choose a picture first.");
    return fitDigit({ rgb: onGround(pen.getImageData(0, 0, PAD, PAD).data), height: PAD, width: PAD }).x;
  };
}

/**
 * A grey picture of an own mechanism: a file, chosen or dropped anywhere on the page, shown as the encoder sees it.
 * A file that cannot be used takes the picture before with it, so that no report is made of that one by mistake.
 * @param {HTMLElement} parent
 * @param {import("./picture_file.js").Size} size
 * @param {() => void} forget what the page has said of another picture
 * @returns {Input}
 */
export function pixelsInput(parent, size, forget) {
  /** @type {Float32Array | null} */
  let x = null;
  let newest = 0; // a picture that takes longer than the next one comes too late
  const kind = `${size.width} × ${size.height} grey pixels`;
  const cell = Math.floor(PAD / Math.max(size.width, size.height));
  const file = element("input", { type: "file", accept: "image/*", id: "picture" });
  const canvas = element("canvas", { width: size.width * cell, height: size.height * cell, role: "img" });
  const pen = canvas.getContext("2d");
  const caption = element("figcaption", { role: "status" });
  const figure = element("figure", {}, canvas, caption);
  parent.append(element("label", {}, "A picture from this device", file), figure);

  const say = (/** @type {string} */ words, isError = false) => {
    caption.textContent = words;
    caption.className = isError ? "error" : "";
  };
  const clear = () => {
    x = null;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    canvas.ariaLabel = "No picture yet";
    delete canvas.dataset.picture;
    say(`Choose a picture, or drop one here. The encoder sees ${kind} of it, which are shown here first.`);
  };
  clear();
  const take = async (/** @type {FileList} */ files) => {
    const turn = ++newest;
    clear();
    forget();
    if (!files.length) return;
    const { name } = files[0];
    say(`Reading ${name} …`);
    try {
      const found = await fitPixels(files[0], size);
      if (turn !== newest) return;
      x = found.x;
      show(pen, x, { width: size.width, cell });
      canvas.ariaLabel = `${name}, as the encoder sees it`;
      canvas.dataset.picture = name;
      const reduced = found.from.width === size.width && found.from.height === size.height ? "" : `, made here from ${found.from.width} × ${found.from.height}`;
      say(`${name} as the encoder sees it: ${kind}${reduced}.`);
    } catch (error) {
      if (turn !== newest) return;
      file.value = ""; // and the same file can be chosen again
      clear();
      say(`${name}: ${/** @type {Error} */ (error).message}`, true);
    }
  };
  file.onchange = () => take(file.files);
  document.ondragover = (event) => {
    event.preventDefault(); // dropped beside it, a file would replace this page
    figure.classList.add("over");
  };
  document.ondragleave = (event) => { if (!event.relatedTarget) figure.classList.remove("over"); };
  document.ondrop = (event) => {
    event.preventDefault();
    figure.classList.remove("over");
    const files = event.dataTransfer?.files;
    if (files?.length !== 1) return say(`Expected one picture’s file, got ${files?.length ?? 0} files.`, true);
    file.files = files;
    take(files);
  };
  return () => {
    if (!x) throw new Error("Choose a picture first.");
    return x;
  };
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Float32Array} x
 * @param {{width: number, channels?: number, cell?: number}} shape  cell: pixels a side for each of x
 */
function show(pen, x, { width, channels = 1, cell = PAD / width }) {
  for (let i = 0; i < x.length / channels; i++) {
    const [r, g, b] = [0, 1, 2].map((c) => Math.round(255 * x[i * channels + (c % channels)]));
    pen.fillStyle = `rgb(${r} ${g} ${b})`;
    pen.fillRect((i % width) * cell, Math.floor(i / width) * cell, cell + 0.5, cell + 0.5);
  }
  pen.fillStyle = "#000";
}
