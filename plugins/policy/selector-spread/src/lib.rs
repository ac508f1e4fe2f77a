//! SelectorSpread: the pods of a Service or a controller are spread over nodes, and over zones before that.
//!
//! Reads the pod's namespace, labels and controller, the selectors of Services, ReplicationControllers, ReplicaSets and StatefulSets,
//! and the labels and the pods of nodes, as kube-scheduler v1.22 did, the last that had it. Pods with topology spread
//! constraints of their own are not scored. With the argument `servicesOnly` it is the still older ServiceSpreadingPriority,
//! which knew no controllers.

mod cluster;
mod zones;

use berth_guest::prelude::*;
use berth_guest::selector::LabelSelector;
use cluster::Cluster;
use serde::Deserialize;
use zones::Zones;

/// Zones count for so much beside nodes.
const ZONE_WEIGHTING: f64 = 2.0 / 3.0;

/// What makes pods of a kind.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Services alone, and not controllers.
    #[serde(default)]
    services_only: bool,
}

/// Once a template.
pub struct Wanted {
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
) -> Wanted {
    let owners = if args.services_only { pod::Owners::default() } else { owners.clone() };
    Wanted { namespace: namespace.clone(), labels: labels.clone(), owners, spreads_itself: !spread.is_empty() }
}

impl Wanted {
    fn selector(&self, cluster: &Cluster) -> LabelSelector {
        cluster.selectors.of_pod(&self.namespace, &self.labels, &self.owners)
    }
}

fn pre_score(pod: &Wanted) -> PreScore {
    if pod.spreads_itself { PreScore::Skip } else { PreScore::Score }
}

/// How many pods of this kind each node has.
fn score_nodes(pod: &Wanted, cluster: &Cluster, nodes: node::Ids<'_>) -> Vec<i64> {
    cluster.placed.counts(&pod.namespace, &pod.selector(cluster), nodes)
}

/// Turned round, and mixed with the same of the zones, where the node has one. The order of the operations is kube-scheduler's,
/// as it shows in the last digit.
fn normalize(scores: &mut [i64], cluster: &Cluster, nodes: node::Ids<'_>) {
    let zones = Zones::new(nodes.iter().zip(scores.iter()).map(|(node, count)| (cluster.zone(node), *count)));
    let most = scores.iter().copied().max().unwrap_or(0);
    for (count, node) in scores.iter_mut().zip(nodes.iter()) {
        let mut score = few(*count, most);
        if let Some(in_zone) = zones.count(cluster.zone(node)) {
            score = (score * (1.0 - ZONE_WEIGHTING)) + (ZONE_WEIGHTING * few(in_zone, zones.most()));
        }
        *count = score as i64;
    }
}

/// 100 for none, 0 for the most.
fn few(count: i64, most: i64) -> f64 {
    if most > 0 { 100.0 * ((most - count) as f64 / most as f64) } else { 100.0 }
}

berth_guest::plugin!(
    name: "SelectorSpread",
    args: Args,
    index: Cluster,
    prepare: prepare => Wanted,
    pre_score: pre_score,
    score_nodes: score_nodes,
    normalize: normalize,
);

#[cfg(test)]
mod tests;
