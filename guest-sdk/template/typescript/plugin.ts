import { plugin, text, unresolvable } from "berth-guest";

/** A filter that keeps pods with a team on their team's nodes. */
export default plugin({
  name: "team-nodes",
  reads: ["pod.labels[args.label]", "node.labels[args.label]"],
  args: { label: text("team") }, // the label that names the team

  filter(pod, node, { label }) {
    const team = pod.labels[label];
    if (team !== undefined && node.labels[label] !== team) return unresolvable("node(s) belong to another team");
  },
});
