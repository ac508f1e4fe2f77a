import json
import unittest

from berth_guest import cpu, flag, map_of, object_of, text, whole
from berth_guest.arguments import ArgumentError, parse, schema

READERS = dict(
    name=text(),
    note=text("none"),
    strict=flag(True),
    least_cpu=cpu(0),
    shape=object_of(weights=map_of(whole(0, 10))),
)


class Arguments(unittest.TestCase):
    def test_arguments_are_read(self):
        args = parse(
            READERS,
            '{"apiVersion": "v1", "kind": "Args", "name": "a", "leastCpu": "500m", "shape": {"weights": {"x": 3}}}',
        )
        self.assertEqual((args.name, args.note, args.strict, args.least_cpu), ("a", "none", True, 500))
        self.assertEqual(args.shape.weights, {"x": 3})

    def test_invalid_arguments_are_named(self):
        for written, message in [
            ("[]", r"^arguments: expected an object"),
            ("{", r"^arguments: "),
            ('{"shape": {}}', r"^name: expected a string that is not empty, got nothing"),
            ('{"name": "a", "shape": {"weight": {}}}', r"^unknown field shape\.weight; known fields: weights"),
            ('{"name": "a", "shape": {"weights": {"x": 11}}}', r"^shape\.weights\.x: expected a whole number .*, got 11"),
            ('{"name": "a", "shape": {"weights": {"x": true}}}', r"^shape\.weights\.x: expected a whole number"),
            ('{"name": "a", "shape": {}, "strict": 1}', r"^strict: expected true or false"),
            ('{"name": "a", "shape": {}, "least_cpu": 1}', r"^unknown field least_cpu"),
        ]:
            with self.subTest(written), self.assertRaisesRegex(ArgumentError, message):
                parse(READERS, written)

    def test_the_schema_describes_the_readers(self):
        weight = {"type": "integer", "minimum": 0, "maximum": 10}
        weights = {"type": "object", "additionalProperties": weight, "default": {}}
        shape = {"type": "object", "properties": {"weights": weights}, "required": [], "additionalProperties": False}
        quantity = {"type": ["integer", "string"], "minimum": 0, "maximum": 999999999999, "pattern": "^[0-9]{1,12}m?$"}
        expected = {
            "type": "object",
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "name": {"type": "string", "minLength": 1},
                "note": {"type": "string", "default": "none"},
                "strict": {"type": "boolean", "default": True},
                "leastCpu": {**quantity, "default": "0m"},
                "shape": shape,
            },
            "required": ["name", "shape"],
            "additionalProperties": False,
        }
        self.assertEqual(json.loads(schema(READERS)), expected)


if __name__ == "__main__":
    unittest.main()
