/* The test cases of `plugins/examples/README.md`. */
#include "plugin.c"

#include <testing.h>

static void weights_are_scores(void) {
    const char *tiers[] = {"gold", "silver", "bronze"};
    const int64_t scores[] = {100, 50, 0};
    const char *arguments = "{\"label\": \"tier\", \"weights\": {\"silver\": 50, \"gold\": 100, \"\": 7}}";
    berth_test_same("arguments", berth_test_configure(arguments), NULL);
    for (int at = 0; at < 3; at++) {
        berth_test_node((berth_test_node_t){.name = tiers[at], .labels = BERTH_LABELS("tier", tiers[at])});
        berth_test_equal(tiers[at], berth_test_score((berth_test_pod_t){0}, tiers[at]), scores[at]);
    }
    berth_test_node((berth_test_node_t){.name = "none"});
    berth_test_equal("none", berth_test_score((berth_test_pod_t){0}, "none"), 0);
}

static void weights_may_be_absent(void) {
    const char *arguments = "{\"apiVersion\": \"v1\", \"kind\": \"PreferLabelArgs\", \"label\": \"tier\"}";
    berth_test_same("arguments", berth_test_configure(arguments), NULL);
    berth_test_equal("gold", berth_test_score((berth_test_pod_t){0}, "gold"), 0);
}

static void wrong_arguments(void) {
    const char *cases[][2] = {
        {"{}", "label"},
        {"{\"label\": \"tier\", \"wieghts\": {}}", "wieghts"},
        {"{\"label\": \"tier\", \"weights\": {\"gold\": 101}}", "weights.gold"},
        {"{\"label\": \"tier\", \"weights\": {\"gold\": -1}}", "weights.gold"},
        {"{\"label\": \"tier\", \"weights\": {\"gold\": 1.5}}", "weights.gold"},
        {"{\"label\": \"tier\", \"weights\": {\"gold\": \"1\"}}", "weights.gold"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        berth_test_contains(cases[at][0], berth_test_configure(cases[at][0]), cases[at][1]);
    }
}

int main(void) {
    weights_are_scores();
    weights_may_be_absent();
    wrong_arguments();
    return berth_test_result();
}
