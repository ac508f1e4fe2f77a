"""The entries of a plugin's `reads`.

An entry is one of these:

- a fact of facts.py: `pod.labels`, `node.usage`, `cycle.time`
- one label or annotation: `pod.labels["team"]`, or `pod.labels[args.label]` for the key in the text argument `label`
- a further field by its path in the object: `pod.spec.activeDeadlineSeconds`, `node.spec.podCIDR`. A path passes
  through lists, and a key with dots is quoted: `node.status.capacity["example.com/gpu"]`.
"""

import json
import re
from types import SimpleNamespace

from .facts import KNOWN

_KEYED = re.compile(r'(labels|annotations)\[(?:"([^"]+)"|args\.(\w+))\]')
_STEP = re.compile(r'([^.\[\]"$*]+)|\["([^"]+)"\]')
_PATH = re.compile(r'(?:spec|status|metadata)(?:\.[^.\[\]"$*]+|\["[^"]+"\])*')


class Reads:
    """What a plugin reads: of the pod, of nodes, of the pods on nodes (resident), of the cluster and of the cycle."""

    def __init__(self, entries, args=None):
        """Sorts the entries. Raises a ValueError that names a wrong entry. `args` has a reader for each argument."""
        for kind in KNOWN:
            setattr(self, kind, KindReads(kind))
        for entry in entries:
            self._add(entry, args or {})
        unused = next(iter(self.resident.entries), None)
        if unused and "pods" not in self.node.facts:
            raise ValueError(f"reads: {unused} has no effect without node.pods")

    def _add(self, entry, args):
        kind, _, rest = entry.partition(".")
        known = KNOWN.get(kind)
        if known is None:
            raise ValueError(f"reads: unknown fact {entry}; a fact begins with {'., '.join(KNOWN)}.")
        reads = getattr(self, kind)
        reads.entries.append(entry)
        of_object = kind in ("pod", "node", "resident")
        keyed = of_object and _KEYED.fullmatch(rest)
        if rest in known:
            reads.facts.append(rest)
        elif keyed:
            field, key, argument = keyed.groups()
            if argument and getattr(args.get(argument), "schema", {}).get("type") != "string":
                raise ValueError(f"reads: {entry}: {argument} is not a text argument of the plugin")
            reads.keys.setdefault(field, []).append((key, argument))
        elif of_object and _PATH.fullmatch(rest):
            reads.paths[rest] = [step or quoted for step, quoted in _STEP.findall(rest)]
        else:
            raise ValueError(f"reads: unknown fact {entry}; known facts: {', '.join(known)}")


class KindReads:
    """What a plugin reads of one kind."""

    def __init__(self, kind):
        self.kind = kind
        self.entries = []
        self.facts = []
        # The declared keys of `labels` and `annotations`: pairs of a key and the name of an argument, one of them None.
        self.keys = {}
        # The steps of each path.
        self.paths = {}

    def declared(self, args=None):
        """Returns the declaration in the contract's form. An argument that is empty declares no key."""
        keys = {field: [key for key in self.known_keys(field, args) if key] for field in ("labels", "annotations")}
        return SimpleNamespace(
            # The contract has the pods on nodes apart from the facts of nodes.
            facts=[fact for fact in self.facts if (self.kind, fact) != ("node", "pods")],
            label_keys=keys["labels"],
            annotation_keys=keys["annotations"],
            fields=list(self.paths),
        )

    def known_keys(self, field, args):
        """Returns the declared keys of `labels` or `annotations`. `args` are the plugin's arguments."""
        keys = [getattr(args, argument) if argument else key for key, argument in self.keys.get(field, [])]
        return list(dict.fromkeys(keys))

    def by_path(self, text):
        """Returns the values of the declared paths in the JSON that the host sends. An absent field is left out."""
        fields = json.loads(text or "{}")
        values = {path: _below(fields, steps) for path, steps in self.paths.items()}
        return {path: value for path, value in values.items() if value is not None}


def _below(value, steps):
    """Returns the value below these steps; None if absent. The value of a path through a list is a list."""
    for at, step in enumerate(steps):
        if isinstance(value, list):
            return [_below(element, steps[at:]) for element in value]
        value = value.get(step) if isinstance(value, dict) else None
    return value
