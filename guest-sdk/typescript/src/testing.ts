// A host for tests. The host sends nodes and pods to a plugin as Berth does. One call asks the plugin about all nodes.
import type { Cycle, Pod, PodReads } from "berth:scheduler/facts@0.2.0";
import type { Declaration } from "berth:scheduler/plugin@0.2.0";
import type { Change, Usage } from "berth:scheduler/snapshot@0.2.0";
import type { Resources, Status } from "berth:scheduler/types@0.2.0";
import { Guest } from "./guest.ts";
import type { Plugin } from "./plugin.ts";

/** Amounts of resources, written as in Kubernetes: `{ cpu: "500m", memory: "1Gi", "nvidia.com/gpu": 1 }`. */
export type Quantities = { [resource: string]: string | number };
interface TestObject {
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  /** Fields that the plugin reads by path, as in the object: `{ spec: { activeDeadlineSeconds: 60 } }`. */
  fields?: object;
}
/**
 * A node for tests. The node has room for 110 pods by default, and its capacity is its allocatable; other missing facts
 * are empty. `more` has further fields of the record `node` in wit/0.2/plugin.wit, in camel case.
 */
export interface TestNode extends TestObject {
  allocatable?: Quantities;
  capacity?: Quantities;
  used?: Quantities;
  more?: { [field: string]: unknown };
}
/**
 * A pod for tests. The namespace is `default`; other missing facts are empty. `more` has further fields of the record
 * `pod` in wit/0.2/facts.wit, in camel case.
 */
export interface TestPod extends TestObject {
  requests?: Quantities;
  limits?: Quantities;
  more?: { [field: string]: unknown };
}

/** Runs a plugin's filter and score natively. */
export class Host {
  private readonly guest: Guest;
  private readonly reads: Declaration;
  private readonly nodes: string[] = [];
  private readonly cycle: Cycle = { id: 0n, time: 0n, seed: 0n, signature: 0 };

  /** Configures the plugin. Throws an error with the plugin's message if the plugin refuses the arguments. */
  constructor(plugin: Plugin<any, any>, args: object = {}) {
    this.guest = new Guest(plugin);
    this.reads = this.guest.configure(JSON.stringify(args));
  }

  /** Adds a node, or replaces the node of this name. */
  node(name: string, { allocatable = {}, capacity = allocatable, used = {}, more = {}, ...open }: TestNode = {}): this {
    if (!this.nodes.includes(name)) this.nodes.push(name);
    const id = this.nodes.indexOf(name);
    const lists = { taints: [], images: new Uint32Array(), usedPorts: [], conditions: [], declaredFeatures: [] };
    const declared = openFacts(this.reads.node, open);
    const facts = { id, name, uid: `${name}-${id}`, ...declared, ...lists, unschedulable: false };
    const amounts = (quantities: Quantities) => ({ ...resources(quantities), ...pods(quantities, 110) });
    const node = { ...facts, allocatable: amounts(allocatable), capacity: amounts(capacity), info: NODE_INFO, ...more };
    const changes: Change[] = [
      { tag: "node", val: node },
      { tag: "usage", val: usage(id, { ...resources(used), ...pods(used, 0) }) },
      { tag: "node-count", val: this.nodes.length },
    ];
    this.guest.apply(changes);
    return this;
  }

  /** Returns the filter's rejection by node name, or "fits". Does not run the pre-filter. */
  filter(pod: TestPod = {}): { [node: string]: "fits" | Status } {
    const { outcomes, nodes } = this.guest.filter(this.next(pod), this.ids());
    const verdict = (number: number) => (number === 0 ? "fits" : outcomes[number - 1]!);
    return Object.fromEntries(this.nodes.map((name, at) => [name, verdict(nodes[at]!)]));
  }

  /** Returns the raw scores by node name. Does not run the pre-score. */
  score(pod: TestPod = {}): { [node: string]: number } {
    const scores = this.guest.score(this.next(pod), this.ids());
    return Object.fromEntries(this.nodes.map((name, at) => [name, Number(scores[at])]));
  }

  private ids(): number[] {
    return this.nodes.map((_, id) => id);
  }

