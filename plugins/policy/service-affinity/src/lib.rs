//! ServiceAffinity: the pods of a Service go to nodes that are alike in some labels, or are spread over the values of others.
//!
//! Reads the pod's namespace, labels and node selector, the selectors of Services, and name, labels and pods of the nodes; as
//! arguments `ServiceAffinityArgs`, as kube-scheduler v1.22 did, the last that had it. Where it went by the first node in its list,
//! this goes by the first in the order of their names.

mod cluster;
mod spreading;

use berth_guest::Verdicts;
use berth_guest::prelude::*;
use berth_guest::selector::LabelSelector;
use cluster::Cluster;
use serde::Deserialize;
use spreading::{normalize, score_nodes};

/// `ServiceAffinityArgs` of kubescheduler.config.k8s.io/v1beta1: keys of labels.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Args {
    /// All nodes with pods of a Service have the same values of these.
    affinity_labels: Vec<String>,
    /// The pods of a Service are spread over the values of each of these.
    anti_affinity_labels_preference: Vec<String>,
}

/// Once a template.
pub struct Wanted {
    namespace: pod::Namespace,
    labels: pod::Labels,
    /// The values of the affinity labels that the pod's own node selector asks for.
    asked_for: Vec<(String, String)>,
}

fn prepare(namespace: &pod::Namespace, labels: &pod::Labels, affinity: &pod::NodeAffinity, args: &Args) -> Wanted {
    let asked_for = affinity.node_selector.iter().filter(|label| args.affinity_labels.contains(&label.key));
    Wanted {
        namespace: namespace.clone(),
        labels: labels.clone(),
        asked_for: asked_for.map(|label| (label.key.clone(), label.value.clone())).collect(),
    }
}

fn pre_filter(args: &Args) -> PreFilter {
    if args.affinity_labels.is_empty() { PreFilter::Skip } else { PreFilter::All }
}

/// What the pod doesn't ask for itself follows from where pods of its Services are: those that have all of its labels.
fn filter_nodes(pod: &Wanted, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let mut wanted: Vec<(&str, &str)> =
        pod.asked_for.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let missing: Vec<&str> = args.affinity_labels.iter().map(String::as_str).collect();
    let missing = missing.into_iter().filter(|key| !pod.asked_for.iter().any(|(asked, _)| asked == key));
    if cluster.selectors.services_of(&pod.namespace, &pod.labels).next().is_some() {
        let alike = LabelSelector::of_map(pod.labels.iter());
        let first = cluster.first_with_pods(&pod.namespace, &alike);
        wanted.extend(missing.filter_map(|key| Some((key, first?.get(key)?))));
    }
    let fits = |labels: &node::Labels| wanted.iter().all(|(key, value)| labels.get(key) == Some(*value));
    let verdict = |node| match cluster.labels(node) {
        Some(labels) if fits(labels) => Verdict::FITS,
        _ => Verdict::unschedulable("node(s) didn't match service affinity"),
    };
    nodes.iter().map(verdict).collect()
}

berth_guest::plugin!(
    name: "ServiceAffinity",
    args: Args,
    index: Cluster,
    prepare: prepare => Wanted,
    pre_filter: pre_filter,
    filter_nodes: filter_nodes,
    score_nodes: score_nodes,
    normalize: normalize,
);

#[cfg(test)]
mod tests;
