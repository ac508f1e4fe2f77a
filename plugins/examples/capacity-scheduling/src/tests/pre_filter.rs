//! Tests of the pre-filter: the max of a quota, and the min of all quotas together.

use super::*;

const OVER_MAX: &str = "Pod is rejected in PreFilter because ElasticQuota a is more than Max";
const OVER_MIN: &str = "Pod is rejected in PreFilter because total ElasticQuota used is more than min";

#[test]
fn a_pod_passes_within_the_max_of_its_quota_and_the_min_of_all() {
    // Namespace a uses 3 cpu and may use 6. All namespaces use 5 cpu, and are guaranteed 9 together.
    let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 4, 6), ("b", 5, 100)]);
    scenario.place(a_pod("a1", "a", "3", 0), "n");
    scenario.place(a_pod("b1", "b", "2", 0), "n");
    scenario.place(a_pod("c1", "c", "50", 0), "n");
    for (case, namespace, cpu, expected) in [
        ("up to the max", "a", "3", ""),
        ("over the max", "a", "3001m", OVER_MAX),
        ("up to the min of all", "b", "4", ""),
        ("over the min of all", "b", "4001m", OVER_MIN),
        ("a namespace without a quota", "c", "99", ""),
    ] {
        assert_eq!(scenario.pre_filter(&a_pod("p", namespace, cpu, 0)), expected, "{case}");
    }
}

