use std::sync::Arc;

use super::super::NodeSignatures;
use super::super::what_if::OF_A_NODE;
use super::*;
use crate::cache::PodId;
use crate::facts::{ClusterFacts, NodeFacts};
use crate::model::{Effect, Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod, PodKey, Taint};
use crate::plugins::Code;
use crate::reads::PodReads;

const NODES: [NodeId; 2] = [NodeId(0), NodeId(1)];

/// The results of a plugin about two nodes.
struct Bench {
    cache: Cache,
    node_signatures: NodeSignatures,
    results: PluginResults,
    read: Declaration,
}

impl Bench {
    fn new(read: Declaration) -> Self {
        let mut cache = Cache::default();
        ["a", "b"].into_iter().for_each(|name| cache.set_node(node(name, 0)));
        let (node_signatures, results) = (NodeSignatures::default(), PluginResults::default());
        let mut bench = Self { cache, node_signatures, results, read };
        bench.results.catch_up(&bench.cache, &bench.read);
        bench
    }

    fn reading(node_facts: NodeFacts) -> Self {
        Self::new(Declaration { node: node_facts.into(), ..Declaration::default() })
    }

    fn set(&mut self, nodes: &[NodeId], scores: &[i64]) {
        let signatures = self.node_signatures.of(&self.read.node, &self.cache);
        self.results.scores.set(signatures, nodes, scores.iter().copied());
    }

    fn missing(&mut self) -> Vec<NodeId> {
        self.results.catch_up(&self.cache, &self.read);
        self.results.scores.missing(self.node_signatures.of(&self.read.node, &self.cache), &NODES)
    }

    fn get(&mut self) -> [i64; 2] {
        let signatures = self.node_signatures.of(&self.read.node, &self.cache);
        NODES.map(|node| self.results.scores.get(signatures, node).unwrap_or_default())
    }

    fn missing_if(&mut self, cases: &[WhatIf]) -> Vec<usize> {
        self.results.catch_up(&self.cache, &self.read);
        self.results.what_if.missing(cases)
    }
}

fn node(name: &str, taints: usize) -> Arc<Node> {
    let taint = Taint { key: "k".into(), value: "".into(), effect: Effect::NoSchedule };
    Arc::new(Node { name: name.into(), taints: vec![taint; taints], ..Node::default() })
}

fn reads(kind: &str) -> ObjectReads {
    let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: kind.into() });
    ObjectReads { kind, ..ObjectReads::default() }
}

fn object(kind: &str) -> Arc<Object> {
    let key = ObjectKey { kind: reads(kind).kind, namespace: "default".into(), name: "a".into() };
    Arc::new(Object { key, ..Object::default() })
}

fn pod(name: &str) -> Arc<Pod> {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    Arc::new(Pod { key, ..Pod::default() })
}

fn case(node: u32, removed: &[u32], added: &[Arc<Pod>]) -> WhatIf {
    WhatIf { node: NodeId(node), removed: removed.iter().copied().map(PodId).collect(), added: added.to_vec() }
}

fn verdicts(nodes: &[u16]) -> Verdicts {
    let outcomes = vec![Status { code: Code::Unschedulable, reasons: vec!["full".into()] }];
    Verdicts { outcomes, nodes: nodes.to_vec() }
}

#[test]
fn only_a_change_of_facts_that_the_plugin_reads_makes_a_score_stale() {
    let mut bench = Bench::reading(NodeFacts::TAINTS | NodeFacts::NAME);
    bench.set(&NODES, &[1, 2]);
    bench.cache.set_node(Arc::new(Node { unschedulable: true, ..Node::clone(&node("a", 0)) }));
    assert_eq!(bench.missing(), []);
    bench.cache.set_node(node("a", 1));
    assert_eq!((bench.missing(), bench.get()), (vec![NodeId(0)], [0, 2]));
}

#[test]
fn one_node_of_each_signature_is_missing() {
    let mut bench = Bench::reading(NodeFacts::TAINTS);
    assert_eq!(bench.missing(), [NodeId(0)]);
    bench.set(&[NodeId(0)], &[1]);
    assert_eq!((bench.missing(), bench.get()), (vec![], [1, 1]));
    bench.cache.set_node(node("b", 1));
    assert_eq!(bench.missing(), [NodeId(1)]);
    bench.set(&[NodeId(1)], &[2]);
    assert_eq!(bench.get(), [1, 2]);
    bench.cache.set_node(node("b", 0));
    bench.cache.set_node(node("a", 1));
    assert_eq!((bench.missing(), bench.get()), (vec![], [2, 1]), "both signatures were known");
}

#[test]
fn a_cluster_fact_makes_all_scores_stale() {
    let cluster_facts = ClusterFacts::NODE_COUNT;
    let mut bench = Bench::new(Declaration { node: NodeFacts::NAME.into(), cluster_facts, ..Declaration::default() });
    bench.set(&NODES, &[7, 7]);
    bench.cache.set_node(node("c", 0));
    assert_eq!(bench.missing(), NODES);
}

