// A running plugin: its arguments, its copy of the cluster, the pod signatures that it holds, and the batched calls
// over them.
import type { Cycle, Pod } from "berth:scheduler/facts@0.2.0";
import type { Declaration, Description } from "berth:scheduler/plugin@0.2.0";
import type { PreFilterResult } from "berth:scheduler/pre-filter@0.2.0";
import type { PreScoreResult } from "berth:scheduler/pre-score@0.2.0";
import type { Change } from "berth:scheduler/snapshot@0.2.0";
import type { Scope, Verdicts } from "berth:scheduler/types@0.2.0";
import { parseArguments, schemaOf } from "./arguments.ts";
import type { Plugin } from "./plugin.ts";
import { type KindReads, Reads } from "./reads.ts";
import { Snapshot } from "./snapshot.ts";
import { Collector, Rejection } from "./verdict.ts";

/**
 * A running plugin. The functions of this class are those of the contract, in wit/0.2/plugin.wit and
 * wit/0.2/scheduling.wit. Errors are thrown as exceptions.
 */
export class Guest {
  // The author's functions have the types of the declared facts. Here all plugins have the same type.
  private readonly plugin: Plugin<any, any>;
  private readonly reads: Reads;
  private readonly snapshot: Snapshot;
  private readonly signatures = new Map<number, object>();
  private readonly podFields: readonly string[];
  private args: unknown;

  constructor(plugin: Plugin<any, any>) {
    this.plugin = plugin;
    const reads = (this.reads = new Reads(plugin.reads, plugin.args ?? {}));
    if (plugin.scope === "node" && reads.cycle.has("time")) {
      throw new Error(`${plugin.name}: a plugin with scope "node" can't read cycle.time: remove one of the two`);
    }
    this.podFields = reads.pod.fields();
    const residentFields = reads.resident.fields();
    this.snapshot = new Snapshot(reads.node, (pod) => pick(pod, reads.resident, residentFields));
  }

  describe(): Description {
    return { name: this.plugin.name, version: this.plugin.version ?? "0", arguments: schemaOf(this.plugin.args ?? {}) };
  }

  configure(json: string): Declaration {
    const args = (this.args = parseArguments(this.plugin.args ?? {}, json));
    const { reads } = this;
    const { preFilter, preScore, normalize, normalization } = this.plugin;
    return {
      pod: reads.pod.declared(args),
      node: reads.node.declared(args),
      ...(reads.node.has("pods") ? { residentPods: reads.resident.declared(args) } : {}),
      clusterFacts: reads.cluster.flags(),
      readsTime: reads.cycle.has("time"),
      filterScope: this.scope(preFilter !== undefined),
      scoreScope: this.scope(preScore !== undefined),
      normalization: normalize ? "custom" : (normalization ?? "none"),
      retryOn: [],
    };
  }

  // `before` is true if the plugin has a function that runs before the nodes (pre-filter or pre-score). With scope
  // node, such a function must not read cluster facts.
  private scope(before: boolean): Scope {
    const { cycle, cluster } = this.reads;
    const readsCluster = cycle.entries.length > 0 || (before && cluster.entries.length > 0);
    return this.plugin.scope ?? (readsCluster ? "cluster" : "node");
  }

  addSignature(id: number, pod: Pod): void {
    this.signatures.set(id, pick(pod, this.reads.pod, this.podFields));
  }

  removeSignatures(ids: ArrayLike<number>): void {
    for (let at = 0; at < ids.length; at++) this.signatures.delete(ids[at]!);
  }

  apply(changes: readonly Change[]): void {
    this.snapshot.apply(changes);
  }

  preFilter(cycle: Cycle): PreFilterResult {
    const result = this.plugin.preFilter!(this.pod(cycle), this.args as any, this.context(cycle));
    if (result === undefined) return { tag: "all" };
    if (result === "skip") return { tag: "skip" };
    if (result instanceof Rejection) return { tag: "reject", val: { code: result.code, reasons: [...result.reasons] } };
    return { tag: "narrow", val: [...result] };
  }

  filter(cycle: Cycle, nodes: ArrayLike<number>): Verdicts {
    const { plugin } = this;
    const [pod, args, context] = [this.pod(cycle), this.args as any, this.context(cycle)];
    const facts = this.factsOf(nodes);
    const verdicts = new Collector(facts.length);
    for (let at = 0; at < facts.length; at++) {
      const verdict = plugin.filter!(pod, facts[at], args, context);
      if (verdict !== undefined) verdicts.reject(at, verdict);
    }
    return verdicts.finish();
  }

  preScore(cycle: Cycle): PreScoreResult {
    return this.plugin.preScore!(this.pod(cycle), this.args as any, this.context(cycle)) ?? "score";
  }

  score(cycle: Cycle, nodes: ArrayLike<number>): BigInt64Array {
    const { plugin } = this;
    const [pod, args, context] = [this.pod(cycle), this.args as any, this.context(cycle)];
    return whole(this.factsOf(nodes).map((node) => plugin.score!(pod, node, args, context)));
  }

  normalize(cycle: Cycle, scores: ArrayLike<bigint>): BigInt64Array {
    const raw = Array.from(scores, Number);
    return whole(this.plugin.normalize!(raw, this.pod(cycle), this.args as any, this.context(cycle)));
  }

  private pod({ signature }: Cycle): any {
    const pod = this.signatures.get(signature);
    if (!pod) throw new Error(`called with unknown pod signature ${signature}`);
    return pod;
  }

  private factsOf(nodes: ArrayLike<number>): any[] {
    const facts = this.snapshot.facts(nodes);
    const unknown = facts.indexOf(undefined);
    if (unknown < 0) return facts;
    const { node } = this.reads;
    if (node.entries.some((entry) => entry !== "node.pods")) throw new Error(`called with unknown node ${nodes[unknown]}`);
    // A plugin that declares nothing of nodes themselves may have no record of a node.
    return node.has("pods") ? facts.map((known, at) => known ?? this.snapshot.row(nodes[at]!)) : facts.fill({});
  }

  private context({ id, time, seed }: Cycle): any {
    const { nodeCount, images } = this.snapshot;
    // At run time, the caller may pass a 64-bit value as a number or as a BigInt, so each value is converted.
    return { nodeCount, images, cycle: { id: Number(id), time: Number(time), seed: BigInt(seed) } };
  }
}

function pick(pod: Pod, reads: KindReads, fields: readonly string[]): object {
  const facts: Record<string, unknown> = {};
  for (const field of fields) facts[field] = reads.plain(pod[field as keyof Pod], field);
  return facts;
}

function whole(scores: readonly number[]): BigInt64Array {
  const whole = new BigInt64Array(scores.length);
  // Each 64-bit score is written as two 32-bit halves: a BigInt per node would cost more than the work of most plugins.
  const halves = new Int32Array(whole.buffer);
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at]!;
    halves[2 * at] = score;
    if (halves[2 * at] !== score) {
      if (!Number.isSafeInteger(score)) throw new Error(`the score ${score} is not a whole number`);
      halves[2 * at + 1] = Math.floor(score / 2 ** 32);
    } else if (score < 0) halves[2 * at + 1] = -1;
  }
  return whole;
}
