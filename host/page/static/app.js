// The page: its frame, and the places that the address names.

import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { html } from "./html.js";
import { askAbout } from "./api.js";
import { Charts, RecordedCharts } from "./charts.js";
import { Cluster } from "./cluster.js";
import { acceptDrops } from "./drop.js";
import { Edit } from "./edit.js";
import { Grid } from "./grid.js";
import { History } from "./history.js";
import { goTo, link, usePlace, useSetting } from "./hooks.js";
import { Plugins } from "./plugins.js";
import { isReplay, readOnly, showsPast } from "./mode.js";
import { Pod } from "./pod.js";
import { NodePanel, Pending } from "./side.js";
import { Clock } from "./time.js";
import { Timeline } from "./timeline.js";
import { Tour } from "./tour.js";

/** The places of the page, by the first segment of their address. */
const PLACES = [["", "Cluster"], ["plugins", "Plugins"], ["charts", "Charts"], ["edit", "Edit"]];

const ZONE = "topology.kubernetes.io/zone";

function Legend({ resource }) {
  const texts = ["empty", "to 20 %", "to 40 %", "to 60 %", "to 80 %", "over 80 %"];
  return html`<p class="legend">${texts.map((text, step) => html`<span><i class="use-${step}"></i>${text}</span>`)}<span class="muted">of ${resource} requested; a stroke marks cordoned and failed nodes, and a small square is a pod</span></p>`;
}

function ClusterView({ cluster, version, node }) {
  const [resource, setResource] = useSetting("resource", "cpu");
  const [search, setSearch] = useSetting("search", "");
  const [zoom, setZoom] = useSetting("zoom", "1");
  const keys = useMemo(() => cluster.labelKeys(), [cluster.labelsVersion]);
  const [group, setGroup] = useSetting("group", keys.includes(ZONE) ? ZONE : "");
  const select = (name) => goTo(...(name ? ["node", name] : []));
  if (["live", "past"].includes(cluster.state) && cluster.nodes.size === 0) {
    return html`<div class="columns"><section class="empty"><h1>The cluster has no nodes yet</h1>
      <p>Pods are placed on nodes${readOnly ? "." : ", so begin with one:"}</p>
      ${!readOnly && html`<p><a class="button" href="#/edit">Add nodes and pods</a></p>
      <p>Or use kubectl: <code>kubectl create -f nodes.yaml</code>.</p>`}</section><aside><${Pending} cluster=${cluster} /></aside></div>`;
  }
  return html`<div class="columns"><section class="main" aria-labelledby="cluster-title">
      <h1 id="cluster-title">${cluster.nodes.size} nodes, ${cluster.pods} pods</h1>
      <div class="tools">
        <label>Resource <select value=${resource} onChange=${(event) => setResource(event.target.value)}>${cluster.resources().map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>
        <label>Group by <select value=${group} onChange=${(event) => setGroup(event.target.value)}><option value="">nothing</option>${keys.map((key) => html`<option key=${key} value=${key}>${key}</option>`)}</select></label>
        <label>Search <input type="search" value=${search} onInput=${(event) => setSearch(event.target.value)} placeholder="node name" /></label>
        <label>Zoom <input type="range" min="0.5" max="4" step="0.25" value=${zoom} onInput=${(event) => setZoom(event.target.value)} /></label>
      </div>
      <${Legend} resource=${resource} />
      <${Grid} cluster=${cluster} version=${version} resource=${resource} group=${group} search=${search} zoom=${Number(zoom)} selected=${node} select=${select} />
    </section>
    <aside>${node && html`<${NodePanel} key=${node} cluster=${cluster} name=${node} close=${() => select()} />`}<${Pending} cluster=${cluster} /></aside></div>`;
}

function App() {
  const [version, setVersion] = useState(0);
  const cluster = useMemo(() => new Cluster(() => setVersion((count) => count + 1)), []);
  const history = useMemo(() => new History(cluster), []);
  const [moment, setMoment] = useSetting("at", "");
  const at = Number(moment) || 0;
  askAbout(at);
  showsPast(at > 0);
  useEffect(() => (at ? cluster.show() : cluster.follow()), [at]);
  useEffect(() => (isReplay ? undefined : history.record()), []);
  useEffect(acceptDrops, []);
  const [tour, setTour] = useState(false);
  const { path } = usePlace();
  const body = path[0] === "pod" && path.length === 3
    ? html`<${Pod} key=${path.join("/")} namespace=${path[1]} name=${path[2]} />`
    : path[0] === "edit" && !readOnly ? html`<${Edit} />`
    : path[0] === "charts" ? (isReplay ? html`<${RecordedCharts} />` : html`<${Charts} history=${history} />`)
    : path[0] === "plugins" ? html`<${Plugins} />`
    : html`<${ClusterView} cluster=${cluster} version=${version} node=${path[0] === "node" ? path[1] : undefined} />`;
  return html`<a class="skip" href="#content">Skip to the content</a>
    <header><a href=${link()} class="brand"><img src="icon.svg" alt="" width="24" height="24" /> Berth</a>
      <nav aria-label="Places">${PLACES.filter(([name]) => name !== "edit" || !readOnly).map(([name, text]) => html`<a key=${name} href=${link(name)} aria-current=${(path[0] ?? "") === name || (name === "" && path[0] === "node") ? "page" : undefined}>${text}</a> `)}</nav>
      <button type="button" class="plain" onClick=${() => setTour(true)}>Tour</button>
      <span class="status status-${cluster.state}" role="status">${{ connecting: "connecting …", live: isReplay ? "end of the capture" : "live", past: "the past", lost: "connection lost" }[cluster.state]}</span></header>
    ${readOnly ? "" : html`<${Clock} />`}
    <${Timeline} at=${at} setAt=${(chosen) => setMoment(chosen ? String(chosen) : "")} now=${cluster.state === "live" ? cluster.at : undefined} />
    ${cluster.state === "lost" && html`<p class="problem banner" role="alert">${cluster.problem} The page shows the last known state and tries again.</p>`}
    <main id="content" key=${at}>${body}</main>
    ${tour && html`<${Tour} close=${() => setTour(false)} readOnly=${readOnly} />`}`;
}

render(html`<${App} />`, document.getElementById("app"));
