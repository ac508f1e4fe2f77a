// The component's exports for a plugin. The build imports this module together with the author's file.
import { write } from "berth:scheduler/log@0.1.0";
import type { Change } from "berth:scheduler/snapshot@0.1.0";
import type { Cycle, Pod } from "berth:scheduler/types@0.1.0";
import { Guest } from "./guest.ts";
import type { Plugin } from "./plugin.ts";

/** Implements the contract's interfaces for a plugin. The component's world decides which of them are exported. */
export function component(definition: Plugin<any, any>) {
  const guest = new Guest(definition);
  // For calls that may return an error: the host gets the message, with the place in the author's file.
  const told = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw new Error(words(definition.name, error));
    }
  };
  // For calls that can't return an error: logs the message before the call traps.
  const logged = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      write("error", words(definition.name, error));
      throw error;
    }
  };
  return {
    plugin: {
      describe: () => guest.describe(),
      configure: (args: string) => told(() => guest.configure(args)),
      holdTemplate: (id: number, pod: Pod) => logged(() => guest.holdTemplate(id, pod)),
      forgetTemplates: (ids: ArrayLike<number>) => logged(() => guest.forgetTemplates(ids)),
    },
    snapshot: { apply: (changes: Change[]) => logged(() => guest.apply(changes)) },
    preFilter: { preFilter: (cycle: Cycle) => told(() => guest.preFilter(cycle)) },
    filter: { filter: (cycle: Cycle, nodes: ArrayLike<number>) => told(() => guest.filter(cycle, nodes)) },
    preScore: { preScore: (cycle: Cycle) => told(() => guest.preScore(cycle)) },
    score: { score: (cycle: Cycle, nodes: ArrayLike<number>) => told(() => guest.score(cycle, nodes)) },
    normalize: {
      normalize: (cycle: Cycle, _: ArrayLike<number>, scores: ArrayLike<bigint>) =>
        told(() => guest.normalize(cycle, scores)),
    },
  };
}

function words(plugin: string, error: unknown): string {
  if (!(error instanceof Error)) return `${plugin}: ${String(error)}`;
  // A refused argument is an error of the user, so its place in the code is left out.
  const place = error.constructor === Error ? "" : `\n${(error.stack ?? "").trimEnd()}`;
  return `${plugin}: ${error.message}${place}`;
}
