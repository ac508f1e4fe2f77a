//! Tests of pending pods.

use super::*;
use crate::cluster_event::Subject;
use crate::model::{Node, PodKey, PodSpec};

fn pod(name: &str, priority: i32) -> Arc<Pod> {
    let key = PodKey { name: name.into(), uid: name.into(), ..PodKey::default() };
    Arc::new(Pod { key, spec: Arc::new(PodSpec { priority, ..PodSpec::default() }), ..Pod::default() })
}

/// Returns a cache that holds pending pods: the pods with these names.
fn cache(names: &[&str]) -> Cache {
    let mut cache = Cache::with_log_of(4);
    cache.keep_pending_pods(true, || names.iter().map(|name| pod(name, 0)).collect());
    cache
}

fn assume(cache: &mut Cache, name: &str) -> Option<PodId> {
    cache.assume(Arc::new(Pod { node_name: "n".into(), ..Pod::clone(&pod(name, 0)) }));
    cache.pods().find(|(_, cached)| *cached.pod.key.name == *name).map(|(id, _)| id)
}

fn names(cache: &Cache) -> Vec<(u32, &str)> {
    let mut names: Vec<_> = cache.pending_pods().map(|(id, pod)| (id.0, &*pod.key.name)).collect();
    names.sort_unstable();
    names
}

fn changes(cache: &Cache, since: u64) -> Vec<Change> {
    cache.log().since(since).into_iter().flatten().collect()
}

#[test]
fn without_a_reader_nothing_is_kept() {
    let mut cache = Cache::default();
    cache.set_pending_pod(&pod("p", 0));
    cache.remove_pending_pod("p");
    assert_eq!((cache.log().end(), cache.pending_pods().count(), cache.pod_id_end()), (0, 0, 0));
    assert!(cache.take_events().is_empty());
}

#[test]
fn changes_are_logged_with_an_event() {
    let mut cache = cache(&[]);
    cache.set_pending_pod(&pod("p", 0));
    cache.set_pending_pod(&pod("p", 0));
    cache.set_pending_pod(&pod("p", 1));
    cache.remove_pending_pod("p");
    cache.remove_pending_pod("p");
    let set = Change::PendingPod(PodId(0));
    assert_eq!(changes(&cache, 0), [set, set, Change::PendingPodRemoved(PodId(0))]);
    let changed: Vec<PodFacts> = cache
        .take_events()
        .iter()
        .map(|event| match event.subject {
            Subject::PendingPod { changed, .. } => changed,
            _ => PodFacts::empty(),
        })
        .collect();
    assert_eq!(changed, [PodFacts::all(), PodFacts::PRIORITY, PodFacts::all()]);
    assert_eq!(cache.log().end_of_pending_pods(), 3);
    assert_eq!(cache.log().end_beyond_nodes(), 0, "plugins that do not read pending pods are not concerned");
}

#[test]
fn pending_pods_are_no_pods_on_nodes() {
    let mut cache = cache(&["p", "q"]);
    cache.set_node(Arc::new(Node { name: "n".into(), ..Node::default() }));
    assert_eq!((cache.pods().count(), cache.pod_id_end()), (0, 2));
    assert!(cache.pod(PodId(0)).is_none() && cache.pod_by_uid("p").is_none());
    assert_eq!(cache.pending_pod(PodId(1)).map(|pod| &*pod.key.name), Some("q"));
    cache.remove_pending_pod("p");
    let id = assume(&mut cache, "p");
    assert_eq!(id, Some(PodId(2)), "the pod gets another id");
    assert_eq!((names(&cache), cache.pods().count()), (vec![(1, "q")], 1));
    assert!(cache.pending_pod(PodId(2)).is_none());
    assert_eq!(cache.nodes().map(|info| info.usage.requested.pods).collect::<Vec<_>>(), [1]);
}

#[test]
fn an_id_is_used_again_after_its_removal_has_left_the_log() {
    let mut cache = cache(&["p"]);
    cache.remove_pending_pod("p");
    cache.set_pending_pod(&pod("q", 0));
    assert_eq!(names(&cache), [(1, "q")]);
    (1..=8).for_each(|priority| cache.set_pending_pod(&pod("q", priority)));
    cache.set_pending_pod(&pod("r", 0));
    assert_eq!(names(&cache), [(0, "r"), (1, "q")]);
}

/// The log holds two removals of a pod on a node if the node was removed first. The second must not free the id while
/// a pending pod has it.
#[test]
fn an_old_removal_of_a_pod_on_a_node_frees_no_id_of_a_pending_pod() {
    for removed in [false, true] {
        let mut cache = cache(&[]);
        cache.set_node(Arc::new(Node { name: "n".into(), ..Node::default() }));
        assume(&mut cache, "a");
        cache.remove_node("n");
        cache.remove_pod("a");
        let mut pending = 0;
        while !names(&cache).iter().any(|(id, _)| *id == 0) {
            pending += 1;
            cache.set_pending_pod(&pod(&format!("p{pending}"), 0));
            assert!(pending < 20, "the id is never used again");
        }
        let last = format!("p{pending}");
        if removed {
            cache.remove_pending_pod(&last);
        }
        let ids = |cache: &Cache| cache.pending_pods().map(|(id, _)| id).collect::<Vec<_>>();
        for n in 0..3 {
            cache.set_pending_pod(&pod(&format!("q{n}"), 0));
        }
        let mut distinct = ids(&cache);
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), cache.pending_pods().count(), "{removed}");
    }
}

#[test]
fn a_copy_stays_as_it_was() {
    let mut cache = cache(&["p", "q"]);
    let end = cache.log().end();
    let copy = cache.frozen(end);
    cache.remove_pending_pod("p");
    cache.set_pending_pod(&pod("q", 5));
    assert_eq!((names(&cache), names(&copy)), (vec![(1, "q")], vec![(0, "p"), (1, "q")]));
    assert_eq!(copy.pending_pod(PodId(1)).map(|pod| pod.spec.priority), Some(0));
}

#[test]
fn without_further_readers_all_pending_pods_are_removed() {
    let mut cache = cache(&["p", "q"]);
    let end = cache.log().end();
    assert!(!cache.keep_pending_pods(true, Vec::new), "nothing changes");
    assert!(cache.keep_pending_pods(false, Vec::new));
    assert_eq!(changes(&cache, end), [Change::PendingPodRemoved(PodId(0)), Change::PendingPodRemoved(PodId(1))]);
    assert_eq!(cache.pending_pods().count(), 0);
    assert!(cache.take_events().is_empty(), "the exchange of plugins tries all pods again");
}
