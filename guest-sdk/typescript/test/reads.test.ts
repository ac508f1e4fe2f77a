// Tests of what a plugin declares and reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Guest } from "../src/guest.ts";
import { cpu, plugin, text } from "../src/index.ts";
import { Host } from "../src/testing.ts";

test("keys and paths are declared", () => {
  const keyed = plugin({
    name: "p",
    reads: [
      'pod.labels["team"]',
      "pod.labels[args.label]",
      'pod.annotations["example.com/a.b"]',
      "pod.spec.activeDeadlineSeconds",
      'node.labels["zone"]',
      'node.status.capacity["example.com/gpu"]',
      "node.pods",
      'resident.labels["app"]',
    ],
    args: { label: text("") },
    filter: () => undefined,
  });
  const guest = new Guest(keyed);
  const { pod, node, residentPods } = guest.configure('{"label": "crew"}');
  assert.deepEqual(pod, {
    facts: {},
    labelKeys: ["team", "crew"],
    annotationKeys: ["example.com/a.b"],
    fields: ["spec.activeDeadlineSeconds"],
  });
  const path = 'status.capacity["example.com/gpu"]';
  assert.deepEqual(node, { facts: {}, labelKeys: ["zone"], annotationKeys: [], fields: [path] });
  assert.deepEqual(residentPods?.labelKeys, ["app"]);
  assert.deepEqual(guest.configure('{"label": "team"}').pod.labelKeys, ["team"]);
  assert.deepEqual(guest.configure("{}").pod.labelKeys, ["team"]);
});

for (const [entry, message] of [
  ["node.label", /unknown fact node\.label; known facts: name, labels/],
  ["nodes.labels", /unknown fact nodes\.labels; a fact begins with pod\., node\./],
  ["cycle", /unknown fact cycle; known facts: id, time, seed/],
  ["pod.toString", /unknown fact pod\.toString;/],
  ["pod.labels[team]", /unknown fact pod\.labels\[team\];/],
  ["pod.spec.", /unknown fact pod\.spec\.;/],
  ["pod.spec.a*", /unknown fact pod\.spec\.a\*;/],
  ["cluster.spec.a", /unknown fact cluster\.spec\.a;/],
  ["pod.labels[args.name]", /name is not a text argument/],
  ["pod.labels[args.least]", /least is not a text argument/],
  ["resident.labels", /resident\.labels has no effect without node\.pods/],
] as const) {
  test(`the entry ${entry} is refused`, () => {
    assert.throws(() => new Guest({ name: "p", reads: [entry as "pod.name"], args: { least: cpu(0) } }), message);
  });
}

test("what a plugin can't read or declare is a type error", () => {
  plugin({
    name: "p",
    reads: ['pod.labels["team"]', "pod.spec.paused", "cycle.id"],
    score(pod, node, _, { cycle }) {
      // @ts-expect-error: the label is not declared.
      pod.labels["other"];
      // @ts-expect-error: the path is not declared.
      pod.fields["spec.other"];
      // @ts-expect-error: no path of nodes is declared.
      node.fields;
      // @ts-expect-error: the time is not declared.
      cycle.time;
      return pod.labels["team"] === "a" || pod.fields["spec.paused"] === true ? cycle.id : 0;
    },
  });
  const args = { label: text("team"), least: cpu(0) };
  // @ts-expect-error: the argument does not exist.
  plugin({ name: "p", reads: ["pod.labels[args.lable]"], args, score: () => 0 });
  // @ts-expect-error: the argument is not a text.
  plugin({ name: "p", reads: ["pod.labels[args.least]"], args, score: () => 0 });
  // @ts-expect-error: the SDK has no classes.
  plugin({ name: "p", reads: [], scope: "domain", score: () => 0 });
  // @ts-expect-error: the fact does not exist.
  plugin({ name: "p", reads: ["pod.label"], score: () => 0 });
});

test("labels are read by the key in an argument", () => {
  const zone = plugin({
    name: "p",
    reads: ["pod.labels[args.label]", 'node.labels["zone"]', "node.labels[args.label]"],
    args: { label: text("zone") },
    score: (pod, node, { label }) => Object.keys(node.labels).length + (pod.labels[label] === node.labels[label] ? 10 : 0),
  });
  const labels = { zone: "a", rack: "r", other: "o" };
  assert.deepEqual(new Host(zone).node("n", { labels }).score({ labels }), { n: 11 });
  assert.deepEqual(new Host(zone, { label: "rack" }).node("n", { labels }).score({ labels: { rack: "q" } }), { n: 2 });
});

test("all labels are read if both are declared", () => {
  const reads = ["pod.labels", 'pod.labels["a"]'] as const;
  const count = plugin({ name: "p", reads, score: (pod) => Object.keys(pod.labels).length });
  assert.deepEqual(new Host(count).node("n").score({ labels: { a: "1", b: "2" } }), { n: 2 });
});

test("fields are read by path", () => {
  const seen: unknown[] = [];
  const fields = plugin({
    name: "p",
    reads: [
      "pod.spec.containers.image",
      "pod.spec.paused",
      'pod.spec.nodeSelector["a.b/c"]',
      "pod.status",
      "pod.spec.constructor",
    ],
    score: (pod) => seen.push({ ...pod.fields }),
  });
  const spec = { containers: [{ image: "x" }, {}], nodeSelector: { "a.b/c": "d" } };
  new Host(fields).node("n").score({ fields: { spec, status: { phase: "Pending" } } });
  const selected = { 'spec.nodeSelector["a.b/c"]': "d", status: { phase: "Pending" } };
  assert.deepEqual(seen, [{ "spec.containers.image": ["x", null], ...selected }]);
});

test("a changed node has its new fields", () => {
  const cidr = plugin({
    name: "p",
    reads: ["node.spec.podCIDR"],
    score: (_, node) => String(node.fields["spec.podCIDR"] ?? "").length,
  });
  const host = new Host(cidr).node("n", { fields: { spec: { podCIDR: "10.0.0.0/8" } } });
  assert.deepEqual(host.score(), { n: 10 });
  assert.deepEqual(host.node("n").score(), { n: 0 });
});

test("typed facts are read", () => {
  const seen: unknown[] = [];
  const typed = plugin({
    name: "p",
    reads: ["pod.limits", "pod.qos", "pod.creationTime", "pod.schedulingGroup", "node.capacity", "node.info"],
    score: ({ limits, qos, creationTime, schedulingGroup }, { capacity: { scalars }, info }) =>
      seen.push([limits.milliCpu, qos, creationTime, schedulingGroup, scalars["example.com/gpu"], info.architecture]),
  });
  const host = new Host(typed).node("n", { capacity: { "example.com/gpu": 2 } });
  host.score({ limits: { cpu: "500m" }, more: { qos: "burstable", creationTime: 7n, schedulingGroup: "g" } });
  assert.deepEqual(seen, [[500, "burstable", 7, "g", 2, "amd64"]]);
});
