// The web page of a large cluster while pods are placed: bounds what is the same on every machine. These are the number of
// DOM nodes, the updates per second, the bytes per placed pod, and the memory.
// usage: node scale.mjs URL NODES PODS PENDING SECONDS CHROMIUM FOLDER
//   URL      the page of `berth sim` with so many nodes, pods that have a node, and pods for which no node fits
//   SECONDS  how long pods are placed
//   FOLDER   the folder for screenshots and for the trace

import { chromium } from "playwright-core";
import { Load } from "./load.mjs";

const [url, nodes, pods, pending, seconds, executablePath, folder] = process.argv.slice(2);

/** The pods that are created in a second. */
const RATE = 500;
/** The largest number of DOM nodes. */
const MOST_DOM_NODES = 3000;
/** The largest number of updates in a second. */
const MOST_UPDATES = 10;
/** The largest number of lists of pending pods that the page reads in a second. */
const MOST_LISTS = 2;
/** The largest number of bytes that the page receives for a pod that is placed and later deleted. */
const MOST_BYTES = 3000;
/** The largest growth of the page's memory during the second half of the time, in bytes: the points of the charts. */
const MOST_GROWTH = 4 << 20;

const problems = [];
const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(60_000);
page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));

const devtools = await page.context().newCDPSession(page);
await devtools.send("Network.enable");
const received = { bytes: 0, updates: 0, lists: 0 };
devtools.on("Network.dataReceived", ({ dataLength }) => { received.bytes += dataLength; });
devtools.on("Network.eventSourceMessageReceived", () => { received.updates += 1; });
devtools.on("Network.requestWillBeSent", ({ request }) => { received.lists += request.url.includes("/berth/v1/queue") ? 1 : 0; });

/** The bytes of the page's memory that are in use. */
async function memory() {
  await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize;
}

const domNodes = () => page.evaluate(() => document.querySelectorAll("*").length);
const button = (name) => page.getByRole("button", { name, exact: true });

async function look(name) {
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  const found = await domNodes();
  console.log(`==> ${name}: ${found} DOM nodes`);
  if (found > MOST_DOM_NODES) problems.push(`${name} has ${found} DOM nodes, more than ${MOST_DOM_NODES}`);
}

await page.goto(url);
await page.getByRole("heading", { name: `${nodes} nodes, ${pods} pods` }).waitFor();
await page.getByRole("heading", { name: `Pending pods (${pending})` }).waitFor();
await look("large");

// While pods are placed.
const load = new Load(new URL(url).origin, RATE);
load.start();
await load.untilPlaced(RATE);
const begin = { ...received, placed: load.deleted };
const started = performance.now();
let most = 0;
let middle;
for (let second = 1; second <= Number(seconds); second += 1) {
  await new Promise((later) => setTimeout(later, 1000));
  most = Math.max(most, await domNodes());
  if (second === Math.ceil(Number(seconds) / 2)) middle = await memory();
  if (second % 60 === 0) console.log(`==> ${second} s: ${load.deleted} pods were placed and deleted, ${Math.round((await memory()) / 1024)} KiB of memory`);
}
const took = (performance.now() - started) / 1000;
const end = { ...received, placed: load.deleted };
const growth = (await memory()) - middle;
await look("busy");

const placed = end.placed - begin.placed;
const updates = (end.updates - begin.updates) / took;
const lists = (end.lists - begin.lists) / took;
const bytes = (end.bytes - begin.bytes) / placed;
console.log(`==> ${Math.round(placed / took)} pods were placed per second; the page had ${most} DOM nodes, ${updates.toFixed(1)} updates and ${lists.toFixed(1)} lists of pending pods per second, ${Math.round(bytes)} bytes per placed pod, and ${Math.round(growth / 1024)} KiB more memory after the second half of ${Math.round(took)} s`);
if (placed < seconds) problems.push(`only ${placed} pods were placed, which says nothing about the page`);
if (most > MOST_DOM_NODES) problems.push(`the page has ${most} DOM nodes, more than ${MOST_DOM_NODES}`);
if (updates > MOST_UPDATES) problems.push(`the page gets ${updates} updates per second, more than ${MOST_UPDATES}`);
if (updates === 0) problems.push("the page gets no updates");
if (lists > MOST_LISTS) problems.push(`the page reads ${lists} lists of pending pods per second, more than ${MOST_LISTS}`);
if (lists === 0) problems.push("the page does not read the pending pods");
if (bytes > MOST_BYTES) problems.push(`the page receives ${bytes} bytes per placed pod, more than ${MOST_BYTES}`);
if (growth > MOST_GROWTH) problems.push(`the page's memory grew by ${growth} bytes, more than ${MOST_GROWTH}`);
problems.push(...(await load.stop()));

// What a person does on a large cluster.
await page.getByLabel("Search pending pods").fill(`pending-${pending - 1}`);
await page.getByRole("link", { name: `default/pending-${pending - 1}`, exact: true }).waitFor();
await page.getByRole("link", { name: "default/pending-0", exact: true }).waitFor({ state: "detached" });
await page.getByLabel("Search pending pods").fill("pending-");
await button(`Show 50 more of ${pending - 50}`).click();
await button(`Show 50 more of ${pending - 100}`).waitFor();
await page.getByLabel("Search", { exact: true }).fill("node-4321");
await page.locator("canvas").focus();
await page.keyboard.press("ArrowRight");
await page.getByRole("heading", { name: /^node-/ }).waitFor();
await page.getByRole("link", { name: /^default\/placed-/ }).first().waitFor();
await look("large-node");
await page.getByRole("link", { name: "Edit", exact: true }).click();
const form = page.getByRole("form", { name: "Add pods" });
await form.getByLabel("Name", { exact: true }).fill("giant");
await form.getByLabel("CPU", { exact: true }).fill("64");
await form.getByRole("button").click();
await form.getByText("Pod default/giant was created.").waitFor();
await form.getByRole("link", { name: "default/giant" }).click();
await page.getByText("No node fits").waitFor();
await button("Show the answers about all nodes").click();
await page.getByRole("region", { name: "Answers of the filters by node" }).getByRole("row").nth(6).waitFor();
await look("large-pod");
for (const place of ["Plugins", "Charts"]) {
  await page.getByRole("link", { name: place, exact: true }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await look(`large-${place.toLowerCase()}`);
}
await browser.close();

for (const problem of problems) console.log(`problem: ${problem}`);
console.log(problems.length === 0 ? "the page of a large cluster has no problem" : `the page of a large cluster has ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
