/* The functions that the parts of the SDK call from each other. */
#ifndef BERTH_SRC_GUEST_H
#define BERTH_SRC_GUEST_H

#include <stdarg.h>

#include "../berth_guest.h"

/* snapshot.c */
/* Returns the node's facts; NULL if the host did not send the node. */
const berth_node *berth_known_node(uint32_t id);
/* Frees what a pod consists of. */
void berth_pod_clear(berth_pod *pod);

/* guest.c */
/* Starts a call about a cycle's pod, and returns the pod. Returns NULL and sets `error` if the plugin does not
 * know the pod signature. */
const berth_pod *berth_begin(const berth_cycle_t *cycle, berth_string_t *error);
/* Returns the node's facts. Returns NULL and sets `error` if the host did not send the node. */
const berth_node *berth_asked_node(uint32_t id, berth_string_t *error);
/* Makes a message for the host, with the plugin's name. */
BERTH_PRINTF(2) void berth_say(berth_string_t *to, const char *message, ...);

/* reads.c */
/* Forgets the undeclared reads of the previous call. */
void berth_reads_begin(void);
/* Returns true if the call read nothing undeclared. Otherwise, sets `error`. */
bool berth_reads_are_declared(berth_string_t *error);
/* Fails the call, because the plugin reads something that a member of berth_plugin does not declare. */
void berth_undeclared_member(const char *what, const char *member);
/* Return a declaration for the host, which frees it. */
berth_pod_reads_t berth_declared_pod(const berth_reads_t *reads);
berth_node_reads_t berth_declared_node(const berth_reads_t *reads);
/* Returns true if the plugin reads anything of this. */
bool berth_reads_any(const berth_reads_t *reads);
/* Returns true if the plugin reads further fields of this. */
bool berth_reads_any_field(const berth_reads_t *reads);
/* Returns true if a name that the plugin declares permits to read `name`. */
typedef bool berth_is_declared(const char *declared, const char *name);
bool berth_reads_find(const berth_reads_t *reads, berth_list_of_reads list, berth_is_declared *declares,
                      const char *name);
/* Removes what berth_read added. */
void berth_reads_reset(void);

/* verdicts.c */
/* Forgets the rejections of the previous call. */
void berth_verdicts_begin(void);
/* Returns the distinct rejections of this call. The caller owns the copy. */
void berth_verdicts_finish(berth_list_status_t *outcomes);

/* arguments.c */
/* Parses the arguments. The object is never freed. Returns NULL and sets `error` if the JSON is invalid or not an
 * object. */
berth_arguments *berth_arguments_parse(const char *json, size_t length, char **error);
/* Returns the first error in the arguments after they were read, including fields that nothing read; NULL if there
 * is none. */
const char *berth_arguments_error(berth_arguments *arguments);

/* text.c */
/* Format a text into new memory, which the caller frees. */
char *berth_format(const char *format, va_list values);
BERTH_PRINTF(1) char *berth_formatted(const char *format, ...);
/* Allocate like calloc and realloc, and abort the call if memory runs out. */
void *berth_new(size_t count, size_t size);
void *berth_grown(void *old, size_t count, size_t size);
/* Copies a C string into a string of the contract, which the host frees. */
void berth_give_text(berth_string_t *to, const char *text);

#endif
