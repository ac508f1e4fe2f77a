// Measures what an open page costs, at 500 pods per second and at as many as the machine can place: without a page, with a
// client that reads what the page reads, and with the page in a browser on this machine, which needs CPU itself. Each round
// has another order, as the cluster changes. Also measures the page's time per frame, from the browser's trace. Prints one line
// of JSON for each round.
// usage: node bench.mjs URL PID ROUNDS SECONDS CHROMIUM FOLDER
//   URL      the page of `berth sim` with a large cluster
//   PID      the process of `berth sim`
//   SECONDS  how long pods are placed in a measurement
//   FOLDER   the folder for the last trace

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { chromium } from "playwright-core";
import { Load } from "./load.mjs";

const [url, pid, rounds, seconds, executablePath, folder] = process.argv.slice(2);

/** Pods per second: what a busy cluster places, and more than this machine can, so that the load waits for the scheduler. */
const RATES = { at_500: 500, at_most: 20_000 };

/** The name of the thread that draws the page. */
const MAIN_THREAD = "CrRendererMain";

/** The ticks of the kernel in a second. */
const TICKS = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

const args = process.getuid() === 0 ? ["--no-sandbox"] : [];

/** The thread of the simulator that decides where pods go. */
const SCHEDULING = readdirSync(`/proc/${pid}/task`).find((id) => readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8") === "core\n");

/** The CPU time in milliseconds that a process or a thread has used. */
function cpu(path) {
  // The name in parentheses can have spaces. After it come the fields 3 and up; utime and stime are 14 and 15.
  const fields = readFileSync(`/proc/${path}/stat`, "utf8").split(") ").pop().split(" ");
  return (1000 * (Number(fields[11]) + Number(fields[12]))) / TICKS;
}

/** The CPU time of the simulator with its API server, and of its scheduling thread alone. */
const used = () => [cpu(pid), cpu(`${pid}/task/${SCHEDULING}`)];

/** Places pods at a rate. Returns how many got a node in a second, and the CPU time for one of them. */
async function placed(rate) {
  const load = new Load(new URL(url).origin, rate);
  load.start();
  // The first pods come faster than the rate.
  await load.untilPlaced(1000);
  const [begin, started, before] = [load.placed, performance.now(), used()];
  await new Promise((later) => setTimeout(later, 1000 * Number(seconds)));
  const [pods, time] = [load.placed - begin, performance.now() - started];
  const [all, scheduling] = used().map((now, at) => Number(((now - before[at]) / pods).toFixed(3)));
  const errors = await load.stop();
  if (errors.length > 0) throw new Error(errors.join("; "));
  return { pods_per_s: Math.round((1000 * pods) / time), cpu_ms_per_pod: all, scheduling_cpu_ms_per_pod: scheduling };
}

/** Waits until the scheduler has tried all pods that were there at the start. */
async function untilCalm() {
  for (;;) {
    const { pending } = await (await fetch(`${new URL(url).origin}/berth/v1/cluster`)).json();
    if (pending.active + pending.backoff === 0) return;
    await new Promise((later) => setTimeout(later, 200));
  }
}

/** Reads what the page reads, in a thread, and draws nothing. Returns a function that ends it. */
async function startReader() {
  const reader = new Worker(new URL("./reader.mjs", import.meta.url), { workerData: new URL(url).origin });
  await new Promise((read) => reader.once("message", read));
  return () => reader.terminate();
}

/** Opens the page in a browser. Returns the page. */
async function openPage() {
  const browser = await chromium.launch({ executablePath, args });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await page.getByRole("heading", { name: /^\d+ nodes, \d+ pods$/ }).waitFor();
  return page;
}

/** What is measured: each function returns one that ends what it started. */
const SETTINGS = {
  alone: () => () => {},
  read: startReader,
  browser: async () => {
    const page = await openPage();
    return () => page.context().browser().close();
  },
};

/** Returns the page's times per frame while pods are placed. Tracing takes CPU time, so nothing else is measured with it. */
async function framesUnderLoad() {
  const page = await openPage();
  const browser = page.context().browser();
  await browser.startTracing(page);
  await placed(RATES.at_most);
  const trace = await browser.stopTracing();
  await browser.close();
  writeFileSync(`${folder}/trace.json`, trace);
  const times = frames(trace);
  if (times.length === 0) throw new Error("the trace has no frame");
  return { frames: times.length, frame_ms_median: part(times, 0.5), frame_ms_p99: part(times, 0.99) };
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

await untilCalm();
for (let round = 0; round < Number(rounds); round += 1) {
  const result = {};
  for (const [name, rate] of Object.entries(RATES)) {
    const names = Object.keys(SETTINGS);
    const order = [...names.slice(round % names.length), ...names.slice(0, round % names.length)];
    const measured = {};
    for (const setting of order) {
      const end = await SETTINGS[setting]();
      measured[setting] = await placed(rate);
      await end();
    }
    result[name] = Object.fromEntries(names.map((setting) => [setting, measured[setting]]));
  }
  console.log(JSON.stringify({ ...result, ...(await framesUnderLoad()) }));
}
