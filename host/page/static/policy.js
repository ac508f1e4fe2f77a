// Another policy: which plugins are enabled, and their weights and arguments; a preview of the decisions that it would change, and its application.

import { useAction } from "./actions.js";
import { changePolicy, preview } from "./api.js";
import { ArgumentsForm } from "./arguments.js";
import { html } from "./html.js";
import { useState } from "preact/hooks";
import { ago, link } from "./hooks.js";
import { readOnly } from "./mode.js";
import { useRows } from "./rows.js";

/** The weights that the slider covers. The field beside it takes larger ones, too. */
const MOST_SLIDER = 100;

/** The largest weight. */
const MOST_WEIGHT = 10000;

/** The plugins of a profile with their weights and arguments. */
function ofProfile(plugins, schedulerName) {
  return plugins.flatMap((plugin) => plugin.uses.filter((use) => use.schedulerName === schedulerName).map((use) => ({ ...plugin, weight: use.weight })));
}

function Weight({ name, weight, chosen, choose }) {
  const value = chosen ?? weight;
  const changed = value !== weight;
  const set = (event) => choose(event.target.value === "" ? undefined : Number(event.target.value));
  return html`<li class=${changed ? "changed" : ""}><label for="weight-${name}">${name}</label>
    <input type="range" min="1" max=${MOST_SLIDER} value=${Math.min(value, MOST_SLIDER)} onInput=${set} aria-label="Weight of ${name} from 1 to ${MOST_SLIDER}" />
    <input id="weight-${name}" type="number" min="1" max=${MOST_WEIGHT} step="1" required value=${value} onInput=${set} />
    <span class="muted">${changed ? `was ${weight}` : ""}</span></li>`;
}

/** A node with its score. */
const place = (node, score) => (node ? html`<a href=${link("node", node)}>${node}</a> ${score != null && html`<span class="muted">${score}</span>`}` : "none");

function Changed({ decision, now }) {
  const { namespace, name, attempt, at, node, score, newNode, newScore, ties, message } = decision;
  return html`<tr><th scope="row"><a href=${link("pod", namespace, name)}>${namespace}/${name}</a> <span class="muted">${attempt > 1 ? `attempt ${attempt}, ` : ""}${ago(at, now)} ago</span></th>
    <td>${place(node, score)}</td><td>${place(newNode, newScore)}${ties > 1 && html` <span class="muted">or ${ties === 2 ? "another node" : `one of ${ties - 1} others`}</span>`}${message && html`<p class="muted">${message}</p>`}</td></tr>`;
}

