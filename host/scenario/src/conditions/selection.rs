//! Selects pods and nodes.

use berth_sim::selectors::LabelSelector;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::ObjectMeta;

use crate::cluster::View;
use crate::cluster::view::id;
use crate::file::{Nodes, Pods};

/// Selects objects by their metadata.
#[derive(Clone, Debug)]
struct Matcher {
    name: Option<String>,
    namespace: Option<String>,
    labels: LabelSelector,
}

impl Matcher {
    fn new(name: Option<&str>, namespace: Option<&str>, selector: Option<&str>) -> Result<Self, String> {
        let labels = LabelSelector::parse(selector.unwrap_or_default())
            .map_err(|why| format!("{:?} is no label selector: {why}", selector.unwrap_or_default()))?;
        Ok(Self { name: name.map(str::to_owned), namespace: namespace.map(str::to_owned), labels })
    }

    fn matches(&self, meta: &ObjectMeta) -> bool {
        let name = meta.name.as_deref().unwrap_or_default();
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        self.name.as_deref().is_none_or(|pattern| matches_pattern(pattern, name))
            && self.namespace.as_deref().is_none_or(|wanted| wanted == namespace)
            && self.labels.matches(|key| meta.labels.as_ref()?.get(key).map(String::as_str))
    }
}

/// Returns the pods that are selected, in the order of their namespaces and names.
///
/// # Errors
/// A label selector is wrong.
pub fn pods<'v>(view: &'v View, wanted: &Pods) -> Result<Vec<&'v Pod>, String> {
    let matcher = pod_matcher(wanted)?;
    Ok(view.pods.values().filter(|pod| matcher.matches(&pod.metadata)).collect())
}

/// Returns whether a pod is selected.
///
/// # Errors
/// A label selector is wrong.
pub fn is_selected(pod: &Pod, wanted: &Pods) -> Result<bool, String> {
    Ok(pod_matcher(wanted)?.matches(&pod.metadata))
}

fn pod_matcher(wanted: &Pods) -> Result<Matcher, String> {
    match wanted {
        Pods::Selector(selector) => Matcher::new(None, None, Some(selector)),
        Pods::Fields(fields) => {
            Matcher::new(fields.name.as_deref(), fields.namespace.as_deref(), fields.selector.as_deref())
        }
    }
}

/// Returns the nodes that are selected, in the order of their names.
///
/// # Errors
/// A label selector is wrong.
pub fn nodes<'v>(view: &'v View, wanted: &Nodes) -> Result<Vec<&'v Node>, String> {
    let matcher = match wanted {
        Nodes::Selector(selector) => Matcher::new(None, None, Some(selector)),
        Nodes::Fields(fields) => Matcher::new(fields.name.as_deref(), None, fields.selector.as_deref()),
    }?;
    Ok(view.nodes.values().filter(|node| matcher.matches(&node.metadata)).collect())
}

/// Returns a pod as namespace/name.
pub fn name(pod: &Pod) -> String {
    let (namespace, name) = id(pod);
    format!("{namespace}/{name}")
}

/// Returns the text of a selection, for messages.
pub fn text_of_pods(wanted: &Pods) -> String {
    match wanted {
        Pods::Selector(selector) if selector.is_empty() => "all pods".to_owned(),
        Pods::Selector(selector) => format!("the pods with {selector}"),
        Pods::Fields(fields) => text_of(
            &[
                ("the name", fields.name.as_deref()),
                ("the namespace", fields.namespace.as_deref()),
                ("the labels", fields.selector.as_deref()),
            ],
            "pods",
        ),
    }
}

/// Returns the text of a selection, for messages.
pub fn text_of_nodes(wanted: &Nodes) -> String {
    match wanted {
        Nodes::Selector(selector) if selector.is_empty() => "all nodes".to_owned(),
        Nodes::Selector(selector) => format!("the nodes with {selector}"),
        Nodes::Fields(fields) => {
            text_of(&[("the name", fields.name.as_deref()), ("the labels", fields.selector.as_deref())], "nodes")
        }
    }
}

fn text_of(fields: &[(&str, Option<&str>)], objects: &str) -> String {
    let given: Vec<String> =
        fields.iter().filter_map(|(what, value)| value.map(|value| format!("{what} {value}"))).collect();
    if given.is_empty() { format!("all {objects}") } else { format!("the {objects} with {}", given.join(" and ")) }
}

/// Returns whether a text matches a pattern in which `*` stands for any characters.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text, expected) in [
            ("web", "web", true),
            ("web", "web-1", false),
            ("web-*", "web-1", true),
            ("web-*", "db-1", false),
            ("*-1", "web-1", true),
            ("w*b*1", "web-21", true),
            ("w*b*1", "web-2", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        }
    }
}
