/* Implements testing.h: calls the component's exports as the host does. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/guest.h"

static const char *names[64];
static uint32_t name_count;
static uint32_t signature;
static int checks, failures;

/* Stand-ins for the function that a plugin does not define. A plugin defines at least one of these two functions. */
__attribute__((weak)) berth_verdict_t berth_filter(const berth_pod *pod, const berth_node *node) {
    (void)pod, (void)node;
    return BERTH_FITS;
}

__attribute__((weak)) int64_t berth_score(const berth_pod *pod, const berth_node *node) {
    (void)pod, (void)node;
    return 0;
}

/* Replaces the host's log: prints the message. */
void __wasm_import_berth_log_write(int32_t level, uint8_t *message, size_t length) {
    (void)level;
    fprintf(stderr, "%.*s\n", (int)length, (const char *)message);
}

static void give_labels(berth_list_label_t *to, const char *const *labels) {
    size_t count = 0;
    while (labels && labels[count]) count++;
    to->len = count / 2;
    to->ptr = berth_new(to->len, sizeof *to->ptr);
    for (size_t at = 0; at < to->len; at++) {
        berth_give_text(&to->ptr[at].key, labels[2 * at]);
        berth_give_text(&to->ptr[at].value, labels[2 * at + 1]);
    }
}

static uint32_t id_of(const char *name, bool add) {
    for (uint32_t id = 0; id < name_count; id++) {
        if (names[id] && berth_equal(names[id], name)) return id;
    }
    if (!add || name_count == sizeof names / sizeof *names) {
        fprintf(stderr, "the test host has no node %s, or its list of nodes is full\n", name);
        exit(2);
    }
    names[name_count] = name;
    return name_count++;
}

static void send(exports_berth_scheduler_snapshot_change_t change) {
    exports_berth_scheduler_snapshot_list_change_t changes = {berth_new(1, sizeof change), 1};
    changes.ptr[0] = change;
    exports_berth_scheduler_snapshot_apply(&changes);
}

static void give_column(berth_list_s64_t *to, int64_t number) {
    to->len = 1;
    to->ptr = berth_new(1, sizeof number);
    to->ptr[0] = number;
}

const char *berth_test_configure(const char *json) {
    berth_string_t given, error = {0};
    exports_berth_scheduler_plugin_declaration_t declaration;
    berth_give_text(&given, json);
    return exports_berth_scheduler_plugin_configure(&given, &declaration, &error) ? NULL : (const char *)error.ptr;
}

void berth_test_node(berth_test_node_t node) {
    uint32_t id = id_of(node.name, true);
    exports_berth_scheduler_snapshot_change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE};
    exports_berth_scheduler_snapshot_node_t *facts = &change.val.node;
    berth_list_label_t labels;
    give_labels(&labels, node.labels);
    facts->id = id;
    facts->name.is_some = facts->labels.is_some = facts->allocatable.is_some = true;
    berth_give_text(&facts->name.val, node.name);
    facts->labels.val.ptr = labels.ptr;
    facts->labels.val.len = labels.len;
    facts->allocatable.val.milli_cpu = node.milli_cpu;
    facts->allocatable.val.pods = 110;
    if (node.fields) {
        facts->fields.is_some = true;
        berth_give_text(&facts->fields.val, node.fields);
    }
    send(change);

    change = (exports_berth_scheduler_snapshot_change_t){.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_USAGE};
    exports_berth_scheduler_snapshot_usage_t *usage = &change.val.usage;
    usage->nodes.ptr = berth_new(1, sizeof id);
    usage->nodes.ptr[0] = id;
    usage->nodes.len = 1;
    give_column(&usage->milli_cpu, node.used_milli_cpu);
    give_column(&usage->non_zero_milli_cpu, node.used_milli_cpu);
    give_column(&usage->memory, 0);
    give_column(&usage->ephemeral_storage, 0);
    give_column(&usage->pods, 0);
    give_column(&usage->non_zero_memory, 0);
    send(change);
}

void berth_test_remove_node(const char *name) {
    exports_berth_scheduler_snapshot_change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE_REMOVED};
    change.val.node_removed = id_of(name, false);
    names[change.val.node_removed] = NULL;
    send(change);
}

/* Starts a new cycle. Removes the previous cycle's pod signature, and adds the pod under a new one. */
static berth_cycle_t next(berth_test_pod_t given) {
    exports_berth_scheduler_plugin_list_pod_signature_id_t ids = {berth_new(1, sizeof signature), 1};
    ids.ptr[0] = signature++;
    exports_berth_scheduler_plugin_remove_signatures(&ids);
    berth_pod_t pod = {0};
    give_labels(&pod.labels, given.labels);
    if (given.fields) berth_give_text(&pod.fields, given.fields);
    pod.requests.fit.milli_cpu = pod.requests.effective.milli_cpu = given.milli_cpu;
    exports_berth_scheduler_plugin_add_signature(signature, &pod);
    return (berth_cycle_t){.id = signature, .signature = signature};
}

const char *berth_test_filter(berth_test_pod_t pod, const char *node) {
    static const char *codes[] = {"Unschedulable", "UnschedulableAndUnresolvable", "Error", "Pending"};
    berth_cycle_t cycle = next(pod);
    exports_berth_scheduler_filter_list_node_id_t nodes = {berth_new(1, sizeof *nodes.ptr), 1};
    nodes.ptr[0] = id_of(node, false);
    berth_verdicts_t verdicts;
    berth_string_t error;
    if (!exports_berth_scheduler_filter_filter(&cycle, &nodes, &verdicts, &error)) {
        return berth_formatted("failed: %s", (const char *)error.ptr);
    }
    const char *answer = "fits";
    if (verdicts.nodes.ptr[0]) {
        berth_status_t *status = &verdicts.outcomes.ptr[verdicts.nodes.ptr[0] - 1];
        answer = berth_formatted("%s: %s", codes[status->code], (const char *)status->reasons.ptr[0].ptr);
    }
    berth_verdicts_free(&verdicts);
    return answer;
}

int64_t berth_test_score(berth_test_pod_t pod, const char *node) {
    berth_cycle_t cycle = next(pod);
    exports_berth_scheduler_score_list_node_id_t nodes = {berth_new(1, sizeof *nodes.ptr), 1};
    nodes.ptr[0] = id_of(node, false);
    berth_list_s64_t scores;
    berth_string_t error;
    if (!exports_berth_scheduler_score_score(&cycle, &nodes, &scores, &error)) {
        fprintf(stderr, "the call failed: %s\n", (const char *)error.ptr);
        exit(1);
    }
    int64_t score = scores.ptr[0];
    free(scores.ptr);
    return score;
}

static void check(bool holds, const char *description, const char *got, const char *expected) {
    checks++;
    if (holds) return;
    failures++;
    printf("FAILED %s: got %s, expected %s\n", description, got ? got : "nothing", expected ? expected : "nothing");
}

void berth_test_same(const char *description, const char *got, const char *expected) {
    check(got == expected || (got && expected && berth_equal(got, expected)), description, got, expected);
}

void berth_test_contains(const char *description, const char *got, const char *part) {
    check(got && strstr(got, part), description, got, part);
}

void berth_test_equal(const char *description, int64_t got, int64_t expected) {
    char texts[2][32];
    snprintf(texts[0], sizeof texts[0], "%lld", (long long)got);
    snprintf(texts[1], sizeof texts[1], "%lld", (long long)expected);
    check(got == expected, description, texts[0], texts[1]);
}

int berth_test_result(void) {
    printf("%d checks, %d failed\n", checks, failures);
    return failures || !checks;
}
