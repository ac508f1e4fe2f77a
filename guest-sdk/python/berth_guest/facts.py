"""The facts that a plugin can read, and the fields of each fact.

Fields have the names and values of the contract (wit/types.wit, wit/plugin.wit), with two exceptions: labels,
annotations and node selectors are dicts of strings, and scalar resources are dicts of integers.
"""

import sys
from dataclasses import fields, is_dataclass

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
    "pods": ["pods"],
}

KNOWN = {
    "pod": POD_FACTS,
    "node": NODE_FACTS,
    # Facts of the pods on nodes, for plugins that read `node.pods`.
    "resident": POD_FACTS,
    # A change of a cluster fact invalidates every cached answer of the plugin.
    "cluster": {"node_count": ["node_count"], "images": ["images"]},
}

_LABELS = frozenset(["labels", "annotations", "node_selector"])


class Facts:
    """A pod or a node, with the facts that the plugin reads."""

    __slots__ = ()

    def __getattr__(self, field):
        # Python calls this only for attributes that do not exist.
        kind = type(self).__name__
        fact = next((fact for fact, names in KNOWN[kind].items() if field in names), field)
        if fact in KNOWN[kind]:
            raise AttributeError(f'the plugin does not declare {kind}.{field}: add "{kind}.{fact}" to reads')
        raise AttributeError(f"a {kind} has no field {field}; its fields: {', '.join(KNOWN[kind])}")


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


def read_facts(reads, kind):
    """Returns the facts of this kind that `reads` names, without the prefix: `labels` for `pod.labels`. Raises a
    ValueError for an unknown fact.
    """
    named = [fact.partition(".")[2] for fact in reads if fact.partition(".")[0] == kind]
    for fact in named:
        if fact not in KNOWN[kind]:
            raise ValueError(f"reads: unknown fact {kind}.{fact}; known facts: {', '.join(KNOWN[kind])}")
    return named


def facts_class(reads, kind):
    """Returns a subclass of `Facts` with exactly the fields of the facts of this kind that `reads` names."""
    slots = tuple(field for fact in read_facts(reads, kind) for field in KNOWN[kind][fact])
    return type(kind, (Facts,), {"__slots__": slots})


def plain(value, name):
    """Converts the value of the contract's field `name`: lists of labels and of scalars become dicts. Dataclasses are
    changed in place.
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
    return value
