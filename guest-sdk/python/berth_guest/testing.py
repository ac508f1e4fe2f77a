"""A host for tests. The host sends nodes and pods to a plugin as Berth does. One call asks about all nodes."""

import json
import math
import re
from types import SimpleNamespace

from .guest import Guest

# The values of pod and node fields that a test does not set. All other fields are empty lists.
_EMPTY = SimpleNamespace(
    pod={
        "priority": 0,
        "deleting": False,
        "host_network": False,
        "user_namespace": False,
        "start_time": 0,
        "required_node_affinity": None,
    },
    node={"unschedulable": False},
)
_SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


class Host:
    """Runs a plugin's filter and score natively.

    Resources are written as in Kubernetes: `{"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": 1}`. Other facts
    are keyword arguments, named as in wit/.
    """

    def __init__(self, plugin, args=None):
        """Configures the plugin. Raises an ArgumentError if the plugin refuses the arguments."""
        self._guest = Guest(plugin)
        self._guest.configure(json.dumps(args or {}))
        self._names = []
        self._cycle = SimpleNamespace(id=0, time=0, seed=0, template=0)

    def node(self, name, labels=None, allocatable=None, used=None, **facts):
        """Adds a node, or replaces the node of this name."""
        if name not in self._names:
            self._names.append(name)
        id = self._names.index(name)
        given = {"id": id, "name": name, "uid": f"{name}-{id}", "labels": _pairs(labels)}
        self._guest.snapshot.set_node(
            _Object({**_EMPTY.node, **given, "allocatable": _resources({"pods": 110, **(allocatable or {})}), **facts})
        )
        self._guest.snapshot.set_usage(_usage(id, _resources(used)))
        self._guest.snapshot.set_node_count(len(self._names))
        return self

    def filter(self, labels=None, requests=None, **facts):
        """Returns for each node name the filter's rejection of this pod, or None if the pod fits. Does not run the
        pre-filter.
        """
        outcomes, verdicts = self._guest.filter(self._next(labels, requests, facts), range(len(self._names)))
        return dict(zip(self._names, ([None, *outcomes][number] for number in verdicts), strict=True))

    def score(self, labels=None, requests=None, **facts):
        """Returns for each node name the raw score for this pod. Does not run the pre-score."""
        scores = self._guest.score(self._next(labels, requests, facts), range(len(self._names)))
        return dict(zip(self._names, scores, strict=True))

    def _next(self, labels, requests, facts):
        """Starts a new cycle. The pod gets a template of its own, and the previous template is dropped."""
        self._guest.forget_templates([self._cycle.template])
        self._cycle.id += 1
        self._cycle.template += 1
        amounts = _resources(requests)
        pod_requests = SimpleNamespace(
            fit=amounts,
            effective=amounts,
            non_zero_milli_cpu=amounts.milli_cpu,
            non_zero_memory=amounts.memory,
            named=list(requests or {}),
        )
        pod = {**_EMPTY.pod, "labels": _pairs(labels), "requests": pod_requests, **facts}
        self._guest.hold_template(self._cycle.template, _Object(pod))
        return self._cycle


class _Object:
    """A pod or a node as the host sends it. A field that a test does not set is an empty list."""

    def __init__(self, facts):
        self.__dict__.update(facts)

    def __getattr__(self, field):
        return []


def _pairs(labels):
    return [SimpleNamespace(key=key, value=value) for key, value in (labels or {}).items()]


def _resources(quantities):
    given = {name: _quantity(amount, 1000 if name == "cpu" else 1) for name, amount in (quantities or {}).items()}
    fixed = {name.replace("-", "_"): given.pop(name, 0) for name in ("memory", "ephemeral-storage", "pods")}
    return SimpleNamespace(milli_cpu=given.pop("cpu", 0), **fixed, scalars=given)


def _quantity(written, unit):
    parts = re.fullmatch(r"([0-9.]+)(\D*)", str(written))
    if not parts or parts[2] not in _SUFFIXES:
        raise ValueError(f"{written!r} is not a quantity")
    return math.ceil(round(float(parts[1]) * _SUFFIXES[parts[2]] * unit, 6))


def _usage(id, used):
    return SimpleNamespace(
        nodes=[id],
        milli_cpu=[used.milli_cpu],
        memory=[used.memory],
        ephemeral_storage=[used.ephemeral_storage],
        pods=[used.pods],
        non_zero_milli_cpu=[used.milli_cpu],
        non_zero_memory=[used.memory],
        scalars=[SimpleNamespace(node=id, name=name, quantity=amount) for name, amount in used.scalars.items()],
    )