#[test]
fn an_object_makes_all_results_stale_if_the_plugin_reads_its_kind() {
    let mut bench = Bench::new(Declaration { objects: vec![reads("Service")], ..Declaration::default() });
    bench.set(&[NodeId(0)], &[7]);
    bench.results.set_what_if(&[case(0, &[], &[])], &verdicts(&[0]));
    bench.results.skip = Some(true);
    bench.cache.set_object(object("Secret"));
    bench.cache.set_node(node("c", 0));
    assert_eq!((bench.missing(), bench.missing_if(&[case(0, &[], &[])])), (vec![], vec![]));
    assert_eq!(bench.results.skip, Some(true));
    bench.cache.set_object(object("Service"));
    assert_eq!((bench.missing(), bench.missing_if(&[case(0, &[], &[])])), (vec![NodeId(0)], vec![0]));
    assert_eq!(bench.results.skip, None);
}

#[test]
fn a_case_is_known_by_its_node_and_all_its_differences() {
    let here = pod("here");
    let changed = Arc::new(Pod { deleting: true, ..Pod::clone(&here) });
    let asked = [case(0, &[1, 2], &[]), case(0, &[1], std::slice::from_ref(&here)), case(1, &[], &[])];
    let mut results = PluginResults::default();
    assert_eq!(results.what_if.missing(&asked), [0, 1, 2]);
    results.set_what_if(&asked, &verdicts(&[0, 1, 0]));
    assert_eq!(results.what_if.missing(&asked), [0; 0]);
    assert_eq!(results.verdicts_if(&asked), Some(verdicts(&[0, 1, 0])));
    assert_eq!(results.what_if.missing(&[case(0, &[1], &[pod("here")])]), [0; 0], "an equal pod");
    let others = [case(0, &[2], &[]), case(0, &[1], &[changed]), case(0, &[1], &[]), case(1, &[1], &[])];
    assert_eq!(results.what_if.missing(&others), [0, 1, 2, 3]);
    assert_eq!(results.verdicts_if(&others), None);
}

#[test]
fn a_changed_node_makes_its_cases_stale() {
    let asked = [case(0, &[], &[]), case(1, &[], &[])];
    for (facts, missing) in [(NodeFacts::UNSCHEDULABLE, &[0][..]), (NodeFacts::TAINTS, &[])] {
        let mut bench = Bench::reading(facts);
        bench.results.set_what_if(&asked, &verdicts(&[0, 0]));
        bench.cache.set_node(Arc::new(Node { unschedulable: true, ..Node::clone(&node("a", 0)) }));
        assert_eq!(bench.missing_if(&asked), missing);
    }
}

#[test]
fn too_many_rejections_are_dropped_with_their_verdicts() {
    let mut bench = Bench::reading(NodeFacts::NAME);
    for call in 0..5 {
        let status = |n| Status { code: Code::Unschedulable, reasons: vec![format!("{call}, {n}").into()] };
        let verdicts = Verdicts { outcomes: (0..MOST_REJECTIONS / 4).map(status).collect(), nodes: vec![1] };
        let asked = [case(call, &[], &[])];
        bench.results.set_what_if(&asked, &verdicts);
        assert!(bench.results.rejections.len() <= MOST_REJECTIONS, "in call {call}");
        let outcomes = bench.results.verdicts_if(&asked).map(|known| known.outcomes);
        assert_eq!(outcomes, Some(vec![status(0)]), "in call {call}");
    }
    assert_eq!(bench.missing_if(&[case(0, &[], &[]), case(4, &[], &[])]), [0]);
    let signatures = bench.node_signatures.of(&bench.read.node, &bench.cache);
    assert!(!bench.results.set_verdicts(signatures, &NODES, &verdicts(&[1, 0])), "all verdicts share the rejections");
    assert_eq!(bench.results.verdicts(signatures, &NODES), verdicts(&[1, 0]));
    assert_eq!(bench.results.rejections.len(), MOST_REJECTIONS / 4 + 1);
}

#[test]
fn a_node_has_a_limited_number_of_cases() {
    let mut results = PluginResults::default();
    let asked: Vec<WhatIf> = (0..=OF_A_NODE as u32).map(|pod| case(0, &[pod], &[])).collect();
    results.set_what_if(&asked, &verdicts(&vec![0; asked.len()]));
    assert_eq!(results.what_if.missing(&asked), [0], "the oldest is dropped");
}

#[test]
fn a_pending_pod_makes_all_results_of_a_reader_stale() {
    for reads in [true, false] {
        let pending_pods = reads.then(PodReads::default);
        let node = NodeFacts::NAME.into();
        let mut bench = Bench::new(Declaration { pending_pods, node, ..Declaration::default() });
        bench.cache.keep_pending_pods(true, Vec::new);
        assert_eq!(bench.missing(), NODES);
        for removes in [false, true] {
            bench.set(&NODES, &[1, 1]);
            bench.results.pre_filter = Some(PreFilterResult::All);
            bench.results.pre_score = Some(PreScoreResult::Score);
            bench.results.skip = Some(false);
            assert_eq!(bench.missing(), []);
            match removes {
                false => bench.cache.set_pending_pod(&pod("p")),
                true => bench.cache.remove_pending_pod("p"),
            }
            assert_eq!(bench.missing(), if reads { NODES.to_vec() } else { Vec::new() });
            let kept =
                [bench.results.pre_filter.is_some(), bench.results.pre_score.is_some(), bench.results.skip.is_some()];
            assert_eq!(kept, [!reads; 3]);
        }
    }
}