  /** Starts a new cycle. The pod gets a signature of its own, and the previous signature is dropped. */
  private next({ requests = {}, limits = {}, more = {}, ...open }: TestPod): Cycle {
    this.guest.removeSignatures([this.cycle.signature]);
    this.cycle.id += 1n;
    this.cycle.signature += 1;
    const amounts = resources(requests);
    const fields = {
      ...openFacts(this.reads.pod, open),
      limits: resources(limits),
      requests: {
        fit: amounts,
        effective: amounts,
        nonZeroMilliCpu: amounts.milliCpu,
        nonZeroMemory: amounts.memory,
      },
    };
    // Fields that the test does not set have the values of EMPTY_POD.
    this.guest.addSignature(this.cycle.signature, { ...EMPTY_POD, ...fields, ...more } as Pod);
    return this.cycle;
  }
}

const EMPTY_POD: Partial<Pod> = {
  name: "",
  namespace: "default",
  uid: "",
  owners: [],
  nodeName: "",
  schedulerName: "",
  priority: 0,
  preemption: "lower-priority",
  tolerations: [],
  nodeSelector: [],
  preferredNodeAffinity: [],
  affinity: { required: [], preferred: [] },
  antiAffinity: { required: [], preferred: [] },
  topologySpread: [],
  qos: "best-effort",
  containers: [],
  images: { containers: [], volumes: [] },
  hostPorts: [],
  volumes: [],
  schedulingGates: [],
  resourceClaims: [],
  hostNetwork: false,
  nominatedNodeName: "",
  deleting: false,
  creationTime: 0n,
  startTime: 0n,
  userNamespace: false,
  restartActions: [],
  schedulingGroup: "",
};

const NODE_INFO = {
  architecture: "amd64",
  operatingSystem: "linux",
  osImage: "Debian GNU/Linux 13 (trixie)",
  kernelVersion: "6.12.0",
  kubeletVersion: "v1.36.0",
  containerRuntimeVersion: "containerd://2.1.4",
};

/** Returns the labels, the annotations and the fields that the plugin declared. */
function openFacts(reads: Pick<PodReads, "labelKeys" | "annotationKeys"> & { facts: NamedFacts }, open: TestObject) {
  return {
    labels: pairs(open.labels, reads.facts.labels, reads.labelKeys),
    annotations: pairs(open.annotations, reads.facts.annotations, reads.annotationKeys),
    fields: JSON.stringify(open.fields ?? {}),
  };
}
type NamedFacts = { labels?: boolean; annotations?: boolean };

function pairs(labels: { [key: string]: string } = {}, all = false, keys: readonly string[]) {
  const declared = Object.entries(labels).filter(([key]) => all || keys.includes(key));
  return declared.map(([key, value]) => ({ key, value }));
}

function pods({ pods }: Quantities, otherwise: number): { pods: bigint } {
  return { pods: BigInt(pods ?? otherwise) };
}

function resources({ cpu = 0, memory = 0, "ephemeral-storage": storage = 0, pods: _, ...rest }: Quantities): Resources {
  const scalars = Object.entries(rest).map(([name, amount]) => ({ name, quantity: quantity(amount, 1) }));
  const fixed = { milliCpu: quantity(cpu, 1000), memory: quantity(memory, 1), ephemeralStorage: quantity(storage, 1) };
  return { ...fixed, pods: 0n, scalars };
}

const SUFFIXES: { [suffix: string]: number } = { "": 1, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

function quantity(text: string | number, unit: number): bigint {
  const parts = /^([\d.]+)(\D*)$/.exec(String(text));
  const factor = parts ? SUFFIXES[parts[2]!] : undefined;
  if (!parts || factor === undefined) throw new Error(`${JSON.stringify(text)} is not a quantity`);
  return BigInt(Math.ceil(Number((Number(parts[1]) * factor * unit).toFixed(6))));
}

function usage(node: number, used: Resources): Usage {
  const column = (value: bigint) => BigInt64Array.of(value);
  return {
    nodes: Uint32Array.of(node),
    milliCpu: column(used.milliCpu),
    memory: column(used.memory),
    ephemeralStorage: column(used.ephemeralStorage),
    pods: column(used.pods),
    nonZeroMilliCpu: column(used.milliCpu),
    nonZeroMemory: column(used.memory),
    scalars: used.scalars.map((scalar) => ({ node, ...scalar })),
  };
}
