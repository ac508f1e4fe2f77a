// The component's exports for a plugin. The build imports this module together with the author's file.
import { write } from "berth:scheduler/log@0.2.0";
import type { Cycle, Pod } from "berth:scheduler/facts@0.2.0";
import type { Change } from "berth:scheduler/snapshot@0.2.0";
import { Guest } from "./guest.ts";
import type { Plugin } from "./plugin.ts";

/** Implements the contract's interfaces for a plugin. The component's world decides which interfaces are exported. */
export function component(definition: Plugin<any, any>) {
  const guest = new Guest(definition);
  // Returns the result of `call`. The host receives an error that `call` throws, with the plugin's name.
  const returningErrors = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw new Error(messageOf(definition.name, error));
    }
  };
  // Returns the result of `call`, which can't return an error to the host. Logs an error that `call` throws, before the
  // error ends the host's call as a trap.
  const loggingErrors = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      write("error", messageOf(definition.name, error));
      throw error;
    }
  };
  return {
    plugin: {
      describe: () => guest.describe(),
      configure: (args: string) => returningErrors(() => guest.configure(args)),
      addSignature: (id: number, pod: Pod) => loggingErrors(() => guest.addSignature(id, pod)),
      removeSignatures: (ids: ArrayLike<number>) => loggingErrors(() => guest.removeSignatures(ids)),
    },
    snapshot: { apply: (changes: Change[]) => loggingErrors(() => guest.apply(changes)) },
    preFilter: { preFilter: (cycle: Cycle) => returningErrors(() => guest.preFilter(cycle)) },
    filter: { filter: (cycle: Cycle, nodes: ArrayLike<number>) => returningErrors(() => guest.filter(cycle, nodes)) },
    preScore: { preScore: (cycle: Cycle) => returningErrors(() => guest.preScore(cycle)) },
    score: { score: (cycle: Cycle, nodes: ArrayLike<number>) => returningErrors(() => guest.score(cycle, nodes)) },
    normalize: {
      normalize: (cycle: Cycle, _: ArrayLike<number>, scores: ArrayLike<bigint>) =>
        returningErrors(() => guest.normalize(cycle, scores)),
    },
  };
}

function messageOf(plugin: string, error: unknown): string {
  if (!(error instanceof Error)) return `${plugin}: ${String(error)}`;
  // A plain `Error`, such as a refused argument, has a message that explains the cause. Only errors of other classes,
  // such as TypeError, get the location in the code.
  const location = error.constructor === Error ? "" : `\n${(error.stack ?? "").trimEnd()}`;
  return `${plugin}: ${error.message}${location}`;
}
