// The start page's stage: draws what start_worker.js computes. Only ε goes to the server, when the slider is let go.

const stages = new Map();  // per mounted stage: its Workers and what is on the screen
const SETTLED = 350;  // milliseconds without a movement before the crowd reports and the server hears of ε

const percent = (share) => (100 * share).toFixed(share > 0.995 ? 1 : share < 0.1 ? 1 : 0) + " %";
const people = (count) => count.toLocaleString("en-GB");

export default ({ key, data, parentElement, setTriggerValue }) => {
  const root = parentElement.querySelector(".stage");
  const known = stages.get(key);
  if (known?.root === root) return;  // a rerun of the page: everything goes on
  known?.close();
  stages.set(key, open(root, data, (position) => setTriggerValue("epsilon", position)));
  return () => { stages.get(key)?.close(); stages.delete(key); };
};

function open(root, data, onEpsilon) {
  const x = data.x.map((value) => value / 255);
  const $ = (selector) => root.querySelector(selector);
  const slider = $("input");
  const base = new URL("device/", document.baseURI);
  const workers = [];
  let timer = 0;
  let told = data.position;
  let verdict = null;
  slider.max = data.positions.length - 1;
  slider.value = kept(data) ?? data.position;
  const epsilon = () => data.epsilons[slider.value];
  for (const canvas of root.querySelectorAll(".digit")) paint(canvas, x);
  for (const list of root.querySelectorAll(".draws")) fill(list);

  const complain = (error) => {
    const line = $(".problem");
    line.hidden = false;
    line.textContent = `This page computes in your browser, and that could not be started: ${error.message ?? error} `
      + "Start the app with “rlm run”, and open it in a current browser.";
  };
  const describe = () => {
    $("output").textContent = data.positions[slider.value];
    slider.style.setProperty("--fill", (100 * slider.value) / slider.max + "%");
    slider.setAttribute("aria-valuetext", "epsilon " + data.positions[slider.value]);
    const said = verdict?.(epsilon());
    if (!said) return;
    $(".strength").textContent = said.strength;
    $(".strength").className = "strength " + said.strength.replace(" ", "-");
    $(".sentence").textContent = said.sentence;
  };
  const start = async () => {
    const from = (name) => fetch(new URL(`mechanisms/${name}.json`, base)).then((answer) => {
      if (!answer.ok) throw new Error(`${name} is not served here.`);
      return answer.json();
    });
    const [{ verdict: words, suspicionAfter }, ...found] = await Promise.all([
      import(new URL("verdict.js", base).href), ...Object.values(data.mechanisms).map(from),
    ]);
    verdict = words;
    describe();
    const descriptions = Object.fromEntries(Object.keys(data.mechanisms).map((name, i) => [name, found[i]]));
    const stage = { x, label: data.label, order: data.order, people: data.people, descriptions };
    const [lanes, crowd] = ["lanes", "crowd"].map((what) => {
      const worker = new Worker(new URL("start_worker.js", base), { type: "module" });
      worker.onmessage = ({ data: message }) => {
        if (message.error) complain(message.error);
        else if (message.opened) ask[message.opened]();
        else if (message.draws) show(root, message, data.label);  // also a position just left: it moves while dragging
        else if (message.epsilon === epsilon()) report(root, message, data);
      };
      worker.onerror = (event) => complain(event.message ?? "blocked");
      worker.postMessage({ open: what, stage });
      workers.push(worker);
      return worker;
    });
    const ask = {
      lanes: (again = false) => lanes.postMessage({ rehearse: epsilon(), again }),
      crowd: () => { clear(root, data, epsilon(), suspicionAfter(epsilon())); crowd.postMessage({ collect: epsilon() }); },
    };
    slider.oninput = () => {
      keep(epsilon());
      describe();
      ask.lanes();
      crowd.postMessage({});  // its processor is wanted here until the slider rests
      clearTimeout(timer);
      timer = setTimeout(() => {
        ask.crowd();
        if (told !== Number(slider.value)) onEpsilon(told = Number(slider.value));
      }, SETTLED);
    };
    $(".again").onclick = () => ask.lanes(true);
  };
  describe();
  start().catch(complain);
  return { root, close: () => { clearTimeout(timer); for (const worker of workers) worker.terminate(); } };
}

// ε goes with the visitor from page to page (static/device/view/settings.js has the same key); an address goes first.
const KEY = "rlm-epsilon";

function kept({ epsilons }) {
  try {
    const at = epsilons.indexOf(Number(sessionStorage.getItem(KEY) || NaN));
    return at < 0 || /[?&]eps(ilon)?=/.test(location.search) ? null : at;
  } catch {
    return null;  // a browser that keeps nothing
  }
}

function keep(epsilon) {
  try {
    sessionStorage.setItem(KEY, epsilon);
  } catch { /* a browser that keeps nothing */ }
}

function fill(list) {
  for (let i = 0; i < 8; i++) {
    const item = list.appendChild(document.createElement("li"));
    const canvas = item.appendChild(document.createElement("canvas"));
    canvas.width = canvas.height = 28;
    canvas.setAttribute("aria-hidden", "true");
    item.appendChild(document.createElement("span")).append(document.createElement("b"), " ");
  }
}

