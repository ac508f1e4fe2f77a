//! Zones and regions of a volume, from its labels.

use std::collections::BTreeMap;

use berth_guest::LabelMap;

/// Zone and region labels of volumes, each with the label that a node may have instead.
const WITH_SUCCESSORS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", ZONE),
    ("failure-domain.beta.kubernetes.io/region", REGION),
    (ZONE, ZONE),
    (REGION, REGION),
];
const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";

/// Labels for zones and regions.
pub const LABELS: [&str; 4] = [WITH_SUCCESSORS[0].0, WITH_SUCCESSORS[1].0, WITH_SUCCESSORS[2].0, WITH_SUCCESSORS[3].0];

/// The separator of several zones in a label.
const DELIMITER: &str = "__";

/// The values of a zone or region label of a volume. A node must have one of these values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zones {
    label: &'static str,
    /// The label to check on nodes without `label`.
    successor: &'static str,
    values: Vec<String>,
}

impl Zones {
    /// Returns the zones of a volume with these labels. A label with an empty element is ignored.
    pub fn of_volume(labels: &BTreeMap<String, String>) -> Vec<Zones> {
        let of_label = |(label, successor): (&'static str, &'static str)| {
            let values: Vec<String> = labels.get(label)?.split(DELIMITER).map(|zone| zone.trim().to_owned()).collect();
            let complete = values.iter().all(|zone| !zone.is_empty());
            complete.then_some(Zones { label, successor, values })
        };
        WITH_SUCCESSORS.into_iter().filter_map(of_label).collect()
    }

    /// Returns true if a node with these labels is in one of the zones.
    pub fn contain(&self, node: &LabelMap) -> bool {
        let value_of_node = node.get(self.label).or_else(|| node.get(self.successor));
        value_of_node.is_some_and(|value_of_node| self.values.iter().any(|value| value == value_of_node))
    }
}
