"""The class of a plugin. Its decorators register the plugin's functions, such as the filter and the score."""

from .reads import Reads

POINTS = ["pre_filter", "filter", "pre_score", "score", "normalize"]
NORMALIZATIONS = ["none", "default", "default_reversed"]
# The SDK has no `classes`, which scope domain requires.
SCOPES = ["cluster", "node"]


class Plugin:
    """A plugin.

    `name` is the plugin's name in profiles, events and messages. `reads` names what the plugin's functions read, such
    as `"pod.labels"` and `"node.usage"`; reads.py explains the entries, and facts.py lists the facts. Nothing else is
    sent. `args` has a reader for each argument. `normalization` says how the host normalizes raw scores; the host
    ignores it if the plugin has a function `normalize`.

    `scope` says what the answers depend on. The default is "cluster" if the plugin reads a fact of the cycle, or reads
    cluster facts and has a function that runs before the nodes. Otherwise the default is "node": the answers
    depend only on the arguments and on declared facts of the pod, the node and the cluster.
    """

    def __init__(self, name, reads=(), args=None, version="0", scope=None, normalization="none"):
        if scope not in [None, *SCOPES] or normalization not in NORMALIZATIONS:
            raise ValueError(f"{name}: scope must be one of {SCOPES}, and normalization one of {NORMALIZATIONS}")
        self.name = name
        self.args = args or {}
        self.reads = Reads(reads, self.args)
        if scope == "node" and "time" in self.reads.cycle.facts:
            raise ValueError(f'{name}: a plugin with scope "node" can\'t read cycle.time: remove one of the two')
        self.version = version
        self.scope = scope
        self.normalization = normalization
        self.functions = {}

    def filter(self, function):
        """`filter(pod, node, args, context)` returns None if the pod fits the node, and a rejection otherwise. Any
        function of a plugin may leave out its parameter `context`, or its parameters `args` and `context`.
        """
        return self._set("filter", function)

    def score(self, function):
        """`score(pod, node, args, context)` returns a whole number: 0 to 100 if raw scores are not normalized, and any
        whole number if `normalization` is not "none" or the plugin has a function `normalize`.
        """
        return self._set("score", function)

    def pre_filter(self, function):
        """`pre_filter(pod, args, context)` runs before nodes are filtered. It returns None (filter all
        nodes), "skip" (the plugin has nothing to filter), a list with the names of the only nodes that the pod may
        fit, or a rejection.
        """
        return self._set("pre_filter", function)

    def pre_score(self, function):
        """`pre_score(pod, args, context)` runs before nodes are scored. It returns "skip" if the plugin does not score
        this pod, and None otherwise.
        """
        return self._set("pre_score", function)

    def normalize(self, function):
        """`normalize(scores, pod, args, context)` gets the raw scores of all nodes that passed the filters. It returns
        a score of 0 to 100 for each node, in the same order.
        """
        return self._set("normalize", function)

    def points(self):
        """Returns the extension points for which the plugin has a function, in the order of the scheduling cycle."""
        return [point for point in POINTS if point in self.functions]

    def reads_cluster(self):
        """Returns True if the plugin reads facts of nodes, of the pods on nodes, or of the cluster."""
        return bool(self.reads.node.entries or self.reads.cluster.entries)

    def _set(self, point, function):
        self.functions[point] = function
        return function
