// The entries of a plugin's `reads` at run time. `Fact` in facts.ts has their types.
import type { Declaration } from "berth:scheduler/plugin@0.2.0";
import type { Arguments, Fields } from "./arguments.ts";
import { CLUSTER_FACTS, CYCLE_FACTS, type Json, NODE_FACTS, POD_FACTS } from "./facts.ts";
import { plain } from "./plain.ts";

const KNOWN = { pod: POD_FACTS, node: NODE_FACTS, resident: POD_FACTS, cluster: CLUSTER_FACTS, cycle: CYCLE_FACTS };
type Kind = keyof typeof KNOWN;
type Facts = { readonly [fact: string]: readonly string[] };
type Keyed = "labels" | "annotations";
/** A key, or the name of the argument that has the key. */
type Key = { readonly key: string } | { readonly argument: string };

const KEYED = /^(labels|annotations)\[(?:"([^"]+)"|args\.(\w+))\]$/;
const STEP = /([^.[\]"$*]+)|\["([^"]+)"\]/g;
const PATH = /^(?:spec|status|metadata)(?:\.[^.[\]"$*]+|\["[^"]+"\])*$/;

/** What a plugin reads: of the pod, of nodes, of the pods on nodes (resident), of the cluster and of the cycle. */
export class Reads {
  readonly pod = new KindReads("pod");
  readonly node = new KindReads("node");
  readonly resident = new KindReads("resident");
  readonly cluster = new KindReads("cluster");
  readonly cycle = new KindReads("cycle");

  /** Sorts the entries. Throws an error that names a wrong entry. */
  constructor(entries: readonly string[], args: Fields) {
    for (const entry of entries) {
      const dot = entry.indexOf(".");
      const kind = dot < 0 ? entry : entry.slice(0, dot);
      if (!Object.hasOwn(KNOWN, kind)) {
        throw new Error(`reads: unknown fact ${entry}; a fact begins with ${Object.keys(KNOWN).join("., ")}.`);
      }
      this[kind as Kind].add(entry, entry.slice(kind.length + 1), args);
    }
    const unused = this.resident.entries[0];
    if (unused !== undefined && !this.node.has("pods")) {
      throw new Error(`reads: ${unused} has no effect without node.pods`);
    }
  }
}

/** What a plugin reads of one kind. */
export class KindReads {
  readonly entries: string[] = [];
  private readonly facts = new Set<string>();
  private readonly keys = new Map<Keyed, Key[]>();
  /** The steps of each path. */
  private readonly paths = new Map<string, string[]>();

  constructor(private readonly kind: Kind) {}

  add(entry: string, rest: string, args: Fields): void {
    const known: Facts = KNOWN[this.kind];
    const isObject = this.kind !== "cluster" && this.kind !== "cycle";
    const keyed = isObject ? KEYED.exec(rest) : null;
    if (Object.hasOwn(known, rest)) this.facts.add(rest);
    else if (keyed) {
      const [, field, key, argument] = keyed as unknown as [string, Keyed, string | undefined, string];
      if (key === undefined && !(Object.hasOwn(args, argument) && args[argument]!.schema.type === "string")) {
        throw new Error(`reads: ${entry}: ${argument} is not a text argument of the plugin`);
      }
      const keys = this.keys.get(field) ?? [];
      this.keys.set(field, [...keys, key === undefined ? { argument } : { key }]);
    } else if (isObject && PATH.test(rest)) {
      this.paths.set(rest, Array.from(rest.matchAll(STEP), ([, step, quoted]) => step ?? quoted!));
    } else throw new Error(`reads: unknown fact ${entry}; known facts: ${Object.keys(known).join(", ")}`);
    this.entries.push(entry);
  }

  has(fact: string): boolean {
    return this.facts.has(fact);
  }

  /** Returns the names of the contract's fields that the plugin reads. */
  fields(): string[] {
    const known: Facts = KNOWN[this.kind];
    const fields = [...this.facts].flatMap((fact) => known[fact]!);
    return [...new Set([...fields, ...this.keys.keys(), ...(this.paths.size > 0 ? ["fields"] : [])])];
  }

  /** Returns the declaration of the facts in the contract's form. */
  flags(): { [fact: string]: boolean } {
    // The contract has the pods on nodes apart from the facts of nodes.
    const sent = [...this.facts].filter((fact) => this.kind !== "node" || fact !== "pods");
    return Object.fromEntries(sent.map((fact) => [fact, true]));
  }

  /** Returns the declaration in the contract's form. An argument that is empty declares no key. */
  declared(args: Arguments<Fields>): Declaration["pod"] & Declaration["node"] {
    const keys = (field: Keyed) => {
      const declared = this.keys.get(field) ?? [];
      const keys = declared.map((key) => ("key" in key ? key.key : (args[key.argument] as string)));
      return [...new Set(keys)].filter((key) => key !== "");
    };
    const [labelKeys, annotationKeys] = [keys("labels"), keys("annotations")];
    return { facts: this.flags(), labelKeys, annotationKeys, fields: [...this.paths.keys()] };
  }

  /** Converts the value of the contract's field `name`. */
  plain(value: unknown, name: string): unknown {
    return name === "fields" ? this.byPath(value as string) : plain(value, name);
  }

  /** Returns the values of the declared paths in the JSON that the host sends. */
  private byPath(text: string): { readonly [path: string]: Json | undefined } {
    const fields = JSON.parse(text || "{}") as Json;
    const values: { [path: string]: Json | undefined } = Object.create(null);
    for (const [path, steps] of this.paths) {
      const value = below(fields, steps);
      if (value !== undefined) values[path] = value;
    }
    return values;
  }
}

// Returns the value below these steps. The value of a path through a list is a list, with null for an absent field.
function below(value: Json | undefined, steps: readonly string[]): Json | undefined {
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(value)) return value.map((element) => below(element, steps.slice(at)) ?? null);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as { readonly [name: string]: Json })[step];
  }
  return value;
}
