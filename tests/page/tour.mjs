// A tour of the web page in a real browser: create nodes and pods, see why one is pending, mend it, cordon and drain.
// After each step, checks that nothing is cut off at 1280 and 390 pixels, that axe-core finds nothing, and that the
// browser's console has no error.
// usage: node tour.mjs URL READ_ONLY PLUGIN CHROMIUM FOLDER
//   URL        the page of an empty `berth sim`
//   READ_ONLY  the page of `berth run --ui` on the same cluster
//   PLUGIN     the component of the example node-number
//   FOLDER     the folder for screenshots

import { layoutFaults } from "./layout.mjs";
import { visit } from "./visit.mjs";

const [url, readOnly, plugin, executablePath, folder] = process.argv.slice(2);
const { page, problems, look, button, end } = await visit([url, readOnly], executablePath, folder);

const form = (name) => page.getByRole("form", { name });
const field = (of, name) => of.getByLabel(name, { exact: true });

/** Confirms what a button asks. */
async function confirm(name, question) {
  await button(name).click();
  await page.getByRole("group", { name: question }).getByRole("button", { name, exact: true }).click();
}

/** Drops a file on the page. The bytes are the characters of the text. */
const drop = (name, text) => page.evaluate(([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(text, (char) => char.charCodeAt(0))], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}, [name, text]);

// The check of the layout finds each kind of fault.
await page.setContent(`<input placeholder="a long placeholder" style="width: 40px">
  <div style="width: 50px; overflow: hidden; white-space: nowrap">a text that is too long for its box</div>
  <p style="position: absolute; top: 200px; left: 0">one</p><p style="position: absolute; top: 203px; left: 5px">two</p>
  <div style="width: 5000px">wide</div><span class="hint" style="position: absolute; top: 200px; left: 0">a hint</span>`);
const faults = await page.evaluate(layoutFaults);
for (const kind of ["of the text of a field are cut off: <input", "are cut off: <div", "these overlap: <p", "pixels too wide"]) {
  if (!faults.some((fault) => fault.includes(kind))) problems.push(`the check of the layout does not find "${kind}": ${faults}`);
}
if (faults.length !== 4) problems.push(`the check of the layout finds too much: ${faults}`);

await page.goto(url);
await page.getByText("The cluster has no nodes yet").waitFor();
await look("empty");

await page.getByRole("link", { name: "Add nodes and pods" }).click();
const nodes = form("Add nodes");
await field(nodes, "Name").fill("node");
await field(nodes, "Number").fill("6");
await field(nodes, "Zone").fill("zone-a");
await nodes.getByRole("button").click();
await nodes.getByText("6 nodes were created.").waitFor();
const pods = form("Add pods");
await field(pods, "Name").fill("web");
await field(pods, "Number").fill("20");
await pods.getByRole("button").click();
await pods.getByText("Deployment default/web with 20 pods was created.").waitFor();
await field(pods, "Name").fill("giant");
await field(pods, "Number").fill("1");
await field(pods, "CPU").fill("64");
await pods.getByRole("button").click();
await pods.getByText("Pod default/giant was created.").waitFor();
const yaml = form("Apply YAML");
await yaml.getByRole("textbox").fill("apiVersion: v1\nkind: Pod\nmetadata: {name: wrong}\nspec: {containers: []}\n");
await yaml.getByRole("button").click();
await yaml.getByRole("alert").getByText("spec.containers: Required value. Nothing was applied.").waitFor();
await look("edit");

await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByRole("heading", { name: "6 nodes, 20 pods" }).waitFor();
await page.getByRole("heading", { name: "Pending pods (1)" }).waitFor();
await page.locator("canvas").focus();
await page.keyboard.press("ArrowRight");
await page.keyboard.press("ArrowRight");
await page.getByRole("heading", { name: "node-1" }).waitFor();
await page.getByRole("link", { name: "default/web-" }).first().waitFor();

// A taint and a label, added and removed; a wrong one is refused.
await page.getByText("Taints (0)").click();
await page.getByRole("textbox", { name: "Taint" }).fill("gpu");
await page.getByRole("form", { name: "Add a taint" }).getByRole("button").click();
await page.getByRole("alert").getByText('"gpu" is no taint.').waitFor();
await page.getByRole("textbox", { name: "Taint" }).fill("gpu=true:NoSchedule");
await page.getByRole("form", { name: "Add a taint" }).getByRole("button").click();
await page.getByText("Taints (1)").waitFor();
await page.getByText(/^Labels/).click();
await page.getByRole("textbox", { name: "Label" }).fill("disk=ssd");
await page.getByRole("form", { name: "Add a label" }).getByRole("button").click();
await button("Remove disk=ssd").waitFor();
await look("node");
await button("Remove gpu=true:NoSchedule").click();
await page.getByText("Taints (0)").waitFor();

