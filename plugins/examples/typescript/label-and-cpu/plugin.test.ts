import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, type TestNode, type TestPod } from "berth-guest/testing";
import plugin from "./plugin.ts";

const noLabel = { code: "unschedulable-and-unresolvable", reasons: ["node(s) didn't have label pool"] };
const noCpu = { code: "unschedulable", reasons: ["Insufficient free cpu"] };

const node = (pool: string, cpu: string, used = "0"): TestNode => ({
  labels: { pool },
  allocatable: { cpu },
  used: { cpu: used },
});
const oneCpu: TestPod = { requests: { cpu: 1 } };
const inPool = (pool: string): TestPod => ({ labels: { pool } });

const cases: [what: string, args: object, pod: TestPod, node: TestNode, answer: unknown][] = [
  ["more free cpu than requested", { minFreeCpu: "500m" }, oneCpu, node("a", "2", "500m"), "fits"],
  ["a millicore short", { minFreeCpu: "500m" }, oneCpu, node("a", "2", "501m"), noCpu],
  ["no label and too little free cpu", { minFreeCpu: "500m" }, oneCpu, { allocatable: { cpu: 1 } }, noLabel],
  ["the pod's own value", {}, inPool("a"), node("a", "1"), "fits"],
  ["another value than the pod's", {}, inPool("a"), node("b", "1"), noLabel],
  ["the pod's value is empty", {}, inPool(""), node("a", "1"), noLabel],
  ["a pod that requests nothing", { minFreeCpu: "500m" }, {}, node("b", "400m"), noCpu],
  ["the arguments' value", { value: "a" }, {}, node("a", "1"), "fits"],
  ["another value than the arguments'", { value: "a" }, {}, node("b", "1"), noLabel],
  ["the pod's value before the arguments'", { value: "a" }, inPool("b"), node("b", "1"), "fits"],
];

for (const [what, args, pod, facts, answer] of cases) {
  test(what, () => {
    const host = new Host(plugin, { label: "pool", ...args }).node("node", facts);
    assert.deepEqual(host.filter(pod).node, answer);
  });
}

test("the plugin sees a changed node", () => {
  const host = new Host(plugin, { label: "pool" }).node("node", node("a", "1", "1"));
  assert.deepEqual(host.filter(oneCpu).node, noCpu);
  assert.deepEqual(host.node("node", node("a", "1")).filter(oneCpu).node, "fits");
});

for (const [args, field] of [
  [{}, /label/],
  [{ label: "" }, /label/],
  [{ label: "pool", lable: "x" }, /lable/],
  ...["lots", "-1", "1.5", "1Gi", 1.5, -1, null].map((minFreeCpu) => [{ label: "pool", minFreeCpu }, /minFreeCpu/] as const),
] as const) {
  test(`arguments ${JSON.stringify(args)} are refused`, () => {
    assert.throws(() => new Host(plugin, args), field);
  });
}
