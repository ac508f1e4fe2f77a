/* Tests of the SDK with one plugin: the snapshot, the verdicts and the arguments. */
#ifdef __linux__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#include <testing.h>

#include "../src/guest.h"

typedef exports_berth_scheduler_snapshot_change_t change_t;

const berth_plugin_t berth_plugin = {
    .name = "test",
    .node.facts = BERTH_NODE_FACTS_LABELS | BERTH_NODE_FACTS_USAGE,
    .resident_pods = &(berth_reads_t){.facts = BERTH_POD_FACTS_LABELS},
};

static const char *text;
static int64_t number, weight;

void berth_configure(berth_arguments *arguments) {
    text = berth_text_or(arguments, "text", "none");
    number = berth_whole_or(berth_object(arguments, "within"), "number", -5, 5, 1);
    weight = berth_number_of(berth_whole_map(arguments, "weights", 0, 10), "b", -1);
    if (berth_flag_or(arguments, "refuse", false)) berth_refuse(arguments, "refuse", "it is %s", "true");
}

/* Rejects a node that has labels. The reason has a counter, so every rejection has a new reason. */
berth_verdict_t berth_filter(const berth_pod *pod, const berth_node *node) {
    (void)pod;
    static int asked;
    return berth_node_labels(node)->len ? berth_unschedulable("reason %d", asked++) : BERTH_FITS;
}

int64_t berth_score(const berth_pod *pod, const berth_node *node) {
    (void)pod;
    int64_t databases = 0;
    const berth_pods_t *pods = berth_node_pods(node);
    for (size_t at = 0; at < pods->len; at++) {
        const char *app = berth_pod_label(pods->ptr[at], "app");
        databases += app && berth_equal(app, "db");
    }
    return databases + 10 * berth_scalar(&berth_node_usage(node)->scalars, "example.com/gpu");
}

static void send(change_t change) {
    exports_berth_scheduler_snapshot_list_change_t changes = {berth_new(1, sizeof change), 1};
    *changes.ptr = change;
    exports_berth_scheduler_snapshot_apply(&changes);
}

static void send_resident(uint32_t id, uint32_t node, const char *app) {
    change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD};
    change.val.resident_pod.id = id;
    change.val.resident_pod.node = node;
    berth_list_label_t *labels = &change.val.resident_pod.pod.labels;
    labels->ptr = berth_new(1, sizeof *labels->ptr);
    labels->len = 1;
    berth_give_text(&labels->ptr->key, "app");
    berth_give_text(&labels->ptr->value, app);
    send(change);
}

static void remove_resident(uint32_t id) {
    change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD_REMOVED};
    change.val.resident_pod_removed = id;
    send(change);
}

static void send_gpus(uint32_t node, int64_t quantity) {
    change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_USAGE};
    exports_berth_scheduler_snapshot_list_scalar_usage_t *scalars = &change.val.usage.scalars;
    scalars->ptr = berth_new(1, sizeof *scalars->ptr);
    scalars->len = 1;
    scalars->ptr->node = node;
    scalars->ptr->quantity = quantity;
    berth_give_text(&scalars->ptr->name, "example.com/gpu");
    send(change);
}

static int64_t score(const char *node) {
    return berth_test_score((berth_test_pod_t){0}, node);
}

static void pods_are_added_and_removed(void) {
    send_resident(0, 0, "db");
    berth_test_node((berth_test_node_t){.name = "a"});
    send_resident(1, 0, "web");
    berth_test_equal("a pod before its node", score("a"), 1);
    send_resident(1, 0, "db");
    berth_test_equal("a changed pod", score("a"), 2);
    send_gpus(0, 3);
    berth_test_equal("a scalar resource", score("a"), 32);
    send_gpus(0, 0);
    berth_test_equal("the last pod is removed", score("a"), 2);
    berth_test_remove_node("a");
    remove_resident(0);
    remove_resident(1);
    remove_resident(7);
    berth_test_node((berth_test_node_t){.name = "b"});
    berth_test_equal("removed pods", score("b"), 0);
}

