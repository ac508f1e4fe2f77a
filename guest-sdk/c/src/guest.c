/* A running plugin: its description, its arguments, and the pods that it knows by signature. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

typedef struct {
    uint32_t id;
    berth_pod pod;
} signature_t;

/* The pod signatures that the host sent, in no order. There are few, and a call looks for only one. */
static signature_t *signatures;
static size_t signature_count, signature_room;
static berth_cycle_t current;

/* The bindings need this function to link an object with the component's type. berth adds the type itself. */
void __component_type_object_force_link_berth(void) {}

__attribute__((weak)) void berth_configure(berth_arguments *arguments) {
    (void)arguments;
}

void exports_berth_scheduler_plugin_describe(exports_berth_scheduler_plugin_description_t *ret) {
    berth_give_text(&ret->name, berth_plugin.name);
    berth_give_text(&ret->version, berth_plugin.version ? berth_plugin.version : "0");
    ret->arguments.is_some = berth_plugin.arguments != NULL;
    if (berth_plugin.arguments) berth_give_text(&ret->arguments.val, berth_plugin.arguments);
}

bool exports_berth_scheduler_plugin_configure(berth_string_t *json, exports_berth_scheduler_plugin_declaration_t *ret,
                                              berth_string_t *error) {
    char *unreadable = NULL;
    berth_arguments *arguments = berth_arguments_parse((const char *)json->ptr, json->len, &unreadable);
    berth_string_free(json);
    if (!arguments) {
        berth_say(error, "arguments: %s", unreadable);
        free(unreadable);
        return false;
    }
    berth_reads_reset();
    berth_configure(arguments);
    const char *invalid = berth_arguments_error(arguments);
    if (invalid) {
        berth_say(error, "%s", invalid);
        return false;
    }
    /* Answers of scope node do not depend on pending pods. */
    bool beyond_node = berth_plugin.depends_on_cycle || berth_plugin.pending_pods;
    berth_scope_t scope = beyond_node ? BERTH_SCOPE_CLUSTER : BERTH_SCOPE_NODE;
    *ret = (exports_berth_scheduler_plugin_declaration_t){
        .pod = berth_declared_pod(&berth_plugin.pod),
        .node = berth_declared_node(&berth_plugin.node),
        .resident_pods.is_some = berth_plugin.resident_pods != NULL,
        .pending_pods.is_some = berth_plugin.pending_pods != NULL,
        .reads_time = berth_plugin.depends_on_cycle,
        .filter_scope = scope,
        .score_scope = scope,
        .normalization = berth_plugin.normalization,
    };
    if (berth_plugin.resident_pods) ret->resident_pods.val = berth_declared_pod(berth_plugin.resident_pods);
    if (berth_plugin.pending_pods) ret->pending_pods.val = berth_declared_pod(berth_plugin.pending_pods);
    return true;
}

static signature_t *find(uint32_t id) {
    for (size_t at = 0; at < signature_count; at++) {
        if (signatures[at].id == id) return &signatures[at];
    }
    return NULL;
}

static void drop(uint32_t id) {
    signature_t *signature = find(id);
    if (!signature) return;
    berth_pod_clear(&signature->pod);
    *signature = signatures[--signature_count];
}

void exports_berth_scheduler_plugin_add_signature(uint32_t id, berth_pod_t *pod) {
    drop(id);
    if (signature_count == signature_room) {
        signature_room = signature_room ? signature_room * 2 : 8;
        signatures = berth_grown(signatures, signature_room, sizeof *signatures);
    }
    signatures[signature_count++] = (signature_t){id, {.reads = &berth_plugin.pod, .unchecked = *pod}};
}

void exports_berth_scheduler_plugin_remove_signatures(exports_berth_scheduler_plugin_list_pod_signature_id_t *ids) {
    for (size_t at = 0; at < ids->len; at++) drop(ids->ptr[at]);
    exports_berth_scheduler_plugin_list_pod_signature_id_free(ids);
}

const berth_pod *berth_begin(const berth_cycle_t *cycle, berth_string_t *error) {
    current = *cycle;
    berth_reads_begin();
    signature_t *signature = find(cycle->signature);
    if (signature) return &signature->pod;
    berth_say(error, "called with unknown pod signature %u", cycle->signature);
    return NULL;
}

const berth_node *berth_asked_node(uint32_t id, berth_string_t *error) {
    static const berth_node nothing;
    const berth_node *node = berth_known_node(id);
    if (node) return node;
    if (!berth_reads_any(&berth_plugin.node) && !berth_plugin.resident_pods) return &nothing;
    berth_say(error, "called with unknown node %u", id);
    return NULL;
}

const berth_cycle_t *berth_cycle(void) {
    if (!berth_plugin.depends_on_cycle) berth_undeclared_member("the cycle", "depends_on_cycle");
    return &current;
}

void berth_say(berth_string_t *to, const char *message, ...) {
    va_list values;
    va_start(values, message);
    char *text = berth_format(message, values);
    va_end(values);
    char *line = berth_formatted("%s: %s", berth_plugin.name, text);
    berth_give_text(to, line);
    free(line);
    free(text);
}
