/// <reference path="../generated/contract.d.ts" />
// The facts that a plugin can read, and the fields of each fact.
//
// The types of the fields are those of the contract, generated from wit/ at build time, as plain JavaScript values:
// integers are numbers (exact up to 2^53), labels and extended resources are objects. The cycle's seed is a BigInt.
import type * as snapshot from "berth:scheduler/snapshot@0.1.0";
import type * as contract from "berth:scheduler/types@0.1.0";

/** The facts of a pod, and the fields of `Pod` that belong to each fact. */
export const POD_FACTS = {
  name: ["name"],
  namespace: ["namespace"],
  uid: ["uid"],
  labels: ["labels"],
  annotations: ["annotations"],
  owners: ["owners"],
  nodeName: ["nodeName"],
  schedulerName: ["schedulerName"],
  priority: ["priority", "preemption"],
  tolerations: ["tolerations"],
  nodeAffinity: ["nodeSelector", "requiredNodeAffinity", "preferredNodeAffinity"],
  podAffinity: ["affinity", "antiAffinity"],
  topologySpread: ["topologySpread"],
  requests: ["requests"],
  containers: ["containers"],
  images: ["images"],
  hostPorts: ["hostPorts"],
  volumes: ["volumes"],
  schedulingGates: ["schedulingGates"],
  resourceClaims: ["resourceClaims"],
  hostNetwork: ["hostNetwork"],
  nominatedNode: ["nominatedNodeName"],
  deletion: ["deleting"],
  startTime: ["startTime"],
  userNamespace: ["userNamespace"],
  restartActions: ["restartActions"],
} as const satisfies Record<keyof contract.PodFacts, readonly (keyof contract.Pod)[]>;

/** The facts of a node, and the fields of `Node` that belong to each fact. */
export const NODE_FACTS = {
  name: ["name", "uid"],
  labels: ["labels"],
  annotations: ["annotations"],
  taints: ["taints"],
  unschedulable: ["unschedulable"],
  allocatable: ["allocatable"],
  usage: ["usage"],
  images: ["images"],
  usedPorts: ["usedPorts"],
  conditions: ["conditions"],
  declaredFeatures: ["declaredFeatures"],
  pods: ["pods"],
} as const satisfies Record<keyof contract.NodeFacts, readonly string[]>;

type PodFact = keyof typeof POD_FACTS;
type NodeFact = keyof typeof NODE_FACTS;

/**
 * An entry of `reads`. `resident.…` are facts of the pods on nodes, for plugins that read `node.pods`. A change of a
 * `cluster.…` fact invalidates every cached answer of the plugin. If a plugin reads the `cycle`, the host asks the
 * plugin again for every pod.
 */
export type Fact =
  | `pod.${PodFact}`
  | `node.${NodeFact}`
  | `resident.${PodFact}`
  | "cluster.nodeCount"
  | "cluster.images"
  | "cycle";

/** Labels, annotations or node selectors: `labels["topology.kubernetes.io/zone"]`. */
export type Labels = { readonly [key: string]: string | undefined };
/** Amounts of extended resources, hugepages and so on: `scalars["nvidia.com/gpu"] ?? 0`. */
export type Scalars = { readonly [name: string]: number | undefined };

// `Label extends E`, and not `E extends Label`: taints and tolerations also have a key and a value, but further fields.
// `Label extends E` holds only for elements without further fields.
type List<E> = contract.Label extends E ? Labels : contract.Scalar extends E ? Scalars : readonly Plain<E>[];
/** A type of the contract as plain JavaScript values. */
export type Plain<T> = T extends bigint
  ? number
  : T extends readonly (infer E)[]
    ? List<E>
    : T extends object
      ? { readonly [K in keyof T]: Plain<T[K]> }
      : T;

/** All fields of a pod. */
export type FullPod = Plain<contract.Pod>;
/** The requests of the node's pods, assumed pods included. The units are those of `allocatable`. */
export type Usage = Plain<contract.Resources> & {
  /** The sum of the pods' `requests.nonZeroMilliCpu`, in millicores. */
  readonly nonZeroMilliCpu: number;
  /** The sum of the pods' `requests.nonZeroMemory`, in bytes. */
  readonly nonZeroMemory: number;
};
/** All fields of a node. `R` are the facts in `reads`; its `resident.…` facts give the fields of the node's pods. */
export type FullNode<R extends string = Fact> = Required<Plain<Omit<snapshot.Node, "id" | "images">>> & {
  /** Ids of the node's images: keys of `context.images`. */
  readonly images: ArrayLike<number>;
  readonly usage: Usage;
  readonly pods: readonly PodWith<Suffix<R, "resident">>[];
};
/** An image under one of its names. An image with several names has several entries. */
export type Image = Plain<snapshot.Image>;

// Removes the prefix `P` from the names of facts: `pod.labels` becomes `labels`.
type Suffix<R extends string, P extends string> = R extends `${P}.${infer F}` ? F : never;
type PodWith<F extends string> = Pick<FullPod, F extends PodFact ? (typeof POD_FACTS)[F][number] : never>;
type NodeWith<R extends string, F extends string> = Pick<
  FullNode<R>,
  F extends NodeFact ? (typeof NODE_FACTS)[F][number] : never
>;

/** The pod that is being scheduled, with the facts that the plugin reads. */
export type Pod<R extends string> = PodWith<Suffix<R, "pod">>;
/** A node, with the facts that the plugin reads. */
export type Node<R extends string> = NodeWith<R, Suffix<R, "node">>;
/** One attempt to schedule one pod. */
export interface Cycle {
  /** Each attempt has a higher id than the attempt before. */
  readonly id: number;
  /** The time of the call, in milliseconds since 1970. All calls of one cycle have the same time. */
  readonly time: number;
  /** A random number that differs for every cycle and plugin. */
  readonly seed: bigint;
}

/** Facts of the cluster and of the cycle, as far as the plugin reads them. */
export type Context<R extends string> = ("cluster.nodeCount" extends R
  ? {
      /** The number of nodes in the cluster. */
      readonly nodeCount: number;
    }
  : unknown) &
  ("cluster.images" extends R
    ? {
        /** The images of all nodes, by id. */
        readonly images: ReadonlyMap<number, Image>;
      }
    : unknown) &
  ("cycle" extends R
    ? {
        /** The current attempt to schedule the pod. */
        readonly cycle: Cycle;
      }
    : unknown);
