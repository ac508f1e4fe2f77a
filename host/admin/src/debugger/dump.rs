//! A readable dump of cache and queue.

use std::collections::BTreeMap;
use std::fmt::Display;

use berth_core::Core;
use berth_core::cache::{Cache, CachedObject, Coverage, KindId, NodeInfo, Objects};
use berth_core::queue::{QueuedPod, SubQueue};

/// The maximum numbers of nodes, pods per node, objects per kind, and pending pods in a dump.
const MOST_NODES: usize = 1_000;
const MOST_PODS: usize = 50;
const MOST_OBJECTS: usize = 1_000;
const MOST_PENDING: usize = 1_000;

/// The lines of a dump.
#[derive(Debug, Default)]
pub(super) struct Dump(Vec<String>);

impl Dump {
    /// Creates the dump. Takes time in proportion to the numbers of nodes, pods, and objects that plugins read.
    pub fn of(core: &Core) -> Self {
        let mut dump = Self::default();
        let cache = core.cache();
        let assumed = cache.pods().filter(|(_, cached)| cached.assumed).count();
        let (nodes, pods) = (cache.node_count(), cache.pods().count());
        dump.0.push(format!("dump of the cache: {nodes} nodes, {pods} pods on them, {assumed} of those assumed"));
        dump.add_limited(cache.nodes(), MOST_NODES, "nodes", |info| node(core, cache, info));
        dump.objects(cache.objects());
        let lengths =
            SubQueue::ALL.map(|sub_queue| format!("{} {}", core.queue().len(sub_queue), sub_queue.name())).join(", ");
        dump.0.push(format!("dump of the queue: {lengths}"));
        let pods = core.queue().pods();
        dump.add_limited(pods, MOST_PENDING, "pods", |(sub_queue, entry)| pending(core, sub_queue, entry));
        dump
    }

    /// Adds the objects of the kinds that plugins read, and the kinds that are not listed completely.
    fn objects(&mut self, objects: &Objects) {
        let mut by_kind: BTreeMap<KindId, Vec<&CachedObject>> = BTreeMap::new();
        for (_, cached) in objects.iter() {
            by_kind.entry(cached.kind).or_default().push(cached);
        }
        let assumed = by_kind.values().flatten().filter(|cached| cached.assumed).count();
        let count: usize = by_kind.values().map(Vec::len).sum();
        self.0.push(format!("dump of the objects that plugins read: {count} objects, {assumed} of those assumed"));
        for (id, kind, coverage) in objects.kinds() {
            match coverage {
                Coverage::Complete => {}
                Coverage::Underway => self.0.push(format!("  {kind}: is being listed")),
                Coverage::Refused(_, why) => self.0.push(format!("  {kind}: can't be listed: {why}")),
            }
            let of_kind = by_kind.remove(&id).unwrap_or_default();
            let line = |cached: &CachedObject| format!("  {}", label(&cached.object.key, cached.assumed));
            self.add_limited(of_kind.into_iter(), MOST_OBJECTS, &format!("of {kind}"), line);
        }
    }

    /// Adds a line for each of the first `most` items, and the number of the others.
    fn add_limited<T>(&mut self, items: impl Iterator<Item = T>, most: usize, noun: &str, line: impl Fn(T) -> String) {
        let mut items = items;
        self.0.extend(items.by_ref().take(most).map(line));
        let more = items.count();
        if more > 0 {
            self.0.push(format!("  and {more} more {noun}"));
        }
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

fn node(core: &Core, cache: &Cache, info: &NodeInfo) -> String {
    let (used, allocatable) = (&info.usage.requested, &info.node.allocatable);
    let mut pods = info.pods.iter().filter_map(|id| cache.pod(*id));
    let shown: Vec<String> =
        pods.by_ref().take(MOST_PODS).map(|cached| label(&cached.pod.key, cached.assumed)).collect();
    let more = pods.count();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let nominated: Vec<String> = core.nominations().on(&info.node.name).map(|pod| pod.key.to_string()).collect();
    let nominated = if nominated.is_empty() { String::new() } else { format!("; nominated: {}", nominated.join(", ")) };
    format!(
        "  node {}: {} of {} mCPU, {} of {} bytes of memory, {} of {} pods: {}{more}{nominated}",
        info.node.name,
        used.milli_cpu,
        allocatable.milli_cpu,
        used.memory,
        allocatable.memory,
        used.pods,
        allocatable.pods,
        shown.join(", "),
    )
}

fn label(key: &impl Display, assumed: bool) -> String {
    format!("{key}{}", if assumed { " (assumed)" } else { "" })
}

fn pending(core: &Core, sub_queue: SubQueue, entry: &QueuedPod) -> String {
    let mut line = format!("  {} pod {}, tried {} times", sub_queue.name(), entry.pod.key, entry.attempts);
    let rejectors: Vec<&str> = entry.rejectors().iter().map(|rejector| &*rejector.declaration.name).collect();
    if !rejectors.is_empty() {
        line = format!("{line}, rejected by {}", rejectors.join(", "));
    }
    match core.nominations().node_of(&entry.pod.key.uid) {
        Some(node) => format!("{line}, nominated for node {node}"),
        None => line,
    }
}
