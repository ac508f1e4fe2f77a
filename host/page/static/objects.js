// Writes objects through the Kubernetes API, as kubectl does.

import { read, send } from "./api.js";

/** The owner of the fields that the page applies. */
const MANAGER = "berth-page";

/** The resources of an API version, by kind. */
const resources = new Map();

/** Returns the path of the objects of this kind, without a name. */
async function collection(object) {
  const version = object.apiVersion ?? "";
  const root = version.includes("/") ? `/apis/${version}` : `/api/${version}`;
  if (!resources.has(version)) {
    const { resources: listed } = await read(root);
    resources.set(version, new Map(listed.filter(({ name }) => !name.includes("/")).map((resource) => [resource.kind, resource])));
  }
  const resource = resources.get(version).get(object.kind);
  if (!resource) {
    // A definition that was just created serves further kinds.
    resources.delete(version);
    throw new Error(`The server has no kind ${object.kind} in ${version || "an empty apiVersion"}.`);
  }
  const namespace = resource.namespaced ? `/namespaces/${encodeURIComponent(object.metadata?.namespace ?? "default")}` : "";
  return `${root}${namespace}/${resource.name}`;
}

const pathOf = async (object) => `${await collection(object)}/${encodeURIComponent(object.metadata?.name ?? "")}`;

/** Creates the object. */
export const create = async (object) => send("POST", await collection(object), object);

/** Creates or changes the object by server-side apply. */
export async function apply(object) {
  if (!object.metadata?.name) return create(object);
  const path = `${await pathOf(object)}?fieldManager=${MANAGER}&force=true`;
  return send("PATCH", path, object, "application/apply-patch+yaml");
}

/** Returns what turns one value into another as a JSON merge patch (RFC 7386); undefined if they are equal. */
export function difference(before, after) {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(before) || !isObject(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])].map((key) => [key, key in after ? difference(before[key], after[key]) : null]);
  const changed = changes.filter(([, change]) => change !== undefined);
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** Merges a change into the object. */
export const merge = async (object, change) => send("PATCH", await pathOf(object), change, "application/merge-patch+json");

/** Deletes the object. */
export const remove = async (object) => send("DELETE", await pathOf(object));

/** Reads the object. */
export const get = async (object) => read(await pathOf(object));

/** The address of the editor of an object, and the reference of the object in such an address. */
export const editorOf = ({ apiVersion, kind, metadata: { namespace, name } }) => `#/edit?${new URLSearchParams({ object: [apiVersion, kind, namespace ?? "", name].join(",") })}`;
export function editedIn(setting) {
  const [apiVersion, kind, namespace, name] = setting.split(",");
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } };
}

/** The reference of a node, and of a pod. */
export const nodeNamed = (name) => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
export const podNamed = (namespace, name) => ({ apiVersion: "v1", kind: "Pod", metadata: { namespace, name } });

/** Cordons the node and evicts its pods, except those of DaemonSets. Returns what is not evicted, with the reason. */
export async function drain(node, pods) {
  await merge(nodeNamed(node), { spec: { unschedulable: true } });
  const left = [];
  for (const { namespace, name } of pods) {
    try {
      const pod = await get(podNamed(namespace, name));
      if ((pod.metadata.ownerReferences ?? []).some((owner) => owner.kind === "DaemonSet")) continue;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
      await send("POST", `${await pathOf(podNamed(namespace, name))}/eviction`, eviction);
    } catch (error) {
      if (error.code !== 404) left.push(`${namespace}/${name}: ${error.message}`);
    }
  }
  return left;
}
