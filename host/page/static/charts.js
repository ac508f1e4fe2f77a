// Charts of the last minutes, or of a capture: scheduling cycles and their time, pending pods, and the requested part of the nodes.

import { html } from "./html.js";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { readPoints } from "./api.js";
import { QUEUES, recorded } from "./history.js";
import { useRead } from "./hooks.js";

/** How often the charts are drawn, in milliseconds. */
const PERIOD = 1000;

/** The height of a chart in pixels. */
const HEIGHT = 180;

/** The charts: a title, the unit of the values, and the lines by their name in the history. */
const CHARTS = [
  { title: "Scheduling", unit: "per second", lines: { cycles: "scheduling cycles", placed: "pods with a node" } },
  { title: "Decision time", unit: "ms", lines: { decision: "mean of a scheduling cycle" } },
  { title: "Pending pods", unit: "pods", lines: Object.fromEntries(QUEUES.map((queue) => [queue, queue])) },
  { title: "Requested of all nodes", unit: "%", lines: { cpu: "cpu", memory: "memory" }, range: [0, 100] },
];

/** The colour of a line or text, from the style sheet, which has one for each theme. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The times of day in UTC, of times in seconds since 1970 at equal distances. */
const clock = (times) => times.map((seconds) => new Date(seconds * 1000).toISOString().slice(11, times[1] - times[0] < 1 ? 21 : 19));

const shortened = (value) => (value == null ? "–" : `${Number(value.toPrecision(3))}`);

function options({ lines, range }, shortest, width) {
  const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
  const series = Object.values(lines).map((label, index) => ({ label, stroke: colour(`--line-${index}`), width: 2, points: { show: lines.decision !== undefined, size: 5 } }));
  const upTo = (plot, least, most) => [0, most > 0 ? most : 1];
  const last = (plot, least, most) => [Math.min(least, most - shortest), most];
  const times = { ...axis, space: 90, values: (plot, splits) => clock(splits) };
  return { width, height: HEIGHT, padding: [null, 30, null, null], legend: { show: false }, cursor: { show: false }, series: [{}, ...series], axes: [times, { ...axis, size: 48 }], scales: { x: { range: last }, y: { range: range ?? upTo } } };
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
      plot = new uPlot(options(chart, history.shortest, box.clientWidth), data(), box);
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
    <div ref=${place} role="img" aria-label="${chart.title}, ${chart.unit}. The last values are above."></div></figure>`;
}

const all = (history, charts = CHARTS) => html`<div class="charts">${charts.map((chart) => html`<${Chart} key=${chart.title} history=${history} chart=${chart} />`)}</div>`;

/** The charts of the last minutes. */
export function Charts({ history }) {
  return html`<h1>The last minutes</h1><p class="muted">The page keeps a quarter of an hour, from when it was opened. Times are in UTC.</p>${all(history)}`;
}

/** The charts of a whole capture, which does not have the time of decisions. */
export function RecordedCharts() {
  const { value, error } = useRead(readPoints, []);
  const history = useMemo(() => value && recorded(value), [value]);
  return html`<h1>The whole capture</h1><p class="muted">Times are in UTC.</p>
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    ${!history && !error && html`<p role="status">The capture is played back …</p>`}
    ${history && all(history, CHARTS.filter(({ lines }) => !lines.decision))}`;
}
