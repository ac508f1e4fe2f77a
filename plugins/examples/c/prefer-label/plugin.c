/* prefer-label: scores a node by the value of one of its labels. */
#include <berth_guest.h>

const berth_plugin_t berth_plugin = {
    .name = "prefer-label",
    .arguments = BERTH_JSON({
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "label": {"type": "string", "minLength": 1},
            "weights": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 100},
                "default": {}
            }
        },
        "required": ["label"],
        "additionalProperties": false
    }),
};

static const char *label;
static const berth_map *weights;

void berth_configure(berth_arguments *arguments) {
    label = berth_text(arguments, "label");
    berth_read(&berth_plugin.node, BERTH_OF_LABEL_KEYS, label);
    weights = berth_whole_map(arguments, "weights", 0, 100);
}

int64_t berth_score(const berth_pod *pod, const berth_node *node) {
    (void)pod;
    const char *value = berth_node_label(node, label);
    return value ? berth_number_of(weights, value, 0) : 0;
}
