"""Readers of a plugin's arguments. They check the values, and their errors name the wrong field.

A reader is called with a value and a path. The path names the field in errors, as in `weights.gold`. The value of an
absent field is ABSENT. The host checks the arguments by the readers' JSON Schemas before the plugin reads them.
"""

import json
import re
from types import SimpleNamespace

ABSENT = object()
# A KubeSchedulerConfiguration allows these in the arguments of every plugin.
_TYPE_FIELDS = ("apiVersion", "kind")


class ArgumentError(ValueError):
    """An argument is wrong. The message names the field."""


class Reader:
    """Reads one argument. `schema` is the JSON Schema of the argument."""

    def __init__(self, read, schema, default=ABSENT):
        self._read = read
        self.is_required = default is ABSENT
        self.schema = schema if self.is_required else {**schema, "default": default}

    def __call__(self, value, path):
        return self._read(value, path)


def text(otherwise=ABSENT):
    """Returns a reader of a string. `otherwise` is the value of an absent field. Without it, the field is required and
    must not be empty.
    """
    any_text = otherwise is not ABSENT

    def read(value, path):
        value = otherwise if value is ABSENT else value
        if isinstance(value, str) and (value or any_text):
            return value
        raise _mismatch(value, path, "a string" if any_text else "a string that is not empty")

    return Reader(read, {"type": "string"} if any_text else {"type": "string", "minLength": 1}, otherwise)


def flag(otherwise=ABSENT):
    """Returns a reader of a boolean. `otherwise` is the value of an absent field. Without it, the field is required."""

    def read(value, path):
        value = otherwise if value is ABSENT else value
        if isinstance(value, bool):
            return value
        raise _mismatch(value, path, "true or false")

    return Reader(read, {"type": "boolean"}, otherwise)


def whole(least, most, otherwise=ABSENT):
    """Returns a reader of a whole number from `least` to `most`. `otherwise` is the value of an absent field. Without
    it, the field is required.
    """

    def read(value, path):
        value = otherwise if value is ABSENT else value
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        raise _mismatch(value, path, f"a whole number from {least} to {most}")

    return Reader(read, {"type": "integer", "minimum": least, "maximum": most}, otherwise)


def cpu(otherwise=ABSENT):
    """Returns a reader of a cpu quantity in millicores, written as in Kubernetes: `2`, `"2"` or `"500m"`. `otherwise`
    is the value of an absent field, in millicores. Without it, the field is required.
    """

    def read(value, path):
        if value is ABSENT and otherwise is not ABSENT:
            return otherwise
        written = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
        parts = re.fullmatch(r"([0-9]{1,12})(m?)", written)
        if parts:
            return int(parts[1]) * (1 if parts[2] else 1000)
        raise _mismatch(value, path, 'cpu as in 2 or "500m"')

    forms = {"type": ["integer", "string"], "minimum": 0, "maximum": 10**12 - 1, "pattern": "^[0-9]{1,12}m?$"}
    return Reader(read, forms, ABSENT if otherwise is ABSENT else f"{otherwise}m")


def map_of(reader):
    """Returns a reader of an object with any keys. `reader` reads each value. An absent object is empty."""

    def read(value, path):
        given = _object({} if value is ABSENT else value, path)
        return {key: reader(field, _join(path, key)) for key, field in given.items()}

    return Reader(read, {"type": "object", "additionalProperties": reader.schema}, {})


def object_of(**readers):
    """Returns a reader of an object with these fields and no others. The names are in camel case in JSON:
    `min_free_cpu` reads `minFreeCpu`.
    """
    names = {_camel(attribute): attribute for attribute in readers}

    def read(value, path):
        given = _object(value, path)
        for name in given:
            if name not in names:
                raise ArgumentError(f"unknown field {_join(path, name)}; known fields: {', '.join(names) or 'none'}")
        return SimpleNamespace(
            **{
                attribute: readers[attribute](given.get(name, ABSENT), _join(path, name))
                for name, attribute in names.items()
            }
        )

    fields = {name: readers[attribute].schema for name, attribute in names.items()}
    required = [name for name, attribute in names.items() if readers[attribute].is_required]
    return Reader(read, {"type": "object", "properties": fields, "required": required, "additionalProperties": False})


def schema(readers):
    """Returns the JSON Schema of a plugin's arguments, as JSON."""
    own = object_of(**readers).schema
    type_fields = {name: {"type": "string"} for name in _TYPE_FIELDS}
    return json.dumps({**own, "properties": {**type_fields, **own["properties"]}})


def parse(readers, text):
    """Reads a plugin's arguments from JSON."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"arguments: {error}") from None
    given = {name: value for name, value in _object(given, "").items() if name not in _TYPE_FIELDS}
    return object_of(**readers)(given, "")


def _object(value, path):
    if isinstance(value, dict):
        return value
    raise _mismatch(value, path or "arguments", "an object")


def _join(path, name):
    return f"{path}.{name}" if path else name


def _camel(name):
    return re.sub(r"_(.)", lambda match: match[1].upper(), name)


def _mismatch(value, path, expected):
    given = "nothing" if value is ABSENT else json.dumps(value)
    return ArgumentError(f"{path}: expected {expected}, got {given}")
