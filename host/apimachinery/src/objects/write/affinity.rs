//! Writes node affinity, pod affinity and topology spread constraints.

use berth_core::model::{
    LabelSelector, NodeSelectorTerm, Operator, PodAffinity, PodAffinityTerm, PodSpec, Requirement, SpreadConstraint,
};
use serde_json::Value;

use super::fields::Fields;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Returns `spec.affinity`.
pub(super) fn affinity(spec: &PodSpec) -> Fields {
    let required = spec.required_node_affinity.as_ref().map(|terms| {
        let terms: Vec<Value> = terms.iter().map(|term| node_term(term).into()).collect();
        Fields::default().with("nodeSelectorTerms", terms)
    });
    let preferred = spec.preferred_node_affinity.iter().map(|preferred| {
        Fields::default().with("weight", preferred.weight).with("preference", node_term(&preferred.term))
    });
    Fields::default()
        .object("nodeAffinity", Fields::default().optional(REQUIRED, required).list(PREFERRED, preferred))
        .object("podAffinity", pod_affinity(&spec.affinity))
        .object("podAntiAffinity", pod_affinity(&spec.anti_affinity))
}

fn node_term(term: &NodeSelectorTerm) -> Fields {
    Fields::default()
        .list("matchExpressions", term.expressions.iter().map(requirement))
        .list("matchFields", term.fields.iter().map(requirement))
}

fn requirement(requirement: &Requirement) -> Fields {
    let operator = match requirement.operator {
        Operator::In => "In",
        Operator::NotIn => "NotIn",
        Operator::Exists => "Exists",
        Operator::DoesNotExist => "DoesNotExist",
        Operator::Gt => "Gt",
        Operator::Lt => "Lt",
    };
    Fields::default().text("key", &requirement.key).with("operator", operator).texts("values", &requirement.values)
}

fn pod_affinity(affinity: &PodAffinity) -> Fields {
    let preferred = affinity
        .preferred
        .iter()
        .map(|term| Fields::default().with("weight", term.weight).with("podAffinityTerm", pod_term(term)));
    Fields::default().list(REQUIRED, affinity.required.iter().map(pod_term)).list(PREFERRED, preferred)
}

fn pod_term(term: &PodAffinityTerm) -> Fields {
    let namespaces = match &term.namespace_selector {
        Some(namespaces) => Some(selector(namespaces)),
        // Without namespaces and a selector, the term would select the namespace of the pod. The term selects no
        // namespace if the API object has a selector with an unknown operator.
        None if term.namespaces.is_empty() => {
            let unknown = Fields::default().with("key", "").with("operator", "");
            Some(Fields::default().list("matchExpressions", [unknown]))
        }
        None => None,
    };
    Fields::default()
        .optional("labelSelector", term.selector.as_ref().map(selector))
        .texts("namespaces", &term.namespaces)
        .optional("namespaceSelector", namespaces)
        .text("topologyKey", &term.topology_key)
}

/// Returns a selector. All requirements become expressions, because the model does not distinguish labels from
/// expressions with the operator In.
fn selector(selector: &LabelSelector) -> Fields {
    Fields::default().list("matchExpressions", selector.requirements.iter().map(requirement))
}

/// Returns an element of `spec.topologySpreadConstraints`.
pub(super) fn spread(constraint: &SpreadConstraint) -> Fields {
    let when_unsatisfiable = if constraint.required { "DoNotSchedule" } else { "ScheduleAnyway" };
    Fields::default()
        .with("maxSkew", constraint.max_skew)
        .text("topologyKey", &constraint.topology_key)
        .with("whenUnsatisfiable", when_unsatisfiable)
        .optional("labelSelector", constraint.selector.as_ref().map(selector))
        .optional("minDomains", (constraint.min_domains != 1).then_some(constraint.min_domains))
        .optional("nodeAffinityPolicy", (!constraint.honor_affinity).then_some("Ignore"))
        .optional("nodeTaintsPolicy", constraint.honor_taints.then_some("Honor"))
        .texts("matchLabelKeys", &constraint.match_label_keys)
}
