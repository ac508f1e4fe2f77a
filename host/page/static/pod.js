// A pod: all that `berth explain pod` knows.

import { html } from "./html.js";
import { useState } from "preact/hooks";
import { explainPod } from "./api.js";
import { Confirmed, useAction } from "./actions.js";
import { Head, cell } from "./cards.js";
import { ago, link, useRead, useSetting } from "./hooks.js";
import { readOnly } from "./mode.js";
import { editorOf, podNamed, remove } from "./objects.js";
import { useRows } from "./rows.js";

/** The scores of a node as a bar with a part for each plugin. */
function Scores({ score, most }) {
  return html`<span class="bar" style=${{ width: `${(100 * score.total) / Math.max(1, most)}%` }} aria-hidden="true">
    ${score.scores.map(({ plugin, weighted }, index) => weighted > 0 && html`<span class="part part-${index % 8}" style=${{ flexGrow: weighted }} title="${plugin}: ${weighted}"></span>`)}
  </span>`;
}

/** Changes after which the pod fits. */
function Suggestions({ suggestions }) {
  if (suggestions.length === 0) return null;
  return html`<p><strong>Any one of these changes helps:</strong></p><ul>${suggestions.map((suggestion) => html`<li>${suggestion.text}</li>`)}</ul>`;
}

/** The best nodes with their scores, sorted. */
function Best({ explanation, ask }) {
  const rows = [...explanation.best, ...explanation.worst];
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map((row) => row.total));
  const plugins = rows[0].scores.map(({ plugin }) => plugin);
  return html`<h2>Scores</h2>
    ${explanation.margin != null && html`<p>The best node leads by ${explanation.margin}${explanation.ties > 1 ? `; ${explanation.ties} nodes have the same score` : ""}.</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Scores by node and plugin"><table><thead><tr><th scope="col">Node</th><th scope="col">Total</th><th scope="col" class="wide"><span class="unseen">Bar</span></th>${plugins.map((plugin) => html`<th scope="col">${plugin}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row.node}><th scope="row"><button type="button" class="plain" onClick=${() => ask(row.node)}>${row.node}</button></th><td class="number">${row.total}</td><td><${Scores} score=${row} most=${most} /></td>${row.scores.map(({ normalized, weight, weighted }) => html`<td class="number" title="${normalized} × ${weight}">${weighted}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Why nodes do not fit. */
function Rejections({ explanation, ask }) {
  if (explanation.rejections.length === 0) return null;
  return html`<h2>${explanation.fitting} of ${explanation.nodes} nodes fit</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Nodes that do not fit, by reason"><table class="rejections cards" role="table"><${Head} columns=${["Nodes", "Plugin", "Reason", "Examples"]} />
    <tbody role="rowgroup">${explanation.rejections.map(({ nodes, plugin, reasons, examples }) => html`<tr role="row">
      ${cell("Nodes", nodes, "number")}
      ${cell("Plugin", plugin ?? "–")}
      ${cell("Reason", reasons.join("; ") || "No filter looked at these nodes.")}
      ${cell("Examples", examples.map((node) => html`<button type="button" class="plain" onClick=${() => ask(node)}>${node}</button> `))}</tr>`)}</tbody></table></div>`;
}

/** The answer about one node. */
function WhyNot({ namespace, name, node, close }) {
  const { value, error, loading } = useRead(() => explainPod(namespace, name, { whyNot: node }), [namespace, name, node]);
  const answer = value?.whyNot;
  return html`<section class="box" aria-labelledby="why-title"><h2 id="why-title">Why not ${node}? <button type="button" class="plain" aria-label="Close the answer" onClick=${close}>×</button></h2>
    ${loading && html`<p class="muted">Asking the plugins …</p>`}
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    ${answer && html`<p>${answer.reason}</p>
      ${answer.filters.length > 0 && html`<ul>${answer.filters.map((filter) => html`<li><strong>${filter.plugin}</strong>: ${filter.reasons.join("; ")}<${Suggestions} suggestions=${filter.suggestions} /></li>`)}</ul>`}
      ${answer.lost.length > 0 && html`<p>Points lost against ${answer.best?.node}: ${answer.lost.map(({ plugin, points }) => `${plugin} ${points}`).join(", ")}.</p>`}`}
  </section>`;
}

/** The recorded attempts. */
function Attempts({ decisions, now }) {
  if (decisions.length === 0) return null;
  return html`<h2>Attempts</h2><ol class="attempts" reversed>${decisions.map((decision) => {
    const waits = [["active", decision.queue.activeMillis], ["backoff", decision.queue.backoffMillis], ["unschedulable", decision.queue.unschedulableMillis], ["gated", decision.queue.gatedMillis]].filter(([, millis]) => millis > 0);
    return html`<li key=${decision.cycle} value=${decision.attempt}><strong>${decision.outcome}</strong>${decision.chosen ? html` on <a href=${link("node", decision.chosen.node)}>${decision.chosen.node}</a>` : ""} <span class="muted">${ago(decision.ended, now)} ago</span>
      ${decision.message && html`<p class="reason">${decision.message}</p>`}
      <p class="muted">Moved by ${decision.queue.movedBy}${waits.length > 0 ? `; waited ${waits.map(([queue, millis]) => `${millis} ms ${queue}`).join(", ")}` : ""}</p>
      ${decision.preemption && html`<p>Preempts ${decision.preemption.victims.map((victim) => `${victim.namespace}/${victim.name}`).join(", ")} on ${decision.preemption.node}.</p>`}</li>`;
  })}</ol>`;
}

