// The type of a plugin, which an author writes as one object.
import type { Normalization, Scope } from "berth:scheduler/types@0.2.0";
import type { Arguments, Fields, Reader } from "./arguments.ts";
import type { Context, Fact, Node, Pod } from "./facts.ts";
import type { Rejection, Verdict } from "./verdict.ts";

/** A plugin that reads the facts `R` and has the arguments `F`. */
export interface Plugin<R extends Fact = Fact, F extends Fields = Fields> {
  /** The name of the plugin in profiles, events and messages. */
  readonly name: string;
  /** The plugin's own version, for people. The default is "0". */
  readonly version?: string;
  /** What the plugin's functions read. Nothing else is sent, and nothing else is a field of `pod` and `node`. */
  readonly reads: readonly R[];
  /** Readers of the plugin's arguments, which come from `pluginConfig[].args`. */
  readonly args?: F;
  /**
   * Runs before nodes are filtered. Returns nothing (filter all nodes), "skip" (the plugin has nothing
   * to filter), the names of the only nodes that the pod may fit, or a rejection.
   */
  preFilter?(pod: Pod<R>, args: Arguments<F>, context: Context<R>): void | undefined | "skip" | readonly string[] | Rejection;
  /** Decides whether the pod fits the node. Returns nothing if the pod fits, and a rejection otherwise. */
  filter?(pod: Pod<R>, node: Node<R>, args: Arguments<F>, context: Context<R>): Verdict;
  /** Runs before nodes are scored. Returns "skip" if the plugin does not score this pod. */
  preScore?(pod: Pod<R>, args: Arguments<F>, context: Context<R>): void | undefined | "skip";
  /**
   * Scores the node. Returns a whole number: 0 to 100 if raw scores are not normalized, and any whole number if
   * `normalization` is not "none" or the plugin has a function `normalize`.
   */
  score?(pod: Pod<R>, node: Node<R>, args: Arguments<F>, context: Context<R>): number;
  /** Gets the raw scores of all nodes that passed the filters. Returns scores of 0 to 100 in the same order. */
  normalize?(scores: readonly number[], pod: Pod<R>, args: Arguments<F>, context: Context<R>): readonly number[];
  /** How the host normalizes raw scores. The default is "none". Ignored if the plugin has a function `normalize`. */
  readonly normalization?: Exclude<Normalization, "custom">;
  /**
   * What the answers depend on. The default is "cluster" if the plugin reads a fact of the cycle, or reads cluster facts
   * and has a function that runs before the nodes (preFilter or preScore). Otherwise the default is "node": the answers
   * depend only on the arguments and on declared facts of the pod, the node and the cluster. The SDK has no `classes`,
   * which scope "domain" requires.
   */
  readonly scope?: Exclude<Scope, "domain">;
}

/** Returns the plugin unchanged, and checks its types. */
export function plugin<const R extends Fact<TextArguments<F>>, const F extends Fields = {}>(
  plugin: Plugin<R, F>,
): Plugin<R, F> {
  return plugin;
}

/** The names of the arguments that are strings. */
type TextArguments<F extends Fields> = { [K in keyof F]: F[K] extends Reader<string> ? K : never }[keyof F] & string;
