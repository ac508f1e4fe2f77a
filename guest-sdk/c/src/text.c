/* Memory and strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

void *berth_new(size_t count, size_t size) {
    void *made = calloc(count ? count : 1, size);
    if (!made) abort();
    return made;
}

void *berth_grown(void *old, size_t count, size_t size) {
    void *grown = realloc(old, count * size);
    if (!grown) abort();
    return grown;
}

/* The host allocates the values that it sends through this function. Only strings have alignment 1. They get a NUL
 * after them, so that they are C strings without copying. The generated code does not free memory of length 0. */
#ifdef __wasm__
__attribute__((__export_name__("cabi_realloc")))
#endif
void *cabi_realloc(void *old, size_t old_size, size_t alignment, size_t size) {
    static char empty[16];
    if (size == 0) return alignment <= 1 ? (void *)empty : (void *)alignment;
    if (alignment > 1) return berth_grown(old, 1, size);
    char *text = berth_grown(old_size ? old : NULL, 1, size + 1);
    text[size] = 0;
    return text;
}

char *berth_format(const char *format, va_list values) {
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    if (length < 0) abort();
    char *text = berth_new((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *berth_formatted(const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *text = berth_format(format, values);
    va_end(values);
    return text;
}

void berth_give_text(berth_string_t *to, const char *text) {
    to->len = strlen(text);
    to->ptr = cabi_realloc(NULL, 0, 1, to->len);
    memcpy(to->ptr, text, to->len);
}

bool berth_equal(const char *one, const char *other) {
    return strcmp(one, other) == 0;
}

int64_t berth_scalar(const berth_list_scalar_t *scalars, const char *name) {
    for (size_t at = 0; at < scalars->len; at++) {
        if (berth_equal((const char *)scalars->ptr[at].name.ptr, name)) return scalars->ptr[at].quantity;
    }
    return 0;
}

void berth_log(berth_log_level_t level, const char *message, ...) {
    va_list values;
    va_start(values, message);
    char *text = berth_format(message, values);
    va_end(values);
    berth_string_t line = {(uint8_t *)text, strlen(text)};
    berth_log_write(level, &line);
    free(text);
}
