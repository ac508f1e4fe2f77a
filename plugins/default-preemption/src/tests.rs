//! Tests with nodes of capacity ten and pods of various sizes.

use std::collections::BTreeMap;

use berth_guest::Outcome;
use berth_guest::pod::Id;
use berth_guest::post_filter::{Candidate, Nomination, PostFilter, PostFilterResult};
use berth_guest::testing::{Host, PodBuilder, Rejections, node, pod};
use berth_guest::types::{Code, PreemptionPolicy, Status};

use super::Plugin;

const CAPACITY: i64 = 10;
const NOW: i64 = 1_000_000;

/// A pod on a node: name, node, size, priority, and start time (0 if not started).
#[derive(Clone, Copy)]
struct PlacedPod(&'static str, &'static str, i64, i32, i64);

struct Scenario {
    host: Host<Plugin>,
    pods: Vec<PlacedPod>,
    /// The number of what-if questions by node.
    questions: BTreeMap<String, usize>,
    rejects: BTreeMap<&'static str, Status>,
}

impl Scenario {
    fn new(nodes: &[&str], pods: &[PlacedPod]) -> Scenario {
        Scenario::with_args("{}", nodes, pods)
    }

    fn with_args(args: &str, nodes: &[&str], pods: &[PlacedPod]) -> Scenario {
        let mut host = Host::with_args(args).unwrap();
        host.set_time(NOW * 1000);
        nodes.iter().for_each(|name| host.node(node(name)));
        for PlacedPod(name, node, _, priority, started) in pods {
            let mut resident = pod().name(name).label("app", name).priority(*priority);
            resident.0.start_time = *started;
            host.resident(&resident, node);
        }
        Scenario { host, pods: pods.to_vec(), questions: BTreeMap::new(), rejects: BTreeMap::new() }
    }

