/* A host for tests. The host sends nodes and pods to a plugin as Berth does. A test includes the plugin's file and
 * runs natively. A process has one plugin and one cluster of at most 64 nodes, removed nodes included. A failed
 * call of the score ends the process. */
#ifndef BERTH_TESTING_H
#define BERTH_TESTING_H

#include "berth_guest.h"

/* Labels as alternating keys and values: BERTH_LABELS("zone", "a", "arch", "amd64"). */
#define BERTH_LABELS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A node for tests, with room for 110 pods. The host keeps the pointer `name`. `labels` is BERTH_LABELS(...), or NULL
 * for no labels. `fields` is JSON, or NULL for none. Facts
 * without a field are empty. Cpu is in millicores. */
typedef struct {
    const char *name;
    const char *const *labels;
    int64_t milli_cpu, used_milli_cpu;
    const char *fields;
} berth_test_node_t;

/* A pod for tests. `labels` is BERTH_LABELS(...), or NULL for no labels. `milli_cpu` is the requested cpu, in
 * millicores. `fields` is JSON, or NULL for none. Facts without a field are empty. */
typedef struct {
    const char *const *labels;
    int64_t milli_cpu;
    const char *fields;
} berth_test_pod_t;

/* Configures the plugin with arguments in JSON. Returns the plugin's message if the plugin refuses the arguments, and
 * NULL otherwise. */
const char *berth_test_configure(const char *json);

/* Adds a node, or replaces the node of this name. */
void berth_test_node(berth_test_node_t node);
void berth_test_remove_node(const char *name);

/* Returns the filter's answer about a node: "fits", or the code and the first reason, as in
 * "Unschedulable: Insufficient cpu". For a failed call, returns "failed: " and the message. */
const char *berth_test_filter(berth_test_pod_t pod, const char *node);
/* Returns the raw score of a node. */
int64_t berth_test_score(berth_test_pod_t pod, const char *node);

/* Check that two strings are equal (NULL equals NULL), that the string `got` contains `part`, or that two numbers are
 * equal. A failed check is printed with its description, and the test continues. */
void berth_test_same(const char *description, const char *got, const char *expected);
void berth_test_contains(const char *description, const char *got, const char *part);
void berth_test_equal(const char *description, int64_t got, int64_t expected);

/* Prints the number of checks. Returns the result of main: 0 if at least one check ran and all checks passed, and 1
 * otherwise. */
int berth_test_result(void);

#endif
