/* Parses JSON (RFC 8259). */
#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

/* The deepest nesting of lists and objects. */
#define DEPTH 64

typedef struct {
    const char *at, *end;
    int depth;
} reader;

static berth_json *value(reader *from);

static void space(reader *from) {
    while (from->at < from->end && strchr(" \t\r\n", *from->at)) from->at++;
}

static bool take(reader *from, char expected) {
    space(from);
    if (from->at >= from->end || *from->at != expected) return false;
    from->at++;
    return true;
}

static bool word(reader *from, const char *expected) {
    size_t length = strlen(expected);
    if ((size_t)(from->end - from->at) < length || memcmp(from->at, expected, length) != 0) return false;
    from->at += length;
    return true;
}

static berth_json *made(json_kind kind, char *text) {
    berth_json *new = berth_new(1, sizeof *new);
    new->kind = kind;
    new->text = text;
    return new;
}

/* Reads four hexadecimal digits. Returns -1 if there are not four. */
static int32_t unit(reader *from) {
    int32_t unit = 0;
    for (int digit = 0; digit < 4; digit++, from->at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *found = from->at < from->end && *from->at ? strchr(digits, *from->at) : NULL;
        if (!found) return -1;
        int number = (int)(found - digits);
        unit = unit * 16 + (number < 16 ? number : number - 6);
    }
    return unit;
}

static char *utf8(char *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(lead[more] | code >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

/* Reads \uXXXX, or a surrogate pair for a character beyond U+FFFF. Returns NULL on error. Refuses U+0000, as
 * strings are C strings. */
static char *unicode(reader *from, char *to) {
    int32_t high = unit(from), low;
    if (high <= 0) return NULL;
    if (high < 0xd800 || high > 0xdfff) return utf8(to, (uint32_t)high);
    if (high > 0xdbff || !word(from, "\\u") || (low = unit(from)) < 0xdc00 || low > 0xdfff) return NULL;
    return utf8(to, 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
}

/* Returns the length of a string, with its escapes and without its quotes. */
static size_t length_of(const reader *from) {
    const char *at = from->at;
    while (at < from->end && *at != '"') at += *at == '\\' && at + 1 < from->end ? 2 : 1;
    return (size_t)(at - from->at);
}

/* Reads a string after its opening quote. The buffer is large enough, as an escape is never shorter than its
 * character. */
static char *text(reader *from) {
    char *text = berth_new(length_of(from) + 1, 1), *to = text;
    while (from->at < from->end && *from->at != '"') {
        char next = *from->at++;
        if ((uint8_t)next < 0x20) return NULL;
        if (next != '\\') {
            *to++ = next;
            continue;
        }
        static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
        char escape = from->at < from->end ? *from->at++ : 0;
        const char *known = escape ? strchr(escapes, escape) : NULL;
        if (known) *to++ = meant[known - escapes];
        else if (escape != 'u' || !(to = unicode(from, to))) return NULL;
    }
    return take(from, '"') ? text : NULL;
}

static bool digits(reader *from) {
    const char *begin = from->at;
    while (from->at < from->end && *from->at >= '0' && *from->at <= '9') from->at++;
    return from->at > begin;
}

static berth_json *number(reader *from) {
    const char *begin = from->at;
    word(from, "-");
    if (!word(from, "0") && !digits(from)) return NULL;
    if (word(from, ".") && !digits(from)) return NULL;
    if (word(from, "e") || word(from, "E")) {
        if (!word(from, "+")) word(from, "-");
        if (!digits(from)) return NULL;
    }
    size_t length = (size_t)(from->at - begin);
    return made(JSON_NUMBER, memcpy(berth_new(length + 1, 1), begin, length));
}

/* Reads elements or fields after the opening bracket. */
static berth_json *members(reader *from, json_kind kind, char close) {
    berth_json *parent = made(kind, NULL), **next = &parent->first;
    if (take(from, close)) return parent;
    do {
        char *name = NULL;
        if (kind == JSON_OBJECT && (!take(from, '"') || !(name = text(from)) || !take(from, ':'))) return NULL;
        if (!(*next = value(from))) return NULL;
        (*next)->name = name;
        next = &(*next)->next;
    } while (take(from, ','));
    return take(from, close) ? parent : NULL;
}

static berth_json *nested(reader *from, json_kind kind, char close) {
    if (++from->depth > DEPTH) return NULL;
    berth_json *parent = members(from, kind, close);
    from->depth--;
    return parent;
}

static berth_json *value(reader *from) {
    char *read;
    if (take(from, '{')) return nested(from, JSON_OBJECT, '}');
    if (take(from, '[')) return nested(from, JSON_LIST, ']');
    if (take(from, '"')) return (read = text(from)) ? made(JSON_TEXT, read) : NULL;
    if (word(from, "true")) return made(JSON_TRUE, NULL);
    if (word(from, "false")) return made(JSON_FALSE, NULL);
    if (word(from, "null")) return made(JSON_NULL, NULL);
    return number(from);
}

berth_json *json_parse(const char *text, size_t length, size_t *wrong_at) {
    reader from = {text, text + length, 0};
    berth_json *parent = value(&from);
    space(&from);
    if (parent && from.at == from.end) return parent;
    *wrong_at = (size_t)(from.at - text);
    return NULL;
}

void json_free(berth_json *value) {
    if (!value) return;
    for (berth_json *member = value->first, *next; member; member = next) {
        next = member->next;
        json_free(member);
    }
    free(value->text);
    free(value->name);
    free(value);
}

berth_json *json_field(berth_json *object, const char *name) {
    berth_json *found = NULL;
    for (berth_json *field = object->first; field; field = field->next) {
        if (berth_equal(field->name, name)) found = field;
    }
    return found;
}
