// The panels beside the grid: the pending pods, and the node that is selected.

import { html } from "./html.js";
import { useState } from "preact/hooks";
import { readNodePods, readQueue } from "./api.js";
import { amount, utilization } from "./cluster.js";
import { Confirmed, useAction } from "./actions.js";
import { ago, link, useRead } from "./hooks.js";
import { drain, editorOf, merge, nodeNamed, remove } from "./objects.js";
import { readOnly } from "./mode.js";
import { Labels, Taints } from "./node-edit.js";
import { CutRows, ROWS, Rows } from "./rows.js";

/** The pending pods by queue, with reason and age. */
export function Pending({ cluster }) {
  const [search, setSearch] = useState("");
  const counts = Object.entries(cluster.pending).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const [limit, setLimit] = useState(ROWS);
  const { value, error } = useRead(() => readQueue(search, limit), [search, limit], 2000, JSON.stringify(cluster.pending));
  return html`<section aria-labelledby="pending-title">
    <h2 id="pending-title">Pending pods (${total})</h2>
    <p class="counts">${counts.map(([queue, count]) => html`<span class="count queue-${queue}">${count} ${queue}</span>`)}</p>
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    ${total > 0 && html`<input type="search" aria-label="Search pending pods" placeholder="Search pods" value=${search} onInput=${(event) => setSearch(event.target.value)} />`}
    <${CutRows} items=${value?.pods ?? []} left=${value?.leftOut} readMore=${() => setLimit(limit + ROWS)} empty=${!value ? "Loading …" : total > 0 ? "No pending pod has such a name." : "Every pod has a node."} row=${(pending) => html`<li key=${pending.pod.uid}>
      <a href=${link("pod", pending.pod.namespace, pending.pod.name)}>${pending.pod.namespace}/${pending.pod.name}</a>
      <span class="muted"> ${pending.queue}, ${ago(pending.firstSeen, value.at)}</span>
      <p class="reason">${pending.reason || "No attempt yet."}</p>
    </li>`} />
  </section>`;
}

/** A bar with the used part of a resource. */
function Bar({ name, node }) {
  const part = utilization(node, name) ?? 0;
  const text = `${amount(name, node.requested[name] ?? 0)} of ${amount(name, node.allocatable[name])}`;
  return html`<tr><th scope="row">${name}</th><td><meter min="0" max="1" high="0.9" value=${Math.min(1, part)} aria-label="${name}: ${text}"></meter></td><td>${text}</td></tr>`;
}

/** A node: what its pods request, and the pods. */
export function NodePanel({ cluster, name, close }) {
  const node = cluster.nodes.get(name);
  const { value, error } = useRead(() => readNodePods(name), [name], 5000, `${node?.requested.pods} ${node?.requested.cpu}`);
  const { run, shown, running } = useAction();
  if (!node) {
    return html`<section><h2>${name}</h2><p>There is no such node.</p><button type="button" onClick=${close}>Close</button></section>`;
  }
  const state = [node.ready ? "ready" : "not ready", node.unschedulable && "cordoned"].filter(Boolean).join(", ");
  return html`<section aria-labelledby="node-title">
    <h2 id="node-title">${name} <button type="button" class="plain" aria-label="Close the node" onClick=${close}>×</button></h2>
    <p class=${node.ready ? "" : "problem"}>${state}</p>
    ${!readOnly && html`<p class="actions">
      <button type="button" disabled=${running} onClick=${() => run(async () => {
        await merge(nodeNamed(name), { spec: { unschedulable: !node.unschedulable } });
        return node.unschedulable ? "New pods can come." : "No new pods come.";
      })}>${node.unschedulable ? "Uncordon" : "Cordon"}</button>
      <${Confirmed} text="Drain" question="Evict all pods?" action=${() => run(async () => {
        const left = await drain(name, (value?.pods ?? []).map((entry) => entry.pod));
        if (left.length > 0) throw new Error(`Not evicted: ${left.join("; ")}`);
        return "The pods are evicted.";
      })} />
      <a href=${editorOf(nodeNamed(name))}>Edit YAML</a>
      <${Confirmed} text="Delete" question="Delete the node?" action=${() => run(async () => { await remove(nodeNamed(name)); })} />
    </p>${shown}`}
    <table class="bars"><caption class="unseen">Requested resources</caption><tbody>
      ${Object.keys(node.allocatable).map((resource) => html`<${Bar} key=${resource} name=${resource} node=${node} />`)}
    </tbody></table>
    <${Taints} node=${node} />
    <${Labels} node=${node} />
    <h3>Pods</h3>
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    <${Rows} items=${value?.pods ?? []} empty=${value ? "The node has no pods." : "Loading …"} row=${(entry) => html`<li key=${entry.pod.uid}>
      <a href=${link("pod", entry.pod.namespace, entry.pod.name)}>${entry.pod.namespace}/${entry.pod.name}</a>
      <span class="muted"> ${["cpu", "memory"].filter((resource) => entry.requested[resource]).map((resource) => `${amount(resource, entry.requested[resource])} ${resource}`).join(", ")}</span>
    </li>`} />
  </section>`;
}
