/* A plugin's arguments. Fields are read one by one, and the host gets the first error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "json.h"

/* An object of the arguments. The outermost object has no parent. */
struct berth_arguments {
    berth_arguments *parent;
    const char *name;
    berth_json *object;
    /* The names of the fields that were read. */
    const char **read;
    size_t read_count;
    /* The objects inside this object that were read, as a linked list. */
    berth_arguments *first, *next;
    /* The first error. Only used in the outermost object. */
    char *error;
};

static berth_arguments *made(berth_arguments *parent, const char *name, berth_json *object) {
    berth_arguments *new = berth_new(1, sizeof *new);
    *new = (berth_arguments){.parent = parent, .name = name, .object = object, .next = parent ? parent->first : NULL};
    if (parent) parent->first = new;
    return new;
}

static char *path_of(berth_arguments *object, const char *field) {
    if (!object->parent) return berth_formatted("%s", field);
    char *parent = path_of(object->parent, object->name);
    char *path = berth_formatted("%s.%s", parent, field);
    free(parent);
    return path;
}

static void refuse(berth_arguments *object, const char *field, const char *reason) {
    berth_arguments *outermost = object;
    while (outermost->parent) outermost = outermost->parent;
    if (outermost->error) return;
    char *path = path_of(object, field);
    outermost->error = berth_formatted("%s: %s", path, reason);
    free(path);
}

void berth_refuse(berth_arguments *object, const char *field, const char *reason, ...) {
    va_list values;
    va_start(values, reason);
    char *message = berth_format(reason, values);
    va_end(values);
    refuse(object, field, message);
    free(message);
}

static berth_json *field_of(berth_arguments *object, const char *field) {
    object->read = berth_grown(object->read, object->read_count + 1, sizeof *object->read);
    object->read[object->read_count++] = field;
    return json_field(object->object, field);
}

static bool was_read(berth_arguments *object, const char *field) {
    for (size_t at = 0; at < object->read_count; at++) {
        if (berth_equal(object->read[at], field)) return true;
    }
    return false;
}

static void refuse_unread(berth_arguments *object) {
    for (berth_json *field = object->object->first; field; field = field->next) {
        if (!was_read(object, field->name)) refuse(object, field->name, "unknown field");
    }
    for (berth_arguments *within = object->first; within; within = within->next) refuse_unread(within);
}

berth_arguments *berth_arguments_parse(const char *text, size_t length, char **error) {
    size_t wrong_at = 0;
    berth_json *read = json_parse(text, length, &wrong_at);
    if (!read || read->kind != JSON_OBJECT) {
        *error = read ? berth_formatted("expected an object")
                      : berth_formatted("malformed JSON at byte %zu", wrong_at + 1);
        return NULL;
    }
    berth_arguments *arguments = made(NULL, NULL, read);
    /* A KubeSchedulerConfiguration allows these in every kind of arguments. */
    field_of(arguments, "apiVersion");
    field_of(arguments, "kind");
    return arguments;
}

const char *berth_arguments_error(berth_arguments *arguments) {
    refuse_unread(arguments);
    return arguments->error;
}

const char *berth_text(berth_arguments *object, const char *field) {
    berth_json *found = field_of(object, field);
    if (found && found->kind == JSON_TEXT && *found->text) return found->text;
    refuse(object, field, "expected a string that is not empty");
    return NULL;
}

const char *berth_text_or(berth_arguments *object, const char *field, const char *otherwise) {
    berth_json *found = field_of(object, field);
    if (found && found->kind == JSON_TEXT) return found->text;
    if (found) refuse(object, field, "expected a string");
    return otherwise;
}

bool berth_flag_or(berth_arguments *object, const char *field, bool otherwise) {
    berth_json *found = field_of(object, field);
    if (found && (found->kind == JSON_TRUE || found->kind == JSON_FALSE)) return found->kind == JSON_TRUE;
    if (found) refuse(object, field, "expected true or false");
    return otherwise;
}

static bool whole_number(berth_json *found, int64_t least, int64_t most, int64_t *number) {
    if (found->kind != JSON_NUMBER) return false;
    char *end;
    errno = 0;
    *number = strtoll(found->text, &end, 10);
    return !*end && !errno && *number >= least && *number <= most;
}

static int64_t whole(berth_arguments *object, berth_json *found, const char *field, int64_t least, int64_t most) {
    int64_t number = 0;
    if (found && whole_number(found, least, most, &number)) return number;
    berth_refuse(object, field, "expected a whole number from %lld to %lld", (long long)least, (long long)most);
    return 0;
}

int64_t berth_whole(berth_arguments *object, const char *field, int64_t least, int64_t most) {
    return whole(object, field_of(object, field), field, least, most);
}

int64_t berth_whole_or(berth_arguments *object, const char *field, int64_t least, int64_t most, int64_t otherwise) {
    berth_json *found = field_of(object, field);
    return found ? whole(object, found, field, least, most) : otherwise;
}

int64_t berth_cpu_or(berth_arguments *object, const char *field, int64_t otherwise) {
    berth_json *found = field_of(object, field);
    if (!found) return otherwise;
    if (found->kind == JSON_NUMBER || found->kind == JSON_TEXT) {
        size_t length = strspn(found->text, "0123456789");
        const char *unit = found->text + length;
        if (length > 0 && length <= 12 && (!*unit || berth_equal(unit, "m"))) {
            return strtoll(found->text, NULL, 10) * (*unit ? 1 : 1000);
        }
    }
    refuse(object, field, "expected cpu as in 2 or \"500m\"");
    return otherwise;
}

berth_arguments *berth_object(berth_arguments *object, const char *field) {
    berth_json *found = field_of(object, field);
    if (found && found->kind == JSON_OBJECT) return made(object, field, found);
    if (found) refuse(object, field, "expected an object");
    return made(object, field, berth_new(1, sizeof(berth_json)));
}

struct berth_map {
    size_t count;
    struct entry {
        const char *key;
        int64_t number;
    } entries[];
};

static int by_key(const void *one, const void *other) {
    return strcmp(((const struct entry *)one)->key, ((const struct entry *)other)->key);
}

const berth_map *berth_whole_map(berth_arguments *object, const char *field, int64_t least, int64_t most) {
    berth_arguments *given = berth_object(object, field);
    size_t count = 0;
    for (berth_json *entry = given->object->first; entry; entry = entry->next) count++;
    berth_map *map = berth_new(1, sizeof *map + count * sizeof *map->entries);
    for (berth_json *entry = given->object->first; entry; entry = entry->next) {
        /* As for fields, the last of several equal keys counts. */
        if (json_field(given->object, entry->name) != entry) continue;
        map->entries[map->count++] = (struct entry){entry->name, berth_whole(given, entry->name, least, most)};
    }
    qsort(map->entries, map->count, sizeof *map->entries, by_key);
    return map;
}

int64_t berth_number_of(const berth_map *map, const char *key, int64_t otherwise) {
    struct entry sought = {.key = key};
    struct entry *found = bsearch(&sought, map->entries, map->count, sizeof sought, by_key);
    return found ? found->number : otherwise;
}
