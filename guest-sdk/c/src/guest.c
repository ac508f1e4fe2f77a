/* A running plugin: its description, its arguments, and the templates that it holds. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

typedef struct {
    uint32_t id;
    berth_pod_t pod;
} template_t;

/* The templates that the host sent, in no order. There are few, and a call looks for only one. */
static template_t *templates;
static size_t template_count, template_room;
static berth_cycle_t current;

/* The bindings need this function to link an object with the component's type. berth adds the type itself. */
void __component_type_object_force_link_berth(void) {}

__attribute__((weak)) void berth_configure(berth_arguments *arguments) {
    (void)arguments;
}

void exports_berth_scheduler_plugin_describe(exports_berth_scheduler_plugin_description_t *ret) {
    berth_give_text(&ret->name, berth_plugin.name);
    berth_give_text(&ret->version, berth_plugin.version ? berth_plugin.version : "0");
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
    berth_configure(arguments);
    const char *invalid = berth_arguments_error(arguments);
    if (invalid) {
        berth_say(error, "%s", invalid);
        return false;
    }
    berth_scope_t scope = berth_plugin.depends_on_cycle ? BERTH_SCOPE_CLUSTER : BERTH_SCOPE_NODE;
    *ret = (exports_berth_scheduler_plugin_declaration_t){
        .pod_facts = berth_plugin.pod_facts,
        .node_facts = berth_plugin.node_facts,
        .resident_pod_facts = berth_plugin.resident_pod_facts,
        .filter_scope = scope,
        .score_scope = scope,
        .normalization = berth_plugin.normalization,
    };
    return true;
}

static template_t *find(uint32_t id) {
    for (size_t at = 0; at < template_count; at++) {
        if (templates[at].id == id) return &templates[at];
    }
    return NULL;
}

static void forget(uint32_t id) {
    template_t *template = find(id);
    if (!template) return;
    exports_berth_scheduler_plugin_pod_free(&template->pod);
    *template = templates[--template_count];
}

void exports_berth_scheduler_plugin_hold_template(uint32_t id, berth_pod_t *pod) {
    forget(id);
    if (template_count == template_room) {
        template_room = template_room ? template_room * 2 : 8;
        templates = berth_grown(templates, template_room, sizeof *templates);
    }
    templates[template_count++] = (template_t){id, *pod};
}

void exports_berth_scheduler_plugin_forget_templates(exports_berth_scheduler_plugin_list_template_id_t *ids) {
    for (size_t at = 0; at < ids->len; at++) forget(ids->ptr[at]);
    exports_berth_scheduler_plugin_list_template_id_free(ids);
}

const berth_pod_t *berth_begin(const berth_cycle_t *cycle, berth_string_t *error) {
    current = *cycle;
    template_t *template = find(cycle->template_);
    if (template) return &template->pod;
    berth_say(error, "called with unknown template %u", cycle->template_);
    return NULL;
}

const berth_node_t *berth_asked_node(uint32_t id, berth_string_t *error) {
    static const berth_node_t nothing;
    const berth_node_t *node = berth_plugin.node_facts ? berth_known_node(id) : &nothing;
    if (!node) berth_say(error, "called with unknown node %u", id);
    return node;
}

const berth_cycle_t *berth_cycle(void) {
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
