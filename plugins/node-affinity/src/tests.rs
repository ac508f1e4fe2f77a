use berth_guest::testing::{Host, PodBuilder, expression, node, pod, term};
use berth_guest::types::SelectorOperator::{DoesNotExist, Exists, In, LessThan, NotIn};

use super::*;

const POD: &str = "node(s) didn't match Pod's node affinity/selector";
const ENFORCED: &str = "node(s) didn't match scheduler-enforced node affinity";

/// Returns a host with three nodes: a and b in zones of the same names, a with fast disks, and c without labels.
fn host(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    host.node(node("a").label("zone", "a").label("disk", "fast").label("cores", "16"));
    host.node(node("b").label("zone", "b").label("cores", "8"));
    host.node(node("c"));
    host
}

fn names(operator: SelectorOperator, values: &[&'static str]) -> NodeSelectorTerm {
    let fields = values.iter().map(|value| expression("metadata.name", operator, [*value])).collect();
    NodeSelectorTerm { expressions: Vec::new(), fields }
}

fn in_zone(zones: &[&'static str]) -> NodeSelectorTerm {
    term([expression("zone", In, zones.iter().copied())])
}

#[test]
fn nodes_must_match_selector_and_affinity() {
    let not_a = NodeSelectorTerm { fields: vec![expression("metadata.name", NotIn, ["a"])], ..in_zone(&["a", "b"]) };
    let cases: Vec<(PodBuilder, &[&str])> = vec![
        (pod(), &["a", "b", "c"]),
        (pod().node_selector("zone", "a"), &["a"]),
        (pod().node_selector("zone", "a").node_selector("disk", "slow"), &[]),
        (pod().require(in_zone(&["a", "b"])), &["a", "b"]),
        (pod().require(in_zone(&["a"])).require(in_zone(&["b"])), &["a", "b"]),
        (pod().require(in_zone(&["a", "b"])).node_selector("disk", "fast"), &["a"]),
        (pod().require(term([expression("zone", DoesNotExist, [])])), &["c"]),
        (pod().require(term([expression("cores", LessThan, ["10"])])), &["b"]),
        (pod().require(term([])), &[]),
        (pod().require(term([expression("zone", NotIn, ["no value"])])), &[]),
        (pod().require(term([expression("zone", NotIn, ["no value"])])).require(in_zone(&["b"])), &["b"]),
        (pod().require(not_a), &["b"]),
        (pod().require(names(NotIn, &["a"])), &["b", "c"]),
        (pod().require(names(In, &["a"])), &["a"]),
        (pod().require(names(In, &["a"])).require(in_zone(&["b"])), &["a", "b"]),
        (pod().require(names(In, &["a"])).require(names(In, &["c"])), &["a", "c"]),
        (pod().require(names(In, &["gone"])), &[]),
    ];
    let mut host = host("{}");
    for (pod, fits) in cases {
        assert_eq!(host.fits(&pod), fits, "{pod:?}");
    }
}

#[test]
fn an_empty_list_of_terms_matches_nothing() {
    let mut pod = pod();
    pod.0.required_node_affinity = Some(Vec::new());
    let mut host = host("{}");
    assert_eq!(host.fits(&pod), [""; 0]);
    assert_eq!(host.reasons(&pod, "a"), [POD]);
}

#[test]
fn terms_with_node_names_narrow_the_candidates() {
    let mut host = host("{}");
    let candidates =
        |host: &mut Host<Plugin>, pod| host.verdicts(&pod).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(candidates(&mut host, pod().require(names(In, &["c"])).require(names(In, &["a"]))), ["a", "c"]);
    assert_eq!(candidates(&mut host, pod().require(names(In, &["c"])).require(in_zone(&["a"]))), ["a", "b", "c"]);
}

#[test]
fn contradicting_node_names_reject_the_pod() {
    let mut host = host("{}");
    let verdict = host.verdict(&pod().require(names(In, &["a", "b"])), "a").unwrap();
    assert_eq!(verdict.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
    assert_eq!(verdict.reasons, ["pod affinity terms conflict"]);
    let one_is_possible = pod().require(names(In, &["a", "b"])).require(names(In, &["c"]));
    assert_eq!(host.fits(&one_is_possible), ["c"]);
}

#[test]
fn the_profile_may_add_affinity() {
    let args = r#"{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeAffinityArgs", "addedAffinity":
        {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]}}}"#;
    let mut host = host(args);
    assert_eq!(host.fits(&pod()), ["a", "b"]);
    assert_eq!(host.reasons(&pod(), "c"), [ENFORCED]);
    let elsewhere = pod().require(in_zone(&["b"]));
    assert_eq!(host.fits(&elsewhere), ["b"]);
    assert_eq!(host.reasons(&elsewhere, "a"), [POD]);
    assert_eq!(host.reasons(&elsewhere, "c"), [ENFORCED]);
}

