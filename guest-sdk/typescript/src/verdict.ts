// The verdict of a filter about one node, and many verdicts in the contract's form: the list of distinct rejections,
// and one number per node. Number 0 means that the pod fits; number n is the n-th distinct rejection.
import type { Code, Verdicts } from "berth:scheduler/types@0.2.0";

/** A rejection. Users read the reasons in `kubectl describe pod`. */
export class Rejection {
  constructor(
    readonly code: Code,
    readonly reasons: readonly string[],
  ) {}
}

/** The answer of a filter about one node. `undefined` means that the pod fits. */
export type Verdict = Rejection | undefined | void;

/** Returns a rejection: the pod does not fit the node now, but may fit if pods are removed from the node. */
export function unschedulable(reason: string, ...more: string[]): Rejection {
  return rejection("unschedulable", reason, more);
}

/** Returns a rejection: the pod does not fit, whatever pods are removed (`UnschedulableAndUnresolvable`). */
export function unresolvable(reason: string, ...more: string[]): Rejection {
  return rejection("unschedulable-and-unresolvable", reason, more);
}

/** Returns a rejection: the pod waits for an event that the plugin expects. */
export function pending(reason: string, ...more: string[]): Rejection {
  return rejection("pending", reason, more);
}

let last = new Rejection("pending", []);

// Consecutive nodes are often rejected for the same reason. `rejection` then returns the same object again, so that
// `Collector.reject` finds the number without a lookup.
function rejection(code: Code, reason: string, more: readonly string[]): Rejection {
  if (more.length > 0) return new Rejection(code, [reason, ...more]);
  if (last.code !== code || last.reasons[0] !== reason) last = new Rejection(code, [reason]);
  return last;
}

/** The rejection with number `LAST`, which replaces the 1000th and all further distinct rejections. */
const TOO_MANY = new Rejection("unschedulable", ["too many different reasons to list"]);
const LAST = 1000;

/** Collects the verdicts of one call. */
export class Collector {
  readonly nodes: Uint16Array;
  private readonly distinct: Rejection[] = [];
  private readonly numbers = new Map<string, number>();
  private last: Rejection | undefined;
  private lastNumber = 0;

  constructor(count: number) {
    this.nodes = new Uint16Array(count);
  }

  /** Records that the pod does not fit the node at the index `at`. */
  reject(at: number, rejection: Rejection): void {
    if (rejection !== this.last) {
      this.lastNumber = this.number(rejection);
      this.last = rejection;
    }
    this.nodes[at] = this.lastNumber;
  }

  private number(rejection: Rejection): number {
    if (!(rejection instanceof Rejection)) {
      throw new TypeError(`filter returned ${String(rejection)}: return nothing, unschedulable(…) or unresolvable(…)`);
    }
    const key = JSON.stringify([rejection.code, rejection.reasons]);
    let number = this.numbers.get(key);
    if (number === undefined) {
      if (this.distinct.length === LAST) return LAST;
      number = this.distinct.push(this.distinct.length === LAST - 1 ? TOO_MANY : rejection);
      this.numbers.set(key, number);
    }
    return number;
  }

  /** Returns the collected verdicts in the contract's form. */
  finish(): Verdicts {
    const outcomes = this.distinct.map(({ code, reasons }) => ({ code, reasons: [...reasons] }));
    return { outcomes, nodes: this.nodes };
  }
}
