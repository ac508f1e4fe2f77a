// Writes the file of a large cluster, for `berth sim --import`.
// usage: node large.mjs FILE NODES PODS PENDING
//   PODS     pods that have a node
//   PENDING  pods for which no node fits

import { createWriteStream } from "node:fs";
import { once } from "node:events";

const [path, nodes, pods, pending] = process.argv.slice(2);
const file = createWriteStream(path);

/** The number of zones. */
const ZONES = 5;

let first = true;
async function write(object) {
  const text = `${first ? "" : ","}\n${JSON.stringify(object)}`;
  first = false;
  if (!file.write(text)) await once(file, "drain");
}

file.write('{"apiVersion":"v1","kind":"List","items":[');
for (let number = 0; number < Number(nodes); number += 1) {
  const name = `node-${number}`;
  const labels = { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${number % ZONES}` };
  const capacity = { cpu: "16", memory: "64Gi", pods: "110" };
  await write({ apiVersion: "v1", kind: "Node", metadata: { name, labels }, status: { capacity, allocatable: capacity } });
}
for (let number = 0; number < Number(pods); number += 1) {
  const metadata = { name: `placed-${number}`, namespace: "default", labels: { app: `app-${number % 100}` } };
  const containers = [{ name: "main", image: "example", resources: { requests: { cpu: "500m", memory: "1Gi" } } }];
  await write({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: `node-${number % Number(nodes)}`, containers } });
}
for (let number = 0; number < Number(pending); number += 1) {
  const metadata = { name: `pending-${number}`, namespace: "default" };
  await write({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeSelector: { disk: "none" }, containers: [{ name: "main", image: "example" }] } });
}
file.end("\n]}\n");
await once(file, "finish");
