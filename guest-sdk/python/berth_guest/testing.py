"""A host for tests. The host sends nodes and pods to a plugin as Berth does. One call asks about all nodes."""

import json
import math
import re
from types import SimpleNamespace

from .guest import Guest

# The values of pod and node fields that a test does not set. All other fields are empty lists.
_EMPTY = SimpleNamespace(
    pod={
        "name": "",
        "namespace": "default",
        "uid": "",
        "node_name": "",
        "scheduler_name": "",
        "priority": 0,
        "preemption": "lower-priority",
        "required_node_affinity": None,
        "affinity": SimpleNamespace(required=[], preferred=[]),
        "anti_affinity": SimpleNamespace(required=[], preferred=[]),
        "qos": "best-effort",
        "images": SimpleNamespace(containers=[], volumes=[]),
        "host_network": False,
        "nominated_node_name": "",
        "deleting": False,
        "creation_time": 0,
        "start_time": 0,
        "user_namespace": False,
        "scheduling_group": "",
    },
    node={"unschedulable": False},
)
_INFO = SimpleNamespace(
    architecture="amd64",
    operating_system="linux",
    os_image="Debian GNU/Linux 13 (trixie)",
    kernel_version="6.12.0",
    kubelet_version="v1.36.0",
    container_runtime_version="containerd://2.1.4",
)
_SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


class Host:
    """Runs a plugin's filter and score natively.

    Resources are written as in Kubernetes: `{"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": 1}`. Fields that the
    plugin reads by path are written as in the object: `fields={"spec": {"activeDeadlineSeconds": 60}}`. Other facts are
    keyword arguments, named as in wit/.
    """

    def __init__(self, plugin, args=None):
        """Configures the plugin. Raises an ArgumentError if the plugin refuses the arguments."""
        self._guest = Guest(plugin)
        self._reads = self._guest.configure(json.dumps(args or {}))
        self._names = []
        self._cycle = SimpleNamespace(id=0, time=0, seed=0, signature=0)

    def node(self, name, labels=None, allocatable=None, used=None, capacity=None, **facts):
        """Adds a node, or replaces the node of this name. The capacity is the allocatable by default."""
        if name not in self._names:
            self._names.append(name)
        id = self._names.index(name)
        allocatable = {"pods": 110, **(allocatable or {})}
        amounts = {"allocatable": _resources(allocatable), "capacity": _resources(capacity or allocatable)}
        given = {"id": id, "name": name, "uid": f"{name}-{id}", **amounts, "info": _INFO}
        node = _Object({**_EMPTY.node, **given, **_open(self._reads.node, labels, **facts)})
        self._guest.snapshot.set_node(node)
        self._guest.snapshot.set_usage(_usage(id, _resources(used)))
        self._guest.snapshot.set_node_count(len(self._names))
        return self

    def filter(self, labels=None, requests=None, limits=None, **facts):
        """Returns for each node name the filter's rejection of this pod, or None if the pod fits. Does not run the
        pre-filter.
        """
        outcomes, verdicts = self._guest.filter(self._next(labels, requests, limits, facts), range(len(self._names)))
        return dict(zip(self._names, ([None, *outcomes][number] for number in verdicts), strict=True))

    def score(self, labels=None, requests=None, limits=None, **facts):
        """Returns for each node name the raw score for this pod. Does not run the pre-score."""
        scores = self._guest.score(self._next(labels, requests, limits, facts), range(len(self._names)))
        return dict(zip(self._names, scores, strict=True))

    def _next(self, labels, requests, limits, facts):
        """Starts a new cycle. The pod gets a signature of its own, and the previous signature is dropped."""
        self._guest.remove_signatures([self._cycle.signature])
        self._cycle.id += 1
        self._cycle.signature += 1
        amounts = _resources(requests)
        pod_requests = SimpleNamespace(
            fit=amounts,
            effective=amounts,
            non_zero_milli_cpu=amounts.milli_cpu,
            non_zero_memory=amounts.memory,
        )
        given = {"requests": pod_requests, "limits": _resources(limits)}
        pod = _Object({**_EMPTY.pod, **given, **_open(self._reads.pod, labels, **facts)})
        self._guest.add_signature(self._cycle.signature, pod)
        return self._cycle


class _Object:
    """A pod or a node as the host sends it. A field that a test does not set is an empty list."""

    def __init__(self, facts):
        self.__dict__.update(facts)

    def __getattr__(self, field):
        return []


def _open(reads, labels, annotations=None, fields=None, **facts):
    """Returns the facts with the labels, the annotations and the fields that the plugin declared."""
    return {
        **facts,
        "labels": _pairs(labels, "labels" in reads.facts, reads.label_keys),
        "annotations": _pairs(annotations, "annotations" in reads.facts, reads.annotation_keys),
        "fields": json.dumps(fields or {}),
    }


def _pairs(labels, all_keys, keys):
    declared = {key: value for key, value in (labels or {}).items() if all_keys or key in keys}
    return [SimpleNamespace(key=key, value=value) for key, value in declared.items()]


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
