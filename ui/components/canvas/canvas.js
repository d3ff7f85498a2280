const drawings = new Map();  // strokes of each mounted canvas, kept over reruns

export default ({ key, parentElement, setStateValue }) => {
  const canvas = parentElement.querySelector("canvas");
  const pen = canvas.getContext("2d");
  const [use, undo, clear] = ["use", "undo", "clear"].map((c) => parentElement.querySelector("button." + c));
  if (!drawings.has(key)) drawings.set(key, []);
  const strokes = drawings.get(key);

  const paint = () => {
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, 280, 280);
    pen.strokeStyle = "#fff";
    pen.lineWidth = 22;
    pen.lineCap = pen.lineJoin = "round";
    for (const points of strokes) {
      pen.beginPath();
      pen.moveTo(...points[0]);
      for (const point of points.length > 1 ? points.slice(1) : points) pen.lineTo(...point);
      pen.stroke();
    }
    use.disabled = undo.disabled = clear.disabled = strokes.length === 0;
  };
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * 280) / box.width, ((event.clientY - box.top) * 280) / box.height];
  };
  let drawing = false;
  canvas.onpointerdown = (event) => {
    drawing = true;
    canvas.setPointerCapture(event.pointerId);
    strokes.push([at(event)]);
    paint();
  };
  canvas.onpointermove = (event) => {
    if (!drawing) return;
    strokes[strokes.length - 1].push(at(event));
    paint();
  };
  canvas.onpointerup = canvas.onpointercancel = () => { drawing = false; };
  undo.onclick = () => { strokes.pop(); paint(); };
  clear.onclick = () => { strokes.length = 0; paint(); };
  use.onclick = () => setStateValue("png", canvas.toDataURL("image/png").split(",")[1]);
  paint();
  canvas.dataset.ready = "yes";
};
