// Charts of the last minutes: scheduling cycles and their time, pending pods, and the requested part of the nodes.

import { html } from "./html.js";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { QUEUES } from "./history.js";

/** How often the charts are drawn, in milliseconds. */
const PERIOD = 1000;

/** The height of a chart in pixels. */
const HEIGHT = 180;

/** The shortest time that a chart covers, in seconds. */
const SHORTEST = 60;

/** The charts: a title, the unit of the values, and the lines by their name in the history. */
const CHARTS = [
  { title: "Scheduling", unit: "per second", lines: { cycles: "scheduling cycles", placed: "pods with a node" } },
  { title: "Decision time", unit: "ms", lines: { decision: "mean of a scheduling cycle" } },
  { title: "Pending pods", unit: "pods", lines: Object.fromEntries(QUEUES.map((queue) => [queue, queue])) },
  { title: "Requested of all nodes", unit: "%", lines: { cpu: "cpu", memory: "memory" }, range: [0, 100] },
];

/** The colour of a line or text, from the style sheet, which has one for each theme. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The time of day, of a time in seconds since 1970. */
const clock = (seconds) => new Date(seconds * 1000).toTimeString().slice(0, 8);

const shortened = (value) => (value == null ? "–" : `${Number(value.toPrecision(3))}`);

function options({ lines, range }, width) {
  const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
  const series = Object.values(lines).map((label, index) => ({ label, stroke: colour(`--line-${index}`), width: 2, points: { show: false } }));
  const upTo = (plot, least, most) => [0, most > 0 ? most : 1];
  const last = (plot, least, most) => [Math.min(least, most - SHORTEST), most];
  const times = { ...axis, space: 90, values: (plot, splits) => splits.map(clock) };
  return { width, height: HEIGHT, legend: { show: false }, cursor: { show: false }, series: [{}, ...series], axes: [times, { ...axis, size: 48 }], scales: { x: { range: last }, y: { range: range ?? upTo } } };
}

function Chart({ history, chart }) {
  const place = useRef();
  const [now, setNow] = useState({});
  useEffect(() => {
    // The reference is empty when an observer is called after the chart was removed.
    const box = place.current;
    const names = Object.keys(chart.lines);
    const data = () => [history.times, ...names.map((name) => history.values[name])];
    let plot;
    const build = () => {
      plot?.destroy();
      plot = new uPlot(options(chart, box.clientWidth), data(), box);
    };
    build();
    const draw = () => {
      plot.setData(data());
      setNow(Object.fromEntries(names.map((name) => [name, history.values[name].at(-1)])));
    };
    draw();
    const timer = setInterval(() => document.visibilityState === "visible" && draw(), PERIOD);
    const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }));
    observer.observe(box);
    const theme = matchMedia("(prefers-color-scheme: dark)");
    theme.addEventListener("change", build);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      theme.removeEventListener("change", build);
      plot.destroy();
    };
  }, []);
  return html`<figure class="chart"><figcaption><h2>${chart.title} <span class="muted">${chart.unit}</span></h2>
      <p class="legend">${Object.entries(chart.lines).map(([name, label], index) => html`<span><i class="line-${index}"></i>${label} <strong>${shortened(now[name])}</strong></span>`)}</p></figcaption>
    <div ref=${place} role="img" aria-label="${chart.title}, ${chart.unit}, in the last minutes. The present values are above."></div></figure>`;
}

/** All charts. */
export function Charts({ history }) {
  return html`<h1>The last minutes</h1><p class="muted">The page keeps a quarter of an hour, from when it was opened.</p>
    <div class="charts">${CHARTS.map((chart) => html`<${Chart} key=${chart.title} history=${history} chart=${chart} />`)}</div>`;
}
