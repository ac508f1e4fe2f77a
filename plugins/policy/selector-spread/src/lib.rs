//! SelectorSpread: spreads the pods of a Service or controller over nodes and, with a higher weight, over zones.
//!
//! Reads the pod's namespace, labels and controller, the selectors of Services, ReplicationControllers, ReplicaSets
//! and StatefulSets, and labels and pods of nodes, as kube-scheduler v1.22 does, the last version with this plugin.
//! Pods with topology spread constraints are not scored. The argument `servicesOnly` gives the older
//! ServiceSpreadingPriority, which ignores controllers.

mod cluster;
mod zones;

use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use berth_guest::selector::LabelSelector;
use cluster::Cluster;
use serde::Deserialize;
use zones::Zones;

/// The weight of the zone's score, from 0 to 1. The weight of the node's score is the rest.
const ZONE_WEIGHTING: f64 = 2.0 / 3.0;

/// The plugin's arguments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// True if only Services are considered, not controllers.
    #[serde(default)]
    services_only: bool,
}

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    namespace: pod::Namespace,
    labels: pod::Labels,
    owners: pod::Owners,
    spreads_itself: bool,
}

fn prepare(
    namespace: &pod::Namespace,
    labels: &pod::Labels,
    owners: &pod::Owners,
    spread: &pod::TopologySpread,
    args: &Args,
) -> PreparedPod {
    let owners = if args.services_only { pod::Owners::default() } else { owners.clone() };
    PreparedPod { namespace: namespace.clone(), labels: labels.clone(), owners, spreads_itself: !spread.is_empty() }
}

impl PreparedPod {
    fn selector(&self, cluster: &Cluster) -> LabelSelector {
        cluster.selectors.of_pod(&self.namespace, &self.labels, &self.owners)
    }
}

fn pre_score(pod: &PreparedPod) -> PreScore {
    if pod.spreads_itself { PreScore::Skip } else { PreScore::Score }
}

/// Returns, for each node, the number of pods that the selectors of the pod's Services and controller select.
fn score_nodes(pod: &PreparedPod, cluster: &Cluster, nodes: node::Ids<'_>) -> Vec<i64> {
    cluster.placed.counts(&pod.namespace, &pod.selector(cluster), nodes)
}

/// Reverses the scores. For a node with a zone, also includes the reversed score of the zone. The order of operations
/// is kube-scheduler's, because the order affects the last digit.
fn normalize(scores: &mut [i64], cluster: &Cluster, nodes: node::Ids<'_>) {
    let zones = Zones::new(nodes.iter().zip(scores.iter()).map(|(node, count)| (cluster.zone(node), *count)));
    let highest = scores.iter().copied().max().unwrap_or(0);
    for (count, node) in scores.iter_mut().zip(nodes.iter()) {
        let mut score = score_of(*count, highest);
        if let Some(in_zone) = zones.count(cluster.zone(node)) {
            score = (score * (1.0 - ZONE_WEIGHTING)) + (ZONE_WEIGHTING * score_of(in_zone, zones.max_pods()));
        }
        *count = score as i64;
    }
}

/// Returns 100 for a count of 0, and 0 for the highest count.
fn score_of(count: i64, highest: i64) -> f64 {
    if highest > 0 { 100.0 * ((highest - count) as f64 / highest as f64) } else { 100.0 }
}

berth_guest::plugin!(
    name: "SelectorSpread",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => PreparedPod,
    pre_score: pre_score,
    score_nodes: score_nodes,
    normalize: normalize,
);

#[cfg(test)]
mod tests;
