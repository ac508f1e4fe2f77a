// The last minutes of the cluster, as the page saw them: what the charts show.

import { utilization } from "./cluster.js";

/** The time between two points, in milliseconds. */
const PERIOD = 1000;

/** The number of points that are kept: a quarter of an hour. */
const POINTS = 900;

/** The sub-queues of pending pods. */
export const QUEUES = ["active", "backoff", "unschedulable", "gated"];

/** The part of a resource of all nodes that is requested, in percent. */
function requested(cluster, resource) {
  let [used, all] = [0, 0];
  for (const node of cluster.nodes.values()) {
    if (utilization(node, resource) === undefined) continue;
    used += node.requested[resource] ?? 0;
    all += node.allocatable[resource];
  }
  return all > 0 ? (100 * used) / all : null;
}

/** The mean time of a scheduling cycle between two looks, in milliseconds; null without a cycle. */
function decisionTime(before, now) {
  const cycles = now.cycles - before.cycles;
  return cycles > 0 && now.cyclesMicros !== undefined ? (now.cyclesMicros - before.cyclesMicros) / cycles / 1000 : null;
}

/** Records the cluster once a second, for the charts. */
export class History {
  /** The shortest time that a chart covers, in seconds. */
  shortest = 60;
  /** The times of the points, in seconds since 1970. */
  times = [];
  /** A list of values by name: `cycles` and `placed` per second, `decision` in milliseconds, the sub-queues, `cpu` and `memory` in percent. */
  values = { cycles: [], placed: [], decision: [], cpu: [], memory: [], ...Object.fromEntries(QUEUES.map((queue) => [queue, []])) };

  constructor(cluster) {
    this.cluster = cluster;
  }

  /** Starts to record. Returns a function that ends it. */
  record() {
    const timer = setInterval(() => this.add(Date.now()), PERIOD);
    return () => clearInterval(timer);
  }

  /** Adds what the page knows of the cluster at a time. */
  add(now) {
    const { cluster } = this;
    if (cluster.state !== "live") return;
    const { cycles, cyclesMicros, pods, pending } = cluster;
    this.addPoint({ at: now, cycles, cyclesMicros, pods, pending, cpu: requested(cluster, "cpu"), memory: requested(cluster, "memory") });
    if (this.times.length > POINTS) for (const list of [this.times, ...Object.values(this.values)]) list.shift();
  }

  /** Adds a point. The first one only starts the rates. */
  addPoint(now) {
    const before = this.last;
    this.last = now;
    if (!before) return;
    // A browser runs the timers of a hidden page less often. A restarted scheduler counts from zero again.
    const rate = (count) => Math.max(0, ((now[count] - before[count]) * 1000) / (now.at - before.at));
    const point = { cycles: rate("cycles"), placed: rate("pods"), decision: decisionTime(before, now), cpu: now.cpu, memory: now.memory };
    for (const queue of QUEUES) point[queue] = now.pending[queue] ?? 0;
    this.times.push(now.at / 1000);
    for (const [name, list] of Object.entries(this.values)) list.push(point[name]);
  }
}

/** The points of a capture, as the charts show them. */
export function recorded(points) {
  const history = new History();
  history.shortest = 0;
  const percent = (part) => (part === undefined ? null : 100 * part);
  for (const { utilization, ...point } of points) history.addPoint({ ...point, cpu: percent(utilization.cpu), memory: percent(utilization.memory) });
  return history;
}
