/** White or nearly black: what stands out from a disc of this colour, given as #rrggbb. */
const inkOn = (colour) => {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(colour.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#0B0F13" : "#fff";
};
const views = new Map();  // how far each mounted octahedron is turned, kept over reruns

export default ({ key, data, parentElement }) => {
  const canvas = parentElement.querySelector("canvas"), pen = canvas.getContext("2d");
  if (!views.has(key)) views.set(key, { yaw: 0.55, pitch: 0.35 });
  const view = views.get(key);
  cancelAnimationFrame(view.frame);
  let places = data.places;

  const turn = ([x, y, z]) => {  // z up; the eye looks along -depth
    const [c, s] = [Math.cos(view.yaw), Math.sin(view.yaw)];
    const [across, away] = [x * c - y * s, x * s + y * c];
    const [p, q] = [Math.cos(view.pitch), Math.sin(view.pitch)];
    return [across, z * p + away * q, z * q - away * p];  // right, up, towards the eye
  };
  const paint = () => {
    const ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth, high = canvas.clientHeight;
    if (!wide) return;
    canvas.width = wide * ratio;
    canvas.height = high * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const unit = Math.min(wide, high) * 0.3, ink = getComputedStyle(canvas).color;
    const flat = ([a, b, d]) => {
      const zoom = unit * (1 + 0.16 * d);
      return [wide / 2 + a * zoom, high / 2 - b * zoom];
    };
    const items = [];
    data.triangles.forEach((t, i) => {
      const corners = [t.slice(0, 3), t.slice(3, 6), t.slice(6, 9)].map(turn);
      const depth = (corners[0][2] + corners[1][2] + corners[2][2]) / 3;
      items.push([depth - 0.02, () => {
        pen.beginPath();
        corners.map(flat).forEach(([x, y], j) => (j ? pen.lineTo(x, y) : pen.moveTo(x, y)));
        pen.closePath();
        pen.globalAlpha = depth > 0 ? 0.34 : 0.2;
        pen.fillStyle = data.colours[data.nearest[i]];
        pen.fill();
      }]);
    });
    for (const axis of [[1, 0, 0], [0, 1, 0], [0, 0, 1]]) {
      for (const other of [[1, 0, 0], [0, 1, 0], [0, 0, 1]]) {
        if (axis === other || axis.indexOf(1) > other.indexOf(1)) continue;
        for (const [s, t] of [[1, 1], [1, -1], [-1, 1], [-1, -1]]) {
          const a = turn(axis.map((v) => s * v)), b = turn(other.map((v) => t * v));
          items.push([(a[2] + b[2]) / 2, () => {
            pen.beginPath();
            pen.moveTo(...flat(a));
            pen.lineTo(...flat(b));
            pen.globalAlpha = (a[2] + b[2]) / 2 > 0 ? 0.8 : 0.3;
            pen.strokeStyle = ink;
            pen.lineWidth = 1;
            pen.stroke();
          }]);
        }
      }
    }
    for (const [x, y, z, k, correct] of data.points) {
      const at = turn([x, y, z]);
      if (Math.max(Math.abs(at[0]), Math.abs(at[1]), Math.abs(at[2])) > 3) continue;
      items.push([at[2], () => {
        const [px, py] = flat(at);
        pen.globalAlpha = 0.9;
        pen.beginPath();
        if (correct) {
          pen.arc(px, py, 2.4, 0, 7);
          pen.fillStyle = data.colours[k];
          pen.fill();
        } else {
          pen.moveTo(px - 3, py - 3); pen.lineTo(px + 3, py + 3);
          pen.moveTo(px + 3, py - 3); pen.lineTo(px - 3, py + 3);
          pen.strokeStyle = data.colours[k];
          pen.lineWidth = 1.5;
          pen.stroke();
        }
      }]);
    }
    if (data.path.length > 1) places.forEach((_, k) => items.push([9, () => {
      pen.beginPath();
      data.path.forEach((f, i) => (i ? pen.lineTo(...flat(turn(f[k]))) : pen.moveTo(...flat(turn(f[k])))));
      pen.globalAlpha = 0.8;
      pen.setLineDash([4, 3]);
      pen.strokeStyle = data.colours[k];
      pen.lineWidth = 1.5;
      pen.stroke();
      pen.setLineDash([]);
    }]));
    places.forEach((place, k) => {
      const at = turn(place);
      items.push([at[2] + 0.05, () => {
        const [px, py] = flat(at), size = 12 + 2.5 * at[2];
        pen.globalAlpha = at[2] < -0.3 ? 0.75 : 1;
        pen.beginPath();
        pen.arc(px, py, size, 0, 7);
        pen.fillStyle = data.colours[k];
        pen.fill();
        pen.strokeStyle = "#fff";
        pen.lineWidth = 2;
        pen.stroke();
        pen.fillStyle = inkOn(data.colours[k]);
        pen.font = "600 13px Inter, sans-serif";
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(k + 1, px, py + 0.5);
      }]);
    });
    items.sort((a, b) => a[0] - b[0]).forEach(([, draw]) => draw());
    canvas.dataset.yaw = view.yaw.toFixed(3);
  };
  const rotate = (right, down) => {
    view.yaw += right;
    view.pitch = Math.max(-1.4, Math.min(1.4, view.pitch + down));
    paint();
  };
  let last = null;
  canvas.onpointerdown = (event) => {
    last = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!last) return;
    rotate((event.clientX - last[0]) * 0.009, (event.clientY - last[1]) * 0.009);
    last = [event.clientX, event.clientY];
  };
  canvas.onpointerup = canvas.onpointercancel = () => { last = null; };
  canvas.onkeydown = (event) => {
    const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[event.key];
    if (!step) return;
    event.preventDefault();
    rotate(...step);
  };
  new ResizeObserver(paint).observe(canvas);

  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (data.path.length > 1 && view.run !== data.run && !calm) {
    const end = data.path.length - 1, time = Math.min(4500, 700 * end), begin = performance.now();
    const frame = (now) => {
      const at = Math.min(end, Math.max(0, (end * (now - begin)) / time));
      const step = Math.min(end - 1, Math.floor(at)), mix = at - step;
      places = data.path[step].map((p, k) => p.map((v, i) => v + mix * (data.path[step + 1][k][i] - v)));
      if (at >= end) places = data.places;
      paint();
      if (at < end) view.frame = requestAnimationFrame(frame);
    };
    view.frame = requestAnimationFrame(frame);
  } else paint();
  view.run = data.run;
};
