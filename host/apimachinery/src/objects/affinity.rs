//! Reads node affinity, pod affinity and topology spread constraints.

use berth_core::model::{
    LabelSelector, NodeSelectorTerm, Operator, PodAffinity, PodAffinityTerm, PreferredNodeTerm, Requirement,
    SpreadConstraint,
};

use super::json::{Entries, partial};
use super::notes::Notes;

partial! {
    /// `v1.Affinity`.
    AffinityData {
        node_affinity: NodeAffinityData,
        pod_affinity: PodAffinityData,
        pod_anti_affinity: PodAffinityData,
    }

    NodeAffinityData {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Option<NodeSelectorData>,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<PreferredNodeData>,
    }

    NodeSelectorData {
        node_selector_terms: Vec<NodeTermData>,
    }

    PreferredNodeData {
        weight: i32,
        preference: NodeTermData,
    }

    NodeTermData {
        match_expressions: Vec<RequirementData>,
        match_fields: Vec<RequirementData>,
    }

    RequirementData {
        key: Box<str>,
        operator: Box<str>,
        values: Vec<Box<str>>,
    }

    /// `metav1.LabelSelector`.
    LabelSelectorData {
        match_labels: Entries<Box<str>>,
        match_expressions: Vec<RequirementData>,
    }

    /// `v1.PodAffinity` and `v1.PodAntiAffinity`.
    PodAffinityData {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Vec<PodTermData>,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<WeightedPodTermData>,
    }

    WeightedPodTermData {
        weight: i32,
        pod_affinity_term: PodTermData,
    }

    /// `v1.PodAffinityTerm`. matchLabelKeys and mismatchLabelKeys are not read: the API server merged them into
    /// labelSelector when the pod was created.
    PodTermData {
        label_selector: Option<LabelSelectorData>,
        namespaces: Vec<Box<str>>,
        namespace_selector: Option<LabelSelectorData>,
        topology_key: Box<str>,
    }

    /// `v1.TopologySpreadConstraint`. matchLabelKeys is read, because not every version of the API server merges
    /// matchLabelKeys into labelSelector.
    SpreadData {
        max_skew: i32,
        topology_key: Box<str>,
        when_unsatisfiable: Box<str>,
        label_selector: Option<LabelSelectorData>,
        min_domains: Option<i32>,
        node_affinity_policy: Box<str>,
        node_taints_policy: Box<str>,
        match_label_keys: Vec<Box<str>>,
    }
}

impl NodeSelectorData {
    pub(super) fn into_model(self, notes: &mut Notes) -> Vec<NodeSelectorTerm> {
        self.node_selector_terms.into_iter().map(|term| term.into_model(notes)).collect()
    }
}

impl PreferredNodeData {
    pub(super) fn into_model(self, notes: &mut Notes) -> PreferredNodeTerm {
        PreferredNodeTerm { weight: self.weight, term: self.preference.into_model(notes) }
    }
}

impl NodeTermData {
    /// Converts a term. A term with an unknown operator becomes a term without requirements, which no node matches.
    fn into_model(self, notes: &mut Notes) -> NodeSelectorTerm {
        let expressions = requirements(self.match_expressions, notes);
        let fields = requirements(self.match_fields, notes);
        match (expressions, fields) {
            (Some(expressions), Some(fields)) => NodeSelectorTerm { expressions, fields },
            _ => NodeSelectorTerm::default(),
        }
    }
}

/// Converts requirements. Returns `None` if an operator is unknown.
fn requirements(data: Vec<RequirementData>, notes: &mut Notes) -> Option<Vec<Requirement>> {
    data.into_iter()
        .map(|data| {
            let operator = match data.operator.as_ref() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                "Gt" => Operator::Gt,
                "Lt" => Operator::Lt,
                unknown => {
                    notes.add("operator", format_args!("{unknown:?} is unknown; its selector matches nothing"));
                    return None;
                }
            };
            Some(Requirement { key: data.key, operator, values: data.values })
        })
        .collect()
}

impl LabelSelectorData {
    /// Converts a selector: labels first, ordered by key, then expressions in their order. Returns `None`, which
    /// selects nothing, for an unknown operator.
    fn into_model(self, notes: &mut Notes) -> Option<LabelSelector> {
        let mut labels = self.match_labels.0;
        labels.sort_unstable();
        let labels =
            labels.into_iter().map(|(key, value)| Requirement { key, operator: Operator::In, values: vec![value] });
        let expressions = requirements(self.match_expressions, notes)?;
        Some(LabelSelector { requirements: labels.chain(expressions).collect() })
    }
}

fn selector(data: Option<LabelSelectorData>, notes: &mut Notes) -> Option<LabelSelector> {
    data.and_then(|data| data.into_model(notes))
}

impl PodAffinityData {
    pub(super) fn into_model(self, namespace: &str, notes: &mut Notes) -> PodAffinity {
        let required = self.required.into_iter().map(|term| term.into_model(namespace, 0, notes)).collect();
        let preferred = self.preferred.into_iter();
        let preferred = preferred.map(|w| w.pod_affinity_term.into_model(namespace, w.weight, notes)).collect();
        PodAffinity { required, preferred }
    }
}

impl PodTermData {
    fn into_model(self, own_namespace: &str, weight: i32, notes: &mut Notes) -> PodAffinityTerm {
        let own = self.namespaces.is_empty() && self.namespace_selector.is_none();
        PodAffinityTerm {
            selector: selector(self.label_selector, notes),
            namespaces: if own { vec![own_namespace.into()] } else { self.namespaces },
            namespace_selector: selector(self.namespace_selector, notes),
            topology_key: self.topology_key,
            weight,
        }
    }
}

impl SpreadData {
    pub(super) fn into_model(self, notes: &mut Notes) -> SpreadConstraint {
        SpreadConstraint {
            max_skew: self.max_skew,
            topology_key: self.topology_key,
            required: self.when_unsatisfiable.as_ref() == "DoNotSchedule",
            selector: selector(self.label_selector, notes),
            min_domains: self.min_domains.unwrap_or(1),
            honor_affinity: self.node_affinity_policy.as_ref() != "Ignore",
            honor_taints: self.node_taints_policy.as_ref() == "Honor",
            match_label_keys: self.match_label_keys,
        }
    }
}
