//! StorageClasses.

use berth_guest::LabelMap;
use serde::Deserialize;

/// The `volumeBindingMode` of classes whose volumes are bound when the first pod that uses the claim is scheduled.
pub const WAIT_FOR_FIRST_CONSUMER: &str = "WaitForFirstConsumer";

/// `storage.k8s.io/v1.StorageClass`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StorageClass {
    /// `provisioner`.
    pub provisioner: String,
    /// `volumeBindingMode`.
    pub volume_binding_mode: Option<String>,
    /// `allowedTopologies`.
    pub allowed_topologies: Vec<TopologyTerm>,
}

/// `v1.TopologySelectorTerm`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default, rename_all = "camelCase")]
pub struct TopologyTerm {
    /// `matchLabelExpressions`.
    pub match_label_expressions: Vec<TopologyRequirement>,
}

/// `v1.TopologySelectorLabelRequirement`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct TopologyRequirement {
    /// `key`.
    pub key: String,
    /// `values`: the node's label must have one of these values.
    pub values: Vec<String>,
}

impl StorageClass {
    /// Returns true if volumes of the class are bound when the first pod is scheduled. Returns an error if the class
    /// has no binding mode. `name` is the name of the class, for the error.
    pub fn waits_for_first_consumer(&self, name: &str) -> Result<bool, String> {
        match &self.volume_binding_mode {
            Some(mode) => Ok(mode == WAIT_FOR_FIRST_CONSUMER),
            None => Err(format!("VolumeBindingMode not set for StorageClass \"{name}\"")),
        }
    }

    /// Returns true if volumes may be created for nodes with these labels. Without terms, all nodes are allowed. A
    /// term without requirements matches no node.
    pub fn allows(&self, labels: &LabelMap) -> bool {
        let matches = |term: &TopologyTerm| {
            let required = &term.match_label_expressions;
            !required.is_empty() && required.iter().all(|required| required.matches(labels))
        };
        self.allowed_topologies.is_empty() || self.allowed_topologies.iter().any(matches)
    }
}

impl TopologyRequirement {
    fn matches(&self, labels: &LabelMap) -> bool {
        labels.get(&self.key).is_some_and(|value| self.values.iter().any(|wanted| wanted == value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_topology_is_enough() {
        let zone = |zones: &str| format!(r#"{{"matchLabelExpressions": [{{"key": "zone", "values": [{zones}]}}]}}"#);
        let both =
            r#"{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}, {"key": "disk", "values": ["ssd"]}]}"#;
        for (terms, labels, allowed) in [
            (String::new(), vec![], true),
            (zone(r#""a", "b""#), vec![("zone", "b")], true),
            (zone(r#""a""#), vec![("zone", "b")], false),
            (zone(r#""a""#), vec![], false),
            (format!("{}, {}", zone(r#""a""#), zone(r#""b""#)), vec![("zone", "b")], true),
            (both.to_owned(), vec![("zone", "a")], false),
            (both.to_owned(), vec![("disk", "ssd"), ("zone", "a")], true),
            ("{}".to_owned(), vec![("zone", "a")], false),
        ] {
            let class: StorageClass = serde_json::from_str(&format!(r#"{{"allowedTopologies": [{terms}]}}"#)).unwrap();
            assert_eq!(class.allows(&labels.into_iter().collect()), allowed, "{terms}");
        }
    }
}
