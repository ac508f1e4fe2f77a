/* JSON as a tree, for arguments. */
#ifndef BERTH_SRC_JSON_H
#define BERTH_SRC_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    /* A text without its quotes and escapes, a number as it is written. */
    char *text;
    /* The name of a field of an object. */
    char *name;
    /* The next of its list or object. */
    struct json *next;
    /* The first element or field. */
    struct json *first;
} json;

/* Reads one value and nothing behind it. NULL where it is no JSON, with the byte in `wrong_at`. What was read never dies. */
json *json_parse(const char *text, size_t length, size_t *wrong_at);

/* The field's value; of equal names the last. NULL where there is none. */
json *json_field(json *object, const char *name);

#endif