#[test]
fn resources_that_a_quota_does_not_name_have_kubernetes_defaults() {
    const GPU: &str = "example.com/gpu";
    for (case, spec, resource, expected) in [
        ("a max without memory", r#"{"min": {"memory": 8}, "max": {"cpu": 1}}"#, "memory", OVER_MAX),
        ("an empty max", r#"{"min": {"ephemeral-storage": 8}, "max": {}}"#, "ephemeral-storage", OVER_MAX),
        ("no max", r#"{"min": {"memory": 8}}"#, "memory", ""),
        ("a max of null", r#"{"min": {"memory": 8}, "max": null}"#, "memory", ""),
        ("a max without the device", r#"{"min": {"example.com/gpu": 8}, "max": {"cpu": 1}}"#, GPU, ""),
        ("a max of the device", r#"{"min": {"example.com/gpu": 8}, "max": {"example.com/gpu": 0}}"#, GPU, OVER_MAX),
        ("a min without memory", r#"{"min": {"cpu": 8}}"#, "memory", OVER_MIN),
        ("no min", "{}", "cpu", OVER_MIN),
        ("a min without the device", r#"{"min": {"cpu": 8}}"#, GPU, OVER_MIN),
        ("a max of pods", r#"{"min": {"cpu": 8}, "max": {"cpu": 8, "pods": 0}}"#, "cpu", ""),
    ] {
        let mut scenario = Scenario::new(&["n"]);
        scenario.quota("a", "quota", spec);
        assert_eq!(scenario.pre_filter(&pod().namespace("a").request(resource, "1")), expected, "{case}");
    }
}

#[test]
fn cpu_is_compared_in_millicores_and_other_resources_in_units() {
    let spec = r#"{"min": {"cpu": "1500m", "memory": "1Ki"}, "max": {"cpu": "1.5", "memory": "1024"}}"#;
    for (cpu, memory, expected) in [("1500m", "1024", ""), ("1501m", "0", OVER_MAX), ("0", "1025", OVER_MAX)] {
        let mut scenario = Scenario::new(&["n"]);
        scenario.quota("a", "quota", spec);
        assert_eq!(scenario.pre_filter(&pod().namespace("a").cpu(cpu).memory(memory)), expected, "{cpu} {memory}");
    }
}

#[test]
fn a_quota_for_a_device_does_not_limit_pods_without_it() {
    const GPU: &str = "example.com/gpu";
    let mut scenario = Scenario::new(&["n"]);
    scenario.quota(
        "a",
        "quota",
        r#"{"min": {"cpu": 8, "example.com/gpu": 9}, "max": {"cpu": 8, "example.com/gpu": 1}}"#,
    );
    scenario.place(a_pod("a1", "a", "1", 0).request(GPU, "2"), "n");
    assert_eq!(scenario.pre_filter(&a_pod("p", "a", "1", 0)), "");
    assert_eq!(scenario.pre_filter(&a_pod("p", "a", "1", 0).request(GPU, "1")), OVER_MAX);
}

#[test]
fn a_device_that_is_used_over_the_min_of_all_quotas_rejects_every_pod() {
    const GPU: &str = "example.com/gpu";
    let mut scenario = Scenario::new(&["n"]);
    scenario.quota("a", "quota", r#"{"min": {"cpu": 8, "example.com/gpu": 2}}"#);
    scenario.quota("b", "quota", "{}");
    scenario.place(a_pod("b1", "b", "1", 0).request(GPU, "2"), "n");
    assert_eq!(scenario.pre_filter(&a_pod("p", "a", "1", 0)), "");
    scenario.place(a_pod("b2", "b", "1", 0).request(GPU, "1"), "n");
    assert_eq!(scenario.pre_filter(&a_pod("p", "a", "1", 0)), OVER_MIN);
}

#[test]
fn nominated_pods_of_the_namespace_count_from_the_pods_priority() {
    for (case, other, expected) in [
        ("the same priority", nominated(a_pod("o", "a", "4", 5), "n"), OVER_MAX),
        ("a higher priority", nominated(a_pod("o", "a", "4", 6), "n"), OVER_MAX),
        ("a lower priority", nominated(a_pod("o", "a", "4", 4), "n"), ""),
        ("another namespace", nominated(a_pod("o", "b", "4", 5), "n"), ""),
        ("no nominated node", a_pod("o", "a", "4", 5), ""),
        ("a node that does not exist", nominated(a_pod("o", "a", "4", 5), "gone"), ""),
    ] {
        let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 20, 5), ("b", 20, 20)]);
        scenario.host.pending(&other);
        assert_eq!(scenario.pre_filter(&a_pod("p", "a", "2", 5)), expected, "{case}");
    }
}

#[test]
fn nominated_pods_of_other_namespaces_count_for_all_quotas_within_their_min() {
    for (case, used, namespace, expected) in [
        ("the other namespace is within its min", "3", "b", OVER_MIN),
        ("the other namespace is over its min", "3001m", "b", ""),
        ("the other namespace has no quota", "0", "c", ""),
    ] {
        // All quotas together guarantee 9 cpu, of which the pods on nodes use about 3.
        let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 6, 20), ("b", 3, 20)]);
        scenario.place(a_pod("b1", "b", used, 0), "n");
        scenario.host.pending(&nominated(a_pod("o", namespace, "4", 0), "n"));
        assert_eq!(scenario.pre_filter(&a_pod("p", "a", "3", 5)), expected, "{case}");
    }
}

#[test]
fn a_nominated_pod_does_not_count_itself() {
    let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 20, 5)]);
    let itself = nominated(a_pod("p", "a", "3", 5), "n");
    let id = scenario.host.pending(&itself);
    assert_eq!(scenario.pre_filter(&itself), "");
    // A second pod with equal facts counts.
    scenario.host.pending(&nominated(a_pod("q", "a", "3", 5), "n"));
    assert_eq!(scenario.pre_filter(&itself), OVER_MAX);
    scenario.host.change_pending(id, &a_pod("p", "a", "3", 5));
    assert_eq!(scenario.pre_filter(&itself), "", "only one of the pods is nominated");
}

#[test]
fn usage_follows_the_pods() {
    let mut scenario = Scenario::new(&["n", "m"]);
    let id = scenario.place(a_pod("a1", "a", "3", 0), "n");
    let pod = a_pod("p", "a", "3", 0);
    assert_eq!(scenario.pre_filter(&pod), "");
    // A pod counts that came before the quota.
    let mut scenario = scenario.quotas(&[("a", 20, 5)]);
    assert_eq!(scenario.pre_filter(&pod), OVER_MAX);
    scenario.host.change_resident(id, &a_pod("a1", "a", "2", 0), "m");
    assert_eq!(scenario.pre_filter(&pod), "", "the pod on the node is smaller");
    scenario.host.change_resident(id, &a_pod("a1", "a", "2001m", 0), "m");
    assert_eq!(scenario.pre_filter(&pod), OVER_MAX, "the pod on the node is larger");
    assert_eq!(scenario.host.fresh().verdict(&pod, "n"), Some(unschedulable(OVER_MAX)));
    scenario.host.remove_resident(id);
    assert_eq!(scenario.pre_filter(&pod), "", "the pod on the node is gone");
}

#[test]
fn the_first_quota_of_a_namespace_by_name_counts() {
    let pod = a_pod("p", "a", "3", 0);
    let mut scenario = Scenario::new(&["n"]);
    scenario.quota("a", "y", r#"{"min": {"cpu": 9}, "max": {"cpu": 2}}"#);
    scenario.quota("a", "x", r#"{"min": {"cpu": 9}, "max": {"cpu": 4}}"#);
    assert_eq!(scenario.pre_filter(&pod), "");
    scenario.host.remove_object("ElasticQuota", "a", "x");
    assert_eq!(scenario.pre_filter(&pod), OVER_MAX);
    scenario.quota("a", "y", r#"{"min": {"cpu": 2}, "max": {"cpu": 4}}"#);
    assert_eq!(scenario.pre_filter(&pod), OVER_MIN);
    scenario.host.remove_object("ElasticQuota", "a", "y");
    assert_eq!(scenario.pre_filter(&pod), "", "no quota is left");
}

#[test]
fn a_quota_that_can_not_be_read_is_ignored() {
    let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 9, 2)]);
    let pod = a_pod("p", "a", "3", 0);
    assert_eq!(scenario.pre_filter(&pod), OVER_MAX);
    scenario.quota("a", "quota", r#"{"min": {"cpu": "much"}}"#);
    assert_eq!(scenario.pre_filter(&pod), "");
}
