//! Tests of the states of pods and nodes in the cache, and of its log.

use super::*;
use crate::model::named_fields::NamedField;
use crate::model::{
    HostPort, NamedFields, NodeImage, NodeSystemInfo, PodKey, PodRequests, PodSpec, Protocol, Resources,
};

fn node(name: &str) -> Node {
    Node { name: name.into(), uid: format!("uid-{name}").into(), ..Node::default() }
}

fn pod(name: &str, node: &str, milli_cpu: i64) -> Arc<Pod> {
    let requests = PodRequests {
        effective: Resources { milli_cpu, ..Resources::default() },
        non_zero_milli_cpu: milli_cpu,
        ..PodRequests::default()
    };
    let requests = Arc::new(requests);
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    let host_ports = vec![HostPort { ip: "0.0.0.0".into(), protocol: Protocol::Tcp, port: 80 }];
    let spec = Arc::new(PodSpec { host_ports, ..PodSpec::default() });
    Arc::new(Pod { key, node_name: node.into(), requests, spec, ..Pod::default() })
}

/// Returns the millicores in use on a node, and the numbers of its pods and its used ports.
fn used(cache: &Cache, node: &str) -> (i64, i64, usize) {
    let info = cache.node_id(node).and_then(|id| cache.node(id)).expect("the node is there");
    (info.usage.requested.milli_cpu, info.usage.requested.pods, info.used_ports.len())
}

#[test]
fn an_assumed_pod_counts_until_it_is_forgotten() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    cache.assume(pod("p", "a", 100));
    assert_eq!(used(&cache, "a"), (100, 1, 1));
    cache.forget("p");
    assert_eq!(used(&cache, "a"), (0, 0, 0));
    assert!(cache.pod_by_uid("p").is_none());
}

#[test]
fn a_confirmed_pod_is_not_forgotten() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    cache.assume(pod("p", "a", 100));
    cache.set_pod(pod("p", "a", 100));
    cache.forget("p");
    assert_eq!(used(&cache, "a"), (100, 1, 1));
}

#[test]
fn a_pod_bound_elsewhere_by_another_scheduler_moves() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    cache.set_node(Arc::new(node("b")));
    cache.assume(pod("p", "a", 100));
    cache.set_pod(pod("p", "b", 100));
    assert_eq!((used(&cache, "a"), used(&cache, "b")), ((0, 0, 0), (100, 1, 1)));
}

#[test]
fn a_pod_with_huge_requests_leaves_the_node_as_it_was() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    cache.set_pod(pod("p", "a", 100));
    cache.set_pod(pod("absurd", "a", i64::MAX));
    assert_eq!(used(&cache, "a"), (i64::MAX, 2, 2));
    cache.remove_pod("absurd");
    assert_eq!(used(&cache, "a"), (100, 1, 1));
}

#[test]
fn pods_may_come_before_their_node_and_stay_after_it() {
    let mut cache = Cache::default();
    cache.set_pod(pod("p", "a", 100));
    cache.set_pod(pod("q", "a", 50));
    cache.remove_pod("q");
    cache.set_node(Arc::new(node("a")));
    assert_eq!(used(&cache, "a"), (100, 1, 1));
    cache.remove_node("a");
    assert_eq!(cache.node_count(), 0);
    cache.set_node(Arc::new(node("a")));
    assert_eq!(used(&cache, "a"), (100, 1, 1), "its pods were not forgotten");
    cache.set_pod(pod("p", "a", 200));
    assert_eq!(used(&cache, "a"), (200, 1, 1));
}

#[test]
fn a_node_with_the_same_name_and_another_uid_is_a_new_node() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    let first = cache.node_id("a");
    cache.set_node(Arc::new(Node { uid: "other".into(), ..node("a") }));
    assert_ne!(cache.node_id("a"), first);
    assert_eq!(cache.node_count(), 1);
}

#[test]
fn the_log_names_the_facts_that_changed() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    let id = cache.node_id("a").expect("known");
    let position = cache.log().end();
    cache.set_node(Arc::new(Node { unschedulable: true, ..node("a") }));
    cache.set_node(Arc::new(Node { unschedulable: true, ..node("a") }));
    cache.set_pod(pod("p", "a", 100));
    let changes: Vec<Change> = cache.log().since(position).expect("still there").collect();
    let by_pod = NodeFacts::USAGE | NodeFacts::PODS | NodeFacts::USED_PORTS;
    let expected = [Change::Node(id, NodeFacts::UNSCHEDULABLE), Change::Node(id, by_pod), Change::Pod(PodId(0))];
    assert_eq!(changes, expected);
}

