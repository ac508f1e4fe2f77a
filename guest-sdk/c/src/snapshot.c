/* The plugin's copy of the cluster: the facts of each node by id. The snapshot keeps the memory in which the host sends
 * facts, and does not copy it. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "json.h"

typedef struct {
    bool known;
    berth_node node;
    /* The number of pods for which the list of the node's pods has memory. */
    size_t room;
} row_t;

static row_t *rows;
static size_t row_count;

/* A pod that is on a node or pending. */
typedef struct {
    /* Only for a pod on a node. */
    uint32_t node;
    berth_pod pod;
} placed_t;

/* Pods by pod id; NULL if there is no such pod. */
typedef struct {
    placed_t **ptr;
    size_t count;
} placed_pods_t;

static placed_pods_t residents, pending;
static berth_pods_t pending_list;
static size_t pending_room;

const berth_node *berth_known_node(uint32_t id) {
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
    if (sent->field.is_some) {                                                                 \
        swap(&node->unchecked.field, &sent->field.val, sizeof sent->field.val);                \
        _Static_assert(sizeof node->unchecked.field == sizeof sent->field.val, "of one type"); \
    }

static void swap(void *one, void *other, size_t size) {
    union {
        berth_resources_t resources;
        berth_node_info_t info;
    } third;
    memcpy(&third, one, size);
    memcpy(one, other, size);
    memcpy(other, &third, size);
}

static void set_node(exports_berth_scheduler_snapshot_node_t *sent) {
    row_t *at = row(sent->id);
    berth_node *node = &at->node;
    at->known = true;
    if (sent->fields.is_some) {
        json_free(node->parsed);
        node->parsed = NULL;
    }
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
    EXCHANGE(capacity)
    EXCHANGE(info)
    EXCHANGE(fields)
}

static void free_scalars(berth_list_scalar_t *scalars) {
    for (size_t at = 0; at < scalars->len; at++) berth_string_free(&scalars->ptr[at].name);
    free(scalars->ptr);
    *scalars = (berth_list_scalar_t){0};
}

/* Keeps the node's pods: the host may remove them before or after the node. */
static void remove_node(uint32_t id) {
    if (id >= row_count) return;
    berth_node *node = &rows[id].node;
    exports_berth_scheduler_snapshot_node_t gone = {0};
    gone.name.is_some = gone.uid.is_some = gone.labels.is_some = gone.annotations.is_some = gone.taints.is_some = true;
    gone.unschedulable.is_some = gone.allocatable.is_some = gone.images.is_some = gone.used_ports.is_some = true;
    gone.conditions.is_some = gone.declared_features.is_some = gone.capacity.is_some = gone.info.is_some = true;
    gone.fields.is_some = true;
    gone.id = id;
    set_node(&gone);
    exports_berth_scheduler_snapshot_node_free(&gone);
    free_scalars(&node->unchecked.usage.scalars);
    node->unchecked.usage = (berth_usage_t){0};
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
        berth_usage_t *usage = &row(sent->nodes.ptr[at])->node.unchecked.usage;
        usage->milli_cpu = sent->milli_cpu.ptr[at];
        usage->memory = sent->memory.ptr[at];
        usage->ephemeral_storage = sent->ephemeral_storage.ptr[at];
        usage->pods = sent->pods.ptr[at];
        usage->non_zero_milli_cpu = sent->non_zero_milli_cpu.ptr[at];
        usage->non_zero_memory = sent->non_zero_memory.ptr[at];
    }
    for (size_t at = 0; at < sent->scalars.len; at++) {
        exports_berth_scheduler_snapshot_scalar_usage_t *scalar = &sent->scalars.ptr[at];
        set_scalar(&row(scalar->node)->node.unchecked.usage.scalars, scalar);
    }
}

void berth_pod_clear(berth_pod *pod) {
    berth_pod_free(&pod->unchecked);
    json_free(pod->parsed);
}

static void list_pod(berth_pods_t *list, size_t *room, const berth_pod *pod) {
    if (list->len == *room) {
        *room = *room ? *room * 2 : 8;
        list->ptr = berth_grown(list->ptr, *room, sizeof *list->ptr);
    }
    list->ptr[list->len++] = pod;
}

static void unlist_pod(berth_pods_t *list, const berth_pod *pod) {
    for (size_t at = 0; at < list->len; at++) {
        if (list->ptr[at] != pod) continue;
        list->ptr[at] = list->ptr[--list->len];
        return;
    }
}

static placed_t *place(placed_pods_t *pods, uint32_t id, uint32_t node, berth_pod_t *sent, const berth_reads_t *reads) {
    pods->ptr = grow(pods->ptr, &pods->count, (size_t)id + 1, sizeof *pods->ptr);
    placed_t *placed = pods->ptr[id] = berth_new(1, sizeof *placed);
    *placed = (placed_t){node, {.reads = reads, .unchecked = *sent}};
    *sent = (berth_pod_t){0};
    return placed;
}

static void remove_placed(placed_pods_t *pods, uint32_t id) {
    placed_t *placed = id < pods->count ? pods->ptr[id] : NULL;
    if (!placed) return;
    unlist_pod(pods == &pending ? &pending_list : &row(placed->node)->node.unchecked.pods, &placed->pod);
    berth_pod_clear(&placed->pod);
    free(placed);
    pods->ptr[id] = NULL;
}

static void set_resident(exports_berth_scheduler_snapshot_resident_pod_t *sent) {
    remove_placed(&residents, sent->id);
    placed_t *placed = place(&residents, sent->id, sent->node, &sent->pod, berth_plugin.resident_pods);
    row_t *on = row(placed->node);
    list_pod(&on->node.unchecked.pods, &on->room, &placed->pod);
}

static void set_pending(exports_berth_scheduler_snapshot_pending_pod_t *sent) {
    remove_placed(&pending, sent->id);
    placed_t *placed = place(&pending, sent->id, 0, &sent->pod, berth_plugin.pending_pods);
    list_pod(&pending_list, &pending_room, &placed->pod);
}

const berth_pods_t *berth_node_pods(const berth_node *node) {
    if (!berth_plugin.resident_pods) berth_undeclared_member("the pods on nodes", "resident_pods");
    return &node->unchecked.pods;
}

const berth_pods_t *berth_pending_pods(void) {
    if (!berth_plugin.pending_pods) berth_undeclared_member("pending pods", "pending_pods");
    return &pending_list;
}

static void apply(exports_berth_scheduler_snapshot_change_t *change) {
    switch (change->tag) {
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE: set_node(&change->val.node); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE_REMOVED: remove_node(change->val.node_removed); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_USAGE: set_usage(&change->val.usage); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD: set_resident(&change->val.resident_pod); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD_REMOVED:
        remove_placed(&residents, change->val.resident_pod_removed);
        break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_PENDING_POD: set_pending(&change->val.pending_pod); break;
    case EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_PENDING_POD_REMOVED:
        remove_placed(&pending, change->val.pending_pod_removed);
        break;
    default: break; /* Facts of the cluster, which a plugin in C can't declare. */
    }
}

void exports_berth_scheduler_snapshot_apply(exports_berth_scheduler_snapshot_list_change_t *changes) {
    for (size_t at = 0; at < changes->len; at++) apply(&changes->ptr[at]);
    exports_berth_scheduler_snapshot_list_change_free(changes);
}
