/* Write a filter or a score for Berth in C: define `berth_plugin`, and `berth_filter` or `berth_score` or both.
 *
 * Types called berth_…_t that are not declared here are those of the contract, generated from wit/ into berth.h. Every text in
 * them ends with a NUL as well: `(const char *)text.ptr` is a C string. What a function is given is valid until it returns;
 * arguments are valid for ever. */
#ifndef BERTH_GUEST_H
#define BERTH_GUEST_H

#include "berth.h"

/* --- what an author defines --- */

/* Who the plugin is and what it reads. What is not named here is never sent, and empty. */
typedef struct {
    /* The name that profiles, events and messages use. */
    const char *name;
    /* The plugin's own version, for people; may be NULL. */
    const char *version;
    /* Facts of the pod to be placed: BERTH_POD_FACTS_LABELS and so on, or-ed. */
    berth_pod_facts_t pod_facts;
    /* Facts of nodes: BERTH_NODE_FACTS_LABELS and so on. */
    berth_node_facts_t node_facts;
    /* Facts of the pods on nodes, with BERTH_NODE_FACTS_PODS. */
    berth_pod_facts_t resident_pod_facts;
    /* What the host does with raw scores; none is 0. */
    berth_normalization_t normalization;
    /* Whether answers depend on more than pod, node and arguments, on the cycle's time for instance: they are not kept then. */
    bool depends_on_cycle;
} berth_plugin_t;

extern const berth_plugin_t berth_plugin;

typedef struct berth_arguments berth_arguments;

/* Takes the arguments, from `pluginConfig[].args`. Optional. */
void berth_configure(berth_arguments *arguments);

/* What pods ask of their node, assumed pods included. Units are those of `allocatable`. */
typedef struct {
    int64_t milli_cpu, memory, ephemeral_storage, pods, non_zero_milli_cpu, non_zero_memory;
    berth_list_scalar_t scalars;
} berth_usage_t;

/* A node, as far as the plugin reads it; each field is described in wit/plugin.wit. */
typedef struct {
    berth_string_t name, uid;
    berth_list_label_t labels, annotations;
    struct {
        berth_taint_t *ptr;
        size_t len;
    } taints;
    bool unschedulable;
    berth_resources_t allocatable;
    berth_usage_t usage;
    struct {
        berth_image_id_t *ptr;
        size_t len;
    } images;
    berth_list_host_port_t used_ports;
    struct {
        berth_condition_t *ptr;
        size_t len;
    } conditions;
    berth_list_string_t declared_features;
    /* The pods on it. */
    struct {
        const berth_pod_t **ptr;
        size_t len;
    } pods;
} berth_node_t;

/* What a filter says about a node: BERTH_FITS, or what the functions below return. */
typedef uint16_t berth_verdict_t;
#define BERTH_FITS 0

/* Whether the pod fits the node. */
berth_verdict_t berth_filter(const berth_pod_t *pod, const berth_node_t *node);

/* How good the node is: 0 to 100, unless `normalization` makes it so. */
int64_t berth_score(const berth_pod_t *pod, const berth_node_t *node);

/* --- what an author calls --- */

#define BERTH_PRINTF(at) __attribute__((__format__(__printf__, at, at + 1)))

/* Not on this node as things are, and why; taking pods away might help. The reason is a format as printf's. */
BERTH_PRINTF(1) berth_verdict_t berth_unschedulable(const char *reason, ...);

/* Not on this node whatever pods are taken away (UnschedulableAndUnresolvable). */
BERTH_PRINTF(1) berth_verdict_t berth_unresolvable(const char *reason, ...);

/* Not on this node, for a reason that is no format: BERTH_CODE_UNSCHEDULABLE and so on. */
berth_verdict_t berth_reject(berth_code_t code, const char *reason);

/* The value of a label or an annotation; NULL where there is none. */
const char *berth_label(const berth_list_label_t *labels, const char *key);

/* The quantity of an extended resource such as nvidia.com/gpu; 0 where there is none. */
int64_t berth_scalar(const berth_list_scalar_t *scalars, const char *name);

/* Whether two C strings are equal. */
bool berth_equal(const char *one, const char *other);

/* The cycle whose pod is placed: its time, milliseconds since 1970, and its random seed. */
const berth_cycle_t *berth_cycle(void);

/* A line in the host's log; the level is BERTH_LOG_LEVEL_INFO and so on. */
BERTH_PRINTF(2) void berth_log(berth_log_level_t level, const char *message, ...);

/* Reading arguments. What is missing or wrong is refused with the field's name; then, as for one that is optional and absent,
 * `otherwise` is returned (NULL, 0 or false without one). A field that nothing reads is refused, too. */

/* A text that is not empty. */
const char *berth_text(berth_arguments *object, const char *field);
const char *berth_text_or(berth_arguments *object, const char *field, const char *otherwise);
bool berth_flag_or(berth_arguments *object, const char *field, bool otherwise);
/* A whole number from `least` to `most`. */
int64_t berth_whole(berth_arguments *object, const char *field, int64_t least, int64_t most);
int64_t berth_whole_or(berth_arguments *object, const char *field, int64_t least, int64_t most, int64_t otherwise);
/* Cpu in millicores, written as in Kubernetes: 2, "2" or "500m". */
int64_t berth_cpu_or(berth_arguments *object, const char *field, int64_t otherwise);
/* An object within this one, empty where it is absent. */
berth_arguments *berth_object(berth_arguments *object, const char *field);
/* An object whose fields are all whole numbers, empty where it is absent. */
typedef struct berth_map berth_map;
const berth_map *berth_whole_map(berth_arguments *object, const char *field, int64_t least, int64_t most);
/* The number of a key. */
int64_t berth_number_of(const berth_map *map, const char *key, int64_t otherwise);
/* Refuses the arguments because of a field; the reason is a format as printf's. */
BERTH_PRINTF(3) void berth_refuse(berth_arguments *object, const char *field, const char *reason, ...);

#endif
