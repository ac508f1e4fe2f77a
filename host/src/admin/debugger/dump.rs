//! Cache and queue in lines that somebody can read.

use berth_core::Core;
use berth_core::cache::{Cache, CachedObject, Coverage, NodeInfo, Objects};
use berth_core::queue::{Part, QueuedPod};

/// How many nodes, pods of a node, objects of a kind, and pending pods are shown.
const MOST_NODES: usize = 1_000;
const MOST_PODS: usize = 50;
const MOST_OBJECTS: usize = 1_000;
const MOST_PENDING: usize = 1_000;

/// The lines.
#[derive(Debug, Default)]
pub(super) struct Dump(Vec<String>);

impl Dump {
    /// Writes them. Takes time in proportion to nodes, pods, and the objects of each kind that plugins read.
    pub fn of(core: &Core) -> Self {
        let mut dump = Self::default();
        let cache = core.cache();
        let assumed = cache.pods().filter(|(_, cached)| cached.assumed).count();
        let (nodes, pods) = (cache.node_count(), cache.pods().count());
        dump.0.push(format!("dump of the cache: {nodes} nodes, {pods} pods on them, {assumed} of those assumed"));
        dump.some(cache.nodes().map(|info| node(core, cache, info)), MOST_NODES, "nodes");
        dump.objects(cache.objects());
        let parts = Part::ALL.map(|part| format!("{} {}", core.queue().len(part), part.name())).join(", ");
        dump.0.push(format!("dump of the queue: {parts}"));
        let pods = core.queue().pods();
        dump.some(pods.map(|(part, entry)| pending(core, part, entry)), MOST_PENDING, "pods");
        dump
    }

    /// Those of the kinds that plugins read, and which kinds are not known.
    fn objects(&mut self, objects: &Objects) {
        let assumed = objects.iter().filter(|(_, cached)| cached.assumed).count();
        let count = objects.iter().count();
        self.0.push(format!("dump of the objects that plugins read: {count} objects, {assumed} of those assumed"));
        for (id, kind, coverage) in objects.kinds() {
            match coverage {
                Coverage::Complete => {}
                Coverage::Underway => self.0.push(format!("  {kind}: is being listed")),
                Coverage::Refused(_, why) => self.0.push(format!("  {kind}: can't be listed: {why}")),
            }
            let of_kind = objects.iter().filter(|(_, cached)| cached.kind == id);
            self.some(of_kind.map(|(_, cached)| object(cached)), MOST_OBJECTS, &format!("of {kind}"));
        }
    }

    /// As many as are allowed, and how many more there are.
    fn some(&mut self, lines: impl Iterator<Item = String>, most: usize, what: &str) {
        let mut lines = lines;
        self.0.extend(lines.by_ref().take(most));
        let more = lines.count();
        if more > 0 {
            self.0.push(format!("  and {more} more {what}"));
        }
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

fn node(core: &Core, cache: &Cache, info: &NodeInfo) -> String {
    let (used, room) = (&info.usage.requested, &info.node.allocatable);
    let mut pods = info.pods.iter().filter_map(|id| cache.pod(*id)).map(|cached| {
        let assumed = if cached.assumed { " (assumed)" } else { "" };
        format!("{}{assumed}", cached.pod.key)
    });
    let shown: Vec<String> = pods.by_ref().take(MOST_PODS).collect();
    let more = pods.count();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let nominated: Vec<String> = core.nominations().on(&info.node.name).map(|pod| pod.key.to_string()).collect();
    let nominated = if nominated.is_empty() { String::new() } else { format!("; nominated: {}", nominated.join(", ")) };
    format!(
        "  node {}: {} of {} mCPU, {} of {} bytes of memory, {} of {} pods: {}{more}{nominated}",
        info.node.name,
        used.milli_cpu,
        room.milli_cpu,
        used.memory,
        room.memory,
        used.pods,
        room.pods,
        shown.join(", "),
    )
}

fn object(cached: &CachedObject) -> String {
    let assumed = if cached.assumed { " (assumed)" } else { "" };
    format!("  {}{assumed}", cached.object.key)
}

fn pending(core: &Core, part: Part, entry: &QueuedPod) -> String {
    let mut line = format!("  {} pod {}, tried {} times", part.name(), entry.pod.key, entry.attempts);
    let rejectors: Vec<&str> = entry.rejectors().iter().map(|rejector| &*rejector.declaration.name).collect();
    if !rejectors.is_empty() {
        line = format!("{line}, rejected by {}", rejectors.join(", "));
    }
    match core.nominations().node_of(&entry.pod.key.uid) {
        Some(node) => format!("{line}, nominated for node {node}"),
        None => line,
    }
}
