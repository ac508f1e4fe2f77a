/* The plugin's copy of the cluster: the facts of each node by id. The snapshot keeps the memory in which the host sends
 * facts, and does not copy it. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

typedef struct {
    bool known;
    berth_node_t node;
    /* The capacity of `node.pods`. */
    size_t capacity;
} row_t;

static row_t *rows;
static size_t row_count;

/* The pods on nodes, by pod id; NULL if there is no such pod. */
static exports_berth_scheduler_snapshot_resident_pod_t **residents;
static size_t resident_count;

const berth_node_t *berth_known_node(uint32_t id) {
    return id < row_count && rows[id].known ? &rows[id].node : NULL;
}

static void *grow(void *list, size_t *count, size_t minimum, size_t size) {
    if (minimum <= *count) return list;
    size_t more = minimum > *count * 2 ? minimum : *count * 2;
    list = berth_grown(list, more, size);
    memset((char *)list + *count * size, 0, (more - *count) * size);
    *count = more;
    return list;
}

static row_t *row(uint32_t id) {
    rows = grow(rows, &row_count, (size_t)id + 1, sizeof *rows);
    return &rows[id];
}

/* If the change has this fact, swaps the new value with the node's old value, which is then freed with the change. */
#define EXCHANGE(field)                                                            \
    if (sent->field.is_some) {                                                     \
        swap(&node->field, &sent->field.val, sizeof node->field);                  \
        _Static_assert(sizeof node->field == sizeof sent->field.val, "of one type"); \
    }

static void swap(void *one, void *other, size_t size) {
    char third[sizeof(berth_resources_t)];
    memcpy(third, one, size);
    memcpy(one, other, size);
    memcpy(other, third, size);
}

static void set_node(exports_berth_scheduler_snapshot_node_t *sent) {
    row_t *at = row(sent->id);
    berth_node_t *node = &at->node;
    at->known = true;
    EXCHANGE(name)
    EXCHANGE(uid)
    EXCHANGE(labels)
    EXCHANGE(annotations)
    EXCHANGE(taints)
    EXCHANGE(unschedulable)
    EXCHANGE(allocatable)
    EXCHANGE(images)
    EXCHANGE(used_ports)
    EXCHANGE(conditions)
    EXCHANGE(declared_features)
}

static void free_scalars(berth_list_scalar_t *scalars) {
    for (size_t at = 0; at < scalars->len; at++) berth_string_free(&scalars->ptr[at].name);
    free(scalars->ptr);
    *scalars = (berth_list_scalar_t){0};
}

/* Keeps the node's pods: the host may remove them before or after the node. */
static void remove_node(uint32_t id) {
    if (id >= row_count) return;
    berth_node_t *node = &rows[id].node;
    exports_berth_scheduler_snapshot_node_t gone = {0};
    gone.name.is_some = gone.uid.is_some = gone.labels.is_some = gone.annotations.is_some = gone.taints.is_some = true;
    gone.unschedulable.is_some = gone.allocatable.is_some = gone.images.is_some = gone.used_ports.is_some = true;
    gone.conditions.is_some = gone.declared_features.is_some = true;
    gone.id = id;
    set_node(&gone);
    exports_berth_scheduler_snapshot_node_free(&gone);
    free_scalars(&node->usage.scalars);
    node->usage = (berth_usage_t){0};
    rows[id].known = false;
}

static void set_scalar(berth_list_scalar_t *scalars, exports_berth_scheduler_snapshot_scalar_usage_t *sent) {
    for (size_t at = 0; at < scalars->len; at++) {
        berth_scalar_t *known = &scalars->ptr[at];
        if (!berth_equal((const char *)known->name.ptr, (const char *)sent->name.ptr)) continue;
        known->quantity = sent->quantity;
        if (sent->quantity == 0) {
            berth_string_free(&known->name);
            *known = scalars->ptr[--scalars->len];
        }
        return;
    }
    if (sent->quantity == 0) return;
    scalars->ptr = berth_grown(scalars->ptr, scalars->len + 1, sizeof *scalars->ptr);
    scalars->ptr[scalars->len++] = (berth_scalar_t){.name = sent->name, .quantity = sent->quantity};
    sent->name = (berth_string_t){0};
}

static void set_usage(exports_berth_scheduler_snapshot_usage_t *sent) {
    for (size_t at = 0; at < sent->nodes.len; at++) {
        berth_usage_t *usage = &row(sent->nodes.ptr[at])->node.usage;
        usage->milli_cpu = sent->milli_cpu.ptr[at];
        usage->memory = sent->memory.ptr[at];
        usage->ephemeral_storage = sent->ephemeral_storage.ptr[at];
        usage->pods = sent->pods.ptr[at];
        usage->non_zero_milli_cpu = sent->non_zero_milli_cpu.ptr[at];
        usage->non_zero_memory = sent->non_zero_memory.ptr[at];
    }
    for (size_t at = 0; at < sent->scalars.len; at++) {
        exports_berth_scheduler_snapshot_scalar_usage_t *scalar = &sent->scalars.ptr[at];
        set_scalar(&row(scalar->node)->node.usage.scalars, scalar);
    }
}

static void remove_resident(uint32_t id) {
    if (id >= resident_count || !residents[id]) return;
    row_t *on = row(residents[id]->node);
    for (size_t at = 0; at < on->node.pods.len; at++) {
        if (on->node.pods.ptr[at] != &residents[id]->pod) continue;
        on->node.pods.ptr[at] = on->node.pods.ptr[--on->node.pods.len];
        break;
    }
    exports_berth_scheduler_snapshot_resident_pod_free(residents[id]);
    free(residents[id]);
    residents[id] = NULL;
}

static void set_resident(exports_berth_scheduler_snapshot_resident_pod_t *sent) {
    remove_resident(sent->id);
    residents = grow(residents, &resident_count, (size_t)sent->id + 1, sizeof *residents);
    exports_berth_scheduler_snapshot_resident_pod_t *stored = residents[sent->id] = berth_new(1, sizeof *stored);
    *stored = *sent;
    *sent = (exports_berth_scheduler_snapshot_resident_pod_t){0};
    row_t *on = row(stored->node);
    if (on->node.pods.len == on->capacity) {
        on->capacity = on->capacity ? on->capacity * 2 : 8;
        on->node.pods.ptr = berth_grown(on->node.pods.ptr, on->capacity, sizeof *on->node.pods.ptr);
    }
    on->node.pods.ptr[on->node.pods.len++] = &stored->pod;
}

static void apply(exports_berth_scheduler_snapshot_change_t *change) {
    switch (change->tag) {
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE: set_node(&change->val.node); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE_REMOVED: remove_node(change->val.node_removed); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_USAGE: set_usage(&change->val.usage); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD: set_resident(&change->val.resident_pod); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD_REMOVED:
        remove_resident(change->val.resident_pod_removed);
        break;
    default: break; /* Facts of the cluster, which a plugin in C can't declare. */
    }
}

void exports_berth_scheduler_snapshot_apply(exports_berth_scheduler_snapshot_list_change_t *changes) {
    for (size_t at = 0; at < changes->len; at++) apply(&changes->ptr[at]);
    exports_berth_scheduler_snapshot_list_change_free(changes);
}