await button("Cordon").click();
await button("Uncordon").waitFor();
await confirm("Drain", "Evict all pods?");
await page.getByText("The node has no pods.").waitFor();
await page.getByRole("heading", { name: "6 nodes, 20 pods" }).waitFor();

await page.getByRole("link", { name: "default/giant" }).click();
await page.getByText("No node fits").waitFor();
await button("node-0").first().click();
await page.getByRole("heading", { name: "Why not node-0?" }).waitFor();
await button("Show the answers about all nodes").click();
await page.getByRole("region", { name: "Answers of the filters by node" }).getByRole("row").nth(6).waitFor();
await look("pod");

/** A moment at which no node fits for the pod. */
const giantAt = Date.parse(await page.locator("time").first().getAttribute("datetime"));

// The pod fits on a larger node.
await page.getByRole("link", { name: "Edit", exact: true }).click();
await field(nodes, "Name").fill("large");
await field(nodes, "CPU").fill("96");
await nodes.getByRole("button").click();
await nodes.getByText("Node large was created.").waitFor();
await page.goto(`${url}#/pod/default/giant`);
await page.getByRole("link", { name: "large" }).waitFor();
await look("placed");
await confirm("Delete", "Delete the pod?");
await page.getByText("The pod is being deleted.").waitFor();
await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByRole("heading", { name: "7 nodes, 20 pods" }).waitFor();
// A workload is scaled.
await page.getByRole("link", { name: "Edit", exact: true }).click();
const workload = page.getByRole("form", { name: "Deployment default/web", exact: true });
await workload.getByLabel("Number of pods").fill("30");
await workload.getByRole("button", { name: "Scale" }).click();
await workload.getByText("30 of 30 pods are ready").waitFor();

// An object is edited as YAML. A change that the server refuses is told.
await workload.getByRole("link", { name: "YAML" }).click();
const editor = form("YAML of Deployment default/web");
const text = editor.getByRole("textbox");
await page.waitForFunction(() => document.querySelector("form[aria-labelledby=editor] textarea")?.value.includes("replicas: 30"));
const changed = (await text.inputValue()).replace("replicas: 30", "replicas: 31");
await text.fill(changed.replace("app: web", "app: other"));
await button("Save").click();
await editor.getByRole("alert").waitFor();
await text.fill(changed);
await button("Save").click();
await editor.getByText("Deployment web was saved.").waitFor();
await look("yaml");
await text.fill((await text.inputValue()).replace("replicas: 31", "replicas: 30"));
await button("Save").click();
await editor.getByText("Deployment web was saved.").waitFor();
await page.getByRole("link", { name: "Close" }).click();

// The address keeps what one sees.
await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByLabel("Resource").selectOption("memory");
await page.getByLabel("Group by").selectOption("nothing");
await page.getByLabel("Search", { exact: true }).fill("large");
await page.reload();
await page.getByRole("heading", { name: "7 nodes, 30 pods" }).waitFor();
const fields = [page.getByLabel("Resource"), page.getByLabel("Group by"), page.getByLabel("Search", { exact: true })];
const settings = await Promise.all(fields.map((found) => found.inputValue()));
if (settings.join() !== "memory,,large") problems.push(`the address does not keep the settings: ${page.url()} ${settings}`);

// The tour of the page.
await button("Tour").click();
await look("tour");
for (const title of ["Find nodes", "Pending pods", "Plugins", "Charts", "Edit", "Time"]) {
  await button("Next").click();
  await page.getByRole("dialog", { name: title }).waitFor();
  await page.locator(".tour-target").waitFor();
}
await button("Done").click();

// The plugins that decided, and what they cost.
await page.getByRole("link", { name: "Plugins", exact: true }).click();
await page.getByRole("heading", { name: "19 plugins serve" }).waitFor();
await page.getByLabel("Search").fill("filter");
await page.getByRole("row", { name: "NodeResourcesFit" }).getByText("Details").click();
await page.getByText("node-resources-fit.wasm").waitFor();
await page.getByRole("row", { name: "NodeResourcesFit" }).getByRole("button", { name: "Reload" }).click();
await page.getByText("NodeResourcesFit was reloaded.").waitFor();
await page.getByLabel("Order by").selectOption("CPU time");
await look("plugins");

