//! Tests of the questions to queue-sort.

use std::sync::Arc;

use crate::facts::PodFacts;
use crate::model::{Labels, Pod};
use crate::plugins::{Code, Declaration, Hint, PluginId, QueueTimes};
use crate::profile::ProfilePlugin;
use crate::reads::PodReads;
use crate::scheduler::scripted::{Answer, Bench, node, pod};
use crate::{Event, Timestamp};

/// Returns a bench whose plugin `D` is the queue-sort plugin.
fn bench(declaration: Declaration) -> Bench {
    let mut bench = Bench::new(&[("A filter p", Answer::No(Code::Unschedulable, "no"))]);
    bench.plugins.hint = Some(Hint::Skip);
    let mut profiles = bench.core.profiles().to_vec();
    let plugin =
        ProfilePlugin { id: PluginId(3), declaration: Arc::new(declaration), failure_policy: Default::default() };
    profiles[0].queue_sort = Some(plugin);
    bench.step(Event::PluginsSwapped(profiles));
    bench
}

fn sorted(bench: &mut Bench) -> Vec<(String, u64, u64)> {
    let sorted = std::mem::take(&mut bench.plugins.sorted).into_iter();
    sorted.map(|(name, QueueTimes { first_queued, queued })| (name, first_queued.0, queued.0)).collect()
}

#[test]
fn a_pod_keeps_the_time_at_which_it_was_first_seen() {
    let mut bench = bench(Declaration { pod: PodFacts::LABELS.into(), ..Declaration::default() });
    bench.add("p");
    assert_eq!(sorted(&mut bench), [("p".to_owned(), 100_000, 100_000)]);
    bench.now = Timestamp(130_000);
    bench.plugins.hint = None;
    bench.step(Event::NodeSet(node("changed")));
    assert_eq!(sorted(&mut bench), [], "the last attempt ended when it began, so that the key is known");
    bench.now = Timestamp(160_000);
    let labels: Labels = [("l", "x".to_owned())].into_iter().collect();
    bench.step(Event::PodSet(Arc::new(Pod { labels: Arc::new(labels), ..pod("p") })));
    bench.plugins.answers.clear();
    bench.now = Timestamp(200_000);
    assert_eq!(bench.step(Event::NodeSet(node("free"))).last(), Some(&"bind p".to_owned()));
    assert_eq!(sorted(&mut bench), [("p".to_owned(), 100_000, 130_000)]);
}

#[test]
fn a_sort_key_is_cached_for_pods_with_the_same_times() {
    for (pending_pods, asked) in [(None, 1), (Some(PodReads::default()), 2)] {
        let mut bench = bench(Declaration { pending_pods: pending_pods.clone(), ..Declaration::default() });
        bench.add("a");
        bench.add("b");
        assert_eq!(sorted(&mut bench).len(), asked, "{pending_pods:?}");
        bench.now = Timestamp(100_001);
        bench.add("c");
        assert_eq!(sorted(&mut bench).len(), 1);
    }
}
