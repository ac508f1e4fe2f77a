//! Filters by `DoNotSchedule` constraints: a domain may exceed the domain with the fewest pods by at most `maxSkew`.

use berth_guest::Verdicts;
use berth_guest::prelude::*;
use berth_guest::topology::Topology;

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::constraint::{Action, Constraint};
use crate::counts::Domains;
use crate::tally::{Count, PodCounts, Tally};

/// The reason for a node or class without a label of the constraints.
pub const MISSING_LABEL: &str = "node(s) didn't match pod topology spread constraints (missing required label)";
/// The reason for a node or class in a domain with too many pods.
pub const TOO_UNEVEN: &str = "node(s) didn't match pod topology spread constraints";

/// The minimum number of pods if there are no domains, as in kube-scheduler.
const NO_DOMAIN: i64 = i32::MAX as i64;

pub fn pre_filter(pod: &PreparedPod, args: &Args, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    match pod.read(Action::DoNotSchedule, args, cluster, |tally| tally.counts.is_empty()) {
        Ok(true) => Ok(PreFilter::Skip),
        Ok(false) => Ok(PreFilter::All),
        Err(problem) => {
            let prefix = "get constraints from pod: obtaining pod's hard topology spread constraints";
            Err(Rejection::error(format!("{prefix}: {problem}")))
        }
    }
}

/// A constraint, prepared for the check of nodes.
struct Limit<'a> {
    topology: &'a Topology,
    domains: &'a Domains,
    /// The maximum number of pods in a domain that may still accept the pod.
    max_pods: i64,
}

pub fn filter_nodes(
    pod: &PreparedPod,
    args: &Args,
    cluster: &Cluster,
    nodes: node::Ids<'_>,
) -> Result<Verdicts, String> {
    pod.read(Action::DoNotSchedule, args, cluster, |tally| verdicts(pod, tally, cluster, nodes))
}

fn verdicts(pod: &PreparedPod, tally: &Tally, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let topologies = cluster.topologies();
    let limits = tally.counts.iter().filter_map(|count| limit(pod, count, topologies.of(count.key)));
    let limits: Vec<Limit<'_>> = limits.collect();
    let rejections = [Rejection::unresolvable(MISSING_LABEL), Rejection::unschedulable(TOO_UNEVEN)];
    let mut verdicts = Verdicts::new(nodes.len(), rejections);
    for node in nodes.iter() {
        let problem = limits.iter().find_map(|limit| match limit.topology.domain(node) {
            None => Some(0),
            Some(domain) => (limit.domains.pods(domain) > limit.max_pods).then_some(1),
        });
        match problem {
            None => verdicts.fits(),
            Some(rejection) => verdicts.rejected(rejection),
        }
    }
    verdicts
}

fn limit<'a>(pod: &PreparedPod, count: &'a Count, topology: &'a Topology) -> Option<Limit<'a>> {
    let PodCounts::Domains { domains, .. } = &count.pod_counts else { return None };
    Some(Limit { topology, domains, max_pods: max_pods(pod, &count.constraint, domains) })
}

/// Returns the maximum number of pods in a domain that may still accept the pod.
pub fn max_pods(pod: &PreparedPod, constraint: &Constraint, domains: &Domains) -> i64 {
    // With fewer domains than `minDomains`, the minimum is 0.
    let min_pods = if domains.len() < constraint.min_domains { 0 } else { domains.min_pods().unwrap_or(NO_DOMAIN) };
    let self_match = i64::from(constraint.selector.matches(&pod.labels));
    constraint.max_skew + min_pods - self_match
}
