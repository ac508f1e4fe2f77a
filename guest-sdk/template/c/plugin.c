/* team-nodes: a filter that keeps pods with a team on their team's nodes. */
#include <berth_guest.h>

const berth_plugin_t berth_plugin = {
    .name = "team-nodes",
    .arguments = BERTH_JSON({"type": "object", "properties": {"label": {"type": "string", "default": "team"}}}),
};

/* The key of the label that names the team of a pod or a node. */
static const char *label;

void berth_configure(berth_arguments *arguments) {
    label = berth_text_or(arguments, "label", "team");
    berth_read(&berth_plugin.pod, BERTH_OF_LABEL_KEYS, label);
    berth_read(&berth_plugin.node, BERTH_OF_LABEL_KEYS, label);
}

berth_verdict_t berth_filter(const berth_pod *pod, const berth_node *node) {
    const char *team = berth_pod_label(pod, label), *owner = berth_node_label(node, label);
    if (team && !(owner && berth_equal(team, owner))) return berth_unresolvable("node(s) belong to another team");
    return BERTH_FITS;
}
