/* The export of the score. Only used if the plugin defines berth_score. */
#include <stdlib.h>

#include "guest.h"

#pragma weak berth_score

bool exports_berth_scheduler_score_score(berth_cycle_t *cycle, exports_berth_scheduler_score_list_node_id_t *nodes,
                                         berth_list_s64_t *ret, berth_string_t *error) {
    const berth_pod *pod = berth_begin(cycle, error);
    int64_t *scores = berth_new(nodes->len, sizeof *scores);
    bool answered = pod != NULL;
    for (size_t at = 0; answered && at < nodes->len; at++) {
        const berth_node *node = berth_asked_node(nodes->ptr[at], error);
        answered = node != NULL;
        if (node) scores[at] = berth_score(pod, node);
    }
    answered = answered && berth_reads_are_declared(error);
    if (answered) {
        ret->ptr = scores;
        ret->len = nodes->len;
    } else {
        free(scores);
    }
    exports_berth_scheduler_score_list_node_id_free(nodes);
    return answered;
}
