/* JSON as a tree. */
#ifndef BERTH_SRC_JSON_H
#define BERTH_SRC_JSON_H

#include "../berth_guest.h"

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

struct berth_json {
    json_kind kind;
    /* A string without its quotes and escapes, or a number as written. */
    char *text;
    /* The field's name, in an object. */
    char *name;
    /* The next element or field of the same list or object; NULL after the last one. */
    struct berth_json *next;
    /* The first element of a list or field of an object; NULL if there is none. */
    struct berth_json *first;
};

/* Parses one value with nothing after it. On error, returns NULL and sets `wrong_at` to the position of the wrong byte,
 * and does not free what it parsed. */
berth_json *json_parse(const char *text, size_t length, size_t *wrong_at);

/* Frees a tree. NULL is allowed. */
void json_free(berth_json *value);

/* Returns the field's value. If several fields have the name, the last field counts. Returns NULL if absent. */
berth_json *json_field(berth_json *object, const char *name);

#endif