static void reasons_are_numbered(void) {
    enum { COUNT = 70000 };
    berth_test_node((berth_test_node_t){.name = "c", .labels = BERTH_LABELS("a", "")});
    berth_verdicts_begin();
    berth_verdict_t first = berth_unschedulable("%s", "full");
    berth_test_equal("the same again", berth_unschedulable("full"), first);
    berth_test_equal("another code", berth_unresolvable("full"), first + 1);
    berth_verdict_t last = 0;
    for (int at = 0; at < COUNT; at++) last = berth_unschedulable("reason %d", at);
    berth_test_equal("one too many", last, 1000);
    berth_test_equal("an early one", berth_unschedulable("reason %d", 1), first + 3);
    berth_list_status_t outcomes;
    berth_verdicts_finish(&outcomes);
    berth_test_equal("all of them", (int64_t)outcomes.len, 1000);
    berth_test_same("the last", (const char *)outcomes.ptr[999].reasons.ptr->ptr, "too many different reasons to list");
}

static void arguments_are_read(void) {
    const char *json = " {\"text\": \"\\u00e4\\ud83d\\ude00\\n\\\"\", \"within\": {\"number\": -5}, \"weights\": {\"b\": 1, \"a\": 2, \"b\": 3}}";
    berth_test_same("arguments", berth_test_configure(json), NULL);
    berth_test_same("escapes", text, "\xc3\xa4\xf0\x9f\x98\x80\n\"");
    berth_test_equal("a number within", number, -5);
    berth_test_equal("of equal names the last", weight, 3);
    berth_test_same("nothing given", berth_test_configure("{}"), NULL);
    berth_test_same("a default", text, "none");
    const char *wrong[][2] = {
        {"", "malformed JSON at byte 1"},
        {"[1, 2.5e-3, [], {}, true, null]", "expected an object"},
        {"{} {}", "malformed JSON at byte 4"},
        {"{\"text\": \"a", "malformed JSON at byte"},
        {"{\"text\": \"\\ud800\"}", "malformed JSON at byte"},
        {"{\"text\": \"\\u0000\"}", "malformed JSON at byte"},
        {"{\"text\": 01}", "malformed JSON at byte"},
        {"{\"text\": 1}", "text: expected a string"},
        {"{\"within\": {\"number\": 6}}", "within.number: expected a whole number from -5 to 5"},
        {"{\"within\": {\"numbr\": 1}}", "within.numbr: unknown field"},
        {"{\"within\": 1}", "within: expected an object"},
        {"{\"weights\": {\"a\": 99999999999999999999}}", "weights.a: expected a whole number"},
        {"{\"refuse\": true}", "refuse: it is true"},
    };
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        berth_test_contains(wrong[at][0], berth_test_configure(wrong[at][0]), wrong[at][1]);
    }
    char deep[400] = "{\"text\": ";
    memset(deep + strlen(deep), '[', 300);
    berth_test_contains("too deep", berth_test_configure(deep), "malformed JSON at byte");
}

static void churn(int rounds) {
    for (int round = 0; round < rounds; round++) {
        char value[16];
        memset(value, 'x', sizeof value);
        value[round % 15] = 0;
        berth_test_node((berth_test_node_t){.name = "d", .labels = BERTH_LABELS("a", value, "b", "")});
        send_resident(5, 3, value);
        send_gpus(2, round % 2);
        free((void *)(round % 2 ? berth_test_filter((berth_test_pod_t){.labels = BERTH_LABELS("a", value)}, "d") : NULL));
    }
}

/* Checks that 10,000 rounds of changes use less than 4 KiB of memory more than 100 rounds. */
static void memory_is_bounded(void) {
#ifdef __GLIBC__
    churn(100);
    size_t before = mallinfo2().uordblks;
    churn(10000);
    berth_test_equal("bytes more than before", (int64_t)(mallinfo2().uordblks - before) / 4096, 0);
#endif
}

int main(void) {
    pods_are_added_and_removed();
    reasons_are_numbered();
    arguments_are_read();
    memory_is_bounded();
    return berth_test_result();
}
