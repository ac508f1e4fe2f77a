//! Tests of the post-filter: who preempts whom, within the quotas.

use super::*;

/// Quotas with plenty of max.
const QUOTAS: &[(&str, i64, i64)] = &[("a", 10, 99), ("b", 10, 99)];

#[test]
fn a_namespace_over_its_min_preempts_its_own_pods_with_lower_priority() {
    // With the pod, namespace a uses 11 cpu and is guaranteed 10. Namespace b is far over its min.
    let mut scenario = Scenario::new(&["n", "m"]).quotas(&[("a", 10, 99), ("b", 1, 99), ("c", 99, 99)]);
    scenario.place(a_pod("low", "a", "4", 1), "n");
    scenario.place(a_pod("equal", "a", "3", 5), "n");
    scenario.place(a_pod("other", "b", "3", 1), "n");
    scenario.place(a_pod("free", "d", "10", 1), "m");
    let pod = a_pod("p", "a", "4", 5);
    assert_eq!(scenario.nominate(&pod), ("n".to_owned(), vec!["low".to_owned()]));
    assert_eq!(
        scenario.no_room(&a_pod("p", "a", "5", 5), Rejections::default()),
        "0/2 nodes are available: 1 Insufficient cpu, 1 No victims found on node m for preemptor pod p."
    );
}

#[test]
fn a_namespace_within_its_min_preempts_pods_of_namespaces_over_their_min() {
    let mut scenario = Scenario::new(&["n", "m"]).quotas(&[("a", 10, 99), ("b", 3, 99), ("c", 10, 99)]);
    scenario.place(a_pod("own", "a", "2", 1), "n");
    scenario.place(a_pod("borrower", "b", "4", 9), "n");
    scenario.place(a_pod("lender", "c", "4", 1), "n");
    scenario.place(a_pod("free", "d", "10", 1), "m");
    // The priority of the pod in the other namespace does not count.
    assert_eq!(scenario.victims(&a_pod("p", "a", "4", 5)), ["borrower"]);
    assert_eq!(
        scenario.no_room(&a_pod("p", "a", "5", 5), Rejections::default()),
        "0/2 nodes are available: 1 Insufficient cpu, 1 No victims found on node m for preemptor pod p."
    );
}

#[test]
fn a_namespace_loses_pods_only_while_it_is_over_its_min() {
    // Without its least important pod, namespace b is within its min, so the other pods stay.
    let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 10, 99), ("b", 6, 99)]);
    scenario.place(a_pod("high", "b", "4", 3), "n");
    scenario.place(a_pod("low", "b", "2", 1), "n");
    scenario.place(a_pod("middle", "b", "4", 2), "n");
    assert_eq!(scenario.victims(&a_pod("p", "a", "2", 5)), ["low"]);
    assert_eq!(scenario.victims(&a_pod("p", "a", "6", 5)), ["middle", "low"]);
    assert_eq!(
        scenario.no_room(&a_pod("p", "a", "7", 5), Rejections::default()),
        "0/1 nodes are available: 1 Insufficient cpu."
    );
}

#[test]
fn pods_without_a_quota_preempt_each_other() {
    let mut scenario = Scenario::new(&["n"]).quotas(&[("b", 0, 99)]);
    scenario.place(a_pod("quota", "b", "4", 1), "n");
    scenario.place(a_pod("low", "c", "3", 1), "n");
    scenario.place(a_pod("equal", "a", "3", 5), "n");
    assert_eq!(scenario.victims(&a_pod("p", "a", "3", 5)), ["low"]);
    assert_eq!(
        scenario.no_room(&a_pod("p", "a", "3", 1), Rejections::default()),
        "0/1 nodes are available: 1 No victims found on node n for preemptor pod p."
    );
}

#[test]
fn a_node_is_rejected_if_its_victims_do_not_free_the_quota() {
    for (case, quotas) in [
        ("the max of the quota", [("a", 1, 9), ("b", 99, 99)]),
        ("the min of all quotas", [("a", 1, 99), ("b", 8, 99)]),
    ] {
        let mut scenario = Scenario::new(&["n", "m"]).quotas(&quotas);
        scenario.place(a_pod("low", "a", "3", 1), "n");
        scenario.place(a_pod("equal", "a", "5", 5), "m");
        let full = "0/2 nodes are available: 1 No victims found on node m for preemptor pod p, \
                    1 global quota max exceeded.";
        assert_eq!(scenario.no_room(&a_pod("p", "a", "5", 5), Rejections::default()), full, "{case}");
        assert_eq!(scenario.victims(&a_pod("p", "a", "4", 5)), ["low"], "{case}");
    }
}

