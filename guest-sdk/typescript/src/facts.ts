/// <reference path="../generated/contract.d.ts" />
// The facts that a plugin can read, and the fields of each fact.
//
// The types of the fields are those of the contract, generated from wit/ at build time, as plain JavaScript values:
// integers are numbers (exact up to 2^53), labels and extended resources are objects. The cycle's seed is a BigInt.
import type * as contract from "berth:scheduler/facts@0.2.0";
import type * as snapshot from "berth:scheduler/snapshot@0.2.0";
import type { Label, Resources, Scalar } from "berth:scheduler/types@0.2.0";

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
  limits: ["limits"],
  qos: ["qos"],
  creationTime: ["creationTime"],
  schedulingGroup: ["schedulingGroup"],
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
  capacity: ["capacity"],
  info: ["info"],
  // The pods on the node. The SDK keeps them: the contract has them apart from the facts of nodes.
  pods: ["pods"],
} as const satisfies Record<keyof contract.NodeFacts | "pods", readonly string[]>;

/** The facts of the cluster. A change of one invalidates every cached answer of the plugin. */
export const CLUSTER_FACTS = {
  nodeCount: ["nodeCount"],
  images: ["images"],
} as const satisfies Record<keyof contract.ClusterFacts, readonly string[]>;

/** The facts of the attempt to schedule the pod. */
export const CYCLE_FACTS = {
  id: ["id"],
  time: ["time"],
  seed: ["seed"],
} as const satisfies { [F in keyof Cycle]: readonly [F] };

type PodFact = keyof typeof POD_FACTS;
type NodeFact = keyof typeof NODE_FACTS;

/** A path of a field in an object: `spec.podCIDR`. A key with dots is quoted: `status.capacity["example.com/gpu"]`. */
type Path = `${"spec" | "status" | "metadata"}${"" | `.${string}` | `["${string}`}`;
/** One label or annotation by its key, or by the text argument that has the key. `A` are the names of the arguments. */
type ByKey<A extends string> = `${"labels" | "annotations"}[${`"${string}"` | `args.${A}`}]`;

/**
 * An entry of `reads`:
 * - a fact, such as `pod.labels`. `resident.…` are facts of the pods on nodes, for plugins that read `node.pods`. If a
 *   plugin reads a fact of the `cycle`, the host asks the plugin again for every pod.
 * - one label or annotation: `pod.labels["team"]`, or `pod.labels[args.label]` for the key in the argument `label`.
 * - a further field by its path, such as `node.spec.podCIDR`. Read it as `node.fields["spec.podCIDR"]`.
 */
export type Fact<A extends string = string> =
  | `pod.${PodFact | ByKey<A> | Path}`
  | `node.${NodeFact | ByKey<A> | Path}`
  | `resident.${PodFact | ByKey<A> | Path}`
  | `cluster.${keyof typeof CLUSTER_FACTS}`
  | `cycle.${keyof typeof CYCLE_FACTS}`;

/** A decoded JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/** Labels, annotations or node selectors: `labels["topology.kubernetes.io/zone"]`. */
export type Labels = { readonly [key: string]: string | undefined };
/** Amounts of extended resources, hugepages and so on: `scalars["nvidia.com/gpu"] ?? 0`. */
export type Scalars = { readonly [name: string]: number | undefined };

// `Label extends E`, and not `E extends Label`: taints and tolerations also have a key and a value, but further fields.
// `Label extends E` holds only for elements without further fields.
type List<E> = Label extends E ? Labels : Scalar extends E ? Scalars : readonly Plain<E>[];
/** A type of the contract as plain JavaScript values. */
export type Plain<T> = T extends bigint
  ? number
  : T extends readonly (infer E)[]
    ? List<E>
    : T extends object
      ? { readonly [K in keyof T]: Plain<T[K]> }
      : T;

/** All fields of a pod. */
export type FullPod = Plain<Omit<contract.Pod, "fields">>;
/** The requests of the node's pods, assumed pods included. The units are those of `allocatable`. */
export type Usage = Plain<Resources> & {
  /** The sum of the pods' `requests.nonZeroMilliCpu`, in millicores. */
  readonly nonZeroMilliCpu: number;
  /** The sum of the pods' `requests.nonZeroMemory`, in bytes. */
  readonly nonZeroMemory: number;
};
/** All fields of a node. `R` are the facts in `reads`; its `resident.…` facts give the fields of the node's pods. */
export type FullNode<R extends string = Fact> = Required<Plain<Omit<snapshot.Node, "id" | "images" | "fields">>> & {
  /** Ids of the node's images: keys of `context.images`. */
  readonly images: ArrayLike<number>;
  readonly usage: Usage;
  readonly pods: readonly PodWith<Suffix<R, "resident">>[];
};
/** An image under one of its names. An image with several names has several entries. */
export type Image = Plain<snapshot.Image>;

// Removes the prefix `P` from the names of facts: `pod.labels` becomes `labels`.
type Suffix<R extends string, P extends string> = R extends `${P}.${infer F}` ? F : never;
// The keys of single labels or annotations. A key in an argument is known at run time only.
type Keys<F extends string, L extends string> = F extends `${L}["${infer K}"]`
  ? K
  : F extends `${L}[args.${string}]`
    ? string
    : never;
type Single<F extends string, L extends string> = [Keys<F, L>] extends [never]
  ? unknown
  : L extends F
    ? unknown
    : { readonly [P in L]: { readonly [K in Keys<F, L>]: string | undefined } };
type ByPath<F extends string> = [Extract<F, Path>] extends [never]
  ? unknown
  : {
      /** The fields that the plugin reads by their paths. */
      readonly fields: { readonly [P in Extract<F, Path>]: Json | undefined };
    };
type Open<F extends string> = Single<F, "labels"> & Single<F, "annotations"> & ByPath<F>;
type PodWith<F extends string> = Pick<FullPod, F extends PodFact ? (typeof POD_FACTS)[F][number] : never> & Open<F>;
type NodeWith<R extends string, F extends string> = Pick<
  FullNode<R>,
  F extends NodeFact ? (typeof NODE_FACTS)[F][number] : never
> &
  Open<F>;

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
  ([Suffix<R, "cycle">] extends [never]
    ? unknown
    : {
        /** The current attempt to schedule the pod. */
        readonly cycle: Pick<Cycle, Extract<keyof Cycle, Suffix<R, "cycle">>>;
      });