function paint(canvas, values) {
  const context = canvas.getContext("2d");
  const picture = context.createImageData(28, 28);
  for (let i = 0; i < 784; i++) {
    const grey = 255 * values[i];  // rounded and kept within 0 and 255 by the array
    picture.data[4 * i] = picture.data[4 * i + 1] = picture.data[4 * i + 2] = grey;
    picture.data[4 * i + 3] = 255;
  }
  context.putImageData(picture, 0, 0);
}

function show(root, { draws, codes, epsilon }, label) {
  const counts = Object.entries(draws).map(([name, seen]) => [name, lane(root.querySelector(`[data-lane=${name}]`), seen, epsilon, label)]);
  root.querySelector("[data-lane=codes] .below").textContent = `Q-RLM: all of ε for one of ${codes} codes and the label`;
  root.dataset.updates = Number(root.dataset.updates ?? 0) + 1;
  clearTimeout(root.saying);  // said once the slider rests
  root.saying = setTimeout(() => {
    root.querySelector(".said").textContent = `Guessed right at epsilon ${epsilon}: ${counts.map(([name, right]) => `${name} ${right} of 8`).join(", ")}.`;
  }, 700);
}

function lane(section, seen, epsilon, label) {
  let right = 0;
  const items = section.querySelectorAll("li");
  seen.forEach(({ picture, classes }, i) => {
    const best = classes.indexOf(Math.max(...classes));
    const [canvas, words] = items[i].children;
    paint(canvas, picture);
    words.firstChild.textContent = best;
    words.lastChild.data = `, ${(100 * classes[best]).toFixed(0)} %`;
    items[i].className = best === label ? "hit" : "";
    if (best === label) right += 1;
  });
  section.querySelector("strong").textContent = `${right} of 8`;
  section.dataset.epsilon = epsilon;
  return right;
}

const WIDTH = 300, LEFT = 34, RIGHT = 292, TOP = 8, BOTTOM = 146, FEWEST = 100;
const across = (count, most) => LEFT + ((RIGHT - LEFT) * Math.log(count / FEWEST)) / Math.log(most / FEWEST);
const up = (share) => BOTTOM - (BOTTOM - TOP) * share;
const path = (points, most) => points.map(([count, share], i) => `${i ? "L" : "M"}${across(count, most).toFixed(1)} ${up(share).toFixed(1)}`).join("");

// The measured curve nearest to ε (in ratio), and how the axes look before anybody has reported.
function clear(root, data, epsilon, cap) {
  const [nearest] = Object.keys(data.paper).sort((a, b) => Math.abs(Math.log(a / epsilon)) - Math.abs(Math.log(b / epsilon)));
  const paper = (data.paper[nearest] ?? []).map(([count, value]) => [count, value / 100]);
  const lines = [0, 0.5, 1].map((share) =>
    `<path class="grid" d="M${LEFT} ${up(share)}H${RIGHT}"/><text x="${LEFT - 5}" y="${up(share) + 3.5}" text-anchor="end">${100 * share}${share ? " %" : ""}</text>`);
  const ticks = [FEWEST, 1000, data.people].map((count, i) =>
    `<text x="${across(count, data.people)}" y="${BOTTOM + 15}" text-anchor="${["start", "middle", "end"][i]}">${people(count)}${i === 2 ? " people" : ""}</text>`);
  const dots = paper.map(([count, share]) => `<circle class="paper" cx="${across(count, data.people)}" cy="${up(share)}" r="2.5"/>`);
  const last = paper[paper.length - 1];
  const name = last ? `<text class="paper" x="${RIGHT}" y="${up(last[1]) + (last[1] > 0.25 ? 36 : -22)}" text-anchor="end">V-RLM ${percent(last[1])}</text>` : "";
  root.querySelector("svg").innerHTML =
    `${lines.join("")}${ticks.join("")}<path class="paper" d="${paper.length ? path(paper, data.people) : ""}"/>${dots.join("")}${name}`
    + `<path class="codes" d=""/><text class="codes" x="${RIGHT}" y="0" text-anchor="end"></text>`;
  root.querySelector(".crowd").points = [];
  root.querySelector(".crowd").removeAttribute("data-done");
  root.querySelector(".note").innerHTML =
    "Codes: computed now, in your browser. "
    + (last ? `V-RLM, dashed: measured beforehand, mean of ${data.draws} draws at ε = ${nearest}. ` : "")
    + `For the guess chance is 10 %, and no report at ε = ${epsilon} allows more than ${percent(cap)}.`;
}

function report(root, { people: count, learnt, guessed, last, epsilon }, data) {
  const crowd = root.querySelector(".crowd");
  crowd.points.push([count, learnt]);
  crowd.querySelector(".count").textContent = people(count);
  crowd.querySelector(".learnt strong").textContent = percent(learnt);
  crowd.querySelector(".guessed strong").textContent = percent(guessed);
  crowd.querySelector("path.codes").setAttribute("d", path(crowd.points, data.people));
  const name = crowd.querySelector("text.codes");
  name.textContent = `codes ${percent(learnt)}`;
  name.setAttribute("x", Math.max(across(count, data.people), LEFT + 62));
  name.setAttribute("y", learnt > 0.8 ? up(learnt) + 15 : up(learnt) - 6);
  if (last) crowd.dataset.done = epsilon;
}
