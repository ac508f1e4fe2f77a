//! Limits on the calls into components, and on the number of nodes that components are asked about.

use std::collections::BTreeMap;

use berth_tests::engine::{CallCounts, WORKLOADS, WorkloadRun};

use super::{NODES, place, place_known, run};

/// The upper limits for a pod of a known template, on average.
struct Limit {
    workload: &'static str,
    /// Calls into one component: one call to bring it up to date, and two calls. In SchedulingCSIPVs each pod
    /// has a template of its own, because of its volume. The calls that are made once per template count there for
    /// every pod.
    calls: f64,
    /// Calls into all components.
    all_calls: f64,
    /// The number of calls about every node.
    of_every_node: f64,
    /// The number of nodes in all calls about fewer than all nodes, together.
    of_single_nodes: f64,
}

const fn limit(workload: &'static str, calls: f64, all_calls: f64, of_every_node: f64, of_single_nodes: f64) -> Limit {
    Limit { workload, calls, all_calls, of_every_node, of_single_nodes }
}

const LIMITS: &[Limit] = &[
    limit("SchedulingBasic", 2.0, 2.1, 0.0, 0.5),
    limit("DefaultTopologySpreading", 3.0, 10.0, 0.0, 18.0),
    limit("InterleavedTemplates", 3.0, 10.0, 0.0, 160.0),
    limit("TopologySpreading", 2.0, 4.5, 0.0, 0.5),
    limit("PreferredTopologySpreading", 3.0, 5.5, 0.0, 0.5),
    limit("SchedulingPodAffinity", 3.0, 3.5, 0.0, 0.5),
    limit("SchedulingPreferredPodAffinity", 3.0, 8.0, 0.0, 3.0),
    limit("SchedulingPodAntiAffinity", 2.0, 2.5, 0.0, 0.5),
    limit("SchedulingPreferredPodAntiAffinity", 3.0, 3.5, 0.0, 0.5),
    limit("SchedulingNodeAffinity", 2.0, 2.5, 0.0, 0.5),
    limit("SchedulingCSIPVs", 7.0, 24.0, 2.0, 1.0),
];

#[test]
fn a_pod_with_a_known_signature_needs_few_calls() {
    let limits: BTreeMap<&str, &Limit> = LIMITS.iter().map(|limit| (limit.workload, limit)).collect();
    let mut over = Vec::new();
    for workload in WORKLOADS {
        let limit = limits.get(workload.name).unwrap_or_else(|| panic!("{} has no limit", workload.name));
        let mut run = run(*workload, NODES);
        let (calls, pods) = place_known(&mut run, workload);
        let each = |count: u64| count as f64 / pods as f64;
        let (most, most_calls) = calls.calls.iter().max_by_key(|(_, count)| **count).expect("components");
        let nodes = limit.of_every_node * NODES as f64 + limit.of_single_nodes;
        let mut check = |what: &str, is: f64, at_most: f64| {
            if is > at_most {
                over.push(format!("{}: {is} {what} a pod, at most {at_most}: {calls:?}", workload.name));
            }
        };
        check(&format!("calls into {most}"), each(*most_calls), limit.calls);
        check("calls", each(calls.all_calls()), limit.all_calls);
        check("nodes asked about", each(calls.all_nodes()), nodes);
    }
    assert!(over.is_empty(), "{over:#?}");
}

#[test]
fn a_changed_node_is_asked_about_only_with_a_new_node_signature() {
    let mut run = run(WORKLOADS[0], NODES);
    place(&mut run, 10, WorkloadRun::next_pod);
    let asked = |calls: CallCounts| -> BTreeMap<String, u64> {
        calls.nodes.iter().map(|(name, nodes)| (name.to_string(), *nodes)).collect()
    };
    // The pod before took a node. The node's signature then equals that of a node that an earlier pod took.
    assert_eq!(asked(place(&mut run, 1, WorkloadRun::next_pod)), BTreeMap::new());
    let pod = run.first_of_signature().expect("a pod that can be read");
    run.engine.enqueue(pod.clone());
    let (_, node) = run.engine.decide().expect("room");
    run.engine.bind(&pod, &node);
    run.engine.take_deliveries();
    // No other node has a pod of this template. The plugins that read a node's used resources are asked by their
    // filter and their score.
    let expected = [("NodeResourcesBalancedAllocation", 1), ("NodeResourcesFit", 2)];
    assert_eq!(
        asked(place(&mut run, 1, WorkloadRun::next_pod)),
        expected.map(|(name, nodes)| (name.to_owned(), nodes)).into()
    );
}

#[test]
fn a_new_pod_signature_asks_about_one_node_of_each_node_signature() {
    let mut run = run(WORKLOADS[0], NODES);
    place(&mut run, 10, WorkloadRun::next_pod);
    run.engine.take_calls();
    let pod = run.first_of_signature().expect("a pod that can be read");
    run.engine.enqueue(pod);
    run.engine.decide().expect("room");
    // Two node signatures: nodes that took a pod, and nodes that did not. For ImageLocality: one per image.
    let shapes = |plugin: &str| if plugin == "ImageLocality" { NODES.min(50) as u64 } else { 2 };
    for (plugin, nodes) in run.engine.take_calls().nodes {
        let at_most = 2 * shapes(&plugin);
        assert!(nodes <= at_most, "{plugin} was asked about {nodes} nodes, where {at_most} say all");
    }
}
