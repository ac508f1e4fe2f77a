//! Asks each filter alone about all nodes, so that every filter that is in the way shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::cache::NodeId;
use berth_core::cycle::Failure;
use berth_core::model::Pod;
use berth_core::profile::{Profile, ProfilePlugin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{ExplainError, suggestion_of};
use super::subject::Subject;
use super::table::{Ranking, rejection_of, score_of};
use super::types::{PluginPoints, PodRef};
use crate::names::name_of;
use crate::sandbox::Sandbox;

/// The verdict of each filter on each node, and the scores of the nodes that fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllNodes {
    /// The pod.
    pub pod: PodRef,
    /// The time of the question, in milliseconds since 1970.
    pub computed_at: u64,
    /// The filters, in the order of the profile.
    pub filters: Vec<String>,
    /// The different rejections, to which [`NodeRow::verdicts`] refer.
    pub reasons: Vec<PluginReason>,
    /// A row for each node: first the nodes that fit, the best first, then the others by the number of filters that
    /// reject them.
    pub nodes: Vec<NodeRow>,
}

/// A rejection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginReason {
    /// The plugin.
    pub plugin: String,
    /// The reasons.
    pub reasons: Vec<String>,
}

/// The answers about a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRow {
    /// The node.
    pub node: String,
    /// Parallel to `filters`: absent if the filter accepts the node, otherwise an index into `reasons`.
    pub verdicts: Vec<Option<usize>>,
    /// The total score; absent if the node does not fit.
    pub total: Option<i64>,
    /// The scores by plugin; empty if the node does not fit.
    pub scores: Vec<PluginPoints>,
}

/// The rejections by one filter.
pub(super) struct Alone {
    pub plugin: Arc<str>,
    /// The profile with this filter alone.
    pub profile: Profile,
    pub rejected: BTreeMap<NodeId, Vec<String>>,
}

/// Asks each filter of the profile alone about all nodes.
pub(super) fn each_filter(sandbox: &mut Sandbox, pod: &Arc<Pod>, profile: &Profile) -> Vec<Alone> {
    let mut filters: Vec<&ProfilePlugin> = Vec::new();
    for plugin in profile.pre_filter.iter().chain(&profile.filter) {
        if !filters.iter().any(|known| known.id == plugin.id) {
            filters.push(plugin);
        }
    }
    // The order is that of the filters; plugins with a pre-filter only come last.
    let place = |plugin: &ProfilePlugin| profile.filter.iter().position(|other| other.id == plugin.id);
    filters.sort_by_key(|plugin| place(plugin).unwrap_or(usize::MAX));
    filters.into_iter().filter_map(|plugin| alone(sandbox, pod, profile, plugin)).collect()
}

fn alone(sandbox: &mut Sandbox, pod: &Arc<Pod>, profile: &Profile, plugin: &ProfilePlugin) -> Option<Alone> {
    let only = |plugins: &[ProfilePlugin]| plugins.iter().filter(|other| other.id == plugin.id).cloned().collect();
    let profile = Profile {
        scheduler_name: profile.scheduler_name.clone(),
        pre_filter: only(&profile.pre_filter),
        filter: only(&profile.filter),
        ..Profile::default()
    };
    let answers = sandbox.explain_with(pod, &profile)?;
    let cache = sandbox.core().cache();
    let name = Arc::clone(&plugin.declaration.name);
    if let Err(Failure::Plugin(error)) = &answers.outcome {
        let failed = vec![format!("the plugin failed: {error}")];
        let rejected = cache.nodes().map(|info| (info.id, failed.clone())).collect();
        return Some(Alone { plugin: name, profile, rejected });
    }
    let fits: std::collections::BTreeSet<NodeId> = answers.outcome.iter().flatten().map(|(node, _)| *node).collect();
    let out = cache.nodes().map(|info| info.id).filter(|node| !fits.contains(node));
    let rejected = out.map(|node| (node, rejection_of(&answers, cache, node).reasons)).collect();
    Some(Alone { plugin: name, profile, rejected })
}

/// Returns the verdict of each filter on each node.
///
/// # Errors
/// The pod can't be read, or no profile has its scheduler name.
pub fn all_nodes(sandbox: &mut Sandbox, object: &Value) -> Result<AllNodes, ExplainError> {
    let subject = Subject::new(sandbox, object)?;
    let before = sandbox.position();
    subject.take_off_its_node(sandbox);
    let table = table(sandbox, &subject);
    sandbox.revert_to(before);
    table
}

/// Returns the pod's profile.
pub(super) fn profile_of(sandbox: &Sandbox, pod: &Pod) -> Result<Profile, ExplainError> {
    sandbox.profile_of(pod).cloned().ok_or_else(|| {
        let names = sandbox.core().profiles().iter().map(|profile| &profile.scheduler_name);
        let name = pod.spec.scheduler_name.to_string();
        let similar = suggestion_of(&name, names);
        ExplainError::AnotherScheduler(name, similar)
    })
}

fn table(sandbox: &mut Sandbox, subject: &Subject) -> Result<AllNodes, ExplainError> {
    let profile = profile_of(sandbox, &subject.pod)?;
    // All nodes are scored, so that the table is complete.
    let profile = Profile { percentage_of_nodes_to_score: None, ..profile };
    let filters = each_filter(sandbox, &subject.pod, &profile);
    let answers = sandbox.explain_with(&subject.pod, &profile);
    let cache = sandbox.core().cache();
    let mut reasons: BTreeMap<PluginReason, usize> = BTreeMap::new();
    let mut row = |node: NodeId, name: &str| {
        let mut verdict = |alone: &Alone| {
            let reasons_of = alone.rejected.get(&node)?.clone();
            let next = reasons.len();
            Some(*reasons.entry(PluginReason { plugin: alone.plugin.to_string(), reasons: reasons_of }).or_insert(next))
        };
        let verdicts = filters.iter().map(&mut verdict).collect();
        NodeRow { node: name.to_owned(), verdicts, total: None, scores: Vec::new() }
    };
    let mut nodes: Vec<NodeRow> = Vec::new();
    if let Some(answers) = &answers {
        for (total, name, node) in &Ranking::of(answers, cache).nodes {
            let scores = score_of(*node, name, *total, answers, &profile).scores;
            nodes.push(NodeRow { total: Some(*total), scores, ..row(*node, name) });
        }
    }
    let fitting: std::collections::BTreeSet<String> = nodes.iter().map(|row| row.node.clone()).collect();
    let others = cache.nodes().map(|info| info.id).filter(|node| !fitting.contains(&name_of(cache, *node)));
    let mut others: Vec<NodeRow> = others.map(|node| row(node, &name_of(cache, node))).collect();
    others.sort_by_key(|row| (row.verdicts.iter().flatten().count(), row.node.clone()));
    nodes.extend(others);
    let mut listed: Vec<(PluginReason, usize)> = reasons.into_iter().collect();
    listed.sort_by_key(|(_, at)| *at);
    Ok(AllNodes {
        pod: (&subject.pod.key).into(),
        computed_at: sandbox.now().0,
        filters: filters.iter().map(|alone| alone.plugin.to_string()).collect(),
        reasons: listed.into_iter().map(|(reason, _)| reason).collect(),
        nodes,
    })
}
