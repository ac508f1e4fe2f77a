// The web page of a capture in a real browser: the cluster and a pod at the end and before, the charts, and the preview of
// another policy.
// usage: node replay.mjs URL CHROMIUM FOLDER
//   URL     the page of `berth replay --ui` with a capture of `berth demo`
//   FOLDER  the folder for screenshots

import { visit } from "./visit.mjs";

const [url, executablePath, folder] = process.argv.slice(2);
const { page, problems, look, button, end } = await visit([url], executablePath, folder);
const link = (name) => page.getByRole("link", { name, exact: true });

await page.goto(url);
await page.getByRole("heading", { name: "50 nodes, 106 pods" }).waitFor();
await page.getByText("end of the capture").waitFor();
await page.getByRole("link", { name: /^default\/giant-/ }).click();
await page.getByText("No node fits").waitFor();
await look("replay-pod");

// Step by step into the past, and to the beginning.
await button("Last decision").click();
await button("Next decision").click();
await page.getByText("There is no later decision.").waitFor();
await link("Cluster").click();
await page.getByText("You see the past.").waitFor();
await page.getByRole("slider", { name: "History" }).focus();
await page.keyboard.press("Home");
await page.getByRole("heading", { name: /^\d+ nodes, 0 pods$/ }).waitFor();
await look("replay-begin");
await button("To the end").click();
await page.getByRole("heading", { name: "50 nodes, 106 pods" }).waitFor();

await link("Charts").click();
await page.getByText("unschedulable 5").waitFor();
if (await page.getByText("Decision time").count() > 0) problems.push("a capture has no times of decisions, and a chart shows them");
await look("replay-charts");

await link("Plugins").click();
await page.getByRole("heading", { name: "19 plugins serve" }).waitFor();
await page.getByText("Change plugins, weights and arguments").click();
const policy = page.getByRole("form", { name: "Policy of default-scheduler" });
await policy.getByRole("spinbutton", { name: "NodeResourcesFit" }).fill("100");
await button("Preview").click();
await policy.getByText(/of the last \d+ decisions would have been different/).waitFor();
await look("replay-preview");
for (const name of ["Apply", "Delete", "Cordon", "Pause", "Pause scheduling"]) {
  if (await button(name).count() > 0) problems.push(`the page of a capture has a button "${name}"`);
}

await end("the visit to a capture", 0);
