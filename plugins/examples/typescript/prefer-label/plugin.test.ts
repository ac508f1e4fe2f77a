import assert from "node:assert/strict";
import { test } from "node:test";
import { Host } from "berth-guest/testing";
import plugin from "./plugin.ts";

test("a node scores the weight of its value", () => {
  const host = new Host(plugin, { label: "tier", weights: { gold: 100, silver: 50, "": 7 } });
  for (const tier of ["gold", "silver", "bronze"]) host.node(tier, { labels: { tier } });
  host.node("none");
  assert.deepEqual(host.score(), { gold: 100, silver: 50, bronze: 0, none: 0 });
});

test("without weights every node scores 0", () => {
  const host = new Host(plugin, { apiVersion: "v1", kind: "PreferLabelArgs", label: "tier" });
  assert.deepEqual(host.node("gold", { labels: { tier: "gold" } }).score(), { gold: 0 });
});

for (const [args, field] of [
  [{}, /label/],
  [{ label: "tier", wieghts: {} }, /wieghts/],
  ...[101, -1, 1.5, "1"].map((gold) => [{ label: "tier", weights: { gold } }, /weights\.gold/] as const),
] as const) {
  test(`arguments ${JSON.stringify(args)} are refused`, () => {
    assert.throws(() => new Host(plugin, args), field);
  });
}
