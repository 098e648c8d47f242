/* The overview's chart: changes a second over the last 15 minutes, stacked bars drawn by uPlot.

   Data are {start, step, added, modified, deleted, gaps}, from #rates-data and then from deltaboard:rates events. Gaps,
   [begin, end] in Unix seconds, are times of which not every change is known: a grey band behind the bars. Drawn again
   when the theme or the width changes; nothing runs in between. */

import uPlot from "../../vendor/uplot/uPlot.esm.js";

const SERIES = ["deleted", "added", "modified"]; // from the axis upwards
const STEPS = [0.1, 0.2, 0.5, ...[1, 10, 100, 1000, 10000].flatMap((size) => [size, 2 * size, 5 * size])];
const WIDEST = 180; // bars at most, however fine the data are
const state = { rates: null, plot: null, queued: false };

const holder = () => document.getElementById("chart");
const colour = (name) => getComputedStyle(holder()).getPropertyValue(name).trim();

/* A canvas takes no light-dark() colour, so the browser computes it first. Where the system has colours of its own it
   takes those, unless `adjust` is "none", as for the legend. */
function computed(name, adjust = "auto") {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  probe.style.forcedColorAdjust = adjust;
  holder().append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

/* Joins samples so that at most WIDEST bars remain; values stay changes a second. */
function table(rates) {
  const length = rates.modified.length;
  const joined = Math.max(1, Math.ceil(length / WIDEST));
  const columns = [[], ...SERIES.map(() => [])];
  for (let from = 0; from < length; from += joined) {
    const to = Math.min(length, from + joined);
    columns[0].push(rates.start + from * rates.step);
    let below = 0;
    SERIES.forEach((name, index) => {
      let sum = 0;
      for (let at = from; at < to; at += 1) sum += rates[name][at] ?? 0;
      below += sum / ((to - from) * rates.step);
      columns[index + 1].push(below);
    });
  }
  return [columns[0], ...columns.slice(1).reverse()]; // tallest first, so that the lower ones are drawn over it
}

const clockWords = (seconds) => {
  const date = new Date(seconds * 1000);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
};

/* A web process of the version before sends none. */
const gapsOf = (rates) => rates.gaps ?? [];

function drawGaps(plot) {
  const { left, top, width, height } = plot.bbox;
  plot.ctx.fillStyle = computed("--sunken");
  for (const [begin, end] of gapsOf(state.rates)) {
    const [from, to] = [begin, end].map((at) => Math.min(left + width, Math.max(left, plot.valToPos(at, "x", true))));
    plot.ctx.fillRect(from, top, Math.max(1, to - from), height);
  }
}

function options(width, height) {
  const faint = computed("--faint");
  const grid = { stroke: computed("--line"), width: 1 };
  const axis = { stroke: faint, font: `11px ${colour("--sans")}`, ticks: { show: false }, grid };
  const bars = uPlot.paths.bars({ size: [0.72, 24], align: 1 });
  return {
    width, height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    hooks: { drawClear: [drawGaps] },
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.12)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 72, size: 26, values: (_, splits) => splits.map(clockWords) },
      { ...axis, space: 40, size: 40, incrs: STEPS, values: (_, splits) => splits.map((value) => String(Number(value.toFixed(1)))) },
    ],
    series: [{}, ...[...SERIES].reverse().map((name) => {
      const fill = computed(`--chart-${name}`, "none");
      return { label: name, fill, stroke: fill, width: 0, paths: bars, points: { show: false } };
    })],
  };
}

function describe(rates) {
  const sum = (name) => rates[name].reduce((total, value) => total + (value ?? 0), 0);
  holder().toggleAttribute("data-quiet", !SERIES.some(sum));
  const hasGaps = gapsOf(rates).length > 0;
  holder().toggleAttribute("data-gaps", hasGaps);
  holder().setAttribute("aria-label", `Changes a second over the last 15 minutes: in all ${sum("added")} added, `
    + `${sum("modified")} modified, ${sum("deleted")} deleted${hasGaps ? "; others may be missing" : ""}`);
}

function draw() {
  state.queued = false;
  const place = holder();
  if (!place || !state.rates || !place.clientWidth) return;
  state.plot?.destroy();
  const style = getComputedStyle(place);
  const width = place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const height = place.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  state.plot = new uPlot(options(width, height), table(state.rates), place);
  describe(state.rates);
}

function later() {
  if (state.queued) return;
  state.queued = true;
  requestAnimationFrame(draw);
}

function update(rates) {
  state.rates = rates;
  if (!state.plot || document.hidden) return later();
  state.plot.setData(table(rates));
  describe(rates);
}

const data = document.getElementById("rates-data");
if (data) update(JSON.parse(data.textContent));
document.addEventListener("deltaboard:rates", ({ detail }) => update(detail));
document.addEventListener("deltaboard:theme", later);
if (holder()) new ResizeObserver(later).observe(holder());