#[test]
fn the_filters_of_other_plugins_come_before_the_quota() {
    let mut scenario = Scenario::new(&["n"]).quotas(&[("a", 1, 5)]);
    scenario.place(a_pod("low", "a", "1", 1), "n");
    let reason = scenario.no_room(&a_pod("p", "a", "11", 5), Rejections::default());
    assert_eq!(reason, "0/1 nodes are available: 1 Insufficient cpu.");
}

#[test]
fn pods_are_evicted_until_the_pod_fits_its_quota() {
    // The node has enough cpu for all pods.
    for (case, quotas, victims) in [
        ("the max of the quota", [("a", 1, 5), ("b", 99, 99)], vec!["middle"]),
        ("the min of all quotas", [("a", 1, 99), ("b", 4, 99)], vec!["middle"]),
        ("a smaller max", [("a", 1, 3), ("b", 99, 99)], vec!["high", "middle"]),
    ] {
        let mut scenario = Scenario::new(&["n"]).quotas(&quotas);
        scenario.place(a_pod("low", "a", "1", 1), "n");
        scenario.place(a_pod("middle", "a", "2", 2), "n");
        scenario.place(a_pod("high", "a", "2", 3), "n");
        assert_eq!(scenario.victims(&a_pod("p", "a", "2", 5)), victims, "{case}");
    }
}

