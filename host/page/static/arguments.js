// A form for the arguments of a plugin, made from its JSON Schema.

import { html } from "./html.js";
import { useState } from "preact/hooks";

/** Follows a reference inside of the schema, and leaves out null as an alternative. */
function resolved(schema, root, depth = 0) {
  if (depth > 8 || typeof schema !== "object" || schema === null) return {};
  if (schema.$ref?.startsWith("#/")) {
    const target = schema.$ref.slice(2).split("/").reduce((found, key) => found?.[key], root);
    return resolved({ ...target, ...(schema.description && { description: schema.description }) }, root, depth + 1);
  }
  const others = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.type !== "null");
  if (others?.length === 1) return resolved({ ...others[0], description: schema.description ?? others[0].description }, root, depth + 1);
  const types = [schema.type].flat().filter((type) => type && type !== "null");
  return { ...schema, type: types.length === 1 ? types[0] : undefined };
}

/** Returns a copy of an object with a changed property. Without a value, the property is left out. */
function withValue(object, key, value) {
  const copy = { ...object };
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

/** A value that has no form of its own, as JSON. */
function Json({ id, label, value, change }) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 1));
  const input = (event) => {
    setText(event.target.value);
    try {
      change(event.target.value.trim() === "" ? undefined : JSON.parse(event.target.value));
      event.target.setCustomValidity("");
    } catch (error) {
      event.target.setCustomValidity(`This is not JSON: ${error.message}`);
    }
  };
  return html`<label class="block" for=${id}>${label}, as JSON</label><textarea id=${id} rows=${Math.min(12, 1 + text.split("\n").length)} spellcheck=${false} value=${text} onInput=${input}></textarea>`;
}

function List({ id, label, schema, root, value, change }) {
  const items = Array.isArray(value) ? value : [];
  const replaced = (at, item) => change(items.map((old, index) => (index === at ? item : old)));
  const item = resolved(schema.items, root);
  const empty = item.type === "object" ? {} : item.type === "string" ? "" : item.type === "boolean" ? false : 0;
  return html`<fieldset><legend>${label}</legend>${items.map((entry, at) => html`<div class="item" key=${at}><${Field} id="${id}-${at}" label="${at + 1}" schema=${item} root=${root} value=${entry} change=${(next) => replaced(at, next ?? empty)} />
    <button type="button" aria-label="Remove ${label} ${at + 1}" onClick=${() => change(items.filter((_, index) => index !== at))}>Remove</button></div>`)}
    <button type="button" onClick=${() => change([...items, empty])}>Add to ${label}</button></fieldset>`;
}

function Field({ id, label, schema: given, root, value, change }) {
  const schema = resolved(given, root);
  const note = schema.description && html` <span class="muted">${schema.description.replaceAll("`", "")}</span>`;
  const number = (text) => (text === "" ? undefined : Number(text));
  if (schema.enum) return html`<label for=${id}>${label}${note}</label><select id=${id} value=${value ?? ""} onChange=${(event) => change(event.target.value || undefined)}><option value=""></option>${schema.enum.filter((one) => typeof one === "string").map((one) => html`<option key=${one}>${one}</option>`)}</select>`;
  switch (schema.type) {
    case "object":
      if (!schema.properties) break;
      return html`<fieldset><legend>${label}${note}</legend>${Object.entries(schema.properties).map(([key, property]) => html`<div key=${key}><${Field} id="${id}-${key}" label=${key} schema=${property} root=${root} value=${value?.[key]} change=${(next) => change(withValue(value, key, next))} /></div>`)}</fieldset>`;
    case "array":
      return html`<${List} id=${id} label=${label} schema=${schema} root=${root} value=${value} change=${change} />`;
    case "boolean":
      return html`<label><input id=${id} type="checkbox" checked=${value ?? false} onChange=${(event) => change(event.target.checked)} /> ${label}${note}</label>`;
    case "integer":
    case "number":
      return html`<label for=${id}>${label}${note}</label><input id=${id} type="number" step=${schema.type === "integer" ? 1 : "any"} min=${schema.minimum} max=${schema.maximum} value=${value ?? ""} placeholder=${schema.default} onInput=${(event) => change(number(event.target.value))} />`;
    case "string":
      return html`<label for=${id}>${label}${note}</label><input id=${id} value=${value ?? ""} placeholder=${schema.default} onInput=${(event) => change(event.target.value === "" ? undefined : event.target.value)} />`;
    default:
  }
  return html`<${Json} id=${id} label=${label} value=${value} change=${change} />`;
}

/** The arguments of a plugin. Without a schema, they are JSON. */
export function ArgumentsForm({ name, schema, value, change }) {
  const [id, label] = [`arguments-${name}`, "Arguments"];
  return schema ? html`<${Field} id=${id} label=${label} schema=${{ ...schema, description: undefined }} root=${schema} value=${value} change=${(next) => change(next ?? {})} />` : html`<${Json} id=${id} label=${label} value=${value} change=${(next) => change(next ?? {})} />`;
}
