// Tests of the snapshot and the batched calls, called as the host does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Guest } from "../src/guest.ts";
import { plugin, unresolvable, unschedulable } from "../src/index.ts";
import { Host } from "../src/testing.ts";

const CYCLE = { id: 1n, time: 0n, seed: 0n, signature: 0 };

/** Makes a pod that has labels only. */
const pod = (labels: { [key: string]: string }): any => ({
  labels: Object.entries(labels).map(([key, value]) => ({ key, value })),
});

test("only read facts are declared", () => {
  const reads = ["pod.labels", "node.usage", "node.pods", "resident.labels", "cluster.nodeCount"] as const;
  const declared = new Guest(plugin({ name: "p", reads, filter: () => undefined })).configure("{}");
  assert.deepEqual(declared.pod, { facts: { labels: true }, labelKeys: [], annotationKeys: [], fields: [] });
  assert.deepEqual(declared.node.facts, { usage: true });
  assert.deepEqual(declared.residentPods?.facts, { labels: true });
  assert.deepEqual(declared.clusterFacts, { nodeCount: true });
  assert.equal(declared.filterScope, "node");
  assert.equal(declared.readsTime, false);
  assert.equal(new Guest({ name: "p", reads: ["node.name"] }).configure("{}").residentPods, undefined);
});

test("the scope follows from the read facts", () => {
  const scope = (definition: object) => new Guest({ name: "p", reads: [], ...definition }).configure("{}").filterScope;
  assert.equal(scope({}), "node");
  assert.equal(scope({ reads: ["cycle.time"] }), "cluster");
  assert.equal(scope({ reads: ["cluster.images"] }), "node");
  assert.equal(scope({ reads: ["cluster.images"], preFilter: () => undefined }), "cluster");
  assert.equal(scope({ reads: ["cycle.seed"], scope: "node" }), "node");
  assert.throws(() => scope({ reads: ["cycle.time"], scope: "node" }), /scope "node" can't read cycle\.time/);
});

test("the time is declared only if it is read", () => {
  const readsTime = (fact: "id" | "time") => new Guest({ name: "p", reads: [`cycle.${fact}`] }).configure("{}").readsTime;
  assert.deepEqual([readsTime("id"), readsTime("time")], [false, true]);
});

test("undeclared fields are absent", () => {
  const fields: string[][] = [];
  const filter = (...facts: object[]) => void fields.push(...facts.slice(0, 2).map((fact) => Object.keys(fact).sort()));
  new Host({ name: "p", reads: ["pod.labels", "node.taints"], filter }).node("a", { labels: { a: "b" } }).filter();
  assert.deepEqual(fields, [["labels"], ["taints"]]);
});

test("pods are added and removed, before and after their node", () => {
  const counts = plugin({
    name: "p",
    reads: ["node.pods", "resident.labels"],
    score: (_, node) => node.pods.filter((pod) => pod.labels.app === "db").length,
  });
  const guest = new Guest(counts);
  guest.addSignature(0, pod({}));
  const score = () => Number(guest.score(CYCLE, [0])[0]);
  guest.apply([
    { tag: "resident-pod", val: { id: 0, node: 0, pod: pod({ app: "db" }) } },
    { tag: "node", val: { id: 0 } },
    { tag: "resident-pod", val: { id: 1, node: 0, pod: pod({ app: "web" }) } },
  ]);
  assert.equal(score(), 1);
  guest.apply([{ tag: "resident-pod", val: { id: 1, node: 0, pod: pod({ app: "db" }) } }]);
  assert.equal(score(), 2);
  guest.apply([{ tag: "node-removed", val: 0 }, { tag: "resident-pod-removed", val: 0 }]);
  guest.apply([{ tag: "resident-pod-removed", val: 1 }, { tag: "node", val: { id: 0 } }]);
  assert.equal(score(), 0);
});

test("usage of scalar resources ends with its last pod", () => {
  const gpus = plugin({ name: "p", reads: ["node.usage"], score: (_, node) => node.usage.scalars["example.com/gpu"] ?? -1 });
  const host = new Host(gpus).node("a", { used: { "example.com/gpu": 2 } });
  assert.equal(host.score().a, 2);
  assert.equal(host.node("a", { used: { "example.com/gpu": 0 } }).score().a, -1);
});

test("the cycle and the cluster are in the context", () => {
  const reads = ["cycle.id", "cluster.nodeCount"] as const;
  const ids = plugin({ name: "p", reads, score: (_, __, ___, { cycle, nodeCount }) => cycle.id * 10 + nodeCount });
  assert.deepEqual(new Host(ids).node("a").node("b").score(), { a: 12, b: 12 });
});

test("pods are known without a record of their node", () => {
  const guest = new Guest(plugin({ name: "p", reads: ["node.pods"], score: (_, node) => node.pods.length }));
  guest.addSignature(0, pod({}));
  guest.apply([{ tag: "resident-pod", val: { id: 0, node: 1, pod: pod({}) } }]);
  assert.deepEqual([...guest.score(CYCLE, [0, 1])], [0n, 1n]);
});

test("an unknown node is an error", () => {
  const guest = new Guest(plugin({ name: "p", reads: ["node.labels"], filter: () => undefined }));
  guest.addSignature(0, pod({}));
  assert.throws(() => guest.filter(CYCLE, [7]), /node 7/);
  assert.throws(() => guest.filter({ ...CYCLE, signature: 1 }, []), /pod signature 1/);
});

test("equal rejections are sent once", () => {
  const filter = (_: object, node: { name: string }) =>
    node.name === "b" ? undefined : node.name === "c" ? unresolvable("full") : unschedulable("full");
  const guest = new Guest({ name: "p", reads: ["node.name"], filter } as any);
  guest.addSignature(0, pod({}));
  guest.apply(["a", "b", "c", "d"].map((name, id) => ({ tag: "node", val: { id, name } })));
  const { outcomes, nodes } = guest.filter(CYCLE, [0, 1, 2, 3]);
  assert.deepEqual([...nodes], [1, 0, 2, 1]);
  assert.deepEqual(outcomes[1], { code: "unschedulable-and-unresolvable", reasons: ["full"] });
});

test("too many distinct rejections are still rejections", () => {
  const filter = (_: object, node: { name: string }) => unschedulable(node.name);
  const guest = new Guest({ name: "p", reads: ["node.name"], filter } as any);
  const ids = Array.from({ length: 70_000 }, (_, id) => id);
  guest.addSignature(0, pod({}));
  guest.apply(ids.map((id) => ({ tag: "node", val: { id, name: `node-${id}` } })));
  const { outcomes, nodes } = guest.filter(CYCLE, ids);
  assert.equal(outcomes.length, 1000);
  assert.equal(nodes[69_999], 1000);
  assert.deepEqual(outcomes[999]!.reasons, ["too many different reasons to list"]);
});

test("scores are whole numbers of any size", () => {
  const scores = [0, 100, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 40 + 1, -(2 ** 40) - 1, Number.MAX_SAFE_INTEGER];
  for (const score of scores) {
    assert.equal(new Host({ name: "p", reads: [], score: () => score }).node("a").score().a, score);
  }
  for (const score of [1.5, Number.NaN, Infinity]) {
    assert.throws(() => new Host({ name: "p", reads: [], score: () => score }).node("a").score(), /whole number/);
  }
});
