// The chart as a file, made in the browser.
/** Any colour as rgb(…): programs that draw know no color-mix. */
const plainColour = (colour) => {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b, alpha] = pen.getImageData(0, 0, 1, 1).data;
  return `rgba(${r}, ${g}, ${b}, ${(alpha / 255).toFixed(2)})`;
};

/** The chart as a file of its own: colours and fonts written into it, the page's ground behind it. */
const standalone = (root) => {
  const svg = root.querySelector("svg"), copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ");
  const mine = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((element, i) => {
    const { fill, stroke, strokeWidth } = getComputedStyle(mine[i]);
    if (["text", "tspan"].includes(element.tagName)) element.setAttribute("fill", plainColour(fill));
    if (mine[i].matches(".note")) Object.entries({ stroke: plainColour(stroke), "stroke-width": strokeWidth, "paint-order": "stroke" }).forEach((each) => element.setAttribute(...each));
    if (element.getAttribute("stroke") === "currentColor") element.setAttribute("stroke", plainColour(stroke));
    for (const name of ["style", "class", "tabindex", "role", "aria-pressed"]) element.removeAttribute(name);
  });
  copy.setAttribute("width", width);
  copy.setAttribute("font-family", "Inter, sans-serif");
  copy.setAttribute("style", `background:${getComputedStyle(root.closest(".stApp") ?? document.body).backgroundColor}`);
  return { text: new XMLSerializer().serializeToString(copy), width: +width, height: +height };
};
const keep = async (root, name, kind) => {
  const { text, width, height } = standalone(root);
  let file = new Blob([text], { type: "image/svg+xml" });
  if (kind === "png") {
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
    file = await new Promise((done) => canvas.toBlob(done, "image/png"));
  }
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${name}.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};