// Another weight: what it would have changed, and then in force.
await page.getByText("Change plugins, weights and arguments").click();
const policy = form("Policy of default-scheduler");
await policy.getByRole("spinbutton", { name: "NodeResourcesBalancedAllocation" }).fill("50");
await policy.getByText("was 1").waitFor();
await policy.getByText("Arguments of NodeResourcesFit").click();
await policy.getByText(/^Plugins of default-scheduler: 19 of \d+ are enabled/).click();
await policy.getByRole("checkbox", { name: "ImageLocality", exact: true }).uncheck();
await policy.getByText("1 to change").waitFor();
await button("Preview").click();
await policy.getByText(/of the last \d+ decisions would have been different/).waitFor();
await look("preview");
await button("Apply").click();
await policy.getByText("The change is in force.").waitFor();
await page.getByLabel("Search").fill("balanced");
await page.getByRole("row", { name: "NodeResourcesBalancedAllocation" }).getByRole("cell", { name: "50", exact: true }).waitFor();

// A plugin is disabled, and enabled again.
await policy.getByText(/: 18 of \d+ are enabled/).waitFor();
await page.getByRole("heading", { name: "18 plugins serve" }).waitFor();
await policy.getByRole("checkbox", { name: "ImageLocality", exact: true }).check();
await button("Apply").click();
await page.getByRole("heading", { name: "19 plugins serve" }).waitFor();

// Back in time: the cluster as it was before the large node came.
await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByRole("heading", { name: "7 nodes, 30 pods" }).waitFor();
const slider = page.getByRole("slider", { name: "History" });
const first = Number(await slider.getAttribute("min"));
await page.goto(`${url}#/?at=${first}`);
await page.getByText("The cluster has no nodes yet").waitFor();
await page.getByText("You see the past.").waitFor();
await page.goto(`${url}#/pod/default/giant?at=${giantAt}`);
await page.getByText("No node fits").waitFor();
await look("past");
if (await button("Delete").count() > 0) problems.push("the past can be changed");
await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByRole("heading", { name: "6 nodes, 20 pods" }).waitFor();
// From one decision to the next.
const shownAt = () => Number(new URLSearchParams(page.url().split("?")[1]).get("at"));
await button("Previous decision").click();
await page.waitForFunction((at) => Number(new URLSearchParams(location.hash.split("?")[1]).get("at")) < at, giantAt);
const earlier = shownAt();
await button("Next decision").click();
await page.waitForFunction((at) => Number(new URLSearchParams(location.hash.split("?")[1]).get("at")) > at, earlier);
await page.getByText("You see the past.").waitFor();
await page.goto(`${url}#/?at=${first}`);
await button("Previous decision").click();
await page.getByText("There is no earlier decision.").waitFor();
await slider.focus();
await page.keyboard.press("End");
await page.getByText("You see the past.").waitFor({ state: "detached" });
await page.getByRole("heading", { name: "7 nodes, 30 pods" }).waitFor();

await page.getByRole("link", { name: "Plugins", exact: true }).click();

// A plugin is added and removed. A file that is no component is refused.
await page.getByLabel("Search").fill("");
const components = page.getByLabel("Add or replace a plugin");
await components.setInputFiles({ name: "broken.wasm", mimeType: "application/wasm", buffer: Buffer.from("\0asm, but not more") });
await page.getByRole("alert").getByText("broken.wasm was refused").waitFor();
await components.setInputFiles(plugin);
await page.getByText("node-number serves.").waitFor();
await page.getByRole("heading", { name: "20 plugins serve, 1 refused" }).waitFor();
await look("added");
await page.getByRole("row", { name: "broken.wasm" }).getByRole("button", { name: "Remove" }).click();
await page.getByRole("group", { name: "Delete the file broken.wasm?" }).getByRole("button", { name: "Remove" }).click();
await page.getByRole("heading", { name: "20 plugins serve", exact: true }).waitFor();

