// Creates and changes objects: forms for what is common, and YAML for every kind.

import { Confirmed, useAction } from "./actions.js";
import { read } from "./api.js";
import { useDropped } from "./drop.js";
import { html } from "./html.js";
import { dump, loadAll } from "js-yaml";
import { useEffect, useState } from "preact/hooks";
import { link, useRead, useSetting } from "./hooks.js";
import { apply, create, difference, editedIn, editorOf, get, merge, remove } from "./objects.js";
import { Rows } from "./rows.js";
import { WholeCluster } from "./whole-cluster.js";

const value = (form, name) => new FormData(form).get(name).trim();

function NodeForm() {
  const { run, shown, running } = useAction();
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    run(async () => {
      const count = Number(value(form, "count"));
      const [name, zone] = [value(form, "name"), value(form, "zone")];
      for (let number = 0; number < count; number += 1) {
        const labels = zone ? { "topology.kubernetes.io/zone": zone } : {};
        const full = count === 1 ? name : `${name}-${number}`;
        labels["kubernetes.io/hostname"] = full;
        const capacity = { cpu: value(form, "cpu"), memory: value(form, "memory"), pods: "110" };
        await create({ apiVersion: "v1", kind: "Node", metadata: { name: full, labels }, status: { capacity } });
      }
      return count === 1 ? `Node ${name} was created.` : `${count} nodes were created.`;
    });
  };
  return html`<form class="form" onSubmit=${submit} aria-labelledby="node-form"><h2 id="node-form">Add nodes</h2>
    <label>Name <input name="name" required pattern="[a-z0-9]([a-z0-9.\\-]*[a-z0-9])?" title="small letters, digits, dots and dashes" /></label>
    <label>Number <input name="count" type="number" min="1" max="1000" defaultValue="1" required /></label>
    <label>CPU <input name="cpu" defaultValue="4" required /></label>
    <label>Memory <input name="memory" defaultValue="16Gi" required /></label>
    <label>Zone <input name="zone" placeholder="none" /></label>
    <button type="submit" disabled=${running}>Add</button>${shown}</form>`;
}

function PodForm() {
  const { run, shown, running } = useAction();
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    run(async () => {
      const [name, namespace] = [value(form, "name"), value(form, "namespace") || "default"];
      const requests = Object.fromEntries(["cpu", "memory"].map((resource) => [resource, value(form, resource)]).filter(([, amount]) => amount));
      const spec = { containers: [{ name: "main", image: "example", resources: { requests } }] };
      const count = Number(value(form, "count"));
      if (count === 1) {
        await create({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec });
        return html`Pod <a href=${link("pod", namespace, name)}>${namespace}/${name}</a> was created.`;
      }
      const labels = { app: name };
      await create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace }, spec: { replicas: count, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } });
      return `Deployment ${namespace}/${name} with ${count} pods was created.`;
    });
  };
  return html`<form class="form" onSubmit=${submit} aria-labelledby="pod-form"><h2 id="pod-form">Add pods</h2>
    <label>Name <input name="name" required pattern="[a-z0-9]([a-z0-9.\\-]*[a-z0-9])?" title="small letters, digits, dots and dashes" /></label>
    <label>Number <input name="count" type="number" min="1" max="10000" defaultValue="1" required /></label>
    <label>CPU <input name="cpu" defaultValue="500m" placeholder="none" /></label>
    <label>Memory <input name="memory" defaultValue="256Mi" placeholder="none" /></label>
    <label>Namespace <input name="namespace" defaultValue="default" /></label>
    <button type="submit" disabled=${running}>Add</button>${shown}</form>`;
}

/** The objects of a YAML text. Lists are taken apart. */
function objectsOf(text) {
  const documents = loadAll(text).filter((document) => document !== null && document !== undefined);
  const objects = documents.flatMap((document) => (document.kind?.endsWith("List") && Array.isArray(document.items) ? document.items : [document]));
  objects.forEach((object, index) => {
    if (!object.kind || !object.apiVersion) throw new Error(`Object ${index + 1} has no kind or no apiVersion.`);
  });
  if (objects.length === 0) throw new Error("The text has no object.");
  return objects;
}

/** Reads an object for people: without the owners of its fields, and without what changes on its own. */
async function readForPeople(reference) {
  const { status, metadata: { managedFields, resourceVersion, ...metadata }, ...rest } = await get(reference);
  return { apiVersion: reference.apiVersion, kind: reference.kind, metadata, ...rest };
}

