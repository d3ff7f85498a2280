const nearest = (x, y, places) => {
  // The nearest place in l1; of equally near ones the nearest in l2, then the first.
  let best = 0, one = Infinity, two = Infinity;
  places.forEach(([a, b], k) => {
    const taxicab = Math.abs(x - a) + Math.abs(y - b), straight = (x - a) ** 2 + (y - b) ** 2;
    const tied = Math.abs(taxicab - one) < 1e-9;
    if (tied ? straight < two - 1e-12 : taxicab < one) { best = k; one = taxicab; two = straight; }
  });
  return best;
};
const REHEARSED = 2000;  // simulated reports a class, for the figure that follows a drag
const laplace = () => {
  const u = Math.random() - 0.5;
  return -Math.sign(u) * Math.log(1 - 2 * Math.abs(u));
};
/** How often a report lands in the cell of its own class, from the same noise for every placement. */
const accuracyOf = (places, noise) => {
  let right = 0;
  places.forEach(([a, b], k) => noise.forEach(([x, y]) => { right += nearest(a + x, b + y, places) === k; }));
  return right / (places.length * noise.length);
};
/** White or nearly black: what stands out from a disc of this colour. */
const inkOn = (rgb) => {
  const [r, g, b] = rgb.map((byte) => (byte / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#0B0F13" : "#fff";
};
const boards = new Map();  // what has been played on each mounted board
const SVG = "http://www.w3.org/2000/svg";

const inside = ([x, y]) => {
  const norm = Math.abs(x) + Math.abs(y);
  if (norm > 1) { x /= norm; y /= norm; }
  for (const [a, b] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) if (Math.hypot(x - a, y - b) < 0.06) return [a, b];
  return [Math.round(x * 100) / 100, Math.round(y * 100) / 100];
};

export default ({ key, data, parentElement, setTriggerValue }) => {
  const root = parentElement.querySelector(".board");
  const canvas = root.querySelector("canvas"), svg = root.querySelector("svg"), told = root.querySelector(".told");
  const scale = 100 / data.reach, n = data.pixels;
  const state = boards.get(key) || {};
  boards.set(key, state);
  cancelAnimationFrame(state.frame);
  clearTimeout(state.timer);
  let places = data.places.map((p) => [...p]);

  canvas.width = canvas.height = n;
  const pen = canvas.getContext("2d"), image = pen.createImageData(n, n);
  const rgb = data.colours.map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
  const paint = (cell) => {
    for (let i = 0; i < n * n; i++) {
      const value = cell(i), tied = data.ties && value >= 128;
      const hatch = (Math.floor(i / n) + (i % n)) % 8 < 4;
      const colour = tied ? [179, 38, 30] : rgb[value & 127];
      image.data.set(colour, 4 * i);
      image.data[4 * i + 3] = tied ? (hatch ? 215 : 120) : 82;
    }
    pen.putImageData(image, 0, 0);
  };
  const bytes = Uint8Array.from(atob(data.cells), (c) => c.charCodeAt(0));
  const paintLive = () => {
    const middle = (i) => ((i + 0.5) / n) * 2 * data.reach - data.reach;
    paint((i) => nearest(middle(i % n), -middle(Math.floor(i / n)), places));
  };

  const make = (name, attributes, parent = svg) => {
    const node = document.createElementNS(SVG, name);
    for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
    return parent.appendChild(node);
  };
  svg.replaceChildren();
  make("path", { class: "axes", d: "M-100 0H100M0 -100V100" });
  const ball = [[1, 0], [0, 1], [-1, 0], [0, -1]].map(([x, y]) => `${x * scale},${-y * scale}`).join(" ");
  make("polygon", { class: "ball", points: ball });
  make("text", { class: "unit", x: scale + 1.5, y: 7 }).textContent = "1";
  make("text", { class: "unit", x: 2, y: -scale - 2 }).textContent = "1";
  const cloud = make("g", { class: "cloud" });
  const noises = data.points.map(([x, y, k]) => [x - data.places[k][0], y - data.places[k][1]]);
  const scatter = (points) => {
    cloud.replaceChildren();
    for (const [x, y, k, correct] of points) {
      const [px, py] = [x * scale, -y * scale];
      if (Math.abs(px) > 100 || Math.abs(py) > 100) continue;
      if (correct) make("circle", { class: "hit", cx: px, cy: py, r: 1.25, fill: data.colours[k] }, cloud);
      else make("path", { class: "miss", d: `M${px - 1.3} ${py - 1.3}l2.6 2.6m0 -2.6l-2.6 2.6`,
        stroke: data.colours[k] }, cloud);
    }
  };
  const thrownLive = () => data.points.map(([, , k], i) => {
    const [x, y] = [places[k][0] + noises[i][0], places[k][1] + noises[i][1]];
    return [x, y, k, nearest(x, y, places) === k];
  });
  const tell = (accuracy, live) => {
    told.textContent = `${(100 * accuracy).toFixed(1)} % right`;
    told.classList.toggle("live", live);
  };
  const tellLive = () => {
    if (state.scale !== data.scale) {
      state.scale = data.scale;
      state.noise = Array.from({ length: data.scale ? REHEARSED : 1 }, () => [data.scale * laplace(), data.scale * laplace()]);
    }
    tell(accuracyOf(places, state.noise), true);
  };
  const trails = places.map((_, k) => make("polyline", { class: "path", stroke: data.colours[k] }));

  const dots = places.map((_, k) => {
    const group = make("g", { class: "place", tabindex: 0, role: "button" });
    make("circle", { class: "halo", r: 11 }, group);
    make("circle", { class: "dot", r: 5.2, fill: data.colours[k] }, group);
    make("text", { y: 2.1, fill: inkOn(rgb[k]), "data-ground": data.colours[k] }, group).textContent = k + 1;
    return group;
  });
  const put = () => dots.forEach((dot, k) => {
    const [x, y] = places[k];
    dot.setAttribute("transform", `translate(${x * scale} ${-y * scale})`);
    dot.setAttribute("aria-label", `class ${k + 1} at ${x.toFixed(2)}, ${y.toFixed(2)}; arrow keys move it`);
  });
  const moving = () => {  // at most once a frame: pointers may report more often
    cancelAnimationFrame(state.painting);
    state.painting = requestAnimationFrame(() => { paintLive(); scatter(thrownLive()); tellLive(); });
  };
  const send = () => setTriggerValue("moved", places);

  dots.forEach((dot, k) => {
    let grabbed = false;
    dot.onpointerdown = (event) => {
      cancelAnimationFrame(state.frame);
      grabbed = true;
      dot.setPointerCapture(event.pointerId);
      event.preventDefault();
      dot.focus({ preventScroll: true });
    };
    dot.onpointermove = (event) => {
      if (!grabbed) return;
      const box = svg.getBoundingClientRect();
      const at = (client, start, size) => ((client - start) / size) * 2 * data.reach - data.reach;
      places[k] = inside([at(event.clientX, box.left, box.width), -at(event.clientY, box.top, box.height)]);
      trails.forEach((trail) => trail.setAttribute("points", ""));
      put();
      moving();
    };
    dot.onpointerup = dot.onpointercancel = () => {
      if (!grabbed) return;
      grabbed = false;
      if (JSON.stringify(places) !== JSON.stringify(data.places)) send();
    };
    dot.onkeydown = (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!step) return;
      event.preventDefault();
      const [x, y] = places[k], size = event.shiftKey ? 0.25 : 0.1;
      places[k] = inside([x + size * step[0], y + size * step[1]]);
      put();
      moving();
      clearTimeout(state.timer);
      state.timer = setTimeout(send, 500);
    };
  });

  const rest = () => {
    places = data.places.map((p) => [...p]);
    put();
    cancelAnimationFrame(state.painting);
    scatter(data.points);
    tell(data.accuracy, false);
    paint((i) => bytes[i]);
    root.dataset.ready = data.run || "yes";
  };
  const draw = (frames) => trails.forEach((trail, k) =>
    trail.setAttribute("points", frames.map((f) => `${f[k][0] * scale},${-f[k][1] * scale}`).join(" ")));
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  draw(data.path);
  if (data.path.length < 2 || state.run === data.run || calm) rest();
  else {
    const last = data.path.length - 1, time = Math.min(4500, 700 * last), begin = performance.now();
    const frame = (now) => {
      const at = Math.min(last, Math.max(0, (last * (now - begin)) / time)), step = Math.min(last - 1, Math.floor(at));
      const mix = at - step;
      places = data.path[step].map((p, k) => p.map((v, i) => v + mix * (data.path[step + 1][k][i] - v)));
      put();
      moving();
      if (at < last) state.frame = requestAnimationFrame(frame);
      else rest();
    };
    state.frame = requestAnimationFrame(frame);
  }
  state.run = data.run;
};