// The clock of the cluster stands still, and advances by a step.
await button("Pause").click();
await button("Run").waitFor();
const time = () => page.locator("time").first().getAttribute("datetime");
const before = Date.parse(await time());
await page.getByLabel("Step").selectOption("1 hour");
await button("Advance").click();
await page.waitForFunction((least) => Date.parse(document.querySelector("time").dateTime) >= least, before + 3_600_000);
await button("Run").click();
await button("Pause").waitFor();

// The scheduling stands still, and goes on by one decision.
await button("Pause scheduling").click();
await page.getByText("No pod is ready for a decision.").waitFor();
await page.getByRole("link", { name: "Edit", exact: true }).click();
await field(pods, "Name").fill("single");
await field(pods, "CPU").fill("100m");
await pods.getByRole("button").click();
await pods.getByText("Pod default/single was created.").waitFor();
await page.getByText("A pod is ready for a decision.").waitFor();
await button("Decide one pod").click();
await page.getByText("Decided: default/single. No pod is ready for a decision.").waitFor();
await look("paused");
await page.getByRole("link", { name: "default/single" }).first().click();
await page.getByRole("heading", { name: "default/single" }).waitFor();
await confirm("Delete", "Delete the pod?");
await page.getByText("The pod is being deleted.").waitFor();
await button("Resume scheduling").click();
await button("Pause scheduling").waitFor();

await page.getByRole("link", { name: "Charts", exact: true }).click();
await page.getByText("pods with a node").getByText(/^\d/).waitFor();
await look("charts");

// The cluster is written to a file, removed, and imported again.
await page.getByRole("link", { name: "Edit", exact: true }).click();
const download = page.waitForEvent("download");
await page.getByRole("link", { name: "Export all objects" }).click();
const exported = `${folder}/cluster.json`;
await (await download).saveAs(exported);
await confirm("Reset", "Remove all objects?");
await page.getByText("All objects were removed.").waitFor();
const file = page.getByLabel(/^Import:/);
await file.setInputFiles({ name: "broken.json", mimeType: "application/json", buffer: Buffer.from('{"kind": ') });
await button("Import").click();
await page.getByRole("region", { name: "Whole cluster" }).getByRole("alert").waitFor();
await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByText("The cluster has no nodes yet").waitFor();
// A file that is dropped on the page is taken to the form for it.
await drop("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: dropped}\n");
await page.waitForFunction(() => document.querySelector("form[aria-labelledby=yaml-form] textarea")?.value.includes("dropped"));
await drop("capture.zst", "\x28\xb5\x2f\xfd");
await page.getByRole("group", { name: "Import capture.zst" }).waitFor();
await file.setInputFiles(exported);
await page.getByRole("group", { name: "Import cluster.json" }).waitFor();
await button("Import").click();
await page.getByText(/^Imported \d+ objects: .*, 7 Node, .*30 Pod/).waitFor();
await look("imported");
await page.getByRole("link", { name: "Cluster", exact: true }).click();
await page.getByRole("heading", { name: "7 nodes, 30 pods" }).waitFor();

// The page of a scheduler on another cluster: nothing can be changed.
await page.goto(`${readOnly}#/node/node-1`);
await page.getByRole("heading", { name: "7 nodes, 30 pods" }).waitFor();
await page.getByRole("heading", { name: "node-1" }).waitFor();
await page.getByText(/^Labels/).click();
await page.getByText("disk=ssd").waitFor();
await look("read-only");
for (const name of ["Cordon", "Drain", "Delete", "Add", "Remove disk=ssd", "Pause", "Reload"]) {
  if (await button(name).count() > 0) problems.push(`the read-only page has a button "${name}"`);
}
if (await page.getByRole("link", { name: "Edit" }).count() > 0) problems.push("the read-only page has a link to forms");
await page.goto(`${readOnly}#/edit`);
await page.getByRole("heading", { name: "7 nodes, 30 pods" }).waitFor();
await page.getByRole("link", { name: "Plugins", exact: true }).click();
await page.getByRole("heading", { name: "19 plugins serve" }).waitFor();
// Without a capture, the page says what is missing.
await page.getByText("Change plugins, weights and arguments").click();
if (await button("Apply").count() > 0) problems.push('the read-only page has a button "Apply"');
await form("Policy of other").getByRole("spinbutton", { name: "NodeResourcesFit" }).fill("7");
await button("Preview").click();
await form("Policy of other").getByRole("alert").getByText("start it with --capture DIR").waitFor();
await page.getByText("Going back in time is not possible").waitFor();

await end("the tour", 5);