const byName = new Intl.Collator("en", { numeric: true }).compare;

/** The orders of the table of all nodes. Nodes that fit come first, except by name. */
const ORDERS = {
  score: (one, other) => Number(other.total != null) - Number(one.total != null) || (other.total ?? 0) - (one.total ?? 0),
  node: (one, other) => byName(one.node, other.node),
  "failed filters": (one, other) => failures(one) - failures(other),
};

const failures = (row) => row.verdicts.filter((verdict) => verdict != null).length;

/** The answers of all plugins about all nodes. */
function AllNodes({ namespace, name, ask }) {
  const [search, setSearch] = useState("");
  const [order, setOrder] = useSetting("order", "score");
  const { value, error, loading } = useRead(() => explainPod(namespace, name, { allNodes: true }), [namespace, name]);
  const all = value?.allNodes;
  const wanted = (row) => row.node.includes(search) || row.verdicts.some((verdict) => verdict != null && all.reasons[verdict].reasons.some((reason) => reason.includes(search)));
  const [rows, more] = useRows((all?.nodes ?? []).filter(wanted).sort(ORDERS[order] ?? ORDERS.score));
  const most = Math.max(1, ...(all?.nodes ?? []).map((row) => row.total ?? 0));
  return html`<section><h2>All nodes</h2>
    ${loading && html`<p class="muted">Asking the plugins …</p>`}
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    ${all && html`<div class="tools"><label>Search <input type="search" aria-label="Search nodes" placeholder="node or reason" value=${search} onInput=${(event) => setSearch(event.target.value)} /></label>
        <label>Order by <select value=${order} onChange=${(event) => setOrder(event.target.value)}>${Object.keys(ORDERS).map((text) => html`<option key=${text}>${text}</option>`)}</select></label></div>
      <div class="scroll" tabindex="0" role="region" aria-label="Answers of the filters by node"><table class="matrix"><thead><tr><th scope="col">Node</th><th scope="col">Score</th><th scope="col"><span class="unseen">Bar</span></th>${all.filters.map((filter) => html`<th scope="col">${filter}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.node}><th scope="row"><button type="button" class="plain" onClick=${() => ask(row.node)}>${row.node}</button></th><td class="number">${row.total ?? ""}</td>
        <td class="track">${row.total != null && html`<${Scores} score=${row} most=${most} />`}</td>
        ${all.filters.map((filter, index) => {
          const verdict = row.verdicts[index];
          return verdict == null ? html`<td class="fits">fits</td>` : html`<td class="not" title=${all.reasons[verdict].reasons.join("; ")}>${all.reasons[verdict].reasons.join("; ")}</td>`;
        })}</tr>`)}</tbody></table></div>${more}`}
  </section>`;
}

/** The page of a pod. */
export function Pod({ namespace, name }) {
  const [node, setNode] = useSetting("whyNot", "");
  const [all, setAll] = useSetting("allNodes", "");
  const { value, error, loading } = useRead(() => explainPod(namespace, name), [namespace, name], 3000);
  const { run, shown } = useAction();
  const explanation = value?.explanation;
  return html`<article class="pod">
    <p><a href=${link()}>← Cluster</a></p>
    <h1>${namespace}/${name}</h1>
    ${explanation && !readOnly && html`<p class="actions"><a href=${editorOf(podNamed(namespace, name))}>Edit YAML</a> <${Confirmed} text="Delete" question="Delete the pod?" action=${() => run(async () => { await remove(podNamed(namespace, name)); return "The pod is being deleted."; })} /></p>`}${shown}
    ${loading && html`<p class="muted">Asking the plugins …</p>`}
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    ${explanation && html`<div class="box state-${explanation.state}"><p class="lead">${explanation.reason}</p><p>${explanation.nextStep}</p>
        ${explanation.evidence.length > 0 && html`<ul>${explanation.evidence.map((fact) => html`<li>${fact}</li>`)}</ul>`}</div>
      <${Suggestions} suggestions=${explanation.suggestions} />
      ${node && html`<${WhyNot} key=${node} namespace=${namespace} name=${name} node=${node} close=${() => setNode("")} />`}
      <${Rejections} explanation=${explanation} ask=${setNode} />
      <${Best} explanation=${explanation} ask=${setNode} />
      <p><button type="button" aria-expanded=${all !== ""} onClick=${() => setAll(all ? "" : "true")}>${all ? "Hide the answers about all nodes" : "Show the answers about all nodes"}</button></p>
      ${all && html`<${AllNodes} namespace=${namespace} name=${name} ask=${setNode} />`}`}
    ${value && html`<${Attempts} decisions=${value.decisions} now=${explanation?.computedAt ?? Date.now()} />`}
  </article>`;
}
