// Small pieces that every view is made of. Text goes in as text, never as HTML.

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] properties of the element; "class", "data-…" and "aria-…" as attributes
 * @param {...(Node | string | null)} children
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(class|role|for|data-|aria-)/.test(name)) made.setAttribute(name, String(value));
    else /** @type {any} */ (made)[name] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Text where it has changed: a text that is set anew is laid out anew. @param {Element} place @param {string} words */
export function write(place, words) {
  if (place.textContent !== words) place.textContent = words;
}

/**
 * A group of buttons of which one is chosen: arrow keys move within it, as in any group of radio buttons.
 * @param {string} name what is chosen, for screen readers
 * @param {{value: any, words: string, title?: string, picture?: HTMLCanvasElement}[]} options
 * @param {(value: any) => void} onChoose
 */
export function choice(name, options, onChoose, look = "choice") {
  const buttons = options.map(({ words, title, picture }) =>
    element("button", { type: "button", role: "radio", title: title ?? "", "aria-label": title ?? words },
      picture ?? words));
  const box = element("div", { class: look, role: "radiogroup", "aria-label": name }, ...buttons);
  const show = (/** @type {any} */ value) => {
    const at = options.findIndex((option) => option.value === value);
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", String(i === at));
      button.tabIndex = i === Math.max(at, 0) ? 0 : -1;
    });
  };
  buttons.forEach((button, i) => { button.onclick = () => { show(options[i].value); onChoose(options[i].value); }; });
  box.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const steps = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const from = buttons.findIndex((button) => button.tabIndex === 0);
    const next = buttons[(from + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  };
  show(options[0]?.value);
  return { box, show };
}

/**
 * A slider with its words above it.
 * @param {{name: string, min: number, max: number, step: number, className: string}} about
 * @param {(value: number) => void} onMove while it is dragged
 */
export function slider({ name, min, max, step, className }, onMove) {
  const words = element("span", { class: "words" });
  const input = element("input", { type: "range", min, max, step, "aria-label": name });
  const box = element("label", { class: `slider ${className}` }, words, input);
  const fill = () => input.style.setProperty("--fill", `${(100 * (input.value - min)) / (max - min)}%`);
  input.oninput = () => { fill(); onMove(Number(input.value)); };
  return {
    box,
    input,
    /** @param {number} value @param {(string | Node)[]} text @param {string} spoken */
    show(value, text, spoken) {
      input.value = value;
      fill();
      if (input.getAttribute("aria-valuetext") === spoken) return;
      words.replaceChildren(...text);
      input.setAttribute("aria-valuetext", spoken);
    },
  };
}

/** A canvas for a picture of `side` × `side`, shown larger with its pixels visible. @param {number} side */
export function pictureCanvas(side, alt = "") {
  return element("canvas", { width: side, height: side, class: "pixels", role: "img", "aria-label": alt });
}

/**
 * Numbers in [0, 1] on a canvas; what lies outside is cut off.
 * @param {HTMLCanvasElement} canvas
 * @param {ArrayLike<number> | null} x grey (side²) or RGB (3·side²)
 */
export function paint(canvas, x) {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const pixels = canvas.width * canvas.height;
  const image = pen.createImageData(canvas.width, canvas.height);
  const channels = x && x.length === 3 * pixels ? 3 : 1;
  for (let i = 0; i < pixels; i++) {
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = x ? 255 * x[i * channels + (c % channels)] : 0;
    image.data[4 * i + 3] = x ? 255 : 0;
  }
  pen.putImageData(image, 0, 0);
}

/**
 * One column per number, up for positive and down for negative.
 * @param {HTMLElement} box
 * @param {ArrayLike<number>} values
 * @param {number} reach the half height
 */
export function bars(box, values, reach) {
  while (box.children.length > values.length) box.lastChild?.remove();
  while (box.children.length < values.length) box.append(element("span", {}, element("b")));
  for (let i = 0; i < values.length; i++) {
    const bar = /** @type {HTMLElement} */ (box.children[i].firstChild);
    bar.style.transform = `scaleY(${Math.max(-1, Math.min(1, values[i] / reach))})`; // up or down from the middle
  }
}

/** "82 %", never a certainty that is not one. @param {number} share */
export function percent(share) {
  if (share > 0.995 && share < 1) return "> 99 %";
  return `${Math.round(100 * share)} %`;
}

/** @param {number} epsilon */
export const written = (epsilon) => (epsilon === Infinity ? "∞" : String(Number(epsilon.toPrecision(4))));
