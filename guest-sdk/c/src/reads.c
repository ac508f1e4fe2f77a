/* What the plugin reads, and the refusal of reads that it does not declare. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

/* The first undeclared read of this call; NULL if there is none. */
static char *undeclared;

/* Remembers an undeclared read. Only the first of a call counts. */
static void refuse(char *message) {
    if (undeclared) free(message);
    else undeclared = message;
}

static const char *name_of(const berth_reads_t *reads) {
    if (reads == &berth_plugin.pod) return "pod";
    if (reads == &berth_plugin.node) return "node";
    return reads == berth_plugin.resident_pods ? "resident_pods" : "pending_pods";
}

void berth_undeclared(const berth_reads_t *reads, berth_list_of_reads list, const char *name) {
    static const char *kinds[] = {"fact", "label key", "annotation key", "field"};
    static const char *lists[] = {"facts", "label_keys", "annotation_keys", "fields"};
    if (undeclared) return;
    char *shown = berth_formatted("%s", name);
    for (char *at = shown; list == BERTH_OF_FACTS && *at; at++) *at = (char)tolower(*at);
    refuse(berth_formatted("it reads the %s \"%s\" without declaring it: add it to %s.%s", kinds[list], shown,
                           name_of(reads), lists[list]));
    free(shown);
}

void berth_undeclared_member(const char *what, const char *member) {
    refuse(berth_formatted("it reads %s without declaring it: set %s", what, member));
}

void berth_reads_begin(void) {
    free(undeclared);
    undeclared = NULL;
}

bool berth_reads_are_declared(berth_string_t *error) {
    if (undeclared) berth_say(error, "%s", undeclared);
    return !undeclared;
}

/* A key or a path that the plugin declares in berth_configure. */
typedef struct {
    const berth_reads_t *reads;
    berth_list_of_reads list;
    const char *name;
} added_t;

static added_t *added;
static size_t added_count;

void berth_read(const berth_reads_t *reads, berth_list_of_reads list, const char *name) {
    if (!name) return;
    added = berth_grown(added, added_count + 1, sizeof *added);
    added[added_count++] = (added_t){reads, list, name};
}

void berth_reads_reset(void) {
    added_count = 0;
}

static const char *const *list_of(const berth_reads_t *reads, berth_list_of_reads list) {
    if (list == BERTH_OF_FIELDS) return reads->fields;
    return list == BERTH_OF_LABEL_KEYS ? reads->label_keys : reads->annotation_keys;
}

bool berth_reads_find(const berth_reads_t *reads, berth_list_of_reads list, berth_is_declared *declares,
                      const char *name) {
    for (const char *const *declared = list_of(reads, list); declared && *declared; declared++) {
        if (declares(*declared, name)) return true;
    }
    for (size_t at = 0; at < added_count; at++) {
        if (added[at].reads == reads && added[at].list == list && declares(added[at].name, name)) return true;
    }
    return false;
}

static bool anything(const char *declared, const char *name) {
    (void)declared, (void)name;
    return true;
}

bool berth_reads_any_field(const berth_reads_t *reads) {
    return berth_reads_find(reads, BERTH_OF_FIELDS, anything, NULL);
}

bool berth_reads_any(const berth_reads_t *reads) {
    bool any = reads->facts != 0;
    for (berth_list_of_reads list = BERTH_OF_LABEL_KEYS; list <= BERTH_OF_FIELDS; list++) {
        any |= berth_reads_find(reads, list, anything, NULL);
    }
    return any;
}

static void give(berth_list_string_t *list, const char *name) {
    list->ptr = berth_grown(list->ptr, list->len + 1, sizeof *list->ptr);
    berth_give_text(&list->ptr[list->len++], name);
}

static berth_list_string_t given(const berth_reads_t *reads, berth_list_of_reads list) {
    berth_list_string_t names = {0};
    for (const char *const *declared = list_of(reads, list); declared && *declared; declared++) give(&names, *declared);
    for (size_t at = 0; at < added_count; at++) {
        if (added[at].reads == reads && added[at].list == list) give(&names, added[at].name);
    }
    return names;
}

berth_pod_reads_t berth_declared_pod(const berth_reads_t *reads) {
    return (berth_pod_reads_t){
        .facts = reads->facts,
        .label_keys = given(reads, BERTH_OF_LABEL_KEYS),
        .annotation_keys = given(reads, BERTH_OF_ANNOTATION_KEYS),
        .fields = given(reads, BERTH_OF_FIELDS),
    };
}

berth_node_reads_t berth_declared_node(const berth_reads_t *reads) {
    return (berth_node_reads_t){
        .facts = (berth_node_facts_t)reads->facts,
        .label_keys = given(reads, BERTH_OF_LABEL_KEYS),
        .annotation_keys = given(reads, BERTH_OF_ANNOTATION_KEYS),
        .fields = given(reads, BERTH_OF_FIELDS),
    };
}

static bool is_same(const char *declared, const char *key) {
    return declared == key || berth_equal(declared, key);
}

/* Returns the value of a key in labels or annotations, of which the plugin reads all or those with keys in the list. */
static const char *value_of(const berth_list_label_t *labels, const char *key, const berth_reads_t *reads, bool all,
                            berth_list_of_reads list) {
    if (!all && !berth_reads_find(reads, list, is_same, key)) {
        berth_undeclared(reads, list, key);
        return NULL;
    }
    size_t length = strlen(key);
    for (size_t at = 0; at < labels->len; at++) {
        const berth_label_t *label = &labels->ptr[at];
        if (label->key.len == length && memcmp(label->key.ptr, key, length) == 0) return (const char *)label->value.ptr;
    }
    return NULL;
}

const char *berth_pod_label(const berth_pod *pod, const char *key) {
    bool all = pod->reads->facts & BERTH_POD_FACTS_LABELS;
    return value_of(&pod->unchecked.labels, key, pod->reads, all, BERTH_OF_LABEL_KEYS);
}

const char *berth_pod_annotation(const berth_pod *pod, const char *key) {
    bool all = pod->reads->facts & BERTH_POD_FACTS_ANNOTATIONS;
    return value_of(&pod->unchecked.annotations, key, pod->reads, all, BERTH_OF_ANNOTATION_KEYS);
}

const char *berth_node_label(const berth_node *node, const char *key) {
    bool all = berth_plugin.node.facts & BERTH_NODE_FACTS_LABELS;
    return value_of(&node->unchecked.labels, key, &berth_plugin.node, all, BERTH_OF_LABEL_KEYS);
}

const char *berth_node_annotation(const berth_node *node, const char *key) {
    bool all = berth_plugin.node.facts & BERTH_NODE_FACTS_ANNOTATIONS;
    return value_of(&node->unchecked.annotations, key, &berth_plugin.node, all, BERTH_OF_ANNOTATION_KEYS);
}
