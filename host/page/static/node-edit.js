// The taints and labels of a node, and forms that change them.

import { html } from "./html.js";
import { useState } from "preact/hooks";
import { useAction } from "./actions.js";
import { readOnly } from "./mode.js";
import { get, merge, nodeNamed } from "./objects.js";

/** A taint as kubectl writes it: KEY=VALUE:EFFECT, or KEY:EFFECT. */
function taintOf(text) {
  const [, key, value, effect] = text.match(/^([^=:]+)(?:=([^:]*))?:(\w+)$/) ?? [];
  if (!key) throw new Error(`"${text}" is no taint. Write KEY=VALUE:EFFECT or KEY:EFFECT, such as gpu=true:NoSchedule.`);
  return { key, effect, ...(value ? { value } : {}) };
}

/** Changes the taints of a node. The server refuses the change if another client changed the node meanwhile. */
async function changeTaints(name, change) {
  const { metadata, spec } = await get(nodeNamed(name));
  await merge(nodeNamed(name), { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints: change(spec.taints ?? []) } });
}

/** Texts with a button that removes one, and a form that adds one. */
function Tags({ title, items, add, example, remove }) {
  const [text, setText] = useState("");
  const { run, shown, running } = useAction();
  const submit = (event) => {
    event.preventDefault();
    run(async () => {
      await add(text.trim());
      setText("");
    });
  };
  return html`<details><summary>${title}s (${items.length})</summary>
    ${items.length > 0 && html`<ul class="tags">${items.map((item) => html`<li key=${item}>${item}${!readOnly && html` <button type="button" class="plain" disabled=${running} aria-label="Remove ${item}" onClick=${() => run(() => remove(item))}>×</button>`}</li>`)}</ul>`}
    ${!readOnly && html`<form class="actions" onSubmit=${submit} aria-label="Add a ${title.toLowerCase()}"><input aria-label=${title} placeholder=${example} value=${text} onInput=${(event) => setText(event.target.value)} required /><button type="submit" disabled=${running}>Add</button></form>${shown}`}</details>`;
}

/** The taints of a node. */
export function Taints({ node }) {
  const same = (one, other) => one.key === other.key && one.effect === other.effect;
  const add = (text) => {
    const added = taintOf(text);
    return changeTaints(node.name, (taints) => [...taints.filter((taint) => !same(taint, added)), added]);
  };
  const remove = (text) => changeTaints(node.name, (taints) => taints.filter((taint) => !same(taint, taintOf(text))));
  return html`<${Tags} title="Taint" items=${node.taints} add=${add} remove=${remove} example="gpu=true:NoSchedule" />`;
}

/** The labels of a node. */
export function Labels({ node }) {
  const change = (labels) => merge(nodeNamed(node.name), { metadata: { labels } });
  const add = (text) => {
    const [, key, value] = text.match(/^([^=]+)=(.*)$/) ?? [];
    if (!key) throw new Error(`"${text}" is no label. Write KEY=VALUE.`);
    return change({ [key]: value });
  };
  const items = Object.entries(node.labels).map(([key, value]) => `${key}=${value}`);
  return html`<${Tags} title="Label" items=${items} add=${add} remove=${(text) => change({ [text.split("=")[0]]: null })} example="disk=ssd" />`;
}
