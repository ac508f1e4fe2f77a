//! Scores by `ScheduleAnyway` constraints: nodes in domains with few pods score higher.

use berth_guest::prelude::*;
use berth_guest::topology::{Topologies, Topology};

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::constraint::Action;
use crate::tally::{Count, PodCounts, Tally, counted_in};

/// Computes the weight of a pod for each constraint. The weight increases with the number of domains, because the pods
/// of a constraint with many domains are spread more thinly.
pub fn pre_score(pod: &PreparedPod, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Result<PreScore, String> {
    let weights = pod.read(Action::ScheduleAnyway, args, cluster, |tally| {
        let topologies = cluster.topologies();
        let weight = |count| weight(size(tally, count, &topologies, nodes));
        tally.counts.iter().map(weight).collect::<Vec<f64>>()
    });
    let weights = weights.map_err(|problem| {
        format!("calculating preScoreState: obtaining pod's soft topology spread constraints: {problem}")
    })?;
    let answer = if weights.is_empty() { PreScore::Skip } else { PreScore::Score };
    pod.weights.replace(weights);
    Ok(answer)
}

/// Returns the number of domains among the nodes to score; for the hostname, the number of these nodes. Nodes without
/// the required labels don't count.
fn size(tally: &Tally, count: &Count, topologies: &Topologies, nodes: node::Ids<'_>) -> usize {
    let scored = nodes.iter().filter(|node| tally.has_keys(topologies, *node));
    if matches!(count.pod_counts, PodCounts::Nodes(_)) {
        return scored.count();
    }
    let topology = topologies.of(count.key);
    // The last index stands for nodes without the label, unless a node has the label with an empty value.
    let none = topology.domain_bound();
    let mut present = vec![false; none + 1];
    for node in scored {
        present[counted_in(topology, node, tally.needs_all_keys()).unwrap_or(none)] = true;
    }
    present.into_iter().filter(|present| *present).count()
}

pub fn score_nodes(
    pod: &PreparedPod,
    args: &Args,
    cluster: &Cluster,
    nodes: node::Ids<'_>,
) -> Result<Vec<i64>, String> {
    pod.read(Action::ScheduleAnyway, args, cluster, |tally| {
        let topologies = cluster.topologies();
        let mut sums = vec![0.0; nodes.len()];
        for (count, weight) in tally.counts.iter().zip(&*pod.weights.borrow()) {
            add(count, *weight, topologies.of(count.key), nodes, &mut sums);
        }
        let score = |(node, sum)| if tally.has_keys(&topologies, node) { rounded(sum) } else { 0 };
        nodes.iter().zip(sums).map(score).collect()
    })
}

/// Adds a constraint's contribution to the sum of each node. `sums` is parallel to `nodes`. The sum of a node without
/// the topology label does not change.
fn add(count: &Count, weight: f64, topology: &Topology, nodes: node::Ids<'_>, sums: &mut [f64]) {
    let base = (count.constraint.max_skew - 1) as f64;
    for (node, sum) in nodes.iter().zip(sums) {
        if let Some(domain) = topology.domain(node) {
            let pods = match &count.pod_counts {
                PodCounts::Nodes(pods) => pods.get(node.at()).copied().unwrap_or(0).into(),
                PodCounts::Domains { domains, .. } => domains.pods(domain),
            };
            *sum += pods as f64 * weight + base;
        }
    }
}

/// Returns the weight of a pod if the nodes to score are in this number of domains.
pub fn weight(domains: usize) -> f64 {
    ((domains + 2) as f64).ln()
}

/// Rounds to the nearest integer, halves up. (`f64::round` is a function call in WebAssembly.)
pub fn rounded(sum: f64) -> i64 {
    let whole = sum as i64;
    if sum - whole as f64 >= 0.5 { whole + 1 } else { whole }
}

/// Reverses the scores, so that the node with the lowest score gets 100. Nodes that don't count get 0.
pub fn normalize(
    scores: &mut [i64],
    pod: &PreparedPod,
    args: &Args,
    cluster: &Cluster,
    nodes: node::Ids<'_>,
) -> Result<(), String> {
    pod.read(Action::ScheduleAnyway, args, cluster, |tally| {
        let topologies = cluster.topologies();
        let counting: Vec<bool> = nodes.iter().map(|node| tally.has_keys(&topologies, node)).collect();
        reverse(scores, &counting);
    })
}

/// Reverses the scores for which `counting` is true. The other scores become 0.
pub fn reverse(scores: &mut [i64], counting: &[bool]) {
    let (mut lowest, mut highest) = (i64::MAX, 0);
    for (score, _) in scores.iter().zip(counting).filter(|(_, counts)| **counts) {
        lowest = lowest.min(*score);
        highest = highest.max(*score);
    }
    for (score, counts) in scores.iter_mut().zip(counting) {
        *score = match () {
            () if !counts => 0,
            () if highest == 0 => 100,
            () => 100 * (highest + lowest - *score) / highest,
        };
    }
}
