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

/** Merges a change into the object. */
export const merge = async (object, change) => send("PATCH", await pathOf(object), change, "application/merge-patch+json");

/** Deletes the object. */
export const remove = async (object) => send("DELETE", await pathOf(object));

/** Reads the object. */
export const get = async (object) => read(await pathOf(object));

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
