/* The export of the filter. Only used if the plugin defines berth_filter. */
#include <stdlib.h>

#include "guest.h"

#pragma weak berth_filter

bool exports_berth_scheduler_filter_filter(berth_cycle_t *cycle, exports_berth_scheduler_filter_list_node_id_t *nodes,
                                           berth_verdicts_t *ret, berth_string_t *error) {
    const berth_pod *pod = berth_begin(cycle, error);
    uint16_t *verdicts = berth_new(nodes->len, sizeof *verdicts);
    bool answered = pod != NULL;
    berth_verdicts_begin();
    for (size_t at = 0; answered && at < nodes->len; at++) {
        const berth_node *node = berth_asked_node(nodes->ptr[at], error);
        answered = node != NULL;
        if (node) verdicts[at] = berth_filter(pod, node);
    }
    answered = answered && berth_reads_are_declared(error);
    if (answered) {
        ret->nodes.ptr = verdicts;
        ret->nodes.len = nodes->len;
        berth_verdicts_finish(&ret->outcomes);
    } else {
        free(verdicts);
    }
    exports_berth_scheduler_filter_list_node_id_free(nodes);
    return answered;
}
