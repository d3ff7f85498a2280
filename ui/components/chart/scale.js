// Where the values of an axis lie.
const MOST_TICKS = 200;

/** Round steps between two ends. */
const steps = (low, high, most) => {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => (high - low) / each <= most) ?? 10 * power;
  return { step, first: Math.ceil(low / step - 1e-9) * step };
};

/** Where the values of an axis lie: its ends, a map to [0, 1], ticks with their words. */
const scaleOf = (axis, values, most) => {
  const words = (value, step) => `${axis.tickprefix ?? ""}${value.toLocaleString("en", { maximumFractionDigits: Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))) }).replace("-", "−")}${axis.ticksuffix ?? ""}`;
  if (axis.type === "category") {
    const names = [...new Set(values)], place = new Map(names.map((name, i) => [name, (i + 0.5) / names.length]));
    return { at: (value) => place.get(value), ticks: names.map((name) => [name, String(name)]), count: names.length };
  }
  const log = axis.type === "log";
  let [low, high] = axis.range ?? [Math.min(...values), Math.max(...values)];
  if (!axis.range) {
    if (axis.rangemode === "tozero") low = Math.min(0, low);
    const room = (high - low || 1) * 0.05;
    [low, high] = [axis.rangemode === "tozero" && low === 0 ? 0 : low - room, high + room];
  }
  const at = (value) => ((log ? Math.log10(Math.max(value, 1e-300)) : value) - low) / (high - low);
  if (axis.tickvals) return { at, ticks: axis.tickvals.map((value, i) => [value, axis.ticktext?.[i] ?? words(value, 1)]) };
  const { step, first } = axis.dtick ? { step: axis.dtick, first: Math.ceil(low / axis.dtick - 1e-9) * axis.dtick } : steps(low, high, axis.nticks ?? most);
  const ticks = [];  // counted: where numbers are so large that a step is lost in them, there would be no end
  for (let i = 0, value = first; i < MOST_TICKS && value <= high + 1e-9 * step; value = first + ++i * step) ticks.push([value, words(Math.abs(value) < 1e-9 * step ? 0 : value, step)]);
  return { at, ticks };
};
