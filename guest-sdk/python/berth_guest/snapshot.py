"""The plugin's copy of the cluster: the facts of each node by id. Facts are converted when they change, not when they
are read.
"""

from .facts import Usage, facts_class


class Snapshot:
    """The plugin's copy of the cluster."""

    def __init__(self, reads, args):
        self.node_count = 0
        self.images = {}
        # The nodes by id; None if there is no such node.
        self.nodes = []
        self._node_class = facts_class(reads.node, args)
        own = {"pods", "usage"}
        self._sent = [field for field in self._node_class.__slots__ if field not in own]
        self._reads = own.intersection(reads.node.facts)
        self._resident_class = facts_class(reads.resident, args)
        self._usages = {}
        self._pods_of = {}
        self._residents = {}

    def set_node(self, sent):
        """Adds a node with all its facts, or updates the facts that changed."""
        node = self.row(sent.id)
        for field in self._sent:
            value = getattr(sent, field)
            if value is not None:
                setattr(node, field, node.converted(field, value))

    def remove_node(self, id):
        """Removes a node. The host may remove the pods of the node before or after the node."""
        if id < len(self.nodes):
            self.nodes[id] = None
        self._usages.pop(id, None)

    def set_usage(self, columns):
        """Sets the requests of the pods of several nodes. Each list in `columns` has one entry per node, except
        `scalars`, which has only changed resources.
        """
        for at, id in enumerate(columns.nodes):
            usage = self._usage(id)
            usage.milli_cpu = columns.milli_cpu[at]
            usage.memory = columns.memory[at]
            usage.ephemeral_storage = columns.ephemeral_storage[at]
            usage.pods = columns.pods[at]
            usage.non_zero_milli_cpu = columns.non_zero_milli_cpu[at]
            usage.non_zero_memory = columns.non_zero_memory[at]
        for scalar in columns.scalars:
            if scalar.quantity:
                self._usage(scalar.node).scalars[scalar.name] = scalar.quantity
            else:
                self._usage(scalar.node).scalars.pop(scalar.name, None)

    def set_image(self, image):
        """Adds or updates an image under one of its names. An image with several names has several ids."""
        self.images[image.id] = image

    def remove_image(self, id):
        """Removes an image that no node has."""
        self.images.pop(id, None)

    def set_resident(self, sent):
        """Adds or replaces a pod on a node. The host may send the pod before its node."""
        self.remove_resident(sent.id)
        pod = picked(self._resident_class, sent.pod)
        self._residents[sent.id] = (sent.node, pod)
        self._pods(sent.node).append(pod)

    def remove_resident(self, id):
        """Removes a pod from its node."""
        node, pod = self._residents.pop(id, (None, None))
        if pod is not None:
            pods = self._pods_of[node]
            pods.remove(pod)
            if not pods and not self._known(node):
                del self._pods_of[node]

    def set_node_count(self, count):
        """Sets the number of nodes."""
        self.node_count = count

    def _known(self, id):
        return id < len(self.nodes) and self.nodes[id] is not None

    def row(self, id):
        """Returns the node with this id. Adds the node if the id is unknown."""
        while len(self.nodes) <= id:
            self.nodes.append(None)
        node = self.nodes[id]
        if node is None:
            node = self.nodes[id] = self._node_class()
            # The host sends usage and pods as separate changes. These changes update the objects that are set here.
            if "usage" in self._reads:
                node.usage = self._usage(id)
            if "pods" in self._reads:
                node.pods = self._pods(id)
        return node

    def _usage(self, id):
        usage = self._usages.get(id)
        if usage is None:
            usage = self._usages[id] = Usage()
        return usage

    def _pods(self, id):
        return self._pods_of.setdefault(id, [])


def picked(kind, pod):
    """Returns the fields of a pod that the class `kind` has."""
    facts = kind()
    for field in kind.__slots__:
        setattr(facts, field, kind.converted(field, getattr(pod, field)))
    return facts
