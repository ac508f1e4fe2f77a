/* A host for tests. Sends nodes and pods to a plugin as Berth does. A test includes the plugin's file and runs
 * natively. A process has one plugin and one cluster. */
#ifndef BERTH_TESTING_H
#define BERTH_TESTING_H

#include "berth_guest.h"

/* Labels as alternating keys and values: BERTH_LABELS("zone", "a", "arch", "amd64"). */
#define BERTH_LABELS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A node for tests. Missing facts are empty. Cpu is in millicores. */
typedef struct {
    const char *name;
    const char *const *labels;
    int64_t milli_cpu, used_milli_cpu;
} berth_test_node_t;

/* A pod for tests. Missing facts are empty. Cpu is in millicores. */
typedef struct {
    const char *const *labels;
    int64_t milli_cpu;
} berth_test_pod_t;

/* Configures the plugin with arguments in JSON. Returns NULL, or the plugin's message if it refuses them. */
const char *berth_test_configure(const char *json);

/* Adds a node, or replaces the node of this name. */
void berth_test_node(berth_test_node_t node);
void berth_test_remove_node(const char *name);

/* Returns the filter's answer about a node: "fits", or code and reason as in "Unschedulable: Insufficient cpu". */
const char *berth_test_filter(berth_test_pod_t pod, const char *node);
/* Returns the raw score of a node. */
int64_t berth_test_score(berth_test_pod_t pod, const char *node);

/* Check that two strings are the same (NULL equals NULL), that a string contains another, or that two numbers are
 * equal. A failed check is printed. */
void berth_test_same(const char *description, const char *got, const char *expected);
void berth_test_contains(const char *description, const char *got, const char *part);
void berth_test_equal(const char *description, int64_t got, int64_t expected);

/* Returns the result of main: 0 if all checks passed and there was at least one. */
int berth_test_result(void);

#endif
