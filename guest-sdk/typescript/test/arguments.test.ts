import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments, schemaOf } from "../src/arguments.ts";
import { cpu, flag, mapOf, objectOf, text, whole } from "../src/index.ts";

const FIELDS = {
  name: text(),
  note: text("none"),
  strict: flag(true),
  least: cpu(0),
  shape: objectOf({ weights: mapOf(whole(0, 10)) }),
};

const read = (json: string) => parseArguments(FIELDS, json);

test("arguments are read", () => {
  const args = read('{"apiVersion": "v1", "kind": "Args", "name": "a", "least": "500m", "shape": {"weights": {"x": 3}}}');
  assert.deepEqual({ ...args.shape.weights }, { x: 3 });
  assert.deepEqual([args.name, args.note, args.strict, args.least], ["a", "none", true, 500]);
});

for (const [json, message] of [
  ["[]", /^arguments: expected an object/],
  ["{", /JSON/],
  ['{"shape": {}}', /^name: expected a string that is not empty, got nothing/],
  ['{"name": "a", "shape": {"weight": {}}}', /^unknown field shape\.weight; known fields: weights/],
  ['{"name": "a", "shape": {"weights": {"x": 11}}}', /^shape\.weights\.x: expected a whole number from 0 to 10, got 11/],
  ['{"name": "a", "shape": {}, "strict": 1}', /^strict: expected true or false/],
  ['{"name": "a", "shape": {}, "toString": 1}', /^unknown field toString/],
] as const) {
  test(`${json} is refused`, () => assert.throws(() => read(json), { message }));
}

test("the schema describes the readers", () => {
  const quantity = { type: ["integer", "string"], minimum: 0, maximum: 999_999_999_999, pattern: "^[0-9]{1,12}m?$" };
  const weight = { type: "integer", minimum: 0, maximum: 10 };
  const weights = { type: ["object", "null"], additionalProperties: weight, default: {} };
  assert.deepEqual(JSON.parse(schemaOf(FIELDS)), {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      name: { type: "string", minLength: 1 },
      note: { type: "string", default: "none" },
      strict: { type: ["boolean", "null"], default: true },
      least: { ...quantity, default: "0m" },
      shape: { type: "object", properties: { weights }, required: [], additionalProperties: false },
    },
    required: ["name", "shape"],
    additionalProperties: false,
  });
});
