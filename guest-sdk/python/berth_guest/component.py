"""The component's exports for a plugin: the contract's interfaces over one guest.

`wit_world` is generated from wit/ when the component is built, and has the interfaces of the plugin's world.
"""

import importlib
import traceback

from componentize_py_types import Err
from wit_world.exports import plugin as wit
from wit_world.imports import log
from wit_world.imports.types import (
    ClusterFacts,
    Code,
    Normalization,
    NodeFacts,
    PodFacts,
    Scope,
    Status,
    Verdicts,
)

from .arguments import ArgumentError
from .guest import Guest
from .verdict import Rejection

_guest = None
_apply = {}


def serve(plugin):
    """Makes the exports of this module answer for `plugin`. Call this once, before the host calls an export."""
    global _guest
    _guest = Guest(plugin)
    cluster = _guest.snapshot
    if plugin.reads_cluster():
        snapshot = importlib.import_module("wit_world.exports.snapshot")
        _apply.update(
            {
                snapshot.Change_Node: cluster.set_node,
                snapshot.Change_NodeRemoved: cluster.remove_node,
                snapshot.Change_Usage: cluster.set_usage,
                snapshot.Change_Image: cluster.set_image,
                snapshot.Change_ImageRemoved: cluster.remove_image,
                snapshot.Change_ResidentPod: cluster.set_resident,
                snapshot.Change_ResidentPodRemoved: cluster.remove_resident,
                snapshot.Change_NodeCount: cluster.set_node_count,
            }
        )


def _returning_errors(call, *parameters):
    """Returns the result of `call`. Raises exceptions of `call` as errors that the host receives. The error has a
    traceback, unless the plugin refused its arguments.
    """
    try:
        return call(*parameters)
    except ArgumentError as error:
        raise Err(f"{_guest.plugin.name}: {error}") from None
    except Exception:
        raise Err(f"{_guest.plugin.name}: {traceback.format_exc()}") from None


def _logging_errors(call, *parameters):
    """Returns the result of `call`, which can't return an error to the host. Logs an exception and raises it again. The
    exception then ends the host's call as a trap.
    """
    try:
        return call(*parameters)
    except Exception:
        log.write(log.Level.ERROR, f"{_guest.plugin.name}: {traceback.format_exc()}")
        raise


def _flags(kind, names):
    flags = kind(0)
    for name in names:
        flags |= kind[name.upper()]
    return flags


def _status(rejection):
    return Status(Code[rejection.code], list(rejection.reasons))


class Plugin:
    def describe(self):
        return wit.Description(_guest.plugin.name, _guest.plugin.version)

    def configure(self, arguments):
        declared = _returning_errors(_guest.configure, arguments)
        return wit.Declaration(
            pod_facts=_flags(PodFacts, declared.pod_facts),
            node_facts=_flags(NodeFacts, declared.node_facts),
            resident_pod_facts=_flags(PodFacts, declared.resident_pod_facts),
            cluster_facts=_flags(ClusterFacts, declared.cluster_facts),
            filter_scope=Scope[declared.filter_scope.upper()],
            score_scope=Scope[declared.score_scope.upper()],
            normalization=Normalization[declared.normalization.upper()],
            retry_on=[],
        )

    def hold_template(self, id, pod):
        _logging_errors(_guest.hold_template, id, pod)

    def forget_templates(self, ids):
        _logging_errors(_guest.forget_templates, ids)


class Snapshot:
    def apply(self, changes):
        _logging_errors(self._apply, changes)

    def _apply(self, changes):
        for change in changes:
            _apply[type(change)](change.value)


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
