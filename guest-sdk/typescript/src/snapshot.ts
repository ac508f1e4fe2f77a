// The plugin's copy of the cluster: the facts of each node by id. Facts are converted when they change, not when they
// are read.
import type { Pod } from "berth:scheduler/facts@0.2.0";
import type * as contract from "berth:scheduler/snapshot@0.2.0";
import type { Image, Usage } from "./facts.ts";
import { plain } from "./plain.ts";
import type { KindReads } from "./reads.ts";

/** The facts of a node that the plugin reads, named as in `Node`. */
export type NodeFacts = Record<string, unknown>;
type MutableUsage = { -readonly [K in keyof Usage]: Usage[K] };
interface Resident {
  readonly node: number;
  readonly pod: object;
}

const NO_USAGE = { milliCpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, nonZeroMilliCpu: 0, nonZeroMemory: 0 };

/** The plugin's copy of the cluster. */
export class Snapshot {
  nodeCount = 0;
  readonly images = new Map<number, Image>();
  private readonly nodes: (NodeFacts | undefined)[] = [];
  private readonly usages: (MutableUsage | undefined)[] = [];
  private readonly residents: (Resident | undefined)[] = [];
  private readonly podsOf = new Map<number, object[]>();
  private readonly nodeFields: readonly string[];

  /** `reads` is what the plugin reads of nodes. `podOf` picks what the plugin reads of a pod on a node. */
  constructor(
    private readonly reads: KindReads,
    private readonly podOf: (pod: Pod) => object,
  ) {
    this.nodeFields = reads.fields();
  }

  /** Returns the facts of these nodes; undefined for an unknown node. */
  facts(ids: ArrayLike<number>): (NodeFacts | undefined)[] {
    const facts = new Array(ids.length);
    for (let at = 0; at < ids.length; at++) facts[at] = this.nodes[ids[at]!];
    return facts;
  }

  apply(changes: readonly contract.Change[]): void {
    for (const change of changes) this.change(change);
  }

  private change(change: contract.Change): void {
    switch (change.tag) {
      case "node":
        return this.setNode(change.val);
      case "node-removed":
        // Keeps the node's pods: the host may remove the pods before or after the node.
        this.nodes[change.val] = this.usages[change.val] = undefined;
        return;
      case "usage":
        return this.setUsage(change.val);
      case "image":
        this.images.set(change.val.id, plain(change.val, "image") as Image);
        return;
      case "image-removed":
        this.images.delete(change.val);
        return;
      case "resident-pod":
        return this.setResident(change.val);
      case "resident-pod-removed":
        return this.removeResident(change.val);
      case "node-count":
        this.nodeCount = change.val;
    }
  }

  /** Returns the facts of this node. Adds the node if the id is unknown. */
  row(id: number): NodeFacts {
    const known = this.nodes[id];
    if (known) return known;
    const facts: NodeFacts = (this.nodes[id] = {});
    // The host sends usage and pods as separate changes. These changes update the objects that are set here.
    if (this.reads.has("usage")) facts.usage = this.usage(id);
    if (this.reads.has("pods")) facts.pods = this.pods(id);
    return facts;
  }

  private setNode(node: contract.Node): void {
    const facts = this.row(node.id);
    for (const field of this.nodeFields) {
      if (field !== "usage" && field !== "pods") {
        const value = node[field as keyof contract.Node];
        if (value !== null && value !== undefined) facts[field] = this.reads.plain(value, field);
      }
    }
  }

  private usage(node: number): MutableUsage {
    return (this.usages[node] ??= { ...NO_USAGE, scalars: Object.create(null) });
  }

  private setUsage(columns: contract.Usage): void {
    const { nodes, milliCpu, memory, ephemeralStorage, pods, nonZeroMilliCpu, nonZeroMemory, scalars } = columns;
    for (let at = 0; at < nodes.length; at++) {
      const usage = this.usage(nodes[at]!);
      usage.milliCpu = Number(milliCpu[at]);
      usage.memory = Number(memory[at]);
      usage.ephemeralStorage = Number(ephemeralStorage[at]);
      usage.pods = Number(pods[at]);
      usage.nonZeroMilliCpu = Number(nonZeroMilliCpu[at]);
      usage.nonZeroMemory = Number(nonZeroMemory[at]);
    }
    for (const { node, name, quantity } of scalars) {
      const known = this.usage(node).scalars as Record<string, number>;
      if (quantity) known[name] = Number(quantity);
      else delete known[name];
    }
  }

  private pods(node: number): object[] {
    let pods = this.podsOf.get(node);
    if (!pods) this.podsOf.set(node, (pods = []));
    return pods;
  }

  private setResident({ id, node, pod }: contract.ResidentPod): void {
    this.removeResident(id);
    const facts = this.podOf(pod);
    this.residents[id] = { node, pod: facts };
    this.pods(node).push(facts);
  }

  private removeResident(id: number): void {
    const resident = this.residents[id];
    if (!resident) return;
    this.residents[id] = undefined;
    const pods = this.pods(resident.node);
    pods.splice(pods.indexOf(resident.pod), 1);
  }
}
