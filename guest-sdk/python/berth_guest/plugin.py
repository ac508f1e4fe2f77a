"""What an author writes: a plugin, and functions that are its filter, its score and what goes before and after."""

POINTS = ["pre_filter", "filter", "pre_score", "score", "normalize"]
NORMALIZATIONS = ["none", "default", "default_reversed"]
SCOPES = ["cluster", "node", "domain"]


class Plugin:
    """A plugin.

    `name` is what profiles, events and messages use. `reads` names the facts that its functions see, such as `"pod.labels"`
    and `"node.usage"` (all are in facts.py); what is not named is never sent. `args` has a reader for each argument.
    `scope` is "node" (an answer depends on the pod, the node and the arguments alone) unless it is given or `"cycle"` is
    read. `normalization` says what the host does with raw scores.
    """

    def __init__(self, name, reads=(), args=None, version="0", scope=None, normalization="none"):
        if scope not in [None, *SCOPES] or normalization not in NORMALIZATIONS:
            raise ValueError(f"{name}: scope is one of {SCOPES}, normalization one of {NORMALIZATIONS}")
        self.name = name
        self.reads = list(reads)
        self.args = args or {}
        self.version = version
        self.scope = scope
        self.normalization = normalization
        self.functions = {}

    def filter(self, function):
        """`filter(pod, node, args, context)`: None where the pod fits the node, else a rejection. The last two parameters
        may be left out, here and below."""
        return self._set("filter", function)

    def score(self, function):
        """`score(pod, node, args, context)`: a whole number, 0 to 100 unless `normalization` or `normalize` make it so."""
        return self._set("score", function)

    def pre_filter(self, function):
        """`pre_filter(pod, args, context)`, once a pod, before nodes are filtered: None, "skip", a list of the names of the
        only nodes that can do, or a rejection."""
        return self._set("pre_filter", function)

    def pre_score(self, function):
        """`pre_score(pod, args, context)`, once a pod, before nodes are scored: "skip" where there is nothing to say."""
        return self._set("pre_score", function)

    def normalize(self, function):
        """`normalize(scores, pod, args, context)`: the raw scores of all nodes that passed, as 0 to 100 each."""
        return self._set("normalize", function)

    def points(self):
        """The extension points that it takes part in."""
        return [point for point in POINTS if point in self.functions]

    def reads_cluster(self):
        """Whether it keeps facts of nodes or of the cluster."""
        return any(fact.partition(".")[0] in ("node", "cluster") for fact in self.reads)

    def _set(self, point, function):
        self.functions[point] = function
        return function
