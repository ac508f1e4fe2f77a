/* Further fields of pods and nodes: values in JSON by their paths. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "json.h"

/* A step of a path: the name of a field. */
typedef struct {
    const char *name;
    size_t length;
} step_t;

/* Reads the next step of a path, which is `name`, `.name` or `["name"]`. Returns false at the end of the path. */
static bool next_step(const char **path, step_t *step) {
    const char *at = *path;
    if (!*at) return false;
    const char *quoted_end = strncmp(at, "[\"", 2) == 0 ? strstr(at + 2, "\"]") : NULL;
    if (quoted_end) {
        *step = (step_t){at + 2, (size_t)(quoted_end - at - 2)};
        *path = quoted_end + 2;
    } else {
        if (*at == '.') at++;
        *step = (step_t){at, strcspn(at, ".[")};
        *path = at + step->length;
        /* Another bracket is not valid in a path. It is read as a part of the name, so that the path ends. */
        if (step->length == 0) *path += strlen(*path);
    }
    return true;
}

static bool is_same(step_t step, const char *name, size_t length) {
    return step.length == length && memcmp(step.name, name, length) == 0;
}

/* Returns true if the path leads to the declared field or to a field below it. */
static bool covers(const char *declared, const char *path) {
    step_t one, other;
    while (next_step(&declared, &one)) {
        if (!next_step(&path, &other) || !is_same(one, other.name, other.length)) return false;
    }
    return true;
}

static void check(const berth_reads_t *reads, const char *path) {
    if (!berth_reads_find(reads, BERTH_OF_FIELDS, covers, path)) berth_undeclared(reads, BERTH_OF_FIELDS, path);
}

/* Returns the value with this index of a path that starts at `value`. Each value before it reduces the index by one. */
static const berth_json *find(const berth_json *value, const char *path, size_t *index) {
    step_t step;
    const char *rest = path;
    if (!next_step(&rest, &step)) return (*index)-- == 0 ? value : NULL;
    const berth_json *found = NULL;
    for (const berth_json *member = value->first; member && !found; member = member->next) {
        if (value->kind == JSON_LIST) found = find(member, path, index);
        else if (is_same(step, member->name, strlen(member->name))) found = find(member, rest, index);
    }
    return found;
}

/* Parses the fields when they are read first. */
static const berth_json *parsed(berth_json **known, const berth_string_t *fields) {
    size_t wrong_at;
    if (!*known && fields->len) *known = json_parse((const char *)fields->ptr, fields->len, &wrong_at);
    return *known;
}

const char *berth_pod_fields(const berth_pod *pod) {
    if (!berth_reads_any_field(pod->reads)) berth_undeclared_member("further fields of a pod", "its fields");
    return berth_c_string(&pod->unchecked.fields);
}

const char *berth_node_fields(const berth_node *node) {
    if (!berth_reads_any_field(&berth_plugin.node)) berth_undeclared_member("further fields of a node", "node.fields");
    return berth_c_string(&node->unchecked.fields);
}

const berth_json *berth_pod_field_at(const berth_pod *pod, const char *path, size_t index) {
    check(pod->reads, path);
    const berth_json *fields = parsed(&((berth_pod *)pod)->parsed, &pod->unchecked.fields);
    return fields ? find(fields, path, &index) : NULL;
}

const berth_json *berth_node_field_at(const berth_node *node, const char *path, size_t index) {
    check(&berth_plugin.node, path);
    const berth_json *fields = parsed(&((berth_node *)node)->parsed, &node->unchecked.fields);
    return fields ? find(fields, path, &index) : NULL;
}

const berth_json *berth_pod_field(const berth_pod *pod, const char *path) {
    return berth_pod_field_at(pod, path, 0);
}

const berth_json *berth_node_field(const berth_node *node, const char *path) {
    return berth_node_field_at(node, path, 0);
}

const berth_json *berth_json_field(const berth_json *value, const char *path) {
    size_t index = 0;
    return value ? find(value, path, &index) : NULL;
}

const char *berth_json_text(const berth_json *value) {
    return value && value->kind == JSON_TEXT ? value->text : NULL;
}

int64_t berth_json_whole(const berth_json *value, int64_t otherwise) {
    if (!value || value->kind != JSON_NUMBER) return otherwise;
    char *end;
    errno = 0;
    int64_t number = strtoll(value->text, &end, 10);
    return *end || errno ? otherwise : number;
}

bool berth_json_flag(const berth_json *value, bool otherwise) {
    if (!value || (value->kind != JSON_TRUE && value->kind != JSON_FALSE)) return otherwise;
    return value->kind == JSON_TRUE;
}

const berth_json *berth_json_first(const berth_json *value) {
    return value ? value->first : NULL;
}

const berth_json *berth_json_next(const berth_json *value) {
    return value ? value->next : NULL;
}

const char *berth_json_name(const berth_json *value) {
    return value ? value->name : NULL;
}