function Answer({ answer, now }) {
  const { judged, different, notes } = answer;
  const [shown, more] = useRows(different);
  const text = judged === 0 ? "No decision is recorded yet." : different.length === 0 ? `None of the last ${judged} decisions would have been different.` : `${different.length} of the last ${judged} decisions would have been different.`;
  return html`<div role="status"><p><strong>${text}</strong></p>${notes.map((note) => html`<p class="muted">${note}</p>`)}</div>
    ${different.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Decisions that would have been different"><table><thead><tr><th scope="col">Pod</th><th scope="col">Node and its new score</th><th scope="col">New node and its score</th></tr></thead>
      <tbody>${shown.map((decision) => html`<${Changed} key=${`${decision.at} ${decision.namespace}/${decision.name}`} decision=${decision} now=${now} />`)}</tbody></table></div>${more}`}`;
}

function Profile({ schedulerName, plugins, now }) {
  const [weights, setWeights] = useState({});
  const [texts, setTexts] = useState({});
  const [wanted, setWanted] = useState({});
  const [answer, setAnswer] = useState();
  const { run, shown, running } = useAction();
  const enabled = ofProfile(plugins, schedulerName);
  const scoring = enabled.filter((plugin) => plugin.weight != null);
  const configurable = enabled.filter((plugin) => plugin.argumentsSchema || Object.keys(plugin.arguments ?? {}).length > 0);
  const different = Object.entries(weights).filter(([name, weight]) => weight !== scoring.find((plugin) => plugin.name === name)?.weight);
  const names = [...new Set(plugins.filter(({ name, state }) => name && state !== "refused").map(({ name }) => name))].sort();
  const isEnabled = (name) => enabled.some((plugin) => plugin.name === name);
  const toggled = names.filter((name) => name in wanted && wanted[name] !== isEnabled(name));
  const hasChange = different.length > 0 || Object.keys(texts).length > 0 || toggled.length > 0;
  const stays = ([name]) => !toggled.includes(name);
  const change = () => ({
    schedulerName,
    disable: toggled.filter(isEnabled),
    enable: toggled.filter((name) => !isEnabled(name)),
    weights: Object.fromEntries(different.filter(stays)),
    arguments: Object.fromEntries(Object.entries(texts).filter(stays)),
  });
  const forget = () => { setWeights({}); setTexts({}); setWanted({}); setAnswer(undefined); };
  const ask = (event) => {
    event.preventDefault();
    setAnswer(undefined);
    run(async () => setAnswer(await preview(change())));
  };
  const apply = () => run(async () => {
    await changePolicy(change());
    forget();
    return "The change is in force. Pods that already have a node keep it.";
  });
  const choose = (name) => (weight) => { setWeights((before) => ({ ...before, [name]: weight })); setAnswer(undefined); };
  const toggle = (name) => (event) => { const { checked } = event.target; setWanted((before) => ({ ...before, [name]: checked })); setAnswer(undefined); };
  const configure = (name) => (value) => { setTexts((before) => ({ ...before, [name]: value })); setAnswer(undefined); };
  return html`<form class="policy" onSubmit=${ask} aria-label="Policy of ${schedulerName}">
    <details><summary>Plugins of ${schedulerName}: ${names.filter(isEnabled).length} of ${names.length} are enabled${toggled.length > 0 ? `, ${toggled.length} to change` : ""}</summary>
      <ul class="toggles">${names.map((name) => html`<li key=${name} class=${toggled.includes(name) ? "changed" : ""}><label><input type="checkbox" checked=${wanted[name] ?? isEnabled(name)} onChange=${toggle(name)} /> ${name}</label></li>`)}</ul></details>
    <fieldset><legend>Weights of ${schedulerName}</legend><ul class="weights">${scoring.map(({ name, weight }) => html`<${Weight} key=${name} name=${name} weight=${weight} chosen=${weights[name]} choose=${choose(name)} />`)}</ul></fieldset>
    ${configurable.map((plugin) => html`<details key=${plugin.name}><summary>Arguments of ${plugin.name}${plugin.name in texts ? " (changed)" : ""}</summary><${ArgumentsForm} name=${plugin.name} schema=${plugin.argumentsSchema} value=${texts[plugin.name] ?? plugin.arguments} change=${configure(plugin.name)} /></details>`)}
    <div class="actions"><button type="submit" disabled=${running || !hasChange}>Preview</button>
      ${!readOnly && html`<button type="button" disabled=${running || !hasChange} onClick=${apply}>Apply</button>`}
      <button type="button" disabled=${running || !hasChange} onClick=${forget}>Undo changes</button></div>
    ${running && html`<p class="muted" role="status">Judging the last decisions …</p>`}${shown}
    ${answer && html`<${Answer} answer=${answer} now=${now} />`}</form>`;
}

/** The policy of each profile. `listing` has the plugins. */
export function Policy({ listing }) {
  const names = [...new Set(listing.plugins.flatMap((plugin) => plugin.uses.map((use) => use.schedulerName)))].sort();
  return html`<details class="box" id="policy"><summary>Change plugins, weights and arguments</summary>
    <p class="muted">A preview judges the last 100 decisions again, each on the cluster of its time, and shows which of them the change would have altered.${readOnly ? " This page changes nothing: put the change into the configuration file." : ""}</p>
    ${names.map((name) => html`<${Profile} key=${name} schedulerName=${name} plugins=${listing.plugins} now=${listing.at} />`)}</details>`;
}
