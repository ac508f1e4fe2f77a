"""The component's exports for a plugin: the contract's interfaces over one guest.

`wit_world` is generated from wit/ when the component is built, and has the interfaces of the plugin's world.
"""

import importlib

from componentize_py_types import Err
from wit_world.exports import plugin as wit
from wit_world.imports import log
from wit_world.imports.facts import ClusterFacts, NodeFacts, NodeReads, PodFacts, PodReads
from wit_world.imports.types import Code, Normalization, Scope, Status, Verdicts

from .arguments import ArgumentError, schema
from .errors import describe
from .guest import Guest
from .snapshot import Snapshot as Cluster
from .verdict import Rejection

_guest = None
_apply = {}


def serve(plugin):
    """Makes the exports of this module answer for `plugin`. Call this once, before the host calls an export."""
    global _guest
    _guest = Guest(plugin)
    if plugin.reads_cluster():
        snapshot = importlib.import_module("wit_world.exports.snapshot")
        _apply.update(
            {
                snapshot.Change_Node: Cluster.set_node,
                snapshot.Change_NodeRemoved: Cluster.remove_node,
                snapshot.Change_Usage: Cluster.set_usage,
                snapshot.Change_Image: Cluster.set_image,
                snapshot.Change_ImageRemoved: Cluster.remove_image,
                snapshot.Change_ResidentPod: Cluster.set_resident,
                snapshot.Change_ResidentPodRemoved: Cluster.remove_resident,
                snapshot.Change_NodeCount: Cluster.set_node_count,
            }
        )


def _returning_errors(call, *parameters):
    """Returns the result of `call`. Raises exceptions of `call` as errors that the host receives. The error has
    places in the code, unless the plugin refused its arguments.
    """
    try:
        return call(*parameters)
    except ArgumentError as error:
        raise Err(f"{_guest.plugin.name}: {error}") from None
    except Exception as error:
        raise Err(f"{_guest.plugin.name}: {describe(error)}") from None


def _logging_errors(call, *parameters):
    """Returns the result of `call`, which can't return an error to the host. Logs an exception and raises it again. The
    exception then ends the host's call as a trap.
    """
    try:
        return call(*parameters)
    except Exception as error:
        log.write(log.Level.ERROR, f"{_guest.plugin.name}: {describe(error)}")
        raise


def _flags(kind, names):
    flags = kind(0)
    for name in names:
        flags |= kind[name.upper()]
    return flags


def _pod_reads(reads):
    return PodReads(_flags(PodFacts, reads.facts), reads.label_keys, reads.annotation_keys, reads.fields)


def _status(rejection):
    return Status(Code[rejection.code], list(rejection.reasons))


class Plugin:
    def describe(self):
        return wit.Description(_guest.plugin.name, _guest.plugin.version, schema(_guest.plugin.args))

    def configure(self, arguments):
        declared = _returning_errors(_guest.configure, arguments)
        node = declared.node
        return wit.Declaration(
            pod=_pod_reads(declared.pod),
            node=NodeReads(_flags(NodeFacts, node.facts), node.label_keys, node.annotation_keys, node.fields),
            resident_pods=_pod_reads(declared.resident_pods) if declared.resident_pods else None,
            pending_pods=None,
            cluster_facts=_flags(ClusterFacts, declared.cluster_facts),
            reads_time=declared.reads_time,
            filter_scope=Scope[declared.filter_scope.upper()],
            score_scope=Scope[declared.score_scope.upper()],
            normalization=Normalization[declared.normalization.upper()],
            retry_on=[],
        )

    def add_signature(self, id, pod):
        _logging_errors(_guest.add_signature, id, pod)

    def remove_signatures(self, ids):
        _logging_errors(_guest.remove_signatures, ids)


class Snapshot:
    def apply(self, changes):
        _logging_errors(self._apply, changes)

    def _apply(self, changes):
        for change in changes:
            _apply[type(change)](_guest.snapshot, change.value)


class PreFilter:
    def pre_filter(self, cycle):
        wit = importlib.import_module("wit_world.exports.pre_filter")
        answer = _returning_errors(_guest.pre_filter, cycle)
        if answer is None:
            return wit.PreFilterResult_All()
        if answer == "skip":
            return wit.PreFilterResult_Skip()
        if isinstance(answer, Rejection):
            return wit.PreFilterResult_Reject(_status(answer))
        return wit.PreFilterResult_Narrow(list(answer))


class Filter:
    def filter(self, cycle, nodes):
        outcomes, verdicts = _returning_errors(_guest.filter, cycle, nodes)
        return Verdicts([_status(outcome) for outcome in outcomes], verdicts)


class PreScore:
    def pre_score(self, cycle, nodes):
        wit = importlib.import_module("wit_world.exports.pre_score")
        skip = _returning_errors(_guest.pre_score, cycle) == "skip"
        return wit.PreScoreResult.SKIP if skip else wit.PreScoreResult.SCORE


class Score:
    def score(self, cycle, nodes):
        return _returning_errors(_guest.score, cycle, nodes)


class Normalize:
    def normalize(self, cycle, nodes, scores):
        return _returning_errors(_guest.normalize, cycle, scores)
