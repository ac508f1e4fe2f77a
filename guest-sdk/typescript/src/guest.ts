// A running plugin: its arguments, its copy of the cluster, the templates that it holds, and the batched calls over
// them.
import type { Declaration, Description } from "berth:scheduler/plugin@0.1.0";
import type { PreFilterResult } from "berth:scheduler/pre-filter@0.1.0";
import type { PreScoreResult } from "berth:scheduler/pre-score@0.1.0";
import type { Change } from "berth:scheduler/snapshot@0.1.0";
import type { Cycle, Pod, Scope, Verdicts } from "berth:scheduler/types@0.1.0";
import { parseArguments } from "./arguments.ts";
import { type Fact, NODE_FACTS, POD_FACTS } from "./facts.ts";
import { plain } from "./plain.ts";
import type { Plugin } from "./plugin.ts";
import { Snapshot } from "./snapshot.ts";
import { Collector, Rejection } from "./verdict.ts";

/**
 * A running plugin. The functions of this class are those of the contract, in wit/plugin.wit and wit/placing.wit.
 * Errors are thrown as exceptions.
 */
export class Guest {
  // The author's functions have the types of the declared facts. Here all plugins have the same type.
  private readonly plugin: Plugin<any, any>;
  private readonly snapshot: Snapshot;
  private readonly templates = new Map<number, object>();
  private readonly podFields: readonly string[];
  private args: unknown;

  constructor(plugin: Plugin<any, any>) {
    this.plugin = plugin;
    this.podFields = fieldsOf(plugin.reads, "pod", POD_FACTS);
    const nodeFields = fieldsOf(plugin.reads, "node", NODE_FACTS);
    const residentFields = fieldsOf(plugin.reads, "resident", POD_FACTS);
    this.snapshot = new Snapshot(nodeFields, (pod) => pick(pod, residentFields));
  }

  describe(): Description {
    return { name: this.plugin.name, version: this.plugin.version ?? "0" };
  }

  configure(json: string): Declaration {
    this.args = parseArguments(this.plugin.args ?? {}, json);
    const { reads, preFilter, preScore, normalize, normalization } = this.plugin;
    return {
      podFacts: flags(reads, "pod"),
      nodeFacts: flags(reads, "node"),
      residentPodFacts: flags(reads, "resident"),
      clusterFacts: flags(reads, "cluster"),
      filterScope: this.scope(preFilter !== undefined),
      scoreScope: this.scope(preScore !== undefined),
      normalization: normalize ? "custom" : (normalization ?? "none"),
      retryOn: [],
    };
  }

  // `before` is true if the plugin has a function that runs before the nodes (pre-filter or pre-score). With scope
  // node, such a function must not read cluster facts.
  private scope(before: boolean): Scope {
    const { scope, reads } = this.plugin;
    const readsCluster = reads.some((fact: string) => fact === "cycle" || (before && fact.startsWith("cluster.")));
    return scope ?? (readsCluster ? "cluster" : "node");
  }

  holdTemplate(id: number, pod: Pod): void {
    this.templates.set(id, pick(pod, this.podFields));
  }

  forgetTemplates(ids: ArrayLike<number>): void {
    for (let at = 0; at < ids.length; at++) this.templates.delete(ids[at]!);
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

  private pod({ template }: Cycle): any {
    const pod = this.templates.get(template);
    if (!pod) throw new Error(`called with unknown template ${template}`);
    return pod;
  }

  private factsOf(nodes: ArrayLike<number>): any[] {
    const facts = this.snapshot.facts(nodes);
    const unknown = facts.indexOf(undefined);
    if (unknown < 0) return facts;
    if (this.plugin.reads.some((fact: string) => fact.startsWith("node."))) {
      throw new Error(`called with unknown node ${nodes[unknown]}`);
    }
    return facts.fill({});
  }

  private context({ id, time, seed }: Cycle): any {
    const { nodeCount, images } = this.snapshot;
    // At run time, the caller may pass a 64-bit value as a number or as a BigInt, so each value is converted.
    return { nodeCount, images, cycle: { id: Number(id), time: Number(time), seed: BigInt(seed) } };
  }
}

/** Returns the fields of the facts in `reads` that start with `prefix` and a dot. Throws for an unknown fact. */
function fieldsOf(reads: readonly Fact[], prefix: string, facts: Record<string, readonly string[]>): string[] {
  return Object.keys(flags(reads, prefix)).flatMap((fact) => {
    const fields = Object.hasOwn(facts, fact) ? facts[fact] : undefined;
    if (!fields) throw new Error(`reads: unknown fact ${prefix}.${fact}; known facts: ${Object.keys(facts).join(", ")}`);
    return fields;
  });
}

function flags(reads: readonly Fact[], prefix: string): { [fact: string]: boolean } {
  const named = reads.filter((fact) => fact.startsWith(`${prefix}.`)).map((fact) => fact.slice(prefix.length + 1));
  return Object.fromEntries(named.map((fact) => [fact, true]));
}

function pick(pod: Pod, fields: readonly string[]): object {
  const facts: Record<string, unknown> = {};
  for (const field of fields) facts[field] = plain(pod[field as keyof Pod], field);
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
