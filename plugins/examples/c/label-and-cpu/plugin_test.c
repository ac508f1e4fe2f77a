/* The test cases of `plugins/examples/README.md`. */
#include "plugin.c"

#include <testing.h>

#define NO_LABEL "UnschedulableAndUnresolvable: node(s) didn't have label pool"
#define NO_CPU "Unschedulable: Insufficient free cpu"
#define SPARE "{\"label\": \"pool\", \"minFreeCpu\": \"500m\"}"
#define VALUE "{\"label\": \"pool\", \"value\": \"a\"}"
#define A BERTH_LABELS("pool", "a")
#define B BERTH_LABELS("pool", "b")
#define NODE(of, cpu, used) {.name = "n", .labels = of, .milli_cpu = cpu, .used_milli_cpu = used}

static void cases(void) {
    const struct {
        const char *what, *arguments;
        berth_test_pod_t pod;
        berth_test_node_t node;
        const char *answer;
    } cases[] = {
        {"more free cpu than requested", SPARE, {.milli_cpu = 1000}, NODE(A, 2000, 500), "fits"},
        {"a millicore short", SPARE, {.milli_cpu = 1000}, NODE(A, 2000, 501), NO_CPU},
        {"no label and too little free cpu", SPARE, {.milli_cpu = 1000}, NODE(NULL, 1000, 0), NO_LABEL},
        {"the pod's own value", SPARE, {.labels = A}, NODE(A, 1000, 0), "fits"},
        {"another value than the pod's", SPARE, {.labels = A}, NODE(B, 1000, 0), NO_LABEL},
        {"the pod's value is empty", SPARE, {.labels = BERTH_LABELS("pool", "")}, NODE(A, 1000, 0), NO_LABEL},
        {"a pod that requests nothing", SPARE, {0}, NODE(B, 400, 0), NO_CPU},
        {"the arguments' value", VALUE, {0}, NODE(A, 1000, 0), "fits"},
        {"another value than the arguments'", VALUE, {0}, NODE(B, 1000, 0), NO_LABEL},
        {"the pod's value before the arguments'", VALUE, {.labels = B}, NODE(B, 1000, 0), "fits"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        berth_test_same("arguments", berth_test_configure(cases[at].arguments), NULL);
        berth_test_node(cases[at].node);
        berth_test_same(cases[at].what, berth_test_filter(cases[at].pod, "n"), cases[at].answer);
    }
}

static void wrong_arguments(void) {
    const char *cases[][2] = {
        {"{}", "label"},
        {"{\"label\": \"\"}", "label"},
        {"{\"label\": \"pool\", \"lable\": \"x\"}", "lable"},
        {"{\"label\": \"pool\", \"minFreeCpu\": \"lots\"}", "minFreeCpu"},
        {"{\"label\": \"pool\", \"minFreeCpu\": \"-1\"}", "minFreeCpu"},
        {"{\"label\": \"pool\", \"minFreeCpu\": \"1.5\"}", "minFreeCpu"},
        {"{\"label\": \"pool\", \"minFreeCpu\": 1.5}", "minFreeCpu"},
        {"{\"label\": \"pool\", \"minFreeCpu\": \"1Gi\"}", "minFreeCpu"},
        {"{\"label\": \"pool\", \"minFreeCpu\": null}", "minFreeCpu"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        berth_test_contains(cases[at][0], berth_test_configure(cases[at][0]), cases[at][1]);
    }
}

int main(void) {
    cases();
    wrong_arguments();
    return berth_test_result();
}
