/* Write a filter or a score for Berth in C. Define `berth_plugin`, and `berth_filter` or `berth_score` or both.
 *
 * Types named berth_…_t that are not declared here are those of the contract, generated from wit/ into berth.h.
 * Every string in them also ends with a NUL: `(const char *)text.ptr` is a C string. The parameters of a function
 * are valid until it returns. Arguments are valid forever. */
#ifndef BERTH_GUEST_H
#define BERTH_GUEST_H

#include "berth.h"

/* --- what a plugin defines --- */


/* A list of strings: BERTH_LIST("app", "tier"). */
#define BERTH_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* What a plugin reads of pods or of nodes. */
typedef struct {
    /* BERTH_POD_FACTS_LABELS or BERTH_NODE_FACTS_LABELS and so on, combined with |. */
    uint32_t facts;
    /* The keys of single labels and annotations. NULL means none. Pods with equal declared facts are asked about once,
     * so a few keys are better than all labels. */
    const char *const *label_keys, *const *annotation_keys;
    /* The paths of further fields, such as "spec.podCIDR" or "status.capacity[\"example.com/gpu\"]". A path passes
     * through lists. NULL means none. */
    const char *const *fields;
} berth_reads_t;

/* The lists of berth_reads_t. */
typedef enum { BERTH_OF_FACTS, BERTH_OF_LABEL_KEYS, BERTH_OF_ANNOTATION_KEYS, BERTH_OF_FIELDS } berth_list_of_reads;

/* Makes a string of JSON: BERTH_JSON({"type": "object"}). */
#define BERTH_JSON(...) #__VA_ARGS__

/* The plugin's name, and what it reads. The host sends nothing else. */
typedef struct {
    /* The name of the plugin in profiles, events and messages. */
    const char *name;
    /* The plugin's own version, for people. NULL means "0". */
    const char *version;
    /* A JSON Schema of the arguments. The host checks the arguments before berth_configure, and its messages name the
     * path of a wrong value. NULL means none. */
    const char *arguments;
    /* What the plugin reads of the pod that is being scheduled, and of nodes. */
    berth_reads_t pod, node;
    /* What the plugin reads of the pods on nodes, and of pending pods: &(berth_reads_t){.facts = ...}. NULL means that
     * the host does not send these pods. */
    const berth_reads_t *resident_pods, *pending_pods;
    /* How the host normalizes raw scores. 0 (no normalization) keeps the raw scores. */
    berth_normalization_t normalization;
    /* True if answers depend on more than the pod, the node and the arguments, such as the cycle's time. The host
     * then does not cache answers. */
    bool depends_on_cycle;
} berth_plugin_t;

extern const berth_plugin_t berth_plugin;

/* A pod and a node. berth_facts.h has a function for each of their facts. */
typedef struct berth_pod berth_pod;
typedef struct berth_node berth_node;
typedef struct berth_arguments berth_arguments;

/* Reads the arguments, from `pluginConfig[].args`. Optional. */
void berth_configure(berth_arguments *arguments);

/* Adds a key or a path that the arguments name to what the plugin reads, as in
 * berth_read(&berth_plugin.pod, BERTH_OF_LABEL_KEYS, label). Only in berth_configure. NULL is ignored. */
void berth_read(const berth_reads_t *reads, berth_list_of_reads list, const char *name);

/* The answer of a filter about a node: BERTH_FITS, or the result of berth_unschedulable, berth_unresolvable or
 * berth_reject. A result is valid only in the call in which it was made. */
typedef uint16_t berth_verdict_t;
#define BERTH_FITS 0

/* Decides whether the pod fits the node. */
berth_verdict_t berth_filter(const berth_pod *pod, const berth_node *node);

/* Scores the node: 0 to 100, or any number if `normalization` is set. */
int64_t berth_score(const berth_pod *pod, const berth_node *node);

/* --- what a plugin calls --- */

#include "berth_facts.h"

#define BERTH_PRINTF(at) __attribute__((__format__(__printf__, at, at + 1)))

/* The pod does not fit as things are. Removing pods from the node may help. `reason` is a printf format. */
BERTH_PRINTF(1) berth_verdict_t berth_unschedulable(const char *reason, ...);

/* The pod does not fit, whatever pods are removed from the node (UnschedulableAndUnresolvable). `reason` is a
 * printf format. */
BERTH_PRINTF(1) berth_verdict_t berth_unresolvable(const char *reason, ...);

/* The pod does not fit. `code` is BERTH_CODE_UNSCHEDULABLE and so on. `reason` is plain text, not a format. */
berth_verdict_t berth_reject(berth_code_t code, const char *reason);

/* Returns the quantity of a scalar resource such as nvidia.com/gpu; 0 if absent. */
int64_t berth_scalar(const berth_list_scalar_t *scalars, const char *name);

/* Returns true if two C strings are equal. */
bool berth_equal(const char *one, const char *other);

/* Returns the current cycle, with its time in milliseconds since 1970 and its random seed. Only for a plugin with
 * `depends_on_cycle`. */
const berth_cycle_t *berth_cycle(void);

/* Writes a line to the host's log. `level` is BERTH_LOG_LEVEL_INFO and so on. `message` is a printf format. */
BERTH_PRINTF(2) void berth_log(berth_log_level_t level, const char *message, ...);

/* Readers of arguments. If a required field is missing, a field has a wrong value, or no reader read a field, the
 * plugin refuses the arguments with a message that names the field. A field is optional if its reader has the parameter
 * `otherwise`, which is then the value of an absent field. For a wrong or missing value, a reader also returns
 * `otherwise`, or NULL or 0 without this parameter. */

/* Reads a string that is not empty. */
const char *berth_text(berth_arguments *object, const char *field);
const char *berth_text_or(berth_arguments *object, const char *field, const char *otherwise);
bool berth_flag_or(berth_arguments *object, const char *field, bool otherwise);
/* Reads a whole number from `least` to `most`. */
int64_t berth_whole(berth_arguments *object, const char *field, int64_t least, int64_t most);
int64_t berth_whole_or(berth_arguments *object, const char *field, int64_t least, int64_t most, int64_t otherwise);
/* Reads a cpu quantity in millicores, written as in Kubernetes: 2, "2" or "500m". */
int64_t berth_cpu_or(berth_arguments *object, const char *field, int64_t otherwise);
/* Reads an object inside this object. An absent object is empty. */
berth_arguments *berth_object(berth_arguments *object, const char *field);
/* Reads an object whose fields are all whole numbers. An absent object is empty. */
typedef struct berth_map berth_map;
const berth_map *berth_whole_map(berth_arguments *object, const char *field, int64_t least, int64_t most);
/* Returns the number of a key in a map of berth_whole_map; `otherwise` if the key is absent. */
int64_t berth_number_of(const berth_map *map, const char *key, int64_t otherwise);
/* Refuses the arguments because of a field. `reason` is a printf format. */
BERTH_PRINTF(3) void berth_refuse(berth_arguments *object, const char *field, const char *reason, ...);

#endif
