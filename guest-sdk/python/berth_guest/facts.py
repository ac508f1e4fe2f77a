"""The facts that a plugin can read, and the fields of each fact.

Fields have the names and values of the contract (wit/0.2/facts.wit, wit/0.2/plugin.wit), with three exceptions: labels,
annotations and node selectors are dicts of strings, scalar resources are dicts of integers, and the values of
enumerations are strings, such as "no-schedule".
"""

import sys
from dataclasses import fields, is_dataclass
from enum import Enum

POD_FACTS = {
    "name": ["name"],
    "namespace": ["namespace"],
    "uid": ["uid"],
    "labels": ["labels"],
    "annotations": ["annotations"],
    "owners": ["owners"],
    "node_name": ["node_name"],
    "scheduler_name": ["scheduler_name"],
    "priority": ["priority", "preemption"],
    "tolerations": ["tolerations"],
    "node_affinity": ["node_selector", "required_node_affinity", "preferred_node_affinity"],
    "pod_affinity": ["affinity", "anti_affinity"],
    "topology_spread": ["topology_spread"],
    "requests": ["requests"],
    "containers": ["containers"],
    "images": ["images"],
    "host_ports": ["host_ports"],
    "volumes": ["volumes"],
    "scheduling_gates": ["scheduling_gates"],
    "resource_claims": ["resource_claims"],
    "host_network": ["host_network"],
    "nominated_node": ["nominated_node_name"],
    "deletion": ["deleting"],
    "start_time": ["start_time"],
    "user_namespace": ["user_namespace"],
    "restart_actions": ["restart_actions"],
    "limits": ["limits"],
    "qos": ["qos"],
    "creation_time": ["creation_time"],
    "scheduling_group": ["scheduling_group"],
}

NODE_FACTS = {
    "name": ["name", "uid"],
    "labels": ["labels"],
    "annotations": ["annotations"],
    "taints": ["taints"],
    "unschedulable": ["unschedulable"],
    "allocatable": ["allocatable"],
    "usage": ["usage"],
    "images": ["images"],
    "used_ports": ["used_ports"],
    "conditions": ["conditions"],
    "declared_features": ["declared_features"],
    "capacity": ["capacity"],
    "info": ["info"],
    # The pods on the node. The SDK keeps them: the contract has them apart from the facts of nodes.
    "pods": ["pods"],
}

KNOWN = {
    "pod": POD_FACTS,
    "node": NODE_FACTS,
    # Facts of the pods on nodes, for plugins that read `node.pods`.
    "resident": POD_FACTS,
    # A change of a cluster fact invalidates every cached answer of the plugin.
    "cluster": {"node_count": ["node_count"], "images": ["images"]},
    # The attempt to schedule the pod. If a plugin reads a fact of the cycle, the host asks the plugin again for every
    # pod.
    "cycle": {"id": ["id"], "time": ["time"], "seed": ["seed"]},
}

_LABELS = frozenset(["labels", "annotations", "node_selector"])


class Facts:
    """A pod, a node, the cluster or the cycle, with the facts that the plugin reads."""

    __slots__ = ()
    # The functions that convert the fields of which the plugin declared only some keys or paths.
    partial = {}

    @classmethod
    def converted(cls, field, value):
        """Converts the value of the contract's field `field`."""
        convert = cls.partial.get(field)
        return convert(value) if convert else plain(value, field)

    def __getattr__(self, field):
        # Python calls this only for attributes that do not exist.
        kind = type(self).__name__
        if field == "fields":
            raise AttributeError(f'the plugin declares no path: add one to reads, such as "{kind}.spec.NAME"')
        fact = next((fact for fact, names in KNOWN[kind].items() if field in names), field)
        if fact in KNOWN[kind]:
            raise AttributeError(f'the plugin does not declare {kind}.{field}: add "{kind}.{fact}" to reads')
        raise AttributeError(f"a {kind} has no field {field}; its fields: {', '.join(KNOWN[kind])}")


class Declared(dict):
    """Labels, annotations or fields of which the plugin declared some. A read of another one is an error."""

    __slots__ = ()
    known = frozenset()

    def get(self, key, otherwise=None):
        # The host sends declared keys only, so a key that is present needs no check.
        value = dict.get(self, key)
        if value is not None:
            return value
        if key in self.known:
            return otherwise
        raise self._undeclared(key)

    def __contains__(self, key):
        if key in self.known:
            return super().__contains__(key)
        raise self._undeclared(key)

    def __missing__(self, key):
        raise KeyError(key) if key in self.known else self._undeclared(key)

    def _undeclared(self, key):
        kind, _, field = type(self).__name__.partition(".")
        entry = f"{kind}.{key}" if field == "fields" else f'{kind}.{field}["{key}"]'
        return LookupError(f"the plugin does not declare {entry}: add {entry!r} to reads")


class Usage:
    """The requests of the node's pods, assumed pods included. The units are those of `allocatable`."""

    __slots__ = (
        "milli_cpu",
        "memory",
        "ephemeral_storage",
        "pods",
        "non_zero_milli_cpu",
        "non_zero_memory",
        "scalars",
    )

    def __init__(self):
        self.milli_cpu = self.memory = self.ephemeral_storage = self.pods = 0
        self.non_zero_milli_cpu = self.non_zero_memory = 0
        self.scalars = {}


def facts_class(reads, args=None):
    """Returns a subclass of `Facts` with exactly the fields that `reads`, a KindReads, names. `args` are the plugin's
    arguments.
    """
    fields = [field for fact in reads.facts for field in KNOWN[reads.kind][fact]]
    partial = {}
    for field in reads.keys:
        if field not in fields:
            labels = _declared(reads.kind, field, reads.known_keys(field, args))
            partial[field] = lambda value, labels=labels: labels(plain(value, "labels"))
    if reads.paths:
        values = _declared(reads.kind, "fields", reads.paths)
        partial["fields"] = lambda text: values(reads.by_path(text))
    slots = tuple(dict.fromkeys([*fields, *partial]))
    kind = type(reads.kind, (Facts,), {"__slots__": slots})
    kind.partial = partial
    return kind


def _declared(kind, field, known):
    return type(f"{kind}.{field}", (Declared,), {"__slots__": (), "known": frozenset(known)})


def plain(value, name):
    """Converts the value of the contract's field `name`: lists of labels and of scalars become dicts, and values of
    enumerations become strings. Dataclasses are changed in place.
    """
    if isinstance(value, list):
        if name in _LABELS:
            # The keys are interned to save memory, because many nodes have the same keys.
            return {sys.intern(label.key): label.value for label in value}
        if name == "scalars":
            return {sys.intern(scalar.name): scalar.quantity for scalar in value}
        return [plain(element, name) for element in value]
    if is_dataclass(value):
        for field in fields(value):
            setattr(value, field.name, plain(getattr(value, field.name), field.name))
    if isinstance(value, Enum):
        return value.name.lower().replace("_", "-")
    return value
