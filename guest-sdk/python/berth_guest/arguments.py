"""A plugin's arguments: readers that check them and say which field is wrong.

A reader is a function of a value and its path, which names it in errors. The value is ABSENT for a field that is not there.
"""

import json
import re
from types import SimpleNamespace

ABSENT = object()


class ArgumentError(ValueError):
    """An argument is wrong; the message says which."""


def text(otherwise=ABSENT):
    """A text that is not empty, or, where `otherwise` is given, any text."""
    any_text = otherwise is not ABSENT

    def read(value, path):
        value = otherwise if value is ABSENT else value
        if isinstance(value, str) and (value or any_text):
            return value
        raise _wrong(value, path, "a text" if any_text else "a text that is not empty")

    return read


def flag(otherwise=ABSENT):
    """True or false."""

    def read(value, path):
        value = otherwise if value is ABSENT else value
        if isinstance(value, bool):
            return value
        raise _wrong(value, path, "true or false")

    return read


def whole(least, most, otherwise=ABSENT):
    """A whole number from `least` to `most`."""

    def read(value, path):
        value = otherwise if value is ABSENT else value
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        raise _wrong(value, path, f"a whole number from {least} to {most}")

    return read


def cpu(otherwise=ABSENT):
    """Cpu in millicores, written as in Kubernetes: `2`, `"2"` or `"500m"`."""

    def read(value, path):
        if value is ABSENT and otherwise is not ABSENT:
            return otherwise
        written = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
        parts = re.fullmatch(r"([0-9]{1,12})(m?)", written)
        if parts:
            return int(parts[1]) * (1 if parts[2] else 1000)
        raise _wrong(value, path, 'cpu as in 2 or "500m"')

    return read


def map_of(reader):
    """An object whose values are all read by `reader`; empty where it is absent."""

    def read(value, path):
        given = _object({} if value is ABSENT else value, path)
        return {key: reader(field, _join(path, key)) for key, field in given.items()}

    return read


def object_of(**readers):
    """An object with these fields and no others. A field `min_free_cpu` is `minFreeCpu` in JSON."""
    names = {_camel(attribute): attribute for attribute in readers}

    def read(value, path):
        given = _object(value, path)
        for name in given:
            if name not in names:
                raise ArgumentError(f"unknown field {_join(path, name)}; known are {', '.join(names) or 'none'}")
        return SimpleNamespace(
            **{
                attribute: readers[attribute](given.get(name, ABSENT), _join(path, name))
                for name, attribute in names.items()
            }
        )

    return read


def parse(readers, text):
    """Reads a plugin's arguments from JSON."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"arguments: {error}") from None
    # What every kind of arguments may carry in a KubeSchedulerConfiguration.
    given = {name: value for name, value in _object(given, "").items() if name not in ("apiVersion", "kind")}
    return object_of(**readers)(given, "")


def _object(value, path):
    if isinstance(value, dict):
        return value
    raise _wrong(value, path or "arguments", "an object")


def _join(path, name):
    return f"{path}.{name}" if path else name


def _camel(name):
    return re.sub(r"_(.)", lambda match: match[1].upper(), name)


def _wrong(value, path, wanted):
    given = "nothing" if value is ABSENT else json.dumps(value)
    return ArgumentError(f"{path}: {wanted} is wanted, {given} is given")
