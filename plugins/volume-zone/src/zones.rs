//! A volume's zones and regions, as its labels tell them.

use std::collections::BTreeMap;

use berth_guest::LabelMap;

/// Labels that tell zone or region, with the one that a node may have instead.
const WITH_SUCCESSORS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", ZONE),
    ("failure-domain.beta.kubernetes.io/region", REGION),
    (ZONE, ZONE),
    (REGION, REGION),
];
const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";

/// Labels that tell zone or region.
pub const LABELS: [&str; 4] = [WITH_SUCCESSORS[0].0, WITH_SUCCESSORS[1].0, WITH_SUCCESSORS[2].0, WITH_SUCCESSORS[3].0];

/// Between zones in a label.
const DELIMITER: &str = "__";

/// The values of one label, of which a node has to have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zones {
    label: &'static str,
    /// What nodes have who don't have that label.
    successor: &'static str,
    values: Vec<String>,
}

impl Zones {
    /// Of a volume with these labels. A label of which a part is empty is left aside.
    pub fn of_volume(labels: &BTreeMap<String, String>) -> Vec<Zones> {
        let of_label = |(label, successor): (&'static str, &'static str)| {
            let values: Vec<String> = labels.get(label)?.split(DELIMITER).map(|zone| zone.trim().to_owned()).collect();
            let whole = values.iter().all(|zone| !zone.is_empty());
            whole.then_some(Zones { label, successor, values })
        };
        WITH_SUCCESSORS.into_iter().filter_map(of_label).collect()
    }

    /// Whether a node with these labels is in one of them.
    pub fn have(&self, node: &LabelMap) -> bool {
        let place = node.get(self.label).or_else(|| node.get(self.successor));
        place.is_some_and(|place| self.values.iter().any(|value| value == place))
    }
}
