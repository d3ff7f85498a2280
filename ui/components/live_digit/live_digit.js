const states = new Map();  // per mounted digit: is a question out, and what to ask next

const bars = (box, values, reach) => {
  while (box.children.length < values.length) {
    box.appendChild(document.createElement("span")).appendChild(document.createElement("b"));
  }
  values.forEach((value, index) => {
    const bar = box.children[index].firstChild;
    bar.style.height = Math.min(50, (50 * Math.abs(value)) / reach) + "%";
    bar.style[value >= 0 ? "bottom" : "top"] = "50%";
    bar.style[value >= 0 ? "top" : "bottom"] = "";
    bar.parentElement.title = value.toFixed(2);
  });
};

export default ({ key, data, parentElement, setTriggerValue }) => {
  const $ = (selector) => parentElement.querySelector(selector);
  if (!states.has(key)) states.set(key, { busy: false, next: null, timer: 0 });
  const state = states.get(key);
  const slider = $("input");
  const positions = data.epsilons;
  slider.max = positions.length - 1;

  $(".x").src = data.x;
  $(".xd").src = data.x_decoded;
  bars($(".z"), data.z, data.reach);
  bars($(".zp"), data.z_private, data.reach);
  $(".promise").innerHTML = data.promise;
  $(".spent").innerHTML = data.spent;

  const describe = () => {
    $("output").textContent = positions[slider.value];
    slider.style.setProperty("--fill", (100 * slider.value) / slider.max + "%");
    slider.setAttribute("aria-valuetext", "epsilon " + positions[slider.value]);
  };
  const ask = (question) => {
    if (state.busy) { state.next = question; return; }
    state.busy = true;
    clearTimeout(state.timer);
    state.timer = setTimeout(() => { state.busy = false; }, 4000);  // if an answer is lost, go on
    setTriggerValue("question", question);
  };
  slider.oninput = () => { describe(); ask({ position: Number(slider.value), again: false }); };
  $("button").onclick = () => ask({ position: Number(slider.value), again: true });

  if (state.answer !== data.answer) {  // an answer arrived
    state.answer = data.answer;
    state.busy = false;
    const next = state.next;
    state.next = null;
    if (next) ask(next);
    else slider.value = data.position;
  }
  describe();
  $(".live").dataset.ready = "yes";
};
