/* The facts of pods and nodes, for berth_guest.h, which includes this file.
 *
 * A function below returns a fact of a pod or a node. If `berth_plugin` does not declare the fact, the result is empty
 * and the call of the plugin fails with a message that names the fact. */
#ifndef BERTH_FACTS_H
#define BERTH_FACTS_H

#include "berth_guest.h"

/* --- pods and nodes --- */

/* A value in JSON. */
typedef struct berth_json berth_json;

/* A pod. Use the functions below. */
struct berth_pod {
    /* What the plugin reads of this pod. */
    const berth_reads_t *reads;
    berth_pod_t unchecked;
    /* The parsed `fields`; NULL before the first use. */
    berth_json *parsed;
};

typedef struct {
    const berth_pod **ptr;
    size_t len;
} berth_pods_t;

/* The requests of a node's pods, assumed pods included. The units are those of `allocatable`. */
typedef struct {
    int64_t milli_cpu, memory, ephemeral_storage, pods, non_zero_milli_cpu, non_zero_memory;
    berth_list_scalar_t scalars;
} berth_usage_t;

typedef exports_berth_scheduler_snapshot_list_taint_t berth_taints_t;
typedef exports_berth_scheduler_snapshot_list_image_id_t berth_image_ids_t;
typedef exports_berth_scheduler_snapshot_list_condition_t berth_conditions_t;

/* A node. Use the functions below. */
struct berth_node {
    struct {
        berth_string_t name, uid;
        berth_list_label_t labels, annotations;
        berth_taints_t taints;
        bool unschedulable;
        berth_resources_t allocatable, capacity;
        berth_usage_t usage;
        berth_image_ids_t images;
        berth_list_host_port_t used_ports;
        berth_conditions_t conditions;
        berth_list_string_t declared_features;
        berth_node_info_t info;
        berth_string_t fields;
        berth_pods_t pods;
    } unchecked;
    /* The parsed `fields`; NULL before the first use. */
    berth_json *parsed;
};

/* Returns a string of the contract as a C string. */
static inline const char *berth_c_string(const berth_string_t *text) {
    return text->len ? (const char *)text->ptr : "";
}

/* Fails the call, because the plugin reads something that this list of `reads` does not have. Facts have
 * capital letters. Only the SDK calls this function. */
void berth_undeclared(const berth_reads_t *reads, berth_list_of_reads list, const char *name);

/* --- facts of a pod: `facts.pod` in wit/ describes each --- */

/* Define berth_pod_NAME(pod), which returns a field, a pointer to a field, or a field as a C string. `FACT` or one of
 * the flags in `also` declares the field. */
