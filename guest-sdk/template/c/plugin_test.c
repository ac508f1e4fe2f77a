/* Tests of the plugin. They run natively, with a host that sends nodes and pods as Berth does. */
#include "plugin.c"

#include <testing.h>

#define OTHER "UnschedulableAndUnresolvable: node(s) belong to another team"

static void begin(const char *arguments) {
    berth_test_same("arguments", berth_test_configure(arguments), NULL);
    berth_test_node((berth_test_node_t){"red-1", .labels = BERTH_LABELS("team", "red")});
    berth_test_node((berth_test_node_t){"blue-1", .labels = BERTH_LABELS("team", "blue", "crew", "red")});
}

static void a_team_keeps_to_its_nodes(void) {
    berth_test_pod_t red = {.labels = BERTH_LABELS("team", "red")}, none = {0};
    begin("{}");
    berth_test_same("its own", berth_test_filter(red, "red-1"), "fits");
    berth_test_same("another's", berth_test_filter(red, "blue-1"), OTHER);
    berth_test_same("no team", berth_test_filter(none, "blue-1"), "fits");
}

static void the_label_is_an_argument(void) {
    berth_test_pod_t red = {.labels = BERTH_LABELS("crew", "red")};
    begin("{\"label\": \"crew\"}");
    berth_test_same("its own", berth_test_filter(red, "blue-1"), "fits");
    berth_test_same("nobody's", berth_test_filter(red, "red-1"), OTHER);
}

int main(void) {
    a_team_keeps_to_its_nodes();
    the_label_is_an_argument();
    return berth_test_result();
}
