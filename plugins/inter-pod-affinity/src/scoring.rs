//! Scores by preferred terms of the pod and of the pods on nodes.

use berth_guest::prelude::*;

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::tally::Tally;

pub fn pre_score(pod: &PreparedPod, args: &Args, cluster: &Cluster) -> Result<PreScore, String> {
    if ignores_existing_pods(pod, args) {
        return Ok(PreScore::Skip);
    }
    if let Some(error) = pod.incoming.terms.error() {
        return Err(format!("failed to parse pod: {error}"));
    }
    let scored = pod.read(args, cluster, |tally| tally.scored > 0);
    Ok(if scored { PreScore::Score } else { PreScore::Skip })
}

/// Returns true if the pod has no preferred terms and the arguments ignore the terms of pods on nodes for such a pod.
pub fn ignores_existing_pods(pod: &PreparedPod, args: &Args) -> bool {
    args.ignore_existing && !pod.prefers
}

pub fn score_nodes(pod: &PreparedPod, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Vec<i64> {
    pod.read(args, cluster, |tally| sums(tally, cluster, nodes))
}

fn sums(tally: &Tally, cluster: &Cluster, nodes: node::Ids<'_>) -> Vec<i64> {
    let topologies = cluster.topologies();
    let mut scores = vec![0; nodes.len()];
    for sums in tally.sums.iter().filter(|sums| !sums.score.is_empty()) {
        let topology = topologies.of(sums.key);
        for (node, score) in nodes.iter().zip(&mut scores) {
            *score += topology.domain(node).and_then(|domain| sums.score.get(domain)).copied().unwrap_or(0);
        }
    }
    scores
}

/// Scales the scores from 0 (lowest) to 100 (highest). All scores become 0 if they are equal.
pub fn normalize(scores: &mut [i64]) {
    let (Some(lowest), Some(highest)) = (scores.iter().copied().min(), scores.iter().copied().max()) else { return };
    let between = (highest - lowest) as f64;
    for score in scores {
        *score = if highest > lowest { (100.0 * ((*score - lowest) as f64 / between)) as i64 } else { 0 };
    }
}
