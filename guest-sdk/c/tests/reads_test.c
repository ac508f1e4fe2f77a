/* Tests of what a plugin reads: the declaration, the facts, further fields, and the refusal of undeclared reads. */
#ifdef __linux__
#include <malloc.h>
#endif
#include <stdlib.h>

#include <testing.h>

#include "../src/guest.h"

#define POOL "metadata.annotations[\"example.com/pool\"]"

static const berth_reads_t resident = {.label_keys = BERTH_LIST("app")};
static const berth_reads_t waiting = {.facts = BERTH_POD_FACTS_PRIORITY};

const berth_plugin_t berth_plugin = {
    .name = "test",
    .arguments = BERTH_JSON({"type": "object", "pattern": "^a\\.b$"}),
    .pod = {
        .facts = BERTH_POD_FACTS_LIMITS | BERTH_POD_FACTS_QOS | BERTH_POD_FACTS_CREATION_TIME
            | BERTH_POD_FACTS_SCHEDULING_GROUP | BERTH_POD_FACTS_CONTAINERS | BERTH_POD_FACTS_RESOURCE_CLAIMS,
        .label_keys = BERTH_LIST("team", "tier"),
        .fields = BERTH_LIST("spec.activeDeadlineSeconds", "spec.containers.ports", "spec.securityContext"),
    },
    .node = {
        .facts = BERTH_NODE_FACTS_CAPACITY | BERTH_NODE_FACTS_INFO,
        .annotation_keys = BERTH_LIST("example.com/rack"),
        .fields = BERTH_LIST("spec.podCIDR", POOL),
    },
    .resident_pods = &resident,
    .pending_pods = &waiting,
};

void berth_configure(berth_arguments *arguments) {
    berth_read(&berth_plugin.pod, BERTH_OF_LABEL_KEYS, berth_text(arguments, "label"));
    berth_read(&waiting, BERTH_OF_FIELDS, "spec.hostname");
}

/* What the filter does. */
static void (*probe)(const berth_pod *pod, const berth_node *node);

berth_verdict_t berth_filter(const berth_pod *pod, const berth_node *node) {
    probe(pod, node);
    return BERTH_FITS;
}

typedef exports_berth_scheduler_snapshot_change_t change_t;

static void send(change_t change) {
    exports_berth_scheduler_snapshot_list_change_t changes = {berth_new(1, sizeof change), 1};
    *changes.ptr = change;
    exports_berth_scheduler_snapshot_apply(&changes);
}

/* Returns the error of a call of the filter about node 0 and the pod with signature 7; NULL if the call succeeds. */
static const char *ask(void (*with)(const berth_pod *pod, const berth_node *node)) {
    berth_cycle_t cycle = {.id = 1, .signature = 7};
    exports_berth_scheduler_filter_list_node_id_t nodes = {berth_new(1, sizeof *nodes.ptr), 1};
    berth_verdicts_t verdicts;
    berth_string_t error;
    nodes.ptr[0] = 0;
    probe = with;
    if (!exports_berth_scheduler_filter_filter(&cycle, &nodes, &verdicts, &error)) return (const char *)error.ptr;
    berth_verdicts_free(&verdicts);
    return NULL;
}

static void give_label(berth_list_label_t *to, const char *key, const char *value) {
    to->ptr = berth_new(1, sizeof *to->ptr);
    to->len = 1;
    berth_give_text(&to->ptr->key, key);
    berth_give_text(&to->ptr->value, value);
}

static void send_cluster(void) {
    change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE};
    exports_berth_scheduler_snapshot_node_t *node = &change.val.node;
    berth_list_label_t annotations;
    node->capacity.is_some = node->info.is_some = node->fields.is_some = node->annotations.is_some = true;
    node->capacity.val.milli_cpu = 64000;
    berth_give_text(&node->info.val.architecture, "arm64");
    berth_give_text(&node->info.val.kubelet_version, "v1.36.0");
    berth_give_text(&node->fields.val, "{\"spec\": {\"podCIDR\": \"10.0.0.0/24\"}, \"metadata\": {\"annotations\": "
                                       "{\"example.com/pool\": \"a\"}}}");
    give_label(&annotations, "example.com/rack", "r1");
    node->annotations.val.ptr = annotations.ptr;
    node->annotations.val.len = annotations.len;
    send(change);

    for (uint32_t id = 0; id < 2; id++) {
        change = (change_t){.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_PENDING_POD};
        change.val.pending_pod.id = id;
        change.val.pending_pod.pod.priority = 10 + (int32_t)id;
        send(change);
    }
    change = (change_t){
        .tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_PENDING_POD_REMOVED, .val.pending_pod_removed = 0};
    send(change);
    change = (change_t){.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_RESIDENT_POD};
    give_label(&change.val.resident_pod.pod.labels, "app", "db");
    send(change);

    berth_pod_t pod = {.qos = BERTH_QOS_CLASS_BEST_EFFORT, .creation_time = 1700000000, .limits.memory = 5};
    give_label(&pod.labels, "team", "red");
    berth_give_text(&pod.scheduling_group, "train");
    pod.containers.len = 1;
    pod.containers.ptr = berth_new(1, sizeof *pod.containers.ptr);
    pod.containers.ptr->limits.milli_cpu = 250;
    berth_give_text(&pod.fields, "{\"spec\": {\"activeDeadlineSeconds\": 60,"
                                 " \"containers\": [{\"ports\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}, {},"
                                 " {\"ports\": [{\"name\": \"c\"}]}],"
                                 " \"securityContext\": {\"runAsNonRoot\": true}}}");
    exports_berth_scheduler_plugin_add_signature(7, &pod);
}

