// What an author writes: a plugin as one object.
import type { Normalization, Scope } from "berth:scheduler/types@0.1.0";
import type { Arguments, Fields } from "./arguments.ts";
import type { Context, Fact, Node, Pod } from "./facts.ts";
import type { Rejection, Verdict } from "./verdict.ts";

/** A plugin that reads the facts `R` and has the arguments `F`. */
export interface Plugin<R extends Fact = Fact, F extends Fields = Fields> {
  /** The name that profiles, events and messages use. */
  readonly name: string;
  /** The plugin's own version, for people. */
  readonly version?: string;
  /** The facts that its functions read. What is not named here is never sent, and is no field of `pod` and `node`. */
  readonly reads: readonly R[];
  /** Its arguments, from `pluginConfig[].args`. */
  readonly args?: F;
  /** Once a pod, before nodes are filtered: nothing, "skip", the only nodes (by name) that can do, or a rejection. */
  preFilter?(pod: Pod<R>, args: Arguments<F>, context: Context<R>): void | undefined | "skip" | readonly string[] | Rejection;
  /** Whether the pod fits the node: nothing where it does. */
  filter?(pod: Pod<R>, node: Node<R>, args: Arguments<F>, context: Context<R>): Verdict;
  /** Once a pod, before nodes are scored: "skip" where the plugin has nothing to say about it. */
  preScore?(pod: Pod<R>, args: Arguments<F>, context: Context<R>): void | undefined | "skip";
  /** How good the node is: a whole number, 0 to 100 unless `normalization` or `normalize` make it so. */
  score?(pod: Pod<R>, node: Node<R>, args: Arguments<F>, context: Context<R>): number;
  /** Turns the raw scores of all nodes that passed into 0 to 100 each. */
  normalize?(scores: readonly number[], pod: Pod<R>, args: Arguments<F>, context: Context<R>): readonly number[];
  /** What the host does with raw scores; "none" unless given. */
  readonly normalization?: Exclude<Normalization, "custom">;
  /** "node" (an answer depends on the pod, the node and the arguments alone) unless given or the `cycle` is read. */
  readonly scope?: Scope;
}

/** A plugin, its parts' types checked. */
export function plugin<const R extends Fact, const F extends Fields = {}>(plugin: Plugin<R, F>): Plugin<R, F> {
  return plugin;
}
