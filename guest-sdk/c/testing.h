/* A host for tests: it sends a plugin nodes and pods as Berth does. A test includes the plugin's file, and runs natively.
 * There is one plugin in a process, and one cluster. */
#ifndef BERTH_TESTING_H
#define BERTH_TESTING_H

#include "berth_guest.h"

/* Labels as keys and values in turn: BERTH_LABELS("zone", "a", "arch", "amd64"). */
#define BERTH_LABELS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A node for tests; what is not given is empty. Cpu is in millicores. */
typedef struct {
    const char *name;
    const char *const *labels;
    int64_t milli_cpu, used_milli_cpu;
} berth_test_node_t;

/* A pod for tests. */
typedef struct {
    const char *const *labels;
    int64_t milli_cpu;
} berth_test_pod_t;

/* Gives the plugin its arguments, as JSON: NULL, or the message where it refuses them. */
const char *berth_test_configure(const char *json);

/* A node comes, or changes where one of this name is there. */
void berth_test_node(berth_test_node_t node);
void berth_test_remove_node(const char *name);

/* What the filter says about a node: "fits", or code and reason as in "Unschedulable: Insufficient cpu". */
const char *berth_test_filter(berth_test_pod_t pod, const char *node);
/* The raw score of a node. */
int64_t berth_test_score(berth_test_pod_t pod, const char *node);

/* Checks that two texts are the same, a and NULL included, or that one is part of the other; says so where they are not. */
void berth_test_same(const char *what, const char *got, const char *wanted);
void berth_test_contains(const char *what, const char *got, const char *part);
void berth_test_equal(const char *what, int64_t got, int64_t wanted);

/* What main returns: 0 where every check held. */
int berth_test_result(void);

#endif