#[test]
fn preferred_terms_score() {
    let fast = || term([expression("disk", In, ["fast"])]);
    let cases: Vec<(PodBuilder, &str, [i64; 3])> = vec![
        (pod().prefer(2, fast()), "{}", [100, 0, 0]),
        (pod().prefer(2, fast()).prefer(6, in_zone(&["b"])), "{}", [33, 100, 0]),
        (pod().prefer(2, fast()).prefer(4, term([expression("zone", Exists, [])])), "{}", [100, 66, 0]),
        (pod().prefer(2, term([])), "{}", [0, 0, 0]),
        (pod().prefer(9, names(In, &["c"])), "{}", [0, 0, 100]),
        (pod(), ADDED, [0, 100, 0]),
        (pod().prefer(20, fast()), ADDED, [100, 50, 0]),
    ];
    for (pod, args, scores) in cases {
        assert_eq!(host(args).scores(&pod).into_values().collect::<Vec<_>>(), scores, "{pod:?}");
    }
}

const ADDED: &str = r#"{"addedAffinity": {"preferredDuringSchedulingIgnoredDuringExecution":
    [{"weight": 10, "preference": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}}]}}"#;

#[test]
fn pods_without_preference_are_not_scored() {
    assert!(host("{}").scores(&pod().require(in_zone(&["a"]))).is_empty());
}

#[test]
#[should_panic(expected = "[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators")]
fn a_preference_that_cannot_be_read_fails_the_pod() {
    host("{}").scores(&pod().prefer(1, term([expression("zone", In, [])])));
}

#[test]
fn bad_arguments_are_refused() {
    let required = |terms: &str| {
        let selector = format!(r#"{{"nodeSelectorTerms": [{terms}]}}"#);
        format!(r#"{{"addedAffinity": {{"requiredDuringSchedulingIgnoredDuringExecution": {selector}}}}}"#)
    };
    for (args, message) in [
        (
            required(r#"{"matchExpressions": [{"key": "zone", "operator": "Is"}]}"#),
            "NodeAffinity: arguments: addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]\
             .matchExpressions[0].operator: unknown variant `Is`, expected one of `In`, `NotIn`, `Exists`, \
             `DoesNotExist`, `Gt`, `Lt`",
        ),
        (
            required(r#"{"matchFields": [{"key": "metadata.name", "operator": "Exists"}]}"#),
            "NodeAffinity: arguments: addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]\
             .matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\"",
        ),
        (r#"{"affinity": {}}"#.to_owned(), "NodeAffinity: arguments: unknown field `affinity`"),
    ] {
        let refused = Host::<Plugin>::with_args(&args).err().unwrap();
        assert!(refused.starts_with(message), "{refused}");
    }
}

#[test]
fn a_node_that_matches_now_causes_a_retry() {
    let (ssd, hdd) = (node("n").label("disk", "ssd"), node("n").label("disk", "hdd"));
    let requiring = pod().node_selector("disk", "ssd");
    let added = r#"{"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["hdd"]}]}]}}}"#;
    for (args, before, after, expected) in [
        ("{}", None, &ssd, Hint::Queue),
        ("{}", None, &hdd, Hint::Skip),
        ("{}", Some(&hdd), &ssd, Hint::Queue),
        ("{}", Some(&ssd), &ssd, Hint::Skip),
        ("{}", Some(&ssd), &hdd, Hint::Skip),
        (added, Some(&hdd), &ssd, Hint::Skip),
    ] {
        let mut host = Host::<Plugin>::with_args(args).unwrap();
        let actions = if before.is_none() { EventActions::ADD } else { EventActions::UPDATE_LABELS };
        assert_eq!(host.node_hint(actions, [before, Some(after)], &requiring), expected, "{before:?} {after:?}");
    }
}
