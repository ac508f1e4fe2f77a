//! Answers by classes of nodes. Two nodes belong to the same class if, for each constraint, they are in the same
//! domain or, for a key with many domains (such as the hostname), in domains with the same number of pods.

use berth_guest::Verdicts;
use berth_guest::classes::{ClassFilter, ClassScores, Classes, Classified, Known, Passed, Touched};
use berth_guest::prelude::*;
use berth_guest::topology::{Topologies, Topology};

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::counted::Key;
use crate::filtering::{MISSING_LABEL, TOO_UNEVEN, max_pods};
use crate::scoring::{reverse, rounded, weight};
use crate::tally::{Count, PodCounts, Tally};

pub fn classify(known: &Known, pod: &PreparedPod, args: &Args, cluster: &Cluster) -> Option<Classified> {
    let classified = pod.read_both(args, cluster, |hard, soft, classes| {
        let topologies = cluster.topologies();
        // Unless class keys contain the domain, the score cannot determine the number of domains of the nodes that
        // passed.
        let countable = |count: &Count| matches!(count.pod_counts, PodCounts::Nodes(_)) || count.by_domain;
        let usable = soft.counts.iter().all(countable) && follow(classes, hard, soft, &topologies);
        usable.then(|| Classified {
            filter: if hard.counts.is_empty() {
                ClassFilter::Skip
            } else {
                ClassFilter::Verdicts(verdicts(pod, hard, classes))
            },
            scores: !soft.counts.is_empty(),
            changed: classes.changed(known),
        })
    });
    // Without classes, the host calls `filter_nodes` and `score_nodes`, which return the error of an invalid selector.
    classified.ok().flatten()
}

/// Updates the classes. Returns false if there are too many classes.
fn follow(classes: &mut Classes<Key>, hard: &mut Tally, soft: &mut Tally, topologies: &Topologies) -> bool {
    let touched = hard.touched.take().and(soft.touched.take());
    let few = classes.follow(touched, topologies.node_bound(), |node| {
        let part = |count: &Count| count.part(node, topologies.of(count.key));
        topologies.contains(node).then(|| hard.counts.iter().chain(&soft.counts).map(part).collect())
    });
    if !few {
        // The next call computes all classes again.
        hard.touched = Touched::All;
    }
    few
}

fn verdicts(pod: &PreparedPod, hard: &Tally, classes: &Classes<Key>) -> Verdicts {
    let rejections = [Rejection::unresolvable(MISSING_LABEL), Rejection::unschedulable(TOO_UNEVEN)];
    let mut verdicts = Verdicts::new(classes.iter().len(), rejections);
    let max_pods = |count: &Count| match &count.pod_counts {
        PodCounts::Domains { domains, .. } => max_pods(pod, &count.constraint, domains),
        PodCounts::Nodes(_) => i64::MAX,
    };
    let max_pods: Vec<i64> = hard.counts.iter().map(max_pods).collect();
    for key in classes.iter() {
        let parts = key.map(|key| &**key).unwrap_or_default();
        let problem = hard.counts.iter().zip(&max_pods).zip(parts).find_map(|((count, max_pods), part)| {
            match count.pods(*part) {
                None => Some(0),
                Some(pods) => (pods > *max_pods).then_some(1),
            }
        });
        match problem {
            None => verdicts.fits(),
            Some(rejection) => verdicts.rejected(rejection),
        }
    }
    verdicts
}

pub fn score_classes(
    passed: &Passed,
    pod: &PreparedPod,
    args: &Args,
    cluster: &Cluster,
) -> Result<ClassScores, String> {
    pod.read_both(args, cluster, |hard, soft, classes| {
        let parts = |class| classes.get(class).and_then(|key| key.get(hard.counts.len()..)).unwrap_or_default();
        let passed: Vec<(&[i64], u32)> = passed.iter().map(|(class, nodes)| (parts(class), nodes)).collect();
        let counting: Vec<bool> =
            passed.iter().map(|(parts, _)| !soft.needs_all_keys() || !parts.contains(&0)).collect();
        let topologies = cluster.topologies();
        let size = |at| size(soft, at, &topologies, &passed, &counting);
        let weights: Vec<f64> = (0..soft.counts.len()).map(|at| weight(size(at))).collect();
        let raw = |((parts, _), counts): (&(&[i64], u32), &bool)| {
            let mut sum = 0.0;
            for ((count, weight), part) in soft.counts.iter().zip(&weights).zip(*parts) {
                if let Some(pods) = count.pods(*part) {
                    sum += pods as f64 * weight + (count.constraint.max_skew - 1) as f64;
                }
            }
            if *counts { rounded(sum) } else { 0 }
        };
        let raw: Vec<i64> = passed.iter().zip(&counting).map(raw).collect();
        let mut normalized = raw.clone();
        reverse(&mut normalized, &counting);
        ClassScores { raw, normalized }
    })
}

/// Returns the number of domains among the nodes to score, for the constraint at index `at`; for the hostname, the
/// number of these nodes. Classes for which `counting` is false are not included.
fn size(soft: &Tally, at: usize, topologies: &Topologies, passed: &[(&[i64], u32)], counting: &[bool]) -> usize {
    let scored = passed.iter().zip(counting).filter(|(_, counts)| **counts).map(|(passed, _)| passed);
    let count = &soft.counts[at];
    if matches!(count.pod_counts, PodCounts::Nodes(_)) {
        return scored.map(|(_, nodes)| *nodes as usize).sum();
    }
    // A missing label and an empty value are the same domain.
    let empty = topologies.of(count.key).domain_with("").map_or(0, |domain| 1 + domain as i64);
    let part = |part: i64| if part == 0 { empty } else { part };
    let mut domains: Vec<i64> = scored.filter_map(|(parts, _)| parts.get(at).copied().map(part)).collect();
    domains.sort_unstable();
    domains.dedup();
    domains.len()
}

impl Count {
    /// Returns the part of the class key for this constraint: 0 for a node without the label, otherwise 1 plus the
    /// domain's index or the number of pods.
    fn part(&self, node: node::Id, topology: &Topology) -> i64 {
        let Some(domain) = topology.domain(node) else { return 0 };
        1 + match &self.pod_counts {
            PodCounts::Nodes(pods) => pods.get(node.at()).copied().unwrap_or(0).into(),
            PodCounts::Domains { .. } if self.by_domain => domain as i64,
            PodCounts::Domains { domains, .. } => domains.pods(domain),
        }
    }

    /// Returns the number of pods for nodes with this part of the class key, or `None` for nodes without the label.
    fn pods(&self, part: i64) -> Option<i64> {
        if part == 0 {
            return None;
        }
        Some(match &self.pod_counts {
            PodCounts::Domains { domains, .. } if self.by_domain => domains.pods((part - 1) as usize),
            PodCounts::Domains { .. } | PodCounts::Nodes(_) => part - 1,
        })
    }
}
