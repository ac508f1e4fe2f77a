// Measures what an open page costs. Alternates between three loads: without a page, with a reader of what the page reads, and
// with the page in a browser on this machine, which needs CPU itself. Also measures the page's time per frame, from the
// browser's trace. Prints one line of JSON for each round.
// usage: node bench.mjs URL ROUNDS SECONDS CHROMIUM FOLDER
//   URL      the page of `berth sim` with a large cluster
//   SECONDS  how long pods are placed in a round
//   FOLDER   the folder for the last trace

import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { chromium } from "playwright-core";
import { Load } from "./load.mjs";

const [url, rounds, seconds, executablePath, folder] = process.argv.slice(2);

/** More pods per second than the cluster can place, so that the load waits for the scheduler. */
const RATE = 20_000;

/** The name of the thread that draws the page. */
const MAIN_THREAD = "CrRendererMain";

const args = process.getuid() === 0 ? ["--no-sandbox"] : [];

/** Places pods, and returns how many got a node in a second. */
async function placed() {
  const load = new Load(new URL(url).origin, RATE);
  load.start();
  await load.untilPlaced(RATE / 100);
  const [begin, started] = [load.placed, performance.now()];
  await new Promise((later) => setTimeout(later, 1000 * Number(seconds)));
  const rate = (1000 * (load.placed - begin)) / (performance.now() - started);
  const errors = await load.stop();
  if (errors.length > 0) throw new Error(errors.join("; "));
  return rate;
}

/** Reads what the page reads, and draws nothing. Returns a function that ends it. */
function reader() {
  const { origin } = new URL(url);
  const read = (path) => get(`${origin}${path}`, (answer) => answer.resume()).on("error", () => {});
  const watch = read("/berth/v1/cluster?watch=true");
  const timer = setInterval(() => read("/berth/v1/queue"), 2000);
  return () => {
    clearInterval(timer);
    watch.destroy();
  };
}

/** The times in milliseconds that the page's thread worked for each frame, in ascending order. */
function frames(trace) {
  const { traceEvents } = JSON.parse(trace);
  const names = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === MAIN_THREAD);
  const threads = new Set(names.map(({ pid, tid }) => `${pid} ${tid}`));
  const ofPage = traceEvents.filter(({ pid, tid }) => threads.has(`${pid} ${tid}`));
  const begins = ofPage.filter(({ name }) => name === "FireAnimationFrame").map(({ ts }) => ts);
  const tasks = ofPage.filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"));
  const hasFrame = ({ ts, dur }) => begins.some((begin) => begin >= ts && begin <= ts + dur);
  return tasks.filter(hasFrame).map(({ dur }) => dur / 1000).sort((a, b) => a - b);
}

const part = (sorted, of) => Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? 0).toFixed(2));

for (let round = 0; round < Number(rounds); round += 1) {
  const without = await placed();
  const endReader = reader();
  const read = await placed();
  endReader();
  const browser = await chromium.launch({ executablePath, args });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.getByRole("heading", { name: /^\d+ nodes, \d+ pods$/ }).waitFor();
  const open = await placed();
  // Tracing takes CPU time, too.
  await browser.startTracing(page);
  await placed();
  const trace = await browser.stopTracing();
  writeFileSync(`${folder}/trace.json`, trace);
  const times = frames(trace);
  if (times.length === 0) throw new Error("the trace has no frame");
  await browser.close();
  console.log(JSON.stringify({ pods_per_s: Math.round(without), pods_per_s_read: Math.round(read), pods_per_s_with_browser: Math.round(open), frames: times.length, frame_ms_median: part(times, 0.5), frame_ms_p99: part(times, 0.99) }));
}
