//! Explains why a pod is not on a certain node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::alone::{each_filter, profile_of};
use super::error::{ExplainError, suggestion_of};
use super::subject::Subject;
use super::table::{Ranking, score_of};
use super::types::{NodeScore, PodRef};
use crate::sandbox::Sandbox;
use crate::suggest::{Confirmer, MOST_CONFIRMATIONS, Suggestion, suggestions};

/// The answer to "why not on this node".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyNot {
    /// The pod.
    pub pod: PodRef,
    /// The node.
    pub node: String,
    /// The time of the question, in milliseconds since 1970.
    pub computed_at: u64,
    /// The answer as one sentence.
    pub reason: String,
    /// The pod has this node.
    pub is_its_node: bool,
    /// Every filter that rejects the node, each asked alone. Empty if the node fits.
    pub filters: Vec<FilterAnswer>,
    /// The node does not fit beside the pods that are nominated to it, or because of filters together, although no filter
    /// alone rejects it.
    pub rejected_together: bool,
    /// The rank of the node among the nodes that fit: 1 plus the number of nodes with a higher score. Absent if it does
    /// not fit.
    pub rank: Option<usize>,
    /// The number of nodes that fit.
    pub fitting: usize,
    /// The scores of the node; absent if it does not fit.
    pub score: Option<NodeScore>,
    /// The scores of the best node; absent if no node fits.
    pub best: Option<NodeScore>,
    /// The points that the node lost against the best node, by plugin, the most first.
    pub lost: Vec<PointsLost>,
    /// The number of changed copies that were asked.
    pub confirmations: usize,
    /// Not all possible changes were tried, because the number of confirmations is limited.
    pub confirmations_limited: bool,
}

/// A filter that rejects the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilterAnswer {
    /// The plugin.
    pub plugin: String,
    /// The plugin's reasons.
    pub reasons: Vec<String>,
    /// Changes after which this filter accepts the node, each confirmed.
    pub suggestions: Vec<Suggestion>,
}

/// The difference of weighted scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PointsLost {
    /// The plugin.
    pub plugin: String,
    /// The best node's weighted score minus that of this node. Negative if this node is better.
    pub points: i64,
}

/// Explains why the pod is not on this node: every filter that is in the way with changes that remove it, or the points
/// that the node lost.
///
/// # Errors
/// The pod can't be read, no profile has its scheduler name, or the node does not exist.
pub fn why_not(sandbox: &mut Sandbox, object: &Value, node: &str) -> Result<WhyNot, ExplainError> {
    let subject = Subject::new(sandbox, object)?;
    let before = sandbox.position();
    subject.take_off_its_node(sandbox);
    let answer = answer(sandbox, &subject, node);
    sandbox.revert_to(before);
    answer
}

fn answer(sandbox: &mut Sandbox, subject: &Subject, name: &str) -> Result<WhyNot, ExplainError> {
    let cache = sandbox.core().cache();
    let Some(node) = cache.node_id(name) else {
        let similar = suggestion_of(name, cache.nodes().map(|info| &info.node.name));
        return Err(ExplainError::NoSuchNode(name.to_owned(), similar));
    };
    let profile = profile_of(sandbox, &subject.pod)?;
    let mut why = WhyNot {
        pod: (&subject.pod.key).into(),
        node: name.to_owned(),
        computed_at: sandbox.now().0,
        reason: String::new(),
        is_its_node: subject.node.as_deref() == Some(name),
        filters: Vec::new(),
        rejected_together: false,
        rank: None,
        fitting: 0,
        score: None,
        best: None,
        lost: Vec::new(),
        confirmations: 0,
        confirmations_limited: false,
    };
    for alone in each_filter(sandbox, &subject.pod, &profile) {
        let Some(reasons) = alone.rejected.get(&node) else { continue };
        let plugin = alone.plugin.to_string();
        let (object, pod) = (subject.object.clone(), subject.pod.clone());
        let left = MOST_CONFIRMATIONS.saturating_sub(why.confirmations);
        let mut confirmer = Confirmer::new(sandbox, &alone.profile, object, pod, Some(node), left);
        let suggestions = suggestions(&mut confirmer, std::slice::from_ref(&plugin));
        why.confirmations += confirmer.asked;
        why.confirmations_limited |= confirmer.is_limited;
        why.filters.push(FilterAnswer { plugin, reasons: reasons.clone(), suggestions });
    }
    let all = berth_core::profile::Profile { percentage_of_nodes_to_score: None, ..profile };
    if let Some(answers) = sandbox.explain_with(&subject.pod, &all) {
        let ranking = Ranking::of(&answers, sandbox.core().cache());
        let score = |at: usize| {
            let (total, name, node) = &ranking.nodes[at];
            score_of(*node, name, *total, &answers, &all)
        };
        why.fitting = ranking.nodes.len();
        why.rank = ranking.place(node).map(|at| ranking.rank(at));
        why.score = ranking.place(node).map(score);
        why.best = (!ranking.nodes.is_empty()).then(|| score(0));
        why.rejected_together = why.rank.is_none() && why.filters.is_empty();
        why.lost = lost(why.score.as_ref(), why.best.as_ref());
        why.reason = reason(&why, ranking.ties());
    }
    Ok(why)
}

fn lost(score: Option<&NodeScore>, best: Option<&NodeScore>) -> Vec<PointsLost> {
    let (Some(score), Some(best)) = (score, best) else { return Vec::new() };
    let of = |plugin: &str| score.scores.iter().find(|points| points.plugin == plugin).map_or(0, |p| p.weighted);
    let lost = best
        .scores
        .iter()
        .map(|points| PointsLost { plugin: points.plugin.clone(), points: points.weighted - of(&points.plugin) });
    let mut lost: Vec<PointsLost> = lost.filter(|lost| lost.points != 0).collect();
    lost.sort_by_key(|lost| std::cmp::Reverse(lost.points));
    lost
}

fn reason(why: &WhyNot, ties: usize) -> String {
    let node = &why.node;
    match (why.rank, &why.score, &why.best) {
        (Some(_), Some(score), Some(best)) if score.total == best.total && ties > 1 => {
            format!(
                "Node {node} fits and has the highest score, as {ties} nodes do. The scheduler picks one of them at random."
            )
        }
        (Some(_), Some(score), Some(best)) if score.total == best.total => {
            format!("Node {node} fits and has the highest score.")
        }
        (Some(rank), Some(score), Some(best)) => {
            let most = why.lost.first().map_or_else(String::new, |lost| format!(", most of them at {}", lost.plugin));
            format!(
                "Node {node} fits and is number {rank} of {}: it has {} points less than {}{most}.",
                why.fitting,
                best.total - score.total,
                best.node
            )
        }
        _ if why.rejected_together => {
            format!(
                "Node {node} does not fit, although each filter alone accepts it: pods that are nominated to it count."
            )
        }
        _ => {
            let plugins: Vec<&str> = why.filters.iter().map(|filter| filter.plugin.as_str()).collect();
            let rejects = if plugins.len() == 1 { "rejects" } else { "reject" };
            format!("Node {node} does not fit: {} {rejects} it.", plugins.join(" and "))
        }
    }
}
