//! ServiceAffinity: places the pods of a Service on nodes with equal values of some labels, and spreads them over
//! the values of other labels.
//!
//! Reads the pod's namespace, labels and node selector, the selectors of Services, and name, labels and pods of
//! nodes. Arguments: `ServiceAffinityArgs` of kube-scheduler v1.22, the last version with this plugin.
//! The values come from one node with pods of the Service: in kube-scheduler, the first such node in its list; in this
//! plugin, the first such node by name.

mod cluster;
mod spreading;

use berth_guest::Verdicts;
use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use berth_guest::selector::LabelSelector;
use cluster::Cluster;
use serde::Deserialize;
use spreading::{normalize, score_nodes};

/// `ServiceAffinityArgs` of kubescheduler.config.k8s.io/v1beta1: label keys.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Args {
    /// All nodes with pods of a Service must have equal values of these labels.
    affinity_labels: Vec<String>,
    /// The pods of a Service are spread over the values of each of these labels.
    anti_affinity_labels_preference: Vec<String>,
}

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    namespace: pod::Namespace,
    labels: pod::Labels,
    /// The affinity labels, with values, that the pod's node selector requires.
    asked_for: Vec<(String, String)>,
}

fn prepare(namespace: &pod::Namespace, labels: &pod::Labels, affinity: &pod::NodeAffinity, args: &Args) -> PreparedPod {
    let asked_for = affinity.node_selector.iter().filter(|label| args.affinity_labels.contains(&label.key));
    PreparedPod {
        namespace: namespace.clone(),
        labels: labels.clone(),
        asked_for: asked_for.map(|label| (label.key.clone(), label.value.clone())).collect(),
    }
}

fn pre_filter(args: &Args) -> PreFilter {
    if args.affinity_labels.is_empty() { PreFilter::Skip } else { PreFilter::All }
}

/// Requires the affinity labels of the pod's node selector. If a Service selects the pod, also requires the other
/// affinity labels, with their values on the first node (by name) with pods that have all of the pod's labels.
fn filter_nodes(pod: &PreparedPod, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let mut required: Vec<(&str, &str)> =
        pod.asked_for.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let missing: Vec<&str> = args.affinity_labels.iter().map(String::as_str).collect();
    let missing = missing.into_iter().filter(|key| !pod.asked_for.iter().any(|(asked, _)| asked == key));
    if cluster.selectors.services_of(&pod.namespace, &pod.labels).next().is_some() {
        let same_labels = LabelSelector::of_map(pod.labels.iter());
        let first = cluster.first_with_pods(&pod.namespace, &same_labels);
        required.extend(missing.filter_map(|key| Some((key, first?.get(key)?))));
    }
    let fits = |labels: &node::Labels| required.iter().all(|(key, value)| labels.get(key) == Some(*value));
    let verdict = |node| match cluster.labels(node) {
        Some(labels) if fits(labels) => Verdict::FITS,
        _ => Verdict::unschedulable("node(s) didn't match service affinity"),
    };
    nodes.iter().map(verdict).collect()
}

berth_guest::plugin!(
    name: "ServiceAffinity",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => PreparedPod,
    pre_filter: pre_filter,
    filter_nodes: filter_nodes,
    score_nodes: score_nodes,
    normalize: normalize,
);

#[cfg(test)]
mod tests;
