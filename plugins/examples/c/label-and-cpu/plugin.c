/* label-and-cpu: requires a label and free cpu on the node. */
#include <berth_guest.h>

const berth_plugin_t berth_plugin = {
    .name = "label-and-cpu",
    .pod_facts = BERTH_POD_FACTS_LABELS | BERTH_POD_FACTS_REQUESTS,
    .node_facts = BERTH_NODE_FACTS_LABELS | BERTH_NODE_FACTS_ALLOCATABLE | BERTH_NODE_FACTS_USAGE,
};

static const char *label, *value;
static int64_t min_free_cpu;

void berth_configure(berth_arguments *arguments) {
    label = berth_text(arguments, "label");
    value = berth_text_or(arguments, "value", "");
    min_free_cpu = berth_cpu_or(arguments, "minFreeCpu", 0);
}

berth_verdict_t berth_filter(const berth_pod_t *pod, const berth_node_t *node) {
    const char *found = berth_label(&node->labels, label);
    const char *wanted = berth_label(&pod->labels, label);
    if (!wanted) wanted = *value ? value : found;
    if (!found || !berth_equal(found, wanted)) return berth_unresolvable("node(s) didn't have label %s", label);

    int64_t free = node->allocatable.milli_cpu - node->usage.milli_cpu;
    if (free < pod->requests.fit.milli_cpu + min_free_cpu) return berth_unschedulable("Insufficient free cpu");
    return BERTH_FITS;
}
