//! A plugin of scope domain that spreads pods over zones and over the nodes of a zone. Its answers about classes must
//! equal its answers about nodes.

use std::collections::BTreeMap;

use berth_core::cache::{Cache, NodeId};
use berth_core::plugins::{
    ClassFilter, ClassId, ClassScores, Classified, Code, Cycle, Passed, PluginId, PodSignatureId, Status, Verdicts,
};

/// The number of zones.
const ZONES: usize = 3;
/// The largest number of pods on a node that classes distinguish.
const MOST_PODS: usize = 15;
/// A zone rejects pods if it has more than this many pods above the zone with the fewest.
const SKEW: usize = 2;

pub const UNEVEN: &str = "uneven";

/// The last answer for each plugin instance and pod signature, as a guest remembers it: the cycle and the class of each
/// node.
#[derive(Default)]
pub struct Spread(BTreeMap<(PluginId, PodSignatureId), (u64, BTreeMap<NodeId, ClassId>)>);

/// The number of pods in each zone that has nodes.
struct Zones([Option<usize>; ZONES]);

impl Zones {
    fn of(cache: &Cache) -> Self {
        let mut zones = [None; ZONES];
        for info in cache.nodes() {
            *zones[zone(&info.node.name)].get_or_insert(0) += info.pods.len();
        }
        Self(zones)
    }

    fn is_uneven(&self, zone: usize) -> bool {
        let least = self.0.iter().flatten().min().copied().unwrap_or_default();
        self.0[zone].is_some_and(|pods| pods > least + SKEW)
    }
}

fn zone(node: &str) -> usize {
    usize::from(node.bytes().last().unwrap_or_default()) % ZONES
}

/// Returns whether the filter rejects the node, because its zone has too many pods.
pub fn is_uneven(cache: &Cache, node: NodeId) -> bool {
    cache.node(node).is_some_and(|info| Zones::of(cache).is_uneven(zone(&info.node.name)))
}

/// Returns the raw score. It is higher for a node with more pods in its zone and on the node.
pub fn score(cache: &Cache, node: NodeId) -> i64 {
    class(cache, node).map_or(0, |class| raw(class, &Zones::of(cache)))
}

/// Normalizes the scores to 0 to 100. A lower raw score becomes a higher score.
pub fn normalized(raw: &[i64]) -> Vec<i64> {
    let most = raw.iter().copied().max().unwrap_or_default().max(1);
    raw.iter().map(|raw| 100 * (most - raw) / most).collect()
}

fn raw(class: ClassId, zones: &Zones) -> i64 {
    let (zone, pods) = (class.0 as usize / (MOST_PODS + 1), class.0 as usize % (MOST_PODS + 1));
    (4 * zones.0[zone].unwrap_or_default() + pods) as i64
}

/// Returns the node's class, which stands for the zone and the number of pods on the node.
fn class(cache: &Cache, node: NodeId) -> Option<ClassId> {
    let info = cache.node(node)?;
    Some(ClassId((zone(&info.node.name) * (MOST_PODS + 1) + info.pods.len().min(MOST_PODS)) as u32))
}

impl Spread {
    /// Answers `classify` as a guest does. `forgets` stands for a guest that was rebuilt since its last answer.
    pub fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64, forgets: bool) -> Classified {
        let cache = cycle.cache;
        let (told_in, told) = self.0.entry((plugin, cycle.signature)).or_default();
        let anew = forgets || known == 0 || known != *told_in;
        let now: BTreeMap<NodeId, ClassId> =
            cache.nodes().filter_map(|info| Some((info.id, class(cache, info.id)?))).collect();
        let differs = |(node, class): &(&NodeId, &ClassId)| anew || told.get(node) != Some(class);
        let (nodes, classes) = now.iter().filter(differs).unzip();
        (*told_in, *told) = (cycle.id, now);
        let zones = Zones::of(cache);
        let of_class = |class: usize| u16::from(zones.is_uneven(class / (MOST_PODS + 1)));
        let verdicts = Verdicts {
            outcomes: vec![Status { code: Code::Unschedulable, reasons: vec![UNEVEN.into()] }],
            nodes: (0..ZONES * (MOST_PODS + 1)).map(of_class).collect(),
        };
        Classified { filter: ClassFilter::Verdicts(verdicts), scores: true, anew, nodes, classes }
    }
}

/// Returns the scores of the classes.
pub fn score_classes(cycle: &Cycle<'_>, passed: &[Passed]) -> ClassScores {
    let zones = Zones::of(cycle.cache);
    let raw: Vec<i64> = passed.iter().map(|passed| raw(passed.class, &zones)).collect();
    ClassScores { normalized: normalized(&raw), raw }
}
