//! Tests that facts arrive unchanged, follow every change, and are declared by the types that read them.

use berth_guest::prelude::*;
use berth_guest::testing::{Host, node, pod};
use berth_guest::types::{ClusterFacts, ConditionStatus, NodeFacts, PodFacts, Protocol};

/// Rejects each node. The reason contains the node's facts or their number, so that a test can compare them.
mod every_node_fact {
    use super::*;

    // The largest number of parameters that a function may have.
    #[allow(clippy::too_many_arguments, reason = "a fact each")]
    fn filter(
        name: &node::Name,
        labels: &node::Labels,
        annotations: &node::Annotations,
        taints: &node::Taints,
        unschedulable: &node::Unschedulable,
        images: &node::Images,
        ports: &node::UsedPorts,
        conditions: &node::Conditions,
    ) -> Verdict {
        let labels: Vec<_> = labels.iter().collect();
        let facts = format!(
            "{} {labels:?} {:?} {} {} {images:?} {} {}",
            &**name,
            annotations.get("note"),
            taints.len(),
            unschedulable.0,
            ports.len(),
            conditions.len(),
        );
        Verdict::unschedulable(facts)
    }

    berth_guest::plugin!(name: "EveryNodeFact", filter: filter);
}

#[test]
fn node_facts_are_added_and_changed() {
    let mut host = Host::<every_node_fact::Plugin>::new();
    let facts = host.declaration().node.facts;
    assert!(facts.contains(NodeFacts::NAME | NodeFacts::LABELS | NodeFacts::CONDITIONS));
    assert!(!facts.intersects(NodeFacts::USAGE | NodeFacts::ALLOCATABLE));

    let plain = || node("a").label("arch", "arm64").label("zone", "z").annotation("note", "x");
    host.node(
        plain()
            .taint("t", "", TaintEffect::NoSchedule)
            .unschedulable()
            .image("app:1", 5)
            .used_port("0.0.0.0", Protocol::Tcp, 80)
            .condition("Ready", ConditionStatus::True),
    );
    let facts_of = |host: &mut Host<_>| host.reasons(&pod(), "a").remove(0);
    let labels = r#"[("arch", "arm64"), ("zone", "z")]"#;
    assert_eq!(facts_of(&mut host), format!("a {labels} Some(\"x\") 1 true Images([0]) 1 1"));
    host.node(plain());
    assert_eq!(facts_of(&mut host), format!("a {labels} Some(\"x\") 0 false Images([]) 0 0"));
    host.remove_node("a");
    host.node(node("a"));
    assert_eq!(facts_of(&mut host), "a [] None 0 false Images([]) 0 0");
}

mod usage {
    use super::*;
    use berth_guest::Resource;

    fn score(allocatable: &node::Allocatable, usage: &node::Usage) -> i64 {
        let gpu = Resource::new("example.com/gpu");
        allocatable.milli_cpu - usage.milli_cpu + 10 * (allocatable.get(&gpu) - usage.get(&gpu))
    }

    berth_guest::plugin!(name: "Usage", score: score);
}

mod indexed_usage {
    use berth_guest::index::Index;
    use berth_guest::plugin::NoArgs;
    use berth_guest::prelude::*;

    /// The free cpu of all nodes, in millicores by node.
    #[derive(Default)]
    pub struct Free(std::collections::BTreeMap<node::Id, i64>);

    impl Index for Free {
        type Nodes = (node::Allocatable, node::Usage);
        type Pods = ();
        type PendingPods = ();

        fn new(_: &NoArgs) -> Free {
            Free::default()
        }

        fn node_set(&mut self, node: node::Id, (allocatable, usage): (&node::Allocatable, &node::Usage)) {
            self.0.insert(node, allocatable.milli_cpu - usage.milli_cpu);
        }

        fn node_removed(&mut self, node: node::Id) {
            self.0.remove(&node);
        }
    }

    fn score(free: &Free) -> i64 {
        free.0.values().sum()
    }

    berth_guest::plugin!(name: "IndexedUsage", index: Free, score: score);
}

#[test]
fn an_index_follows_the_usage() {
    let mut host = Host::<indexed_usage::Plugin>::new();
    host.node(node("a").cpu("1").used("cpu", "950m"));
    assert_eq!(host.scores(&pod())["a"], 50);
    host.node(node("a").cpu("1").used("cpu", "970m"));
    host.node(node("b").cpu("10m"));
    assert_eq!(host.scores(&pod())["a"], 40);
    host.remove_node("a");
    assert_eq!(host.scores(&pod())["b"], 10);
}

#[test]
fn usage_follows_the_pods() {
    let mut host = Host::<usage::Plugin>::new();
    let gpus = || node("a").cpu("4").allocatable("example.com/gpu", "8");
    for (node, score) in [
        (gpus(), 4080),
        (gpus().used("cpu", "1").used("example.com/gpu", "3"), 3050),
        (gpus().used("example.com/gpu", "0"), 4080),
    ] {
        host.node(node);
        assert_eq!(host.raw_scores(&pod())["a"], score);
    }
}

mod residents {
    use super::*;

    fn score(pod: &pod::Namespace, residents: node::Pods<'_, (pod::Namespace, pod::Labels)>) -> i64 {
        residents.iter().filter(|(namespace, labels)| *namespace == pod && labels.contains_key("app")).count() as i64
    }

    berth_guest::plugin!(name: "Residents", score: score);
}

#[test]
fn resident_pods_have_the_declared_facts() {
    let mut host = Host::<residents::Plugin>::new();
    let residents = host.declaration().resident_pods.as_ref().map(|pods| pods.facts);
    assert_eq!(residents, Some(PodFacts::NAMESPACE | PodFacts::LABELS));
    assert_eq!(host.declaration().pod.facts, PodFacts::NAMESPACE);
    host.node(node("a"));
    host.node(node("b"));
    host.resident(&pod().label("app", "web"), "a");
    host.resident(&pod().label("app", "web"), "a");
    host.resident(&pod(), "a");
    host.resident(&pod().label("app", "web").namespace("other"), "b");
    assert_eq!(host.raw_scores(&pod()).into_values().collect::<Vec<_>>(), [2, 0]);
    assert_eq!(host.raw_scores(&pod().namespace("other")).into_values().collect::<Vec<_>>(), [0, 1]);
}

mod cluster_facts {
    use super::*;

    fn prepare(nodes: &cluster::NodeCount, images: &cluster::Images, pod: &pod::Images) -> i64 {
        let spread = pod.containers.iter().filter_map(|name| images.find(name)).map(|image| i64::from(image.nodes));
        spread.sum::<i64>() * 10 + i64::from(nodes.0)
    }

    fn score(prepared: &i64) -> i64 {
        *prepared
    }

    berth_guest::plugin!(name: "ClusterFacts", prepare: prepare => i64, score: score);
}

#[test]
fn state_prepared_from_the_cluster_follows_changes() {
    let mut host = Host::<cluster_facts::Plugin>::new();
    assert_eq!(host.declaration().cluster_facts, ClusterFacts::all());
    let app = pod().image("app:1");
    for (name, score) in [("a", 11), ("b", 22), ("c", 33)] {
        host.node(node(name).image("app:1", 1));
        assert_eq!(host.raw_scores(&app)["a"], score);
    }
    host.remove_node("c");
    assert_eq!(host.raw_scores(&app)["a"], 32);
}
