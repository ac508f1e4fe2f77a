//! What is better so: nodes in domains with few pods first.

use berth_guest::prelude::*;
use berth_guest::topology::{Topologies, Topology};

use crate::Wanted;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::constraint::Action;
use crate::tally::{Count, Places, Tally, counted_in};

/// Weighs each constraint: a pod counts more where there are many domains, as few pods are in each.
pub fn pre_score(pod: &Wanted, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Result<PreScore, String> {
    let weights = pod.read(Action::ScheduleAnyway, args, cluster, |tally| {
        let topologies = cluster.topologies();
        let weight = |count| weight(size(tally, count, &topologies, nodes));
        tally.counts.iter().map(weight).collect::<Vec<f64>>()
    });
    let weights = weights.map_err(|wrong| {
        format!("calculating preScoreState: obtaining pod's soft topology spread constraints: {wrong}")
    })?;
    let answer = if weights.is_empty() { PreScore::Skip } else { PreScore::Score };
    pod.weights.replace(weights);
    Ok(answer)
}

/// How many domains the nodes that are scored are in.
fn size(tally: &Tally, count: &Count, topologies: &Topologies, nodes: node::Ids<'_>) -> usize {
    let scored = nodes.iter().filter(|node| tally.has_keys(topologies, *node));
    if matches!(count.places, Places::Nodes(_)) {
        return scored.count();
    }
    let topology = topologies.of(count.key);
    // The last domain is that of nodes without the label, if no node has the label with an empty value.
    let none = topology.domain_bound();
    let mut present = vec![false; none + 1];
    for node in scored {
        present[counted_in(topology, node, tally.needs_all_keys()).unwrap_or(none)] = true;
    }
    present.into_iter().filter(|present| *present).count()
}

pub fn score_nodes(pod: &Wanted, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Result<Vec<i64>, String> {
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

/// What a constraint counts for each node; nothing for one that has not its label.
fn add(count: &Count, weight: f64, topology: &Topology, nodes: node::Ids<'_>, sums: &mut [f64]) {
    let base = (count.constraint.max_skew - 1) as f64;
    for (node, sum) in nodes.iter().zip(sums) {
        if let Some(domain) = topology.domain(node) {
            let pods = match &count.places {
                Places::Nodes(pods) => pods.get(node.at()).copied().unwrap_or(0).into(),
                Places::Domains { domains, .. } => domains.pods(domain),
            };
            *sum += pods as f64 * weight + base;
        }
    }
}

/// What a pod counts where the nodes that are scored are in so many domains.
pub fn weight(domains: usize) -> f64 {
    ((domains + 2) as f64).ln()
}

/// To the nearest whole number, halves up. (`f64::round` is a call on WebAssembly.)
pub fn rounded(sum: f64) -> i64 {
    let whole = sum as i64;
    if sum - whole as f64 >= 0.5 { whole + 1 } else { whole }
}

/// Turned round, so that few pods are 100; nodes that don't count have 0.
pub fn normalize(
    scores: &mut [i64],
    pod: &Wanted,
    args: &Args,
    cluster: &Cluster,
    nodes: node::Ids<'_>,
) -> Result<(), String> {
    pod.read(Action::ScheduleAnyway, args, cluster, |tally| {
        let topologies = cluster.topologies();
        let counting: Vec<bool> = nodes.iter().map(|node| tally.has_keys(&topologies, node)).collect();
        turn_round(scores, &counting);
    })
}

/// The same, of scores of which these count.
pub fn turn_round(scores: &mut [i64], counting: &[bool]) {
    let (mut least, mut most) = (i64::MAX, 0);
    for (score, _) in scores.iter().zip(counting).filter(|(_, counts)| **counts) {
        least = least.min(*score);
        most = most.max(*score);
    }
    for (score, counts) in scores.iter_mut().zip(counting) {
        *score = match () {
            () if !counts => 0,
            () if most == 0 => 100,
            () => 100 * (most + least - *score) / most,
        };
    }
}
