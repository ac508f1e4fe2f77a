/* What the parts of the SDK call of each other. */
#ifndef BERTH_SRC_GUEST_H
#define BERTH_SRC_GUEST_H

#include <stdarg.h>

#include "../berth_guest.h"

/* snapshot.c */
/* The node's facts; NULL where nothing was sent of it. */
const berth_node_t *berth_known_node(uint32_t id);

/* guest.c */
/* Begins a call about a cycle's pod; NULL, with `error` set, where its template is not held. */
const berth_pod_t *berth_begin(const berth_cycle_t *cycle, berth_string_t *error);
/* The node's facts; NULL, with `error` set, where nothing was sent of it. */
const berth_node_t *berth_asked_node(uint32_t id, berth_string_t *error);
/* A message for the host, with the plugin's name. */
BERTH_PRINTF(2) void berth_say(berth_string_t *to, const char *message, ...);

/* verdicts.c */
/* Forgets the reasons of the call before. */
void berth_verdicts_begin(void);
/* The distinct rejections of this call; the caller owns the copy. */
void berth_verdicts_finish(berth_list_status_t *outcomes);

/* arguments.c */
/* Reads JSON; the object never dies. NULL, with `error` set, where it is none. */
berth_arguments *berth_arguments_parse(const char *json, size_t length, char **error);
/* What is wrong with the arguments after they were read, a field that nothing read included; NULL where nothing is. */
const char *berth_arguments_error(berth_arguments *arguments);

/* text.c */
/* Formats into memory that the caller frees. */
char *berth_format(const char *format, va_list values);
BERTH_PRINTF(1) char *berth_formatted(const char *format, ...);
/* calloc and realloc that end the call where memory is out. */
void *berth_new(size_t count, size_t size);
void *berth_grown(void *old, size_t count, size_t size);
/* A contract's text of a C string, for the host, which frees it. */
void berth_give_text(berth_string_t *to, const char *text);

#endif
