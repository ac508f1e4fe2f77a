// Converts the contract's values to plain JavaScript values. `Plain` in facts.ts converts the types of these values.
import type { Label, Scalar } from "berth:scheduler/types@0.2.0";
import type { Labels, Scalars } from "./facts.ts";

/** The names of fields that are lists of labels. */
const LABELS: ReadonlySet<string> = new Set(["labels", "annotations", "nodeSelector"]);

/** Converts the value of the contract's field `name`. The name tells lists of labels and of scalars from others. */
export function plain(value: unknown, name: string): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    if (LABELS.has(name)) return labels(value);
    if (name === "scalars") return scalars(value);
    return value.map((element) => plain(element, name));
  }
  const object: Record<string, unknown> = {};
  for (const field in value) object[field] = plain((value as Record<string, unknown>)[field], field);
  return object;
}

// The map has no prototype, so that a label with the key `constructor` is like any other label.
function labels(list: readonly Label[]): Labels {
  const map: { [key: string]: string } = Object.create(null);
  for (const { key, value } of list) map[key] = value;
  return map;
}

function scalars(list: readonly Scalar[]): Scalars {
  const map: { [name: string]: number } = Object.create(null);
  for (const { name, quantity } of list) map[name] = Number(quantity);
  return map;
}
