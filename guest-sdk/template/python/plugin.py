"""A filter that keeps pods with a team on their team's nodes."""

from berth_guest import Plugin, text, unresolvable

plugin = Plugin(
    name="team-nodes",
    reads=["pod.labels[args.label]", "node.labels[args.label]"],
    args=dict(label=text("team")),  # the label that names the team
)


@plugin.filter
def team_nodes(pod, node, args):
    team = pod.labels.get(args.label)
    if team is not None and node.labels.get(args.label) != team:
        return unresolvable("node(s) belong to another team")
