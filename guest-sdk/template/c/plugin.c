/* team-nodes: a filter that keeps pods with a team on their team's nodes. */
#include <berth_guest.h>

const berth_plugin_t berth_plugin = {
    .name = "team-nodes",
    .pod_facts = BERTH_POD_FACTS_LABELS,
    .node_facts = BERTH_NODE_FACTS_LABELS,
};

/* The key of the label that names the team of a pod or a node. */
static const char *label;

void berth_configure(berth_arguments *arguments) {
    label = berth_text_or(arguments, "label", "team");
}

berth_verdict_t berth_filter(const berth_pod_t *pod, const berth_node_t *node) {
    const char *team = berth_label(&pod->labels, label), *owner = berth_label(&node->labels, label);
    if (team && !(owner && berth_equal(team, owner))) return berth_unresolvable("node(s) belong to another team");
    return BERTH_FITS;
}
