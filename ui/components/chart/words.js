// Elements and words of a drawing.
const SVG = "http://www.w3.org/2000/svg";
const GREY = "#8A9299";

const make = (name, attributes = {}, parent) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "" && value != null) element.setAttribute(key, value);
  parent?.append(element);
  return element;
};
const escaped = (value) => String(value).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** A number as ".1f", "," or ",.4~g" ask for; without any of them as it is. */
const format = (value, how = "") => {
  if (typeof value !== "number") return escaped(value);
  const digits = /\.(\d+)/.exec(how)?.[1], comma = how.includes(",");
  if (how.endsWith("f")) return value.toLocaleString("en", { minimumFractionDigits: +digits, maximumFractionDigits: +digits, useGrouping: comma });
  if (how.endsWith("g")) return value.toLocaleString("en", { maximumSignificantDigits: +digits, useGrouping: comma });
  return comma ? value.toLocaleString("en") : String(value);
};

/** Words with <b>, <br> and <span style="color:…"> as pieces; any other tag is only its text. */
const pieces = (words) => {
  const found = [];
  const walk = (node, bold, colour) => {
    for (const child of node.childNodes) {
      if (child.nodeType === 3) found.push({ words: child.data, bold, colour });
      else if (child.nodeName === "BR") found.push({ end: true });
      else if (child.nodeType === 1) walk(child, bold || child.nodeName === "B", child.style.color || colour);
    }
  };
  walk(new DOMParser().parseFromString(words, "text/html").body, false, "");
  return found;
};

const plain = (words) => pieces(words).map((piece) => piece.words ?? "").join("");

const pen = document.createElement("canvas").getContext("2d");
const widthOf = (words, size, family, bold = false) => {
  pen.font = `${bold ? 600 : 400} ${size}px ${family}`;
  return pen.measureText(words).width;
};

/** Put words, which may have several lines, so that the point (x, y) is where the anchors say. */
const label = (parent, words, { x, y, size = 12, anchor = "start", middle = "middle", className = "" }) => {
  const lines = [[]];
  for (const piece of pieces(words)) piece.end ? lines.push([]) : lines.at(-1).push(piece);
  const step = 1.25 * size, up = { top: 0, middle: (lines.length * step) / 2, bottom: lines.length * step }[middle];
  const text = make("text", { "text-anchor": anchor, "font-size": size, class: className }, parent);
  lines.forEach((line, i) => {
    const row = make("tspan", { x: x.toFixed(1), y: (y - up + i * step + 0.95 * size).toFixed(1) }, text);
    for (const { words: part, bold, colour } of line) {
      const piece = make("tspan", { "font-weight": bold ? 600 : "" }, row);
      if (colour) piece.style.fill = colour;
      piece.textContent = part;
    }
  });
  return text;
};