#[test]
fn an_image_is_counted_on_every_node_once_and_sized_by_the_first() {
    let image = |size| NodeImage { names: vec!["app:1".into(), "app@sha".into()], size };
    let mut cache = Cache::default();
    cache.set_node(Arc::new(Node { images: vec![image(10), image(10)], ..node("a") }));
    cache.set_node(Arc::new(Node { images: vec![image(20)], ..node("b") }));
    let states = |cache: &Cache| -> Vec<(String, i64, u32)> {
        cache.images().iter().map(|(_, s)| (s.name.to_string(), s.size, s.nodes)).collect()
    };
    assert_eq!(states(&cache), [("app:1".into(), 10, 2), ("app@sha".into(), 10, 2)]);
    cache.set_node(Arc::new(node("a")));
    assert_eq!(states(&cache), [("app:1".into(), 10, 1), ("app@sha".into(), 10, 1)]);
    cache.remove_node("b");
    assert_eq!(states(&cache), []);
}

#[test]
fn a_reader_that_fell_behind_starts_anew_and_ids_are_used_again_only_then() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    cache.set_pod(pod("first", "a", 1));
    let id = cache.pods.find("first").expect("known");
    cache.remove_pod("first");
    let position = cache.log().end();
    for n in 0..40_000 {
        let name = n.to_string();
        cache.set_pod(pod(&name, "a", 1));
        let reused = cache.pods.find(&name) == Some(id);
        assert!(
            !reused || cache.log().since(position - 1).is_none(),
            "id used again while the log still has its removal"
        );
        cache.remove_pod(&name);
    }
    assert!(cache.log().since(position).is_none());
    assert!(cache.pods.end() < 40_000, "ids are used again");
}

#[test]
fn the_id_of_a_pod_removed_after_its_node_is_freed_once() {
    let mut cache = Cache::with_log_of(1);
    cache.set_node(Arc::new(node("a")));
    cache.set_pod(pod("first", "a", 1));
    cache.remove_node("a");
    cache.remove_pod("first");
    // Fills the log so that both removals leave it.
    for unschedulable in [true, false].repeat(20) {
        cache.set_node(Arc::new(Node { unschedulable, ..node("b") }));
    }
    cache.set_pod(pod("one", "b", 1));
    cache.set_pod(pod("other", "b", 1));
    assert_eq!(cache.pods().count(), 2);
    assert_ne!(cache.pods.find("one"), cache.pods.find("other"));
}

#[test]
fn an_assumed_pod_gets_the_named_fields_of_its_version_without_a_node() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    cache.assume(pod("p", "a", 100));
    let position = cache.log().end();
    let field = NamedField { path: "spec.a".into(), json: "{}".into() };
    let pending = Pod { fields: NamedFields::new(vec![field]), ..Pod::clone(&pod("p", "", 100)) };
    cache.set_assumed_fields(&pending);
    let cached = cache.pod_by_uid("p").expect("the pod is there");
    assert_eq!((&*cached.pod.node_name, cached.assumed, &cached.pod.fields), ("a", true, &pending.fields));
    assert!(
        cache.log().since(position).is_some_and(|mut changes| changes.any(|change| change == Change::Pod(PodId(0))))
    );
    let position = cache.log().end();
    cache.set_assumed_fields(&pending);
    cache.set_pod(Arc::clone(&cache.pod_by_uid("p").expect("the pod is there").pod));
    cache.set_assumed_fields(&pod("p", "", 100));
    assert_eq!(cache.log().end(), position, "nothing changed, and a confirmed pod stays as it is");
}

#[test]
fn new_facts_of_a_node_are_logged() {
    let mut cache = Cache::default();
    cache.set_node(Arc::new(node("a")));
    let capacity = Resources { milli_cpu: 1, ..Resources::default() };
    let info = NodeSystemInfo { architecture: "arm64".into(), ..NodeSystemInfo::default() }.into();
    let fields = NamedFields::new(vec![NamedField { path: "spec.a".into(), json: "{}".into() }]);
    for (after, facts) in [
        (Node { capacity, ..node("a") }, NodeFacts::CAPACITY),
        (Node { info, ..node("a") }, NodeFacts::INFO),
        (Node { fields, ..node("a") }, NodeFacts::FIELDS),
    ] {
        cache.set_node(Arc::new(node("a")));
        let position = cache.log().end();
        cache.set_node(Arc::new(after));
        let logged: Vec<Change> = cache.log().since(position).into_iter().flatten().collect();
        assert_eq!(logged, [Change::Node(NodeId(0), facts)]);
    }
}
