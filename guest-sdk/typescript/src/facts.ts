/// <reference path="../generated/contract.d.ts" />
// What a plugin can read, and which fields each fact brings.
//
// The fields' types are those of the contract, generated from wit/ at build time, in JavaScript's own shapes: integers are
// numbers (exact up to 2^53), labels and extended resources are objects.
import type * as snapshot from "berth:scheduler/snapshot@0.1.0";
import type * as contract from "berth:scheduler/types@0.1.0";

/** Facts of a pod, and the fields of `Pod` that each one fills. */
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

/** Facts of a node, and the fields of `Node` that each one fills. */
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
 * One entry of `reads`. `resident.…` are facts of the pods on nodes, for plugins that read `node.pods`. A change of a
 * `cluster.…` fact makes every answer of the plugin stale. A plugin that reads the `cycle` is asked anew for every pod.
 */
export type Fact =
  | `pod.${PodFact}`
  | `node.${NodeFact}`
  | `resident.${PodFact}`
  | "cluster.nodeCount"
  | "cluster.images"
  | "cycle";

/** Labels, annotations, selectors: `labels["topology.kubernetes.io/zone"]`. */
export type Labels = { readonly [key: string]: string | undefined };
/** Extended resources, hugepages and the like: `scalars["nvidia.com/gpu"] ?? 0`. */
export type Scalars = { readonly [name: string]: number | undefined };

// Taints and tolerations have a key and a value too: a list of labels is one whose elements have nothing else.
type List<E> = contract.Label extends E ? Labels : contract.Scalar extends E ? Scalars : readonly Plain<E>[];
/** A type of the contract in JavaScript's shapes. */
export type Plain<T> = T extends bigint
  ? number
  : T extends readonly (infer E)[]
    ? List<E>
    : T extends object
      ? { readonly [K in keyof T]: Plain<T[K]> }
      : T;

/** All fields of a pod. */
export type FullPod = Plain<contract.Pod>;
/** What pods ask of their node, assumed pods included. Units are those of `allocatable`. */
export type Usage = Plain<contract.Resources> & {
  /** Sum of the pods' `requests.nonZeroMilliCpu`. */
  readonly nonZeroMilliCpu: number;
  /** Sum of the pods' `requests.nonZeroMemory`. */
  readonly nonZeroMemory: number;
};
/** All fields of a node; its resident pods have the facts `R`. */
export type FullNode<R extends string = Fact> = Required<Plain<Omit<snapshot.Node, "id" | "images">>> & {
  /** Ids of images, for `context.images`. */
  readonly images: ArrayLike<number>;
  readonly usage: Usage;
  readonly pods: readonly PodWith<Suffix<R, "resident">>[];
};
/** An image by one of its names. */
export type Image = Plain<snapshot.Image>;

// `pod.labels` → `labels`.
type Suffix<R extends string, P extends string> = R extends `${P}.${infer F}` ? F : never;
type PodWith<F extends string> = Pick<FullPod, F extends PodFact ? (typeof POD_FACTS)[F][number] : never>;
type NodeWith<R extends string, F extends string> = Pick<
  FullNode<R>,
  F extends NodeFact ? (typeof NODE_FACTS)[F][number] : never
>;

/** The pod to be placed, as far as the plugin reads it. */
export type Pod<R extends string> = PodWith<Suffix<R, "pod">>;
/** A node, as far as the plugin reads it. */
export type Node<R extends string> = NodeWith<R, Suffix<R, "node">>;
/** One attempt to place one pod. */
export interface Cycle {
  /** Grows by one with every attempt. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Random, different for every cycle and plugin. */
  readonly seed: bigint;
}

/** Facts of the cluster and of the cycle, as far as the plugin reads them. */
export type Context<R extends string> = ("cluster.nodeCount" extends R
  ? {
      /** How many nodes there are. */
      readonly nodeCount: number;
    }
  : unknown) &
  ("cluster.images" extends R
    ? {
        /** The images that are on any node, by id. */
        readonly images: ReadonlyMap<number, Image>;
      }
    : unknown) &
  ("cycle" extends R
    ? {
        /** The attempt to place this pod. */
        readonly cycle: Cycle;
      }
    : unknown);
