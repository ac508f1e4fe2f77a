/* label-and-cpu: requires a label and free cpu on the node. */
#include <berth_guest.h>

const berth_plugin_t berth_plugin = {
    .name = "label-and-cpu",
    .pod.facts = BERTH_POD_FACTS_REQUESTS,
    .node.facts = BERTH_NODE_FACTS_ALLOCATABLE | BERTH_NODE_FACTS_USAGE,
    .arguments = BERTH_JSON({
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "label": {"type": "string", "minLength": 1},
            "value": {"type": "string", "default": ""},
            "minFreeCpu": {
                "type": ["integer", "string"],
                "minimum": 0,
                "pattern": "^[0-9]{1,12}m?$",
                "default": "0"
            }
        },
        "required": ["label"],
        "additionalProperties": false
    }),
};

static const char *label, *value;
static int64_t min_free_cpu;

void berth_configure(berth_arguments *arguments) {
    label = berth_text(arguments, "label");
    berth_read(&berth_plugin.pod, BERTH_OF_LABEL_KEYS, label);
    berth_read(&berth_plugin.node, BERTH_OF_LABEL_KEYS, label);
    value = berth_text_or(arguments, "value", "");
    min_free_cpu = berth_cpu_or(arguments, "minFreeCpu", 0);
}

berth_verdict_t berth_filter(const berth_pod *pod, const berth_node *node) {
    const char *found = berth_node_label(node, label);
    const char *wanted = berth_pod_label(pod, label);
    if (!wanted) wanted = *value ? value : found;
    if (!found || !berth_equal(found, wanted)) return berth_unresolvable("node(s) didn't have label %s", label);

    int64_t free = berth_node_allocatable(node)->milli_cpu - berth_node_usage(node)->milli_cpu;
    int64_t needed = berth_pod_requests(pod)->fit.milli_cpu + min_free_cpu;
    if (free < needed) return berth_unschedulable("Insufficient free cpu");
    return BERTH_FITS;
}
