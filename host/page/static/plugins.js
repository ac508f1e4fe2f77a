// The plugins: what they are, where they are used, what they cost, and why one does not serve.

import { html } from "./html.js";
import { readPlugins } from "./api.js";
import { Head, cell } from "./cards.js";
import { amount } from "./cluster.js";
import { useRead, useSetting } from "./hooks.js";
import { isReplay, readOnly } from "./mode.js";
import { AddPlugin, ReloadPlugin, RemovePlugin } from "./plugin-files.js";
import { Policy } from "./policy.js";

/** How often the page reads the plugins, in milliseconds. */
const PERIOD = 2000;

const time = (cost) => cost.calls * cost.meanMicros;

/** What the columns about calls mean. */
const CALLS = "A call covers all nodes. The times are CPU time, measured in one of 16 calls; 99 % of these calls took no longer than the second time.";

/** The orders of the table, by the text of their choice. */
const ORDERS = {
  name: (a, b) => (a.name ?? a.file).localeCompare(b.name ?? b.file),
  "CPU time": (a, b) => time(b.cost) - time(a.cost),
  "time of a call": (a, b) => b.cost.p99Micros - a.cost.p99Micros,
  failures: (a, b) => b.cost.failures - a.cost.failures,
};

/** A duration in microseconds as people write it. */
function duration(micros) {
  if (micros === 0) return "–";
  if (micros < 1000) return `${Number(micros.toPrecision(2))} µs`;
  if (micros < 1e6) return `${Number((micros / 1000).toPrecision(2))} ms`;
  return `${Number((micros / 1e6).toPrecision(3))} s`;
}

/** The columns of the table. */
const COLUMNS = ["Plugin", "State", "Extension points", "Weight", "Calls", "Mean", "99 %", "Failures"];

/** The style of a plugin's state. Any other state is a problem. */
const STATE_STYLES = { loaded: "", unused: "muted" };

function Details({ plugin }) {
  const rows = [
    ["Digest", plugin.digest && html`<code>${plugin.digest}</code>`],
    ["Component", html`<code>${plugin.file}</code>${plugin.builtIn ? " (in the program)" : ""}`],
    ["Arguments", Object.keys(plugin.arguments ?? {}).length > 0 && html`<code>${JSON.stringify(plugin.arguments)}</code>`],
    ["Profiles", plugin.uses.map((use) => `${use.schedulerName}: ${use.extensionPoints.join(", ")}`).join("; ")],
    ["Grants", plugin.grants ? plugin.grants.join("; ") || "none: reads nodes and pods only" : plugin.name && "everything"],
    ["Memory", plugin.cost.memory > 0 && amount("memory", plugin.cost.memory)],
    ["Rebuilds", plugin.cost.rebuilds > 0 && plugin.cost.rebuilds],
  ];
  return html`<details><summary>Details</summary><dl>${rows.filter(([, value]) => value).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></details>`;
}

function Row({ plugin }) {
  const { name, version, state, lastError, uses, cost } = plugin;
  const weights = [...new Set(uses.map((use) => use.weight).filter((weight) => weight != null))];
  const points = [...new Set(uses.flatMap((use) => use.extensionPoints))];
  return html`<tr role="row"><th role="rowheader" scope="row">${name ?? plugin.file} <span class="muted">${version ?? ""}</span>
      ${lastError && html`<p class=${state === "loaded" ? "muted" : "problem"}>${lastError}</p>`}<${Details} plugin=${plugin} />${!readOnly && uses.length > 0 && html`<${ReloadPlugin} plugin=${plugin} />`}${!readOnly && !plugin.builtIn && html`<${RemovePlugin} plugin=${plugin} />`}</th>
    ${cell("State", html`<span class=${STATE_STYLES[state] ?? "problem"}>${state}</span>`)}
    ${cell("Extension points", points.join(", ") || "–", "points")}
    ${cell("Weight", weights.join(", ") || "–", "number")}
    ${cell("Calls", cost.calls || "–", "number")}
    ${cell("Mean", duration(cost.meanMicros), "number")}
    ${cell("99 %", duration(cost.p99Micros), "number")}
    ${cell("Failures", cost.failures || "–", `number ${cost.failures > 0 ? "problem" : ""}`)}</tr>`;
}

/** All plugins of the scheduler. */
export function Plugins() {
  const [order, setOrder] = useSetting("order", "name");
  const [search, setSearch] = useSetting("search", "");
  const { value, error, loading } = useRead(readPlugins, [], PERIOD);
  const all = value?.plugins ?? [];
  const wanted = (plugin) => [plugin.name, plugin.file, plugin.state, ...plugin.uses.flatMap((use) => use.extensionPoints)].some((text) => text?.toLowerCase().includes(search.toLowerCase()));
  const shown = all.filter(wanted).sort(ORDERS[order] ?? ORDERS.name);
  const serving = all.filter((plugin) => plugin.uses.length > 0).length;
  const refused = all.filter((plugin) => plugin.state === "refused").length;
  return html`<h1>${value ? `${serving} plugins serve` : "Plugins"}${refused > 0 ? `, ${refused} refused` : ""}</h1>
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    ${loading && html`<p class="muted">Loading …</p>`}
    ${value?.refusedProfiles && html`<p class="box problem" role="alert">The requested profiles do not serve: ${value.refusedProfiles}</p>`}
    ${value && html`<${Policy} listing=${value} />`}
    ${!readOnly && html`<${AddPlugin} />`}
    <div class="tools"><label>Search <input type="search" size="28" value=${search} onInput=${(event) => setSearch(event.target.value)} placeholder="name, state or extension point" /></label>
      <label>Order by <select value=${order} onChange=${(event) => setOrder(event.target.value)}>${Object.keys(ORDERS).map((name) => html`<option key=${name}>${name}</option>`)}</select></label></div>
    ${value && html`<div class="scroll" tabindex="0" role="region" aria-label="Plugins"><table class="plugins cards" role="table"><${Head} columns=${COLUMNS} />
      <tbody role="rowgroup">${shown.map((plugin) => html`<${Row} key=${`${plugin.name} ${plugin.digest ?? plugin.file} ${JSON.stringify(plugin.arguments)}`} plugin=${plugin} />`)}</tbody></table></div>
      <p class="muted">${isReplay ? "The policy at the end of the capture, which does not have the times of calls." : CALLS}</p>`}`;
}
