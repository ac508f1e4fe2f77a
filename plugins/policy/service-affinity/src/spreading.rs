//! Scores nodes: few pods of the Service with the same label value give a high score.

use std::collections::BTreeMap;

use berth_guest::node;
use berth_guest::selector::LabelSelector;

use crate::cluster::Cluster;
use crate::{Args, PreparedPod};

/// Returns the number of pods of the pod's Service on each node. If pods are several Services, the first by name
/// counts.
pub fn score_nodes(pod: &PreparedPod, cluster: &Cluster, nodes: node::Ids<'_>) -> Vec<i64> {
    let service = cluster.selectors.services_of(&pod.namespace, &pod.labels).next();
    let labels = service.into_iter().flatten().map(|(key, value)| (key.as_str(), value.as_str()));
    cluster.placed.counts(&pod.namespace, &LabelSelector::of_map(labels), nodes)
}

/// Computes the mean over the labels; a label that the node does not have scores 0. The order of operations is
/// kube-scheduler's, because it affects the last digit.
pub fn normalize(scores: &mut [i64], args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) {
    let keys = &args.anti_affinity_labels_preference;
    let all: i64 = scores.iter().sum();
    let mut sums = vec![0.0; scores.len()];
    for key in keys {
        let value = |node| cluster.labels(node).and_then(|labels| labels.get(key));
        let mut with_value: BTreeMap<&str, i64> = BTreeMap::new();
        for (node, count) in nodes.iter().zip(scores.iter()) {
            if let Some(value) = value(node) {
                *with_value.entry(value).or_default() += count;
            }
        }
        for (node, sum) in nodes.iter().zip(&mut sums) {
            if let Some(pods) = value(node).and_then(|value| with_value.get(value)) {
                let score = if all > 0 { 100.0 * ((all - pods) as f64 / all as f64) } else { 100.0 };
                *sum += score / keys.len() as f64;
            }
        }
    }
    for (score, sum) in scores.iter_mut().zip(sums) {
        *score = sum as i64;
    }
}
