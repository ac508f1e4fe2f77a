import { mapOf, plugin, text, whole } from "berth-guest";

/** Scores a node by its value of a label. */
export default plugin({
  name: "prefer-label",
  reads: ["node.labels"],
  args: { label: text(), weights: mapOf(whole(0, 100)) },

  score(_pod, node, { label, weights }) {
    const value = node.labels[label];
    return value === undefined ? 0 : (weights[value] ?? 0);
  },
});