    /// Adds a budget for the pods with these names.
    fn budget(&mut self, name: &str, pods: &[&str], allowed: i32, disrupted: &[&str]) {
        let list = |names: &[&str], form: fn(&str) -> String| {
            names.iter().map(|name| form(name)).collect::<Vec<_>>().join(",")
        };
        let selected = list(pods, |name| format!("{name:?}"));
        let disrupted = list(disrupted, |name| format!("{name:?}:\"2026-01-01T00:00:00Z\""));
        let selector = format!(r#"{{"matchExpressions":[{{"key":"app","operator":"In","values":[{selected}]}}]}}"#);
        self.budget_of(name, &selector, allowed, &disrupted);
    }

    fn budget_of(&mut self, name: &str, selector: &str, allowed: i32, disrupted: &str) {
        let status = format!(r#"{{"disruptionsAllowed":{allowed},"disruptedPods":{{{disrupted}}}}}"#);
        let fields = format!(r#"{{"spec":{{"selector":{selector}}},"status":{status}}}"#);
        self.host.object("PodDisruptionBudget", "default", name, &fields);
    }

    /// Runs the post-filter for a pod of this size.
    fn ask(&mut self, pod: &PodBuilder, size: i64, rejections: Rejections<'_>) -> Outcome<PostFilter> {
        let (pods, questions, rejects) = (&self.pods, &mut self.questions, &self.rejects);
        self.host.post_filter(pod, rejections, |node, gone| {
            *questions.entry(node.to_owned()).or_default() += 1;
            let is_kept = |at: &usize| !gone.contains(&Id(*at as u32));
            let remaining = pods.iter().enumerate().filter(|(at, PlacedPod(_, on, ..))| *on == node && is_kept(at));
            let taken: i64 = remaining.map(|(_, PlacedPod(_, _, size, ..))| size).sum();
            let full = || Status { code: Code::Unschedulable, reasons: vec!["Insufficient room".into()] };
            rejects.get(node).cloned().or_else(|| (taken + size > CAPACITY).then(full))
        })
    }

    /// Returns the nominated node and the victims for a pod of this size and priority.
    fn nominate(&mut self, size: i64, priority: i32) -> (String, Vec<&'static str>) {
        let answer = self.ask(&pod().priority(priority), size, Rejections::default());
        let Ok(PostFilterResult::Nominate(Nomination { node, evict, .. })) = answer.map(|answer| answer.result) else {
            panic!("no node is nominated")
        };
        let names = evict.iter().map(|id| self.pods[id.at()].0).collect();
        (self.host.node_names()[node.at()].clone(), names)
    }

    /// Returns the reasons if no node is nominated, and whether the nomination is cleared.
    fn reject(&mut self, pod: &PodBuilder, size: i64, rejections: Rejections<'_>) -> (String, bool) {
        let answer = self.ask(pod, size, rejections);
        let Ok(PostFilterResult::Unschedulable { reasons, clear }) = answer.map(|answer| answer.result) else {
            panic!("a node is nominated")
        };
        (reasons.join("; "), clear)
    }
}

#[test]
fn only_the_necessary_pods_are_victims() {
    for (case, pods, size, priority, gone) in [
        ("the only pod", vec![PlacedPod("a", "n", 10, 1, 1)], 5, 9, vec!["a"]),
        (
            "the pod with the lowest priority",
            vec![PlacedPod("a", "n", 5, 1, 1), PlacedPod("b", "n", 5, 2, 1)],
            5,
            9,
            vec!["a"],
        ),
        (
            "of two pods with equal priority, the younger one",
            vec![PlacedPod("a", "n", 5, 1, 2), PlacedPod("b", "n", 5, 1, 1)],
            5,
            9,
            vec!["a"],
        ),
        (
            "a pod that has not started counts as the youngest",
            vec![PlacedPod("a", "n", 5, 1, 9), PlacedPod("b", "n", 5, 1, 0)],
            5,
            9,
            vec!["b"],
        ),
        (
            "no pod of the same priority",
            vec![PlacedPod("a", "n", 5, 9, 1), PlacedPod("b", "n", 5, 8, 1)],
            5,
            9,
            vec!["b"],
        ),
        ("a pod of negative priority", vec![PlacedPod("a", "n", 10, -5, 1)], 5, -4, vec!["a"]),
        (
            "the small pod is restored, the large pod does not fit",
            vec![PlacedPod("large", "n", 8, 2, 1), PlacedPod("small", "n", 2, 1, 1)],
            5,
            9,
            vec!["large"],
        ),
        (
            "pods are restored by priority",
            vec![PlacedPod("c", "n", 4, 1, 1), PlacedPod("a", "n", 4, 3, 1), PlacedPod("b", "n", 2, 2, 1)],
            8,
            9,
            vec!["a", "c"],
        ),
    ] {
        assert_eq!(Scenario::new(&["n"], &pods).nominate(size, priority).1, gone, "{case}");
    }
}

#[test]
fn the_node_with_the_least_important_victims_is_chosen() {
    let full = |name, node, priority, started| PlacedPod(name, node, 10, priority, started);
    let halves = |node, priorities: [i32; 2]| priorities.map(|priority| PlacedPod("half", node, 5, priority, 1));
    for (case, pods, chosen) in [
        ("the lowest maximum priority", vec![full("a", "x", 3, 1), full("b", "y", 2, 1)], "y"),
        ("the lowest sum of priorities", [halves("x", [3, 2]), halves("y", [3, 1])].concat(), "y"),
        (
            "fewer victims of the same negative priority",
            [halves("x", [-1, -1]).to_vec(), vec![full("b", "y", -1, 1)]].concat(),
            "y",
        ),
        ("the latest start time", vec![full("a", "x", 1, 5), full("b", "y", 1, 6)], "y"),
        ("a pod that has not started counts as the latest", vec![full("a", "x", 1, 5), full("b", "y", 1, 0)], "y"),
        (
            "only the victims of the highest priority count",
            vec![
                PlacedPod("a", "x", 5, 2, 4),
                PlacedPod("b", "x", 5, 1, 9),
                PlacedPod("c", "y", 5, 2, 5),
                PlacedPod("d", "y", 5, 1, 3),
            ],
            "y",
        ),
        (
            "the earliest of these victims counts",
            vec![
                PlacedPod("a", "x", 5, 2, 4),
                PlacedPod("b", "x", 5, 2, 9),
                PlacedPod("c", "y", 5, 2, 5),
                PlacedPod("d", "y", 5, 2, 6),
            ],
            "y",
        ),
        ("the first node", vec![full("a", "x", 1, 5), full("b", "y", 1, 5)], "x"),
    ] {
        assert_eq!(Scenario::new(&["x", "y"], &pods).nominate(10, 9).0, chosen, "{case}");
    }
}

#[test]
fn disruption_budgets_are_violated_last() {
    let pods = [PlacedPod("a", "x", 10, 1, 1), PlacedPod("b", "y", 10, 8, 1)];
    for (case, protected, allowed, disrupted, chosen) in [
        ("no budget", vec![], 0, vec![], "x"),
        ("a budget that allows no disruption", vec!["a"], 0, vec![], "y"),
        ("a budget that allows one disruption", vec!["a"], 1, vec![], "x"),
        ("a budget that already counts the pod", vec!["a"], 0, vec!["a"], "x"),
        ("a budget for both pods", vec!["a", "b"], 0, vec![], "x"),
    ] {
        let mut scenario = Scenario::new(&["x", "y"], &pods);
        if !protected.is_empty() {
            scenario.budget("budget", &protected, allowed, &disrupted);
        }
        assert_eq!(scenario.nominate(10, 9).0, chosen, "{case}");
    }
}

#[test]
fn a_budget_with_an_empty_selector_protects_no_pod() {
    for selector in ["null", "{}", r#"{"matchExpressions":[{"key":"app","operator":"In","values":[]}]}"#] {
        let mut scenario = Scenario::new(&["x", "y"], &[PlacedPod("a", "x", 10, 1, 1), PlacedPod("b", "y", 10, 8, 1)]);
        scenario.budget_of("budget", selector, 0, "");
        assert_eq!(scenario.nominate(10, 9).0, "x", "{selector}");
    }
    let mut scenario = Scenario::new(&["x", "y"], &[PlacedPod("a", "x", 10, 1, 1), PlacedPod("b", "y", 10, 8, 1)]);
    scenario.budget("budget", &["a"], 0, &[]);
    scenario.host.object("PodDisruptionBudget", "other", "budget", r#"{"spec":{"selector":{}}}"#);
    assert_eq!(scenario.nominate(10, 9).0, "y");
    scenario.host.remove_object("PodDisruptionBudget", "default", "budget");
    assert_eq!(scenario.nominate(10, 9).0, "x", "the budget is deleted");
}

#[test]
fn victims_that_violate_a_budget_are_reprieved_first() {
    let pods = [PlacedPod("important", "n", 5, 5, 1), PlacedPod("protected", "n", 5, 1, 1)];
    let mut scenario = Scenario::new(&["n"], &pods);
    assert_eq!(scenario.nominate(5, 9).1, ["protected"]);
    scenario.budget("budget", &["protected"], 0, &[]);
    assert_eq!(scenario.nominate(5, 9).1, ["important"]);
    // If both pods must be evicted, the more important pod is still the first victim.
    assert_eq!(scenario.nominate(10, 9).1, ["important", "protected"]);
}

#[test]
fn more_important_pods_use_up_a_budget_first() {
    let pods = [PlacedPod("a", "n", 5, 5, 1), PlacedPod("b", "n", 5, 1, 1)];
    let mut scenario = Scenario::new(&["n"], &pods);
    scenario.budget("budget", &["a", "b"], 1, &[]);
    // If both are evicted, only b violates the budget. So b is restored first.
    assert_eq!(scenario.nominate(5, 9).1, ["a"]);
}

#[test]
fn pods_that_may_not_preempt_get_a_reason() {
    let mut scenario = Scenario::new(&["n", "m"], &[PlacedPod("low", "n", 10, 1, 1), PlacedPod("high", "n", 0, 9, 1)]);
    let mut never = pod().priority(5);
    never.0.preemption = PreemptionPolicy::Never;
    let rejections = Rejections::default();
    let not_eligible = |cause: &str| (format!("preemption: not eligible due to {cause}"), false);
    assert_eq!(scenario.reject(&never, 5, rejections), not_eligible("preemptionPolicy=Never."));

    let nominated = |node: &str| {
        let mut pod = pod().priority(5);
        pod.0.nominated_node_name = node.to_owned();
        pod
    };
    let leaving = |leaving, codes| Rejections { leaving, codes, ..Rejections::default() };
    let awaits_victim = not_eligible("a terminating pod on the nominated node.");
    assert_eq!(scenario.reject(&nominated("n"), 5, leaving(&[Id(0)], &[])), awaits_victim);
    assert!(scenario.questions.is_empty());
    for (case, node, rejections) in [
        ("no pod is terminating", "n", leaving(&[], &[])),
        ("no pod of lower priority is terminating", "n", leaving(&[Id(1)], &[])),
        ("preemption does not help on the node", "m", leaving(&[Id(0)], &[("m", Code::UnschedulableAndUnresolvable)])),
        ("the node does not exist", "gone", leaving(&[Id(0)], &[])),
    ] {
        let answer = scenario.ask(&nominated(node), 5, rejections);
        let nominated = answer.is_ok_and(|answer| matches!(answer.result, PostFilterResult::Nominate(_)));
        assert!(nominated, "{case}");
    }
}

#[test]
fn without_victims_each_node_has_a_reason() {
    let nodes = ["a", "b", "c", "d"];
    let mut scenario = Scenario::new(
        &nodes,
        &[PlacedPod("low", "a", 1, 1, 1), PlacedPod("high", "b", 10, 9, 1), PlacedPod("low", "d", 10, 1, 1)],
    );
    let codes = [("c", Code::UnschedulableAndUnresolvable), ("d", Code::Pending)];
    let (reasons, clear) =
        scenario.reject(&pod().priority(5), 11, Rejections { codes: &codes, ..Rejections::default() });
    assert_eq!(
        reasons,
        "preemption: 0/4 nodes are available: 1 Insufficient room, 1 No preemption victims found for incoming pod, \
         2 Preemption is not helpful for scheduling."
    );
    assert!(clear);
    assert_eq!(scenario.questions, BTreeMap::from([("a".to_owned(), 1)]));
}

#[test]
fn a_failing_plugin_is_named_unless_another_node_works() {
    let pods = [PlacedPod("a", "x", 10, 1, 1), PlacedPod("b", "y", 10, 8, 1)];
    let mut scenario = Scenario::new(&["x", "y"], &pods);
    let failed = |message: &str| Status { code: Code::Error, reasons: vec![message.into()] };
    scenario.rejects.insert("x", failed("plugin Other: trapped"));
    assert_eq!(scenario.nominate(10, 9).0, "y");
    scenario.rejects.insert("y", failed("plugin Other: trapped again"));
    let answer = scenario.ask(&pod().priority(9), 10, Rejections::default());
    assert_eq!(answer.unwrap_err(), "plugin Other: trapped");
}

#[test]
fn a_node_that_fits_without_preemption_is_an_error() {
    let mut scenario = Scenario::new(&["n"], &[PlacedPod("a", "n", 1, 1, 1)]);
    let answer = scenario.ask(&pod().priority(9), 1, Rejections::default());
    assert_eq!(answer.unwrap_err(), "expected at least one victim pod on node \"n\"");
}

#[test]
fn only_enough_nodes_are_tested() {
    let names: Vec<String> = (0..300).map(|at| format!("n{at}")).collect();
    let nodes: Vec<&'static str> = names.iter().map(|name| &*name.clone().leak()).collect();
    // The lowest priority is on the last node.
    let pods: Vec<PlacedPod> =
        nodes.iter().zip((0..300).rev()).map(|(node, priority)| PlacedPod("p", node, 10, priority, 1)).collect();
    for (args, seed, tested, chosen) in [
        ("{}", 0, 100, "n99"),
        (r#"{"minCandidateNodesPercentage": 50}"#, 0, 150, "n149"),
        (r#"{"minCandidateNodesAbsolute": 1000}"#, 0, 300, "n299"),
        (r#"{"minCandidateNodesAbsolute": 10}"#, 0, 30, "n29"),
        (r#"{"minCandidateNodesAbsolute": 10}"#, 570, 30, "n299"),
        (r#"{"minCandidateNodesAbsolute": 10}"#, 590, 30, "n299"),
    ] {
        let mut scenario = Scenario::with_args(args, &nodes, &pods);
        scenario.host.set_seed(seed);
        assert_eq!(scenario.nominate(10, 1000).0, chosen, "{args} from {seed}");
        assert_eq!(scenario.questions.len(), tested, "{args} from {seed}");
    }
}

#[test]
fn more_nodes_are_tested_while_all_violate_a_budget() {
    let pods = [PlacedPod("a", "x", 10, 1, 1), PlacedPod("b", "y", 10, 1, 1), PlacedPod("c", "z", 10, 8, 1)];
    let mut scenario = Scenario::with_args(r#"{"minCandidateNodesAbsolute": 1}"#, &["x", "y", "z"], &pods);
    scenario.budget("budget", &["a", "b"], 0, &[]);
    assert_eq!(scenario.nominate(10, 9).0, "z");
}

#[test]
fn removed_objects_leave_no_state() {
    let mut scenario = Scenario::new(&["x", "y"], &[PlacedPod("a", "x", 10, 1, 1)]);
    let resident = pod().name("a").priority(1);
    scenario.host.change_resident(Id(0), &resident, "y");
    scenario.pods[0].1 = "y";
    assert_eq!(scenario.nominate(10, 9).0, "y");
    scenario.host.remove_resident(Id(0));
    let no_victims = "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.";
    assert_eq!(scenario.reject(&pod().priority(9), 10, Rejections::default()).0, no_victims);
}

#[test]
fn arguments_are_checked() {
    let error_of = |args| Host::<Plugin>::with_args(args).err().unwrap();
    let prefix = "DefaultPreemption: arguments: ";
    for (args, problem) in [
        (
            r#"{"minCandidateNodesPercentage": 101}"#,
            "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            r#"{"minCandidateNodesAbsolute": -1}"#,
            "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)",
        ),
        (
            r#"{"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0}"#,
            "[minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as \
             minCandidateNodesAbsolute, minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as \
             minCandidateNodesPercentage]",
        ),
    ] {
        assert_eq!(error_of(args), format!("{prefix}{problem}"));
    }
}

#[test]
fn evictions_have_a_reason() {
    let mut scenario = Scenario::new(&["n"], &[PlacedPod("a", "n", 10, 1, 1)]);
    let mut preemptor = pod().priority(9);
    preemptor.0.scheduler_name = "berth".into();
    let answer = scenario.ask(&preemptor, 10, Rejections::default());
    let Ok(PostFilterResult::Nominate(nomination)) = answer.map(|answer| answer.result) else {
        panic!("no node is nominated")
    };
    assert_eq!(nomination.reason, "berth: preempting to accommodate a higher priority pod");
}

#[test]
fn extenders_are_asked_before_the_choice() {
    type Extend = fn(Vec<Candidate>) -> Result<Vec<Candidate>, String>;
    let pods = [PlacedPod("a", "x", 10, 1, 1), PlacedPod("b", "y", 10, 2, 1)];
    let cases: [(&str, Extend, Result<&str, &str>); 4] = [
        ("the extender accepts all nodes", Ok, Ok("x")),
        (
            "the extender accepts only the worse node",
            |found| Ok(found.into_iter().filter(|candidate| candidate.victims == [Id(1)]).collect()),
            Ok("y"),
        ),
        ("the extender accepts no node", |_| Ok(Vec::new()), Err("preemption: no candidate node for preemption")),
        ("the extender fails", |_| Err("code 500".into()), Err("preemption: code 500")),
    ];
    for (case, extend, expected) in cases {
        let mut scenario = Scenario::new(&["x", "y"], &pods);
        let rejections = Rejections { extenders: Some(extend), ..Rejections::default() };
        match scenario.ask(&pod().priority(9), 5, rejections).map(|answer| answer.result) {
            Ok(PostFilterResult::Nominate(nomination)) => {
                assert_eq!(Ok(scenario.host.node_names()[nomination.node.at()].as_str()), expected, "{case}");
            }
            Ok(PostFilterResult::Unschedulable { reasons, clear: false }) => {
                assert_eq!(Err(reasons.join("; ").as_str()), expected, "{case}");
            }
            other => panic!("{case}: {other:?}"),
        }
    }
}
