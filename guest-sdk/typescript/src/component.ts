// A plugin as the component that the host calls. The build imports this beside the author's file.
import { write } from "berth:scheduler/log@0.1.0";
import type { Change } from "berth:scheduler/snapshot@0.1.0";
import type { Cycle, Pod } from "berth:scheduler/types@0.1.0";
import { Guest } from "./guest.ts";
import type { Plugin } from "./plugin.ts";

/** The contract's interfaces over a plugin; the world says which of them the component exports. */
export function component(definition: Plugin<any, any>) {
  const guest = new Guest(definition);
  // What the contract lets fail: the message goes to the host, with the place in the author's file.
  const told = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw new Error(words(definition.name, error));
    }
  };
  // What it does not: the log has the words for the trap that follows.
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
  // A refused argument is the user's to mend: where in the code it was found says nothing to him.
  const place = error.constructor === Error ? "" : `\n${(error.stack ?? "").trimEnd()}`;
  return `${plugin}: ${error.message}${place}`;
}
