//! Tests of preferred terms in both directions.

use super::*;

/// Returns the raw scores of a1, a2, b1, b2 and c.
fn raw(host: &mut Host<Plugin>, pod: &PodBuilder) -> Vec<i64> {
    host.raw_scores(pod).into_values().collect()
}

#[test]
fn preferred_terms_of_the_pod_count_matching_pods() {
    for (on, incoming, scores) in [
        ("a1", pod().preferred_affinity(5, term("zone", "web")), [5, 5, 0, 0, 0]),
        ("a1 a1 b1", pod().preferred_affinity(5, term("zone", "web")), [10, 10, 5, 5, 0]),
        ("a1 c", pod().preferred_affinity(5, term("zone", "web")), [5, 5, 0, 0, 0]),
        ("a1 b1", pod().preferred_affinity(5, term("node", "web")), [5, 0, 5, 0, 0]),
        ("a1", pod().preferred_anti_affinity(5, term("zone", "web")), [-5, -5, 0, 0, 0]),
        (
            "a1",
            pod().preferred_anti_affinity(5, term("node", "web")).preferred_affinity(3, term("zone", "web")),
            [-2, 3, 0, 0, 0],
        ),
        (
            "a1",
            pod().preferred_affinity(5, term("zone", "web")).preferred_affinity(7, term("zone", "web")),
            [12, 12, 0, 0, 0],
        ),
    ] {
        let mut host = host();
        put(&mut host, &app("web"), on);
        assert_eq!(raw(&mut host, &incoming), scores, "{on}: {incoming:?}");
    }
}

#[test]
fn preferred_terms_of_pods_on_nodes_count() {
    for (resident, incoming, scores) in [
        (app("db").preferred_affinity(5, term("zone", "web")), app("web"), [5, 5, 0, 0, 0]),
        (app("db").preferred_anti_affinity(5, term("node", "web")), app("web"), [-5, 0, 0, 0, 0]),
        // A required term of a pod on a node counts with hardPodAffinityWeight.
        (app("db").affinity(term("zone", "web")), app("web"), [1, 1, 0, 0, 0]),
        (
            app("db").affinity(term("zone", "web")).preferred_affinity(2, term("node", "web")),
            app("web"),
            [3, 1, 0, 0, 0],
        ),
        (
            app("web").preferred_affinity(5, term("zone", "web")),
            app("web").preferred_affinity(2, term("zone", "web")),
            [7, 7, 0, 0, 0],
        ),
    ] {
        let mut host = host();
        put(&mut host, &resident, "a1");
        assert_eq!(raw(&mut host, &incoming), scores, "{resident:?}: {incoming:?}");
    }
}

#[test]
fn pods_without_relevant_terms_are_not_scored() {
    for (args, resident, incoming, scored) in [
        ("{}", app("db"), app("web"), false),
        ("{}", app("db").anti_affinity(term("zone", "web")), app("web"), false),
        ("{}", app("db").preferred_affinity(5, term("zone", "api")), app("web"), false),
        ("{}", app("db").preferred_affinity(5, term("none", "web")), app("web"), false),
        ("{}", app("db"), app("web").preferred_affinity(5, term("zone", "api")), false),
        ("{}", app("db").preferred_affinity(5, term("zone", "web")), app("web"), true),
        (r#"{"hardPodAffinityWeight": 0}"#, app("db").affinity(term("zone", "web")), app("web"), false),
        (r#"{"hardPodAffinityWeight": 7}"#, app("db").affinity(term("zone", "web")), app("web"), true),
    ] {
        let mut host = host_with(args);
        put(&mut host, &resident, "a1");
        assert_eq!(!raw(&mut host, &incoming).is_empty(), scored, "{args} {resident:?}: {incoming:?}");
    }
}

#[test]
fn preferences_that_cancel_each_other_still_score() {
    let mut host = host();
    put(&mut host, &app("web"), "a1");
    let torn = pod().preferred_affinity(5, term("zone", "web")).preferred_anti_affinity(5, term("zone", "web"));
    assert_eq!(raw(&mut host, &torn), [0; 5]);
    assert_eq!(host.scores(&torn).into_values().collect::<Vec<_>>(), [0; 5]);
}

#[test]
fn preferred_terms_of_pods_on_nodes_can_be_ignored() {
    let mut host = host_with(r#"{"ignorePreferredTermsOfExistingPods": true}"#);
    put(&mut host, &app("db").preferred_affinity(5, term("zone", "web")), "a1");
    assert!(raw(&mut host, &app("web")).is_empty());
    // Preferred terms of pods on nodes still count for a pod with preferred terms of its own.
    assert_eq!(raw(&mut host, &app("web").preferred_affinity(2, term("zone", "api"))), [5, 5, 0, 0, 0]);
}

#[test]
fn scores_go_from_the_lowest_to_the_highest() {
    let mut host = host();
    put(&mut host, &app("web"), "a1 a1 a1 b1");
    let normalized = |host: &mut Host<Plugin>, pod: &PodBuilder| host.scores(pod).into_values().collect::<Vec<_>>();
    assert_eq!(normalized(&mut host, &pod().preferred_affinity(5, term("zone", "web"))), [100, 100, 33, 33, 0]);
    assert_eq!(normalized(&mut host, &pod().preferred_anti_affinity(5, term("zone", "web"))), [0, 0, 66, 66, 100]);
    let scores = host.scores_among(&pod().preferred_affinity(5, term("zone", "web")), &["b1", "a1"]);
    assert_eq!(scores.into_values().collect::<Vec<_>>(), [100, 0]);
}