#[test]
fn nominated_pods_count_when_pods_are_restored() {
    for (case, other, victims) in [
        ("another nominated pod of the namespace", nominated(a_pod("o", "a", "2", 5), "m"), vec!["high", "low"]),
        ("a nominated pod with lower priority", nominated(a_pod("o", "a", "2", 4), "m"), vec!["low"]),
    ] {
        let mut scenario = Scenario::new(&["n", "m"]).quotas(&[("a", 1, 6)]);
        scenario.quota("b", "quota", r#"{"min": {"cpu": 99}}"#);
        scenario.place(a_pod("low", "a", "2", 1), "n");
        scenario.place(a_pod("high", "a", "2", 2), "n");
        scenario.host.pending(&other);
        assert_eq!(scenario.victims(&a_pod("p", "a", "4", 5)), victims, "{case}");
    }
}

#[test]
fn a_pod_that_filters_and_quota_refuse_is_evicted_once() {
    // With the nominated pod, the quota is exceeded whichever pods leave the node.
    let mut scenario = Scenario::new(&["n", "m"]).quotas(&[("a", 1, 12)]);
    scenario.quota("b", "quota", r#"{"min": {"cpu": 99}}"#);
    scenario.place(a_pod("low", "a", "5", 1), "n");
    scenario.place(a_pod("high", "a", "5", 2), "n");
    scenario.host.pending(&nominated(a_pod("o", "a", "9", 5), "m"));
    assert_eq!(scenario.victims(&a_pod("p", "a", "6", 5)), ["high", "low"]);
}

#[test]
fn protected_pods_are_restored_first() {
    let mut scenario = Scenario::new(&["n"]).quotas(QUOTAS);
    scenario.place(a_pod("high", "a", "5", 3), "n");
    scenario.place(a_pod("low", "a", "5", 1), "n");
    let pod = a_pod("p", "a", "5", 5);
    assert_eq!(scenario.victims(&pod), ["low"]);
    scenario.protect("a", "low");
    assert_eq!(scenario.victims(&pod), ["high"]);
    scenario.host.remove_object("PodDisruptionBudget", "a", "low");
    assert_eq!(scenario.victims(&pod), ["low"]);
}

#[test]
fn victims_that_only_the_quota_requires_violate_no_budget() {
    // Both victims are protected. The filters require the victim on m, and only the quota requires the victim on n.
    let mut scenario = Scenario::new(&["n", "m"]).quotas(&[("a", 1, 13)]);
    scenario.quota("b", "quota", r#"{"min": {"cpu": 99}}"#);
    scenario.place(a_pod("x", "a", "3", 2), "n");
    scenario.place(a_pod("y", "a", "7", 1), "m");
    scenario.protect("a", "x");
    scenario.protect("a", "y");
    assert_eq!(scenario.nominate(&a_pod("p", "a", "4", 5)).0, "n");
}

#[test]
fn the_best_node_of_all_nodes_is_chosen() {
    // The node with the lowest priority is the last of 200 nodes.
    let names: Vec<String> = (0..200).map(|at| format!("n{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut scenario = Scenario::new(&names);
    for (name, priority) in names.iter().zip((0..200).rev()) {
        scenario.place(a_pod("c1", "c", "10", priority), name);
    }
    scenario.host.set_seed(77);
    assert_eq!(scenario.nominate(&a_pod("p", "a", "1", 1000)).0, "n199");
}

#[test]
fn evicted_pods_get_the_reason_of_kube_scheduler() {
    let mut scenario = Scenario::new(&["n"]);
    scenario.place(a_pod("low", "c", "10", 1), "n");
    let mut pod = a_pod("p", "a", "1", 5);
    pod.0.scheduler_name = "berth".to_owned();
    assert_eq!(scenario.nomination(&pod).reason, "berth: preempting to accommodate a higher priority pod");
}

#[test]
fn a_pod_that_never_preempts_gets_a_reason() {
    let mut scenario = Scenario::new(&["n"]);
    scenario.place(a_pod("low", "c", "10", 1), "n");
    let mut pod = a_pod("p", "a", "1", 5);
    pod.0.preemption = berth_guest::types::PreemptionPolicy::Never;
    let reason = scenario.no_room(&pod, Rejections::default());
    assert_eq!(reason, "not eligible due to preemptionPolicy=Never.");
}

#[test]
fn a_pod_waits_for_terminating_pods_that_it_could_have_preempted() {
    let within: &[_] = &[("a", 20, 99), ("b", 1, 99)];
    let over: &[_] = &[("a", 1, 99), ("b", 1, 99)];
    let lender: &[_] = &[("a", 20, 99), ("b", 20, 99)];
    for (case, quotas, leaving, waits) in [
        ("its namespace, lower priority", within, a_pod("l", "a", "5", 1), true),
        ("its namespace, lower priority, over min", over, a_pod("l", "a", "5", 1), true),
        ("its namespace, the same priority", within, a_pod("l", "a", "5", 5), false),
        ("a namespace over its min", within, a_pod("l", "b", "5", 9), true),
        ("a namespace over its min, but the pod's namespace is too", over, a_pod("l", "b", "5", 1), false),
        ("a namespace within its min", lender, a_pod("l", "b", "5", 1), false),
        ("a namespace without a quota", within, a_pod("l", "c", "5", 1), false),
        ("no quota for both, lower priority", &[], a_pod("l", "c", "5", 1), true),
        ("no quota for both, the same priority", &[], a_pod("l", "c", "5", 5), false),
        ("a quota for the terminating pod only", &[("b", 1, 99)], a_pod("l", "b", "5", 1), false),
    ] {
        let mut scenario = Scenario::new(&["n", "m"]).quotas(quotas);
        let waiting = "not eligible due to a terminating pod on the nominated node.";
        let pod = nominated(a_pod("p", "a", "11", 5), "n");
        let id = scenario.place(leaving.clone(), "n");
        assert_ne!(scenario.no_room(&pod, Rejections::default()), waiting, "{case}: the pod is not terminating");
        scenario.host.change_resident(id, &leaving.deleting(), "n");
        assert_eq!(scenario.no_room(&pod, Rejections::default()) == waiting, waits, "{case}");
        let codes = [("n", Code::UnschedulableAndUnresolvable)];
        let unresolvable = Rejections { codes: &codes, ..Rejections::default() };
        assert_ne!(scenario.no_room(&pod, unresolvable), waiting, "{case}: preemption does not help on the node");
        let elsewhere = nominated(a_pod("p", "a", "11", 5), "m");
        assert_ne!(scenario.no_room(&elsewhere, Rejections::default()), waiting, "{case}: another node is nominated");
    }
}

#[test]
fn removed_pods_and_nodes_leave_no_state() {
    let mut scenario = Scenario::new(&["n", "m"]).quotas(QUOTAS);
    let id = scenario.place(a_pod("low", "a", "10", 1), "n");
    let pod = a_pod("p", "a", "1", 5);
    assert_eq!(scenario.nominate(&pod).0, "n");
    scenario.host.remove_resident(id);
    scenario.host.remove_node("m");
    let reason = scenario.no_room(&pod, Rejections::default());
    assert_eq!(reason, "0/1 nodes are available: 1 No victims found on node n for preemptor pod p.");
}
