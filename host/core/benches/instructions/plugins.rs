//! Plugins as plain functions, one for each way in which the core asks. They do little work, so that most counted
//! instructions are the core's.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::Plugins;
use berth_core::cache::{NodeId, NodeInfo};
use berth_core::facts::{NodeFacts, PodFacts};
use berth_core::plugins::{
    ClassFilter, ClassId, ClassScores, Classified, Code, Cycle, Declaration, ExtensionPoints, Normalization, Passed,
    PluginError, PluginId, PodSignatureId, PreScoreResult, Scope, Status, Verdicts,
};
use berth_core::profile::{FailurePolicy, Profile, ProfilePlugin};

/// `schedulerName` of all pods.
pub const PROFILE: &str = "default-scheduler";

/// The number of zones.
pub const ZONES: u32 = 3;

/// Filters and scores by the used resources of a node, which change with every pod.
const FIT: PluginId = PluginId(0);
/// Declares that it reads a node's labels, which differ between any two nodes. The filter passes every node, and the
/// score follows from the node's id. The core normalizes the scores.
const AFFINITY: PluginId = PluginId(1);
/// Answers by class: the class of a node is its zone. The scores change with every pod.
const SPREAD: PluginId = PluginId(2);

/// The state of the three plugins.
#[derive(Default)]
pub struct Fakes {
    /// The cycle in which Spread last answered for a pod signature.
    told: BTreeMap<PodSignatureId, u64>,
}

/// Returns a profile with the three plugins.
pub fn profile() -> Profile {
    let all = [FIT, AFFINITY, SPREAD].map(|id| ProfilePlugin {
        id,
        declaration: Arc::new(declaration(id)),
        failure_policy: FailurePolicy::Fail,
    });
    Profile {
        scheduler_name: PROFILE.into(),
        pre_filter: all.to_vec(),
        filter: all.to_vec(),
        pre_score: all.to_vec(),
        score: all.iter().cloned().zip([1, 2, 1]).collect(),
        ..Profile::default()
    }
}

fn declaration(plugin: PluginId) -> Declaration {
    let (name, pod_facts, node_facts, scope, normalization) = match plugin {
        FIT => ("Fit", PodFacts::REQUESTS, NodeFacts::ALLOCATABLE | NodeFacts::USAGE, Scope::Node, Normalization::None),
        AFFINITY => ("Affinity", PodFacts::NODE_AFFINITY, NodeFacts::LABELS, Scope::Node, Normalization::Default),
        _ => ("Spread", PodFacts::LABELS, NodeFacts::PODS, Scope::Domain, Normalization::Custom),
    };
    let mut points =
        ExtensionPoints::PRE_FILTER | ExtensionPoints::FILTER | ExtensionPoints::PRE_SCORE | ExtensionPoints::SCORE;
    points.set(ExtensionPoints::CLASSES | ExtensionPoints::NORMALIZE, plugin == SPREAD);
    Declaration {
        name: name.into(),
        points,
        pod: pod_facts.into(),
        node: node_facts.into(),
        filter_scope: scope,
        score_scope: scope,
        normalization,
        ..Declaration::default()
    }
}

/// Returns the zone of a node. Node ids are in the order in which nodes were added.
fn zone(node: NodeId) -> ClassId {
    ClassId(node.0 % ZONES)
}

fn fits(plugin: PluginId, cycle: &Cycle<'_>, info: &NodeInfo) -> bool {
    let (used, free) = (&info.usage.requested, &info.node.allocatable);
    plugin != FIT || used.pods < free.pods && used.milli_cpu + cycle.pod.requests.fit.milli_cpu <= free.milli_cpu
}

fn score(plugin: PluginId, info: &NodeInfo) -> i64 {
    let (used, all) = (info.usage.requested.milli_cpu, info.node.allocatable.milli_cpu);
    // A lookup of labels would cost about as much as the core's own work.
    if plugin == FIT { 100 * (all - used).max(0) / all.max(1) } else { i64::from(info.id.0 % 2) }
}

impl Plugins for Fakes {
    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let rejects = |node: &NodeId| !cycle.cache.node(*node).is_some_and(|info| fits(plugin, cycle, info));
        let nodes: Vec<u16> = nodes.iter().map(|node| u16::from(rejects(node))).collect();
        let outcomes = if nodes.contains(&1) { vec![no()] } else { Vec::new() };
        Ok(Verdicts { outcomes, nodes })
    }

    fn pre_score(&mut self, _: PluginId, _: &Cycle<'_>, _: &[NodeId]) -> Result<PreScoreResult, PluginError> {
        Ok(PreScoreResult::Score)
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        Ok(nodes.iter().map(|node| cycle.cache.node(*node).map_or(0, |info| score(plugin, info))).collect())
    }

    fn classify(&mut self, _: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        let told = self.told.insert(cycle.signature, cycle.id).unwrap_or_default();
        let anew = known == 0 || known != told;
        let nodes: Vec<NodeId> = cycle.cache.nodes().take_while(|_| anew).map(|info| info.id).collect();
        let classes = nodes.iter().map(|node| zone(*node)).collect();
        let filter = ClassFilter::Verdicts(Verdicts { outcomes: Vec::new(), nodes: vec![0; ZONES as usize] });
        Ok(Some(Classified { filter, scores: true, anew, nodes, classes }))
    }

    fn score_classes(&mut self, _: PluginId, cycle: &Cycle<'_>, passed: &[Passed]) -> Result<ClassScores, PluginError> {
        let scores: Vec<i64> =
            passed.iter().map(|of| ((u64::from(of.class.0) + cycle.id) % u64::from(ZONES)) as i64 * 40).collect();
        Ok(ClassScores { raw: scores.clone(), normalized: scores })
    }
}

fn no() -> Status {
    Status { code: Code::Unschedulable, reasons: vec!["no".into()] }
}
