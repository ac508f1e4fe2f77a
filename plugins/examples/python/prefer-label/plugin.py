"""prefer-label: scores a node by the value of one of its labels."""

from berth_guest import Plugin, map_of, text, whole

plugin = Plugin(
    name="prefer-label",
    reads=["node.labels"],
    args=dict(label=text(), weights=map_of(whole(0, 100))),
)


@plugin.score
def weight(pod, node, args):
    return args.weights.get(node.labels.get(args.label), 0)