#define BERTH_POD_FACT(type, name, FACT, also, result)                           \
    static inline type berth_pod_##name(const berth_pod *pod) {                  \
        if (!(pod->reads->facts & (BERTH_POD_FACTS_##FACT | (also)))) {          \
            berth_undeclared(pod->reads, BERTH_OF_FACTS, #FACT);                 \
        }                                                                        \
        return result;                                                           \
    }
#define BERTH_POD_VALUE(type, name, FACT) BERTH_POD_FACT(type, name, FACT, 0, pod->unchecked.name)
#define BERTH_POD_POINTER(type, name, FACT) BERTH_POD_FACT(const type *, name, FACT, 0, &pod->unchecked.name)
#define BERTH_POD_TEXT(name, FACT) BERTH_POD_FACT(const char *, name, FACT, 0, berth_c_string(&pod->unchecked.name))
/* [resource-claims] also fills these fields. */
#define BERTH_CLAIMS BERTH_POD_FACTS_RESOURCE_CLAIMS

BERTH_POD_FACT(const char *, name, NAME, BERTH_CLAIMS, berth_c_string(&pod->unchecked.name))
BERTH_POD_FACT(const char *, namespace, NAMESPACE, 0, berth_c_string(&pod->unchecked.namespace_))
BERTH_POD_FACT(const char *, uid, UID, BERTH_CLAIMS, berth_c_string(&pod->unchecked.uid))
BERTH_POD_POINTER(berth_list_label_t, labels, LABELS)
BERTH_POD_POINTER(berth_list_label_t, annotations, ANNOTATIONS)
BERTH_POD_POINTER(berth_list_owner_t, owners, OWNERS)
BERTH_POD_TEXT(node_name, NODE_NAME)
BERTH_POD_TEXT(scheduler_name, SCHEDULER_NAME)
BERTH_POD_VALUE(int32_t, priority, PRIORITY)
BERTH_POD_VALUE(berth_preemption_policy_t, preemption, PRIORITY)
BERTH_POD_POINTER(berth_list_toleration_t, tolerations, TOLERATIONS)
BERTH_POD_POINTER(berth_list_label_t, node_selector, NODE_AFFINITY)
BERTH_POD_POINTER(berth_option_list_node_selector_term_t, required_node_affinity, NODE_AFFINITY)
BERTH_POD_POINTER(berth_list_preferred_node_term_t, preferred_node_affinity, NODE_AFFINITY)
BERTH_POD_POINTER(berth_pod_affinity_t, affinity, POD_AFFINITY)
BERTH_POD_POINTER(berth_pod_affinity_t, anti_affinity, POD_AFFINITY)
BERTH_POD_POINTER(berth_list_spread_constraint_t, topology_spread, TOPOLOGY_SPREAD)
BERTH_POD_POINTER(berth_pod_requests_t, requests, REQUESTS)
BERTH_POD_POINTER(berth_resources_t, limits, LIMITS)
BERTH_POD_VALUE(berth_qos_class_t, qos, QOS)
BERTH_POD_FACT(const berth_list_container_t *, containers, CONTAINERS, BERTH_CLAIMS, &pod->unchecked.containers)
BERTH_POD_POINTER(berth_pod_images_t, images, IMAGES)
BERTH_POD_POINTER(berth_list_host_port_t, host_ports, HOST_PORTS)
BERTH_POD_POINTER(berth_list_volume_t, volumes, VOLUMES)
BERTH_POD_POINTER(berth_list_string_t, scheduling_gates, SCHEDULING_GATES)
BERTH_POD_POINTER(berth_list_pod_resource_claim_t, resource_claims, RESOURCE_CLAIMS)
BERTH_POD_VALUE(bool, host_network, HOST_NETWORK)
BERTH_POD_TEXT(nominated_node_name, NOMINATED_NODE)
BERTH_POD_VALUE(bool, deleting, DELETION)
BERTH_POD_VALUE(int64_t, creation_time, CREATION_TIME)
BERTH_POD_VALUE(int64_t, start_time, START_TIME)
BERTH_POD_VALUE(bool, user_namespace, USER_NAMESPACE)
BERTH_POD_POINTER(berth_list_string_t, restart_actions, RESTART_ACTIONS)
BERTH_POD_TEXT(scheduling_group, SCHEDULING_GROUP)

/* Returns the value of a label or an annotation; NULL if absent. The plugin declares the key, or all labels or
 * annotations. */
const char *berth_pod_label(const berth_pod *pod, const char *key);
const char *berth_pod_annotation(const berth_pod *pod, const char *key);

/* --- facts of a node: `snapshot.node` in wit/ describes each --- */

/* Define berth_node_NAME(node), like the functions of pods. */
#define BERTH_NODE_FACT(type, name, FACT, result)                        \
    static inline type berth_node_##name(const berth_node *node) {       \
        if (!(berth_plugin.node.facts & BERTH_NODE_FACTS_##FACT)) {      \
            berth_undeclared(&berth_plugin.node, BERTH_OF_FACTS, #FACT); \
        }                                                                \
        return result;                                                   \
    }
#define BERTH_NODE_POINTER(type, name, FACT) BERTH_NODE_FACT(const type *, name, FACT, &node->unchecked.name)
#define BERTH_NODE_TEXT(name, FACT) BERTH_NODE_FACT(const char *, name, FACT, berth_c_string(&node->unchecked.name))

BERTH_NODE_TEXT(name, NAME)
BERTH_NODE_TEXT(uid, NAME)
BERTH_NODE_POINTER(berth_list_label_t, labels, LABELS)
BERTH_NODE_POINTER(berth_list_label_t, annotations, ANNOTATIONS)
BERTH_NODE_POINTER(berth_taints_t, taints, TAINTS)
BERTH_NODE_FACT(bool, unschedulable, UNSCHEDULABLE, node->unchecked.unschedulable)
BERTH_NODE_POINTER(berth_resources_t, allocatable, ALLOCATABLE)
BERTH_NODE_POINTER(berth_resources_t, capacity, CAPACITY)
BERTH_NODE_POINTER(berth_usage_t, usage, USAGE)
BERTH_NODE_POINTER(berth_image_ids_t, images, IMAGES)
BERTH_NODE_POINTER(berth_list_host_port_t, used_ports, USED_PORTS)
BERTH_NODE_POINTER(berth_conditions_t, conditions, CONDITIONS)
BERTH_NODE_POINTER(berth_list_string_t, declared_features, DECLARED_FEATURES)
BERTH_NODE_POINTER(berth_node_info_t, info, INFO)

/* Like the functions of pods. */
const char *berth_node_label(const berth_node *node, const char *key);
const char *berth_node_annotation(const berth_node *node, const char *key);

/* Returns the pods on the node, assumed pods included. The plugin declares `resident_pods`. */
const berth_pods_t *berth_node_pods(const berth_node *node);
/* Returns the pending pods of this scheduler's profiles. The plugin declares `pending_pods`. */
const berth_pods_t *berth_pending_pods(void);

/* --- further fields --- */

/* Return all declared fields as JSON in the structure of the object: {"spec":{"podCIDR":"10.0.0.0/24"}}. The result is
 * empty if the object has none of them. */
const char *berth_pod_fields(const berth_pod *pod);
const char *berth_node_fields(const berth_node *node);
/* Returns the value of a field that the plugin declares in `fields`, or of a field below it; NULL if absent. If the
 * path passes through lists, it has a value for each element. These functions return the first value. */
const berth_json *berth_pod_field(const berth_pod *pod, const char *path);
const berth_json *berth_node_field(const berth_node *node, const char *path);
/* Returns the value with this index, counted from 0, of a path that passes through lists; NULL after the last. */
const berth_json *berth_pod_field_at(const berth_pod *pod, const char *path, size_t index);
const berth_json *berth_node_field_at(const berth_node *node, const char *path, size_t index);

/* Read a value. For NULL and for a value of another type, they return NULL or `otherwise`. */
const char *berth_json_text(const berth_json *value);
int64_t berth_json_whole(const berth_json *value, int64_t otherwise);
bool berth_json_flag(const berth_json *value, bool otherwise);
/* Returns a field below the value, by its path; NULL if absent. */
const berth_json *berth_json_field(const berth_json *value, const char *path);
/* Return the first element of a list or field of an object, and the one after an element or field; NULL if there is
 * none. */
const berth_json *berth_json_first(const berth_json *value);
const berth_json *berth_json_next(const berth_json *value);
/* Returns the name of a field that berth_json_first or berth_json_next returned; NULL for an element of a list. */
const char *berth_json_name(const berth_json *value);

#endif
