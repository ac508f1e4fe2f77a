// Requests to the server of the page: the HTTP interface that `berth explain` and kubectl use.

/** An answer that is no success. `message` is the text of the Status object. */
export class ApiError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Sends a request with a JSON body and returns the JSON answer. Throws ApiError. */
export async function send(method, path, body, contentType = "application/json") {
  const options = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    options.headers["content-type"] = contentType;
    options.body = typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, "The server does not answer. Does berth still run?");
  }
  const text = await response.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  if (!response.ok) {
    throw new ApiError(response.status, json?.message ?? `${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
  }
  return json;
}

/** Reads JSON. */
export const read = (path) => send("GET", path);

const encoded = encodeURIComponent;

/** The moment that the page shows, in milliseconds since 1970; 0 for the present. */
let moment = 0;

/** Lets the following questions ask about this moment. */
export function askAbout(at) {
  moment = at;
}

/** Whether questions are about the past, which does not change. */
export const asksAboutPast = () => moment > 0;

/** A path with a query. Asks about the moment that the page shows. */
function asked(path, query = new URLSearchParams()) {
  if (moment) query.set("at", moment);
  return read(query.size ? `${path}?${query}` : path);
}

/** Explains a pod. `whyNot` names a node to ask about; `allNodes` asks for the answers of all plugins about all nodes. */
export function explainPod(namespace, name, { whyNot, allNodes } = {}) {
  const query = new URLSearchParams();
  if (whyNot) query.set("whyNot", whyNot);
  if (allNodes) query.set("allNodes", "true");
  return asked(`/berth/v1/namespaces/${encoded(namespace)}/pods/${encoded(name)}`, query);
}

/** Lists at most `limit` pending pods that have the text `search` in namespace/name. */
export const readQueue = (search, limit) => asked("/berth/v1/queue", new URLSearchParams({ ...(search && { search }), limit }));

/** Lists the nodes, and the numbers of pods. */
export const readCluster = () => asked("/berth/v1/cluster");

/** Reads the time that the scheduler's capture covers, and the decisions before and after a moment. */
export const readHistory = (at) => read(`/berth/v1/history${at ? `?at=${at}` : ""}`);

/** Reads a capture as points over time. Only the page of a capture has them. */
export const readPoints = () => read("/berth/v1/history/points");

/** Lists the pods of a node. */
export const readNodePods = (node) => asked(`/berth/v1/nodes/${encoded(node)}/pods`);

/** Reads the clock of a simulated cluster: the time and its speed. */
export const readClock = () => read("/berth/v1/clock");

/** Changes the clock: its speed, or its time by a duration or to the next event. */
export const changeClock = (change) => send("POST", "/berth/v1/clock", change);

/** Reads whether a simulated cluster schedules pods. */
export const readScheduling = () => read("/berth/v1/scheduling");

/** Pauses the scheduling, continues it, or makes one decision. */
export const changeScheduling = (change) => send("POST", "/berth/v1/scheduling", change);

/** Tells which of the last decisions a change of weights and arguments would have changed. */
export const preview = (change) => send("POST", "/berth/v1/preview", change);

/** Applies a change of weights and arguments. Only a simulated cluster does. */
export const changePolicy = (change) => send("POST", "/berth/v1/policy", change);

/** Replaces the instances of a plugin by new ones. Only a simulated cluster does. */
export const reloadPlugin = (plugin) => send("POST", "/berth/v1/reload", { plugin });

/** Writes a component into the plugins directory. Only a simulated cluster does. */
export const putPlugin = (file, content) => send("PUT", `/berth/v1/plugins/${encoded(file)}`, content, "application/wasm");

/** Deletes a component from the plugins directory. */
export const deletePlugin = (file) => send("DELETE", `/berth/v1/plugins/${encoded(file)}`);

/** The path of all objects of a simulated cluster. */
export const OBJECTS = "/berth/v1/objects";

/** Replaces all objects by those of a file, and returns a report. */
export const importCluster = (file) => send("PUT", OBJECTS, file, "application/octet-stream");

/** Removes all objects. */
export const resetCluster = () => send("DELETE", OBJECTS);

/** Lists the plugins. */
export const readPlugins = () => read("/berth/v1/plugins");