static void read_declared(const berth_pod *pod, const berth_node *node) {
    berth_test_equal("limits", berth_pod_limits(pod)->memory, 5);
    berth_test_equal("qos", berth_pod_qos(pod), BERTH_QOS_CLASS_BEST_EFFORT);
    berth_test_equal("creation time", berth_pod_creation_time(pod), 1700000000);
    berth_test_same("scheduling group", berth_pod_scheduling_group(pod), "train");
    berth_test_equal("container limits", berth_pod_containers(pod)->ptr->limits.milli_cpu, 250);
    berth_test_same("a name that resource claims fill", berth_pod_name(pod), "");
    berth_test_same("a label key", berth_pod_label(pod, "team"), "red");
    berth_test_same("an absent label", berth_pod_label(pod, "tier"), NULL);
    berth_test_same("an absent label of the arguments", berth_pod_label(pod, "crew"), NULL);
    berth_test_same("a field of pending pods", berth_pod_fields(berth_pending_pods()->ptr[0]), "");
    berth_test_equal("capacity", berth_node_capacity(node)->milli_cpu, 64000);
    berth_test_same("architecture", berth_c_string(&berth_node_info(node)->architecture), "arm64");
    berth_test_same("kubelet", berth_c_string(&berth_node_info(node)->kubelet_version), "v1.36.0");
    berth_test_same("os image", berth_c_string(&berth_node_info(node)->os_image), "");
    berth_test_same("an annotation key", berth_node_annotation(node, "example.com/rack"), "r1");
    berth_test_same("a pod on the node", berth_pod_label(berth_node_pods(node)->ptr[0], "app"), "db");
    berth_test_equal("pending pods", (int64_t)berth_pending_pods()->len, 1);
    berth_test_equal("a pending pod", berth_pod_priority(berth_pending_pods()->ptr[0]), 11);
}

static void read_fields(const berth_pod *pod, const berth_node *node) {
    berth_test_equal("a number", berth_json_whole(berth_pod_field(pod, "spec.activeDeadlineSeconds"), -1), 60);
    berth_test_equal("no text", berth_json_text(berth_pod_field(pod, "spec.activeDeadlineSeconds")) == NULL, true);
    berth_test_equal("below", berth_json_flag(berth_pod_field(pod, "spec.securityContext.runAsNonRoot"), false), true);
    berth_test_equal("absent", berth_pod_field(pod, "spec.securityContext.runAsUser") == NULL, true);
    const char *names[] = {"a", "b", "c", NULL};
    for (size_t at = 0; at < 4; at++) {
        const berth_json *name = berth_pod_field_at(pod, "spec.containers.ports.name", at);
        berth_test_same("in lists", berth_json_text(name), names[at]);
    }
    const berth_json *port = berth_json_first(berth_pod_field(pod, "spec.containers.ports"));
    berth_test_same("an element", berth_json_text(berth_json_field(berth_json_next(port), "name")), "b");
    berth_test_same("the name of a field", berth_json_name(berth_json_first(port)), "name");
    berth_test_same("a quoted key", berth_json_text(berth_node_field(node, POOL)), "a");
    berth_test_contains("all fields", berth_node_fields(node), "\"podCIDR\": \"10.0.0.0/24\"");
}

/* Defines a probe that only reads something. */
#define PROBE(name, read)                                            \
    static void name(const berth_pod *pod, const berth_node *node) { \
        (void)pod, (void)node, (void)(read);                         \
    }

PROBE(read_pod_labels, berth_pod_labels(pod))
PROBE(read_pod_label, berth_pod_label(pod, "app"))
PROBE(read_node_labels, berth_node_labels(node))
PROBE(read_node_label, berth_node_label(node, "zone"))
PROBE(read_annotation, berth_node_annotation(node, "a/b"))
PROBE(read_usage, berth_node_usage(node))
PROBE(read_field, berth_pod_field(pod, "spec.containers"))
PROBE(read_other_field, berth_node_field(node, "spec.podCIDRs"))
PROBE(read_resident, berth_pod_requests(berth_node_pods(node)->ptr[0]))
PROBE(read_pending, berth_pod_label(berth_pending_pods()->ptr[0], "app"))
PROBE(read_cycle, berth_cycle())
PROBE(read_two, (berth_node_usage(node), berth_node_labels(node)))

