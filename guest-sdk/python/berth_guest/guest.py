"""A running plugin: its arguments, its copy of the cluster, the pod signatures that it holds, and the batched calls
over them.

The functions of `Guest` are those of the contract, in wit/0.2/plugin.wit and wit/0.2/scheduling.wit. Their types are
Python's own, so that tests run without WebAssembly. Errors are raised as exceptions.
"""

import inspect
from types import SimpleNamespace

from .arguments import parse
from .facts import facts_class
from .snapshot import Snapshot, picked
from .verdict import Numbers

# The number of a function's parameters before `args` and `context`, by extension point. A function may leave out
# `context`, or `args` and `context`.
_LEADING = {"pre_filter": 1, "filter": 2, "pre_score": 1, "score": 2, "normalize": 2}


class Guest:
    """A running plugin."""

    def __init__(self, plugin):
        self.plugin = plugin
        self.snapshot = None
        self._pod_class = None
        self._cycle_class = facts_class(plugin.reads.cycle)
        self._context_class = type("cluster", (facts_class(plugin.reads.cluster),), {"__slots__": ("cycle",)})
        self._signatures = {}
        self._args = None
        self._more = {point: _more(point, function) for point, function in plugin.functions.items()}

    def configure(self, json):
        """Reads the arguments and returns the declaration. Its fields have the names of the contract."""
        self._args = args = parse(self.plugin.args, json)
        reads, points = self.plugin.reads, self.plugin.points()
        self.snapshot = Snapshot(reads, args)
        self._pod_class = facts_class(reads.pod, args)
        return SimpleNamespace(
            pod=reads.pod.declared(args),
            node=reads.node.declared(args),
            resident_pods=reads.resident.declared(args) if "pods" in reads.node.facts else None,
            cluster_facts=reads.cluster.facts,
            reads_time="time" in reads.cycle.facts,
            filter_scope=self._scope("pre_filter" in points),
            score_scope=self._scope("pre_score" in points),
            normalization="custom" if "normalize" in points else self.plugin.normalization,
        )

    def _scope(self, before):
        # `before` is true if the plugin has a function that runs before the nodes (pre-filter or pre-score). With
        # scope node, such a function must not read cluster facts.
        reads = self.plugin.reads
        wide = reads.cycle.facts or (before and reads.cluster.facts)
        return self.plugin.scope or ("cluster" if wide else "node")

    def add_signature(self, id, pod):
        """Stores the facts of a pod under the id of its signature."""
        self._signatures[id] = picked(self._pod_class, pod)

    def remove_signatures(self, ids):
        """Drops the pods of these signatures."""
        for id in ids:
            self._signatures.pop(id, None)

    def pre_filter(self, cycle):
        """Runs the pre-filter and returns its result unchanged. The host calls this before it filters nodes."""
        return self.plugin.functions["pre_filter"](self._pod(cycle), *self._rest("pre_filter", cycle))

    def filter(self, cycle, nodes):
        """Returns the distinct rejections and a number for each node: 0 if the pod fits, n for the n-th rejection."""
        call, pod, rest = self.plugin.functions["filter"], self._pod(cycle), self._rest("filter", cycle)
        numbers = Numbers()
        verdicts = [numbers[call(pod, node, *rest)] for node in self._facts(nodes)]
        return numbers.outcomes(), verdicts

    def pre_score(self, cycle):
        """Runs the pre-score and returns its result unchanged. The host calls this before it scores nodes."""
        return self.plugin.functions["pre_score"](self._pod(cycle), *self._rest("pre_score", cycle))

    def score(self, cycle, nodes):
        """Returns the raw score of each of these nodes."""
        call, pod, rest = self.plugin.functions["score"], self._pod(cycle), self._rest("score", cycle)
        return _whole([call(pod, node, *rest) for node in self._facts(nodes)])

    def normalize(self, cycle, scores):
        """Normalizes raw scores to 0 to 100."""
        call = self.plugin.functions["normalize"]
        return _whole(call(scores, self._pod(cycle), *self._rest("normalize", cycle)))

    def _pod(self, cycle):
        try:
            return self._signatures[cycle.signature]
        except KeyError:
            raise LookupError(f"called with unknown pod signature {cycle.signature}") from None

    def _facts(self, nodes):
        known, reads = self.snapshot.nodes, self.plugin.reads.node
        if not reads.entries:
            return [None] * len(nodes)
        if set(reads.entries) == {"node.pods"}:
            # The plugin declares nothing of nodes themselves, so it may have no record of a node.
            return [self.snapshot.row(id) for id in nodes]
        facts = [known[id] if id < len(known) else None for id in nodes]
        if None in facts:
            raise LookupError(f"called with unknown node {nodes[facts.index(None)]}")
        return facts

    def _rest(self, point, cycle):
        context = self._context_class()
        for fact in self.plugin.reads.cluster.facts:
            setattr(context, fact, getattr(self.snapshot, fact))
        context.cycle = picked(self._cycle_class, cycle)
        return (self._args, context)[: self._more[point]]


def _more(point, function):
    wanted = len(inspect.signature(function).parameters) - _LEADING[point]
    if 0 <= wanted <= 2:
        return wanted
    raise TypeError(f"{function.__name__} takes {_LEADING[point]} to {_LEADING[point] + 2} parameters as a {point}")


def _whole(scores):
    for score in scores:
        if type(score) is not int:
            raise TypeError(f"the score {score!r} is not a whole number")
    return scores