/** An editor for an object that exists. */
function ObjectEditor({ reference }) {
  const [text, setText] = useState("");
  const [before, setBefore] = useState();
  const { run, shown, running } = useAction();
  const { kind, metadata: { namespace, name } } = reference;
  const load = async () => {
    const object = await readForPeople(reference);
    setBefore(object);
    setText(dump(object));
  };
  const reload = () => run(load);
  useEffect(reload, []);
  const submit = (event) => {
    event.preventDefault();
    run(async () => {
      const [object, ...others] = objectsOf(text);
      if (others.length > 0 || object.kind !== kind || object.metadata?.name !== name) throw new Error(`The text must be the one object ${kind} ${name}.`);
      // Only the differences are sent, so that other changes since the object was read stay.
      const change = difference(before, object);
      if (!change) return "Nothing has changed.";
      await merge(reference, change);
      await load();
      return `${kind} ${name} was saved.`;
    });
  };
  return html`<form class="form" onSubmit=${submit} aria-labelledby="editor"><h2 id="editor">YAML of ${kind} ${namespace ? `${namespace}/` : ""}${name}</h2>
    <label class="block">The object as YAML <textarea rows="24" spellcheck=${false} value=${text} onInput=${(event) => setText(event.target.value)} required></textarea></label>
    <p class="actions"><button type="submit" disabled=${running}>Save</button><button type="button" disabled=${running} onClick=${reload}>Read again</button><a href=${link("edit")}>Close</a></p>${shown}</form>`;
}

function Yaml() {
  const [text, setText] = useState("");
  const { run, shown, running } = useAction();
  const submit = (event) => {
    event.preventDefault();
    run(async () => {
      const objects = objectsOf(text);
      for (const [index, object] of objects.entries()) {
        try {
          await apply(object);
        } catch (error) {
          throw new Error(`${object.kind} ${object.metadata?.name ?? ""}: ${error.message.replace(/\.?$/, ".")} ${index > 0 ? `The ${index} objects before it were applied.` : "Nothing was applied."}`);
        }
      }
      return `${objects.length === 1 ? "1 object was" : `${objects.length} objects were`} applied.`;
    });
  };
  useDropped("yaml", async ([file]) => setText(await file.text()));
  return html`<form class="form" onSubmit=${submit} aria-labelledby="yaml-form"><h2 id="yaml-form">Apply YAML</h2>
    <label class="block">Objects of any kind; a file can be dropped on the page <textarea rows="16" spellcheck=${false} value=${text} onInput=${(event) => setText(event.target.value)} required placeholder=${"apiVersion: v1\nkind: Pod\n…"}></textarea></label>
    <button type="submit" disabled=${running}>Apply</button>${shown}</form>`;
}

/** The kinds of workloads that have a number of pods. */
const KINDS = [["Deployment", "deployments"], ["StatefulSet", "statefulsets"], ["ReplicaSet", "replicasets"]];

/** The largest number of workloads of a kind that the page lists. */
const MOST = 200;

/** Lists the workloads that no other workload owns. */
async function workloads() {
  const lists = await Promise.all(KINDS.map(([, plural]) => read(`/apis/apps/v1/${plural}?limit=${MOST}`)));
  return lists.flatMap(({ items }, index) => items.filter(({ metadata }) => !metadata.ownerReferences?.length).map((object) => ({ ...object, apiVersion: "apps/v1", kind: KINDS[index][0] })));
}

function Workload({ workload, again }) {
  const { kind, metadata: { namespace, name }, spec, status } = workload;
  const [replicas, setReplicas] = useState(String(spec.replicas));
  const { run, shown, running } = useAction();
  const reference = { apiVersion: "apps/v1", kind, metadata: { namespace, name } };
  const submit = (event) => {
    event.preventDefault();
    run(async () => {
      await merge(reference, { spec: { replicas: Number(replicas) } });
      again();
    });
  };
  return html`<li><form class="actions" onSubmit=${submit} aria-label="${kind} ${namespace}/${name}"><strong>${namespace}/${name}</strong> <span class="muted">${kind}, ${status?.readyReplicas ?? 0} of ${spec.replicas} pods are ready</span>
    <input type="number" min="0" max="10000" required aria-label="Number of pods" value=${replicas} onInput=${(event) => setReplicas(event.target.value)} />
    <button type="submit" disabled=${running}>Scale</button>
    <a href=${editorOf(reference)}>YAML</a> <${Confirmed} text="Delete" question="Delete the workload?" action=${() => run(async () => { await remove(reference); again(); })} /></form>${shown}</li>`;
}

/** The workloads, which can be scaled. */
function Workloads() {
  const [count, setCount] = useState(0);
  const { value, error } = useRead(workloads, [count], 3000);
  return html`<section class="form" aria-labelledby="workloads"><h2 id="workloads">Scale workloads</h2>
    ${error && html`<p class="problem" role="alert">${error.message}</p>`}
    <${Rows} items=${value ?? []} empty=${value ? "There is no Deployment, StatefulSet or ReplicaSet." : "Loading …"} row=${(workload) => html`<${Workload} key=${workload.metadata.uid} workload=${workload} again=${() => setCount(count + 1)} />`} /></section>`;
}

/** The page on which objects are created and changed. */
export function Edit() {
  const [edited] = useSetting("object", "");
  return html`<article><h1>Edit the cluster</h1>${edited && html`<${ObjectEditor} key=${edited} reference=${editedIn(edited)} />`}<div class="forms"><${NodeForm} /><${PodForm} /><${Workloads} /><${WholeCluster} /></div><${Yaml} /></article>`;
}
