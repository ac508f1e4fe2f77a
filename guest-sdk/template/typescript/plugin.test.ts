import assert from "node:assert/strict";
import { test } from "node:test";
import { Host } from "berth-guest/testing";
import plugin from "./plugin.ts";

const other = { code: "unschedulable-and-unresolvable", reasons: ["node(s) belong to another team"] };

function host(args: object): Host {
  const host = new Host(plugin, args).node("red-1", { labels: { team: "red" } });
  return host.node("blue-1", { labels: { team: "blue", crew: "red" } });
}

test("a team keeps to its nodes", () => {
  assert.deepEqual(host({}).filter({ labels: { team: "red" } }), { "red-1": "fits", "blue-1": other });
  assert.deepEqual(host({}).filter({}), { "red-1": "fits", "blue-1": "fits" });
});

test("the label is an argument", () => {
  assert.deepEqual(host({ label: "crew" }).filter({ labels: { crew: "red" } }), { "red-1": other, "blue-1": "fits" });
});
