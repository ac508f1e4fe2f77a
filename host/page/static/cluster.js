// The state of the cluster in the browser: the nodes, and the number of pods. It follows /berth/v1/cluster.

import { readCluster } from "./api.js";

/** The longest pause before the page connects again, in milliseconds. */
const LONGEST_PAUSE = 10_000;

/** Follows a cluster, and calls `changed` at most once a frame. */
export class Cluster {
  /** The nodes by name, as the server lists them. */
  nodes = new Map();
  /** The number of pods with a node. */
  pods = 0;
  /** The number of pending pods by queue. */
  pending = {};
  /** The number of scheduling cycles since the start of the scheduler. */
  cycles = 0;
  /** The time that these cycles took, in microseconds; undefined in the past. */
  cyclesMicros;
  /** `connecting`, `live`, `past` or `lost`. */
  state = "connecting";
  /** Why the connection was lost. */
  problem = "";
  /** Counts the changes. */
  version = 0;
  /** Counts the changes of labels, and of the set of nodes. */
  labelsVersion = 0;

  constructor(changed) {
    this.changed = changed;
  }

  /** Starts to follow. Returns a function that ends it. */
  follow() {
    let ended = false;
    let source;
    let pause = 500;
    const connect = () => {
      source = new EventSource("/berth/v1/cluster?watch=true");
      source.addEventListener("cluster", (event) => {
        pause = 500;
        this.apply(JSON.parse(event.data));
      });
      source.addEventListener("error", (event) => {
        this.state = this.nodes.size > 0 || this.version > 0 ? "lost" : "connecting";
        this.problem = event.data ?? "The server does not answer. Does berth still run?";
        this.report();
        source.close();
        if (!ended) setTimeout(() => ended || connect(), pause);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      });
    };
    connect();
    return () => {
      ended = true;
      source.close();
    };
  }

  /** Shows a moment of the past. Returns a function that ends it. */
  show() {
    let ended = false;
    readCluster().then(
      (listing) => {
        if (ended) return;
        this.apply(listing);
        this.state = "past";
      },
      (error) => {
        if (ended) return;
        this.state = "lost";
        this.problem = error.message;
        this.report();
      },
    );
    return () => {
      ended = true;
      this.state = "connecting";
    };
  }

  /** Applies a listing. */
  apply(listing) {
    if (listing.complete) this.nodes.clear();
    if (listing.complete || listing.removed.length > 0) this.labelsVersion += 1;
    for (const name of listing.removed) this.nodes.delete(name);
    for (const node of listing.nodes) {
      const before = this.nodes.get(node.name);
      if (JSON.stringify(before?.labels) !== JSON.stringify(node.labels)) this.labelsVersion += 1;
      this.nodes.set(node.name, node);
    }
    this.pods = listing.pods;
    this.pending = listing.pending;
    this.cycles = listing.cycles;
    this.cyclesMicros = listing.cyclesMicros;
    this.at = listing.at;
    this.state = "live";
    this.version += 1;
    this.report();
  }

  report() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.changed();
    });
  }

  /** The names of all resources of the nodes, the usual ones first. */
  resources() {
    const names = new Set(["cpu", "memory", "pods"]);
    for (const node of this.nodes.values()) {
      for (const name of Object.keys(node.allocatable)) names.add(name);
    }
    return [...names];
  }

  /** The keys of all labels that group nodes: those that have fewer values than there are nodes. */
  labelKeys() {
    const values = new Map();
    for (const node of this.nodes.values()) {
      for (const [key, value] of Object.entries(node.labels)) {
        if (!values.has(key)) values.set(key, new Set());
        values.get(key).add(value);
      }
    }
    return [...values].filter(([, of]) => of.size < Math.max(2, this.nodes.size)).map(([key]) => key).sort();
  }
}

/** The part of a node's resource that its pods request, from 0 to 1; undefined if the node does not have the resource. */
export function utilization(node, resource) {
  const allocatable = node.allocatable[resource];
  return allocatable ? (node.requested[resource] ?? 0) / allocatable : undefined;
}

/** An amount of a resource as people write it. */
export function amount(resource, value) {
  if (resource === "cpu") return value % 1000 === 0 ? `${value / 1000}` : `${value}m`;
  if (resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-")) {
    for (const [unit, size] of [["Ti", 2 ** 40], ["Gi", 2 ** 30], ["Mi", 2 ** 20], ["Ki", 2 ** 10]]) {
      if (value >= size) return `${+(value / size).toFixed(1)}${unit}`;
    }
  }
  return `${value}`;
}
