//! The declarations and answers of the plugins, as functions of the cluster. The plugins give these answers, and the
//! checks compare the core's decisions with them.

use berth_core::cache::NodeId;
use berth_core::facts::{NodeFacts, PodFacts};
use berth_core::model::Effect;
use berth_core::plugins::{Cycle, Declaration, ExtensionPoints, Normalization, Scope};

use crate::cluster::claims;
use crate::spread;

/// The number of kinds of plugins. An instance's id is its generation times this number plus its kind.
pub const KINDS: u32 = 9;

/// Returns the declaration of a kind of plugins. For `honest`, see [`crate::plugins::Fakes::honest`].
pub fn declaration(kind: u32, honest: bool) -> Declaration {
    let mut points = ExtensionPoints::PRE_FILTER | ExtensionPoints::FILTER | ExtensionPoints::SCORE;
    points.set(ExtensionPoints::QUEUEING_HINT, kind == 6);
    points.set(ExtensionPoints::SKIP, kind == 5);
    points.set(ExtensionPoints::CLASSES | ExtensionPoints::NORMALIZE, kind == 8);
    // Crowd and Spread need no claims. If they read claims, an event of a claim could wake a pod that they rejected,
    // and hide that the right event did not wake the pod.
    let reads_claims = if honest { matches!(kind, 5 | 6) } else { kind > 4 };
    let objects = if reads_claims { vec![claims()] } else { Vec::new() };
    let (name, pod_facts, node_facts, scope) = match kind {
        0 => ("Taints", PodFacts::TOLERATIONS, NodeFacts::TAINTS, Scope::Node),
        1 => ("Fit", PodFacts::REQUESTS, NodeFacts::ALLOCATABLE | NodeFacts::USAGE, Scope::Node),
        3 => ("Queueing", PodFacts::SCHEDULING_GATES | PodFacts::PRIORITY, NodeFacts::empty(), Scope::Node),
        4 => ("Preemption", PodFacts::PRIORITY, NodeFacts::PODS, Scope::Cluster),
        5 => ("First", PodFacts::REQUESTS, NodeFacts::empty(), Scope::Cluster),
        6 => ("Second", PodFacts::NAME, NodeFacts::empty(), Scope::Cluster),
        7 => ("Crowd", PodFacts::empty(), NodeFacts::USAGE, Scope::Node),
        8 => ("Spread", PodFacts::PRIORITY, NodeFacts::NAME | NodeFacts::PODS, Scope::Domain),
        _ => ("Random", PodFacts::empty(), NodeFacts::empty(), Scope::Cluster),
    };
    let normalization = match kind {
        0 => Normalization::DefaultReversed,
        7 => Normalization::None,
        8 => Normalization::Custom,
        _ => Normalization::Default,
    };
    Declaration {
        name: name.into(),
        points,
        pod: pod_facts.into(),
        node: node_facts.into(),
        filter_scope: scope,
        score_scope: scope,
        normalization,
        objects,
        ..Declaration::default()
    }
}

/// Returns the filter's reason for a node. Checks use this function as well.
pub fn reason(kind: u32, cycle: &Cycle<'_>, node: NodeId) -> Option<&'static str> {
    let info = cycle.cache.node(node)?;
    let (used, free) = (&info.usage.requested, &info.node.allocatable);
    match kind {
        0 if info.node.taints.iter().any(|taint| taint.effect == Effect::NoSchedule) => Some("tainted"),
        1 if used.pods + 1 > free.pods => Some("Too many pods"),
        8 if spread::is_uneven(cycle.cache, node) => Some(spread::UNEVEN),
        1 if used.milli_cpu + cycle.pod.requests.fit.milli_cpu > free.milli_cpu => Some("Insufficient cpu"),
        _ => None,
    }
}

/// Returns the raw score of one node.
pub fn score(kind: u32, cycle: &Cycle<'_>, node: NodeId) -> i64 {
    let Some(info) = cycle.cache.node(node) else { return 0 };
    match kind {
        0 => info.node.taints.len() as i64,
        // The same for all nodes with as many pods. Changes with the number of pending pods.
        7 => (info.usage.requested.pods * 7 + cycle.cache.pending_pods().count() as i64 * 3) % 101,
        1 => (info.node.allocatable.milli_cpu - info.usage.requested.milli_cpu).max(0),
        8 => spread::score(cycle.cache, node),
        _ => (cycle.seed.rotate_left(node.0) % 100) as i64,
    }
}

/// Returns whether First skips the pod. The answer changes with the number of claims.
pub fn skips(cycle: &Cycle<'_>) -> bool {
    cycle.pod.requests.fit.milli_cpu % 600 == 0 && cycle.cache.objects().iter().count().is_multiple_of(2)
}
