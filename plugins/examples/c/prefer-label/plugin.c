/* prefer-label: scores a node by the value of one of its labels. */
#include <berth_guest.h>

const berth_plugin_t berth_plugin = {.name = "prefer-label", .node_facts = BERTH_NODE_FACTS_LABELS};

static const char *label;
static const berth_map *weights;

void berth_configure(berth_arguments *arguments) {
    label = berth_text(arguments, "label");
    weights = berth_whole_map(arguments, "weights", 0, 100);
}

int64_t berth_score(const berth_pod_t *pod, const berth_node_t *node) {
    (void)pod;
    const char *value = berth_label(&node->labels, label);
    return value ? berth_number_of(weights, value, 0) : 0;
}
