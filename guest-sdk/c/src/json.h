/* JSON as a tree, for arguments. */
#ifndef BERTH_SRC_JSON_H
#define BERTH_SRC_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    /* A string without its quotes and escapes, or a number as written. */
    char *text;
    /* The field's name, in an object. */
    char *name;
    /* The next element or field of the same list or object. */
    struct json *next;
    /* The first element or field. */
    struct json *first;
} json;

/* Parses one value with nothing after it. Returns NULL on error, and the byte's position in `wrong_at`. The tree
 * is never freed. */
json *json_parse(const char *text, size_t length, size_t *wrong_at);

/* Returns the field's value; the last one of several equal names. Returns NULL if absent. */
json *json_field(json *object, const char *name);

#endif
