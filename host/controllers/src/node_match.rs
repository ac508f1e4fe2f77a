//! Checks for DaemonSets whether a pod template matches a node: by node name, labels and taints.

use k8s_openapi::api::core::v1::{NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Taint, Toleration};

use super::metadata;
use super::node::Node;

/// Returns true if `nodeName`, `nodeSelector` and the required node affinity allow this node.
pub fn selects(spec: &PodSpec, node: &Node) -> bool {
    let name = metadata::name(&node.metadata);
    let named = spec.node_name.as_deref().is_none_or(|wanted| wanted.is_empty() || wanted == name);
    let mut labels = spec.node_selector.iter().flatten();
    let labelled = labels.all(|(key, value)| metadata::label(&node.metadata, key) == Some(value));
    let affinity = spec.affinity.as_ref().and_then(|affinity| affinity.node_affinity.as_ref());
    let required = affinity.and_then(|affinity| affinity.required_during_scheduling_ignored_during_execution.as_ref());
    named
        && labelled
        && required.is_none_or(|required| required.node_selector_terms.iter().any(|term| meets(term, node)))
}

/// Returns true if the tolerations cover all taints of the node with these effects.
pub fn tolerates(tolerations: &[Toleration], node: &Node, effects: &[&str]) -> bool {
    let mut taints = node.spec.taints.iter().filter(|taint| effects.contains(&taint.effect.as_str()));
    taints.all(|taint| tolerations.iter().any(|toleration| covers(toleration, taint)))
}

/// Returns true if the toleration is for this taint. `Lt` and `Gt` tolerate nothing, as in Kubernetes without the alpha
/// feature TaintTolerationComparisonOperators.
pub fn covers(toleration: &Toleration, taint: &Taint) -> bool {
    let same = |wanted: &Option<String>, actual: &str| {
        wanted.as_deref().is_none_or(|wanted| wanted.is_empty() || wanted == actual)
    };
    let tolerated = match toleration.operator.as_deref() {
        Some("Exists") => true,
        None | Some("" | "Equal") => {
            toleration.value.as_deref().unwrap_or_default() == taint.value.as_deref().unwrap_or_default()
        }
        Some(_) => false,
    };
    same(&toleration.effect, &taint.effect) && same(&toleration.key, &taint.key) && tolerated
}

/// Returns true if the term matches the node. A term without requirements matches nothing.
fn meets(term: &NodeSelectorTerm, node: &Node) -> bool {
    let expressions = term.match_expressions.as_deref().unwrap_or_default();
    let fields = term.match_fields.as_deref().unwrap_or_default();
    let label =
        |requirement: &NodeSelectorRequirement| metadata::label(&node.metadata, &requirement.key).map(str::to_owned);
    let field = |requirement: &NodeSelectorRequirement| {
        (requirement.key == "metadata.name").then(|| metadata::name(&node.metadata).to_owned())
    };
    (!expressions.is_empty() || !fields.is_empty())
        && expressions.iter().all(|requirement| allows(requirement, label(requirement).as_deref()))
        && fields.iter().all(|requirement| allows(requirement, field(requirement).as_deref()))
}

/// Returns true if the requirement allows this value of its label or field.
fn allows(requirement: &NodeSelectorRequirement, actual: Option<&str>) -> bool {
    let values = requirement.values.as_deref().unwrap_or_default();
    let listed = || actual.is_some_and(|actual| values.iter().any(|value| value == actual));
    let numbers = || Some((actual?.parse::<i64>().ok()?, values.first()?.parse::<i64>().ok()?));
    match requirement.operator.as_str() {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => actual.is_some(),
        "DoesNotExist" => actual.is_none(),
        "Gt" => numbers().is_some_and(|(actual, bound)| actual > bound),
        "Lt" => numbers().is_some_and(|(actual, bound)| actual < bound),
        _ => false,
    }
}