static void undeclared_reads_are_refused(void) {
    const struct {
        void (*probe)(const berth_pod *pod, const berth_node *node);
        const char *error;
    } cases[] = {
        {read_pod_labels, "test: it reads the fact \"labels\" without declaring it: add it to pod.facts"},
        {read_pod_label, "test: it reads the label key \"app\" without declaring it: add it to pod.label_keys"},
        {read_node_labels, "test: it reads the fact \"labels\" without declaring it: add it to node.facts"},
        {read_node_label, "test: it reads the label key \"zone\" without declaring it: add it to node.label_keys"},
        {read_annotation,
         "test: it reads the annotation key \"a/b\" without declaring it: add it to node.annotation_keys"},
        {read_usage, "test: it reads the fact \"usage\" without declaring it: add it to node.facts"},
        {read_field, "test: it reads the field \"spec.containers\" without declaring it: add it to pod.fields"},
        {read_other_field, "test: it reads the field \"spec.podCIDRs\" without declaring it: add it to node.fields"},
        {read_resident, "test: it reads the fact \"requests\" without declaring it: add it to resident_pods.facts"},
        {read_pending, "test: it reads the label key \"app\" without declaring it: add it to pending_pods.label_keys"},
        {read_cycle, "test: it reads the cycle without declaring it: set depends_on_cycle"},
        {read_two, "test: it reads the fact \"usage\" without declaring it: add it to node.facts"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        berth_test_same("undeclared", ask(cases[at].probe), cases[at].error);
    }
    berth_test_same("the call after an undeclared read", ask(read_fields), NULL);
}

static void read_pool(const berth_pod *pod, const berth_node *node) {
    (void)pod, berth_node_field(node, POOL);
}

/* Checks that 10,000 changes of fields use less than 4 KiB of memory more than 100 changes. */
static void fields_are_freed(void) {
#ifdef __GLIBC__
    size_t before = 0;
    for (int round = 0; round < 10100; round++) {
        if (round == 100) before = mallinfo2().uordblks;
        change_t change = {.tag = EXPORTS_BERTH_SCHEDULER_SNAPSHOT_CHANGE_NODE};
        change.val.node.fields.is_some = true;
        berth_give_text(&change.val.node.fields.val, "{\"spec\": {\"podCIDR\": [\"10.0.0.0/24\", 1, {}]}}");
        send(change);
        berth_test_same("a read", ask(read_pool), NULL);
    }
    berth_test_equal("bytes more than before", (int64_t)(mallinfo2().uordblks - before) / 4096, 0);
#endif
}

static void the_declaration_has_all_reads(void) {
    exports_berth_scheduler_plugin_description_t description;
    exports_berth_scheduler_plugin_declaration_t declared;
    berth_string_t arguments, error;
    exports_berth_scheduler_plugin_describe(&description);
    berth_test_same("the schema", description.arguments.is_some ? (const char *)description.arguments.val.ptr : NULL,
                    "{\"type\": \"object\", \"pattern\": \"^a\\\\.b$\"}");
    berth_give_text(&arguments, "{\"label\": \"crew\"}");
    berth_test_equal("configured", exports_berth_scheduler_plugin_configure(&arguments, &declared, &error), true);
    berth_test_equal("facts of pods", declared.pod.facts, berth_plugin.pod.facts);
    berth_test_equal("label keys", (int64_t)declared.pod.label_keys.len, 3);
    berth_test_same("a label key of the arguments", (const char *)declared.pod.label_keys.ptr[2].ptr, "crew");
    berth_test_equal("fields of pods", (int64_t)declared.pod.fields.len, 3);
    berth_test_same("a field of pending pods", (const char *)declared.pending_pods.val.fields.ptr[0].ptr, "spec.hostname");
    berth_test_same("a label key", (const char *)declared.pod.label_keys.ptr[1].ptr, "tier");
    berth_test_equal("facts of nodes", declared.node.facts, berth_plugin.node.facts);
    berth_test_same("an annotation key", (const char *)declared.node.annotation_keys.ptr[0].ptr, "example.com/rack");
    berth_test_same("a field", (const char *)declared.node.fields.ptr[1].ptr, POOL);
    berth_test_same("of pods on nodes", (const char *)declared.resident_pods.val.label_keys.ptr[0].ptr, "app");
    berth_test_equal("of pending pods", declared.pending_pods.val.facts, BERTH_POD_FACTS_PRIORITY);
    berth_test_equal("the scope", declared.filter_scope, BERTH_SCOPE_CLUSTER);
    berth_test_equal("reads the time", declared.reads_time, false);
}

int main(void) {
    the_declaration_has_all_reads();
    send_cluster();
    berth_test_same("declared reads", ask(read_declared), NULL);
    berth_test_same("declared fields", ask(read_fields), NULL);
    undeclared_reads_are_refused();
    fields_are_freed();
    return berth_test_result();
}
