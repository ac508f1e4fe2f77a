//! Counts of pods by zone.

use std::collections::BTreeMap;

use berth_guest::LabelMap;

/// Region and zone of a node. One of them may be empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Zone {
    region: String,
    zone: String,
}

const ZONE: [&str; 2] = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"];
const REGION: [&str; 2] = ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"];

impl Zone {
    /// Returns the zone of a node with these labels. The beta keys take precedence.
    pub fn of(labels: &LabelMap) -> Option<Zone> {
        let first = |keys: [&str; 2]| keys.iter().find_map(|key| labels.get(key)).unwrap_or_default().to_owned();
        let (region, zone) = (first(REGION), first(ZONE));
        (!region.is_empty() || !zone.is_empty()).then_some(Zone { region, zone })
    }
}

/// The number of pods in each zone.
pub struct Zones<'a>(BTreeMap<&'a Zone, i64>);

impl<'a> Zones<'a> {
    /// Sums the pods of the nodes by zone.
    pub fn new(nodes: impl Iterator<Item = (Option<&'a Zone>, i64)>) -> Zones<'a> {
        let mut counts = BTreeMap::new();
        for (zone, count) in nodes {
            if let Some(zone) = zone {
                *counts.entry(zone).or_default() += count;
            }
        }
        Zones(counts)
    }

    /// Returns the number of pods in a zone.
    pub fn count(&self, zone: Option<&Zone>) -> Option<i64> {
        self.0.get(zone?).copied()
    }

    /// Returns the highest number of pods in a zone.
    pub fn max_pods(&self) -> i64 {
        self.0.values().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_comes_from_old_or_new_labels() {
        let (old, new) = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
        let region = "topology.kubernetes.io/region";
        for (labels, expected) in [
            (vec![], None),
            (vec![(new, "a")], Some(("", "a"))),
            (vec![(old, "b"), (new, "a")], Some(("", "b"))),
            (vec![(region, "r")], Some(("r", ""))),
            (vec![(region, "r"), (new, "a")], Some(("r", "a"))),
            (vec![(new, "")], None),
        ] {
            let zone = Zone::of(&labels.iter().copied().collect());
            let found = zone.as_ref().map(|zone| (zone.region.as_str(), zone.zone.as_str()));
            assert_eq!(found, expected, "{labels:?}");
        }
    }
}
