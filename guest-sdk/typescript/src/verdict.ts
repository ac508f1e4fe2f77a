// What a filter answers about one node, and many such answers in the form that crosses to the host: a number a node, and
// each distinct rejection once.
import type { Code, Verdicts } from "berth:scheduler/types@0.1.0";

/** A no, with its reasons as people read them in `kubectl describe pod`. */
export class Rejection {
  constructor(
    readonly code: Code,
    readonly reasons: readonly string[],
  ) {}
}

/** Nothing at all says that the pod fits. */
export type Verdict = Rejection | undefined | void;

/** Not on this node as things are; taking pods away might help. */
export function unschedulable(reason: string, ...more: string[]): Rejection {
  return rejection("unschedulable", reason, more);
}

/** Not on this node whatever pods are taken away (`UnschedulableAndUnresolvable`). */
export function unresolvable(reason: string, ...more: string[]): Rejection {
  return rejection("unschedulable-and-unresolvable", reason, more);
}

/** Not yet: the pod waits for something that the plugin expects. */
export function pending(reason: string, ...more: string[]): Rejection {
  return rejection("pending", reason, more);
}

let last = new Rejection("pending", []);

// Most nodes are refused for the same reason as the one before: it stays one object, which is quick to compare.
function rejection(code: Code, reason: string, more: readonly string[]): Rejection {
  if (more.length > 0) return new Rejection(code, [reason, ...more]);
  if (last.code !== code || last.reasons[0] !== reason) last = new Rejection(code, [reason]);
  return last;
}

/** More distinct rejections than the contract allows are told as this one. */
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

  /** Node number `at` is refused. */
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

  /** As it crosses to the host. */
  finish(): Verdicts {
    const outcomes = this.distinct.map(({ code, reasons }) => ({ code, reasons: [...reasons] }));
    return { outcomes, nodes: this.nodes };
  }
}
