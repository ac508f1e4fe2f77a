//! Makes the table of an explanation from the answers of the plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use berth_core::cache::{Cache, NodeId};
use berth_core::cycle::Failure;
use berth_core::plugins::{Code, PreFilterResult};
use berth_core::profile::Profile;

use super::types::{NodeScore, PluginPoints, ReasonCount, Rejection, RejectionKind};
use crate::names::name_of;
use crate::sandbox::{Answers, NodeAnswer};

/// The number of nodes that a row names.
const EXAMPLES: usize = 5;

/// The number of best nodes.
const BEST: usize = 5;

/// The number of worst nodes.
const WORST: usize = 3;

/// A row under construction: kind, plugin, reasons, resolvable, with nominated pods.
type Key = (RejectionKind, Option<String>, Vec<String>, bool, bool);

/// Returns the rejected nodes by reason, the most frequent first.
pub fn rejections(answers: &Answers, cache: &Cache) -> Vec<Rejection> {
    let mut rows: BTreeMap<Key, (usize, Vec<String>)> = BTreeMap::new();
    let all = rejected_everywhere(answers);
    for info in cache.nodes() {
        if answers.outcome.is_ok() && matches!(answers.nodes.get(&info.id), Some(NodeAnswer::Passed)) {
            continue;
        }
        let (count, examples) = rows.entry(key_of(answers, info.id, all.as_ref())).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            examples.push(info.node.name.to_string());
        }
    }
    let row = |((kind, plugin, reasons, resolvable, with_nominated), (nodes, examples))| Rejection {
        kind,
        plugin,
        reasons,
        resolvable,
        with_nominated,
        nodes,
        examples,
    };
    let mut rows: Vec<Rejection> = rows.into_iter().map(row).collect();
    rows.sort_by(|one, other| {
        (other.nodes, one.kind, &one.plugin, &one.reasons).cmp(&(one.nodes, other.kind, &other.plugin, &other.reasons))
    });
    rows
}

/// Returns why this node does not fit.
pub fn rejection_of(answers: &Answers, cache: &Cache, node: NodeId) -> Rejection {
    let (kind, plugin, reasons, resolvable, with_nominated) =
        key_of(answers, node, rejected_everywhere(answers).as_ref());
    Rejection { kind, plugin, reasons, resolvable, with_nominated, nodes: 1, examples: vec![name_of(cache, node)] }
}

/// Returns the row for a pod that pre-filters reject on all nodes.
fn rejected_everywhere(answers: &Answers) -> Option<Key> {
    if let Some((plugin, status)) = answers.rejected_by_pre_filter() {
        let reasons = status.reasons.iter().map(|reason| reason.to_string()).collect();
        let resolvable = status.code == Code::Unschedulable;
        return Some((RejectionKind::PreFilter, Some(plugin.to_string()), reasons, resolvable, false));
    }
    let (plugins, left) = narrowing(answers);
    if left.is_none_or(|names| !names.is_empty()) {
        return None;
    }
    // The texts are those of kube-scheduler.
    let reason = match &plugins[..] {
        [only] => format!("node(s) didn't satisfy plugin {only}"),
        all => format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", all.join(" ")),
    };
    Some((RejectionKind::PreFilter, Some(plugins.join(", ")), vec![reason], false, false))
}

/// Returns the plugins whose pre-filters name the only candidates, by name, and the names that all of them have.
fn narrowing(answers: &Answers) -> (Vec<&str>, Option<BTreeSet<&str>>) {
    let (mut plugins, mut left): (BTreeSet<&str>, Option<BTreeSet<&str>>) = (BTreeSet::new(), None);
    for answer in &answers.pre_filters {
        if let PreFilterResult::Narrow(names) = &answer.result {
            plugins.insert(&answer.plugin);
            let names: BTreeSet<&str> = names.iter().map(|name| &**name).collect();
            left = Some(left.map_or(names.clone(), |left| left.intersection(&names).copied().collect()));
        }
    }
    (plugins.into_iter().collect(), left)
}

fn key_of(answers: &Answers, node: NodeId, everywhere: Option<&Key>) -> Key {
    if let Some(everywhere) = everywhere {
        return everywhere.clone();
    }
    match answers.nodes.get(&node) {
        Some(NodeAnswer::Rejected { plugin, status, with_nominated }) => {
            let reasons = status.reasons.iter().map(|reason| reason.to_string()).collect();
            let resolvable = status.code == Code::Unschedulable;
            (RejectionKind::Filter, Some(plugin.to_string()), reasons, resolvable, *with_nominated)
        }
        _ if answers.candidates.as_ref().is_some_and(|candidates| !candidates.contains(&node)) => {
            let (plugins, _) = narrowing(answers);
            let reason = format!("node(s) didn't satisfy plugin(s) [{}]", plugins.join(" "));
            (RejectionKind::PreFilter, Some(plugins.join(", ")), vec![reason], false, false)
        }
        _ => (RejectionKind::NotLookedAt, None, Vec::new(), true, false),
    }
}

/// Returns how often each reason occurs, as in kube-scheduler's message. A reason of a pre-filter that rejects the pod
/// on all nodes has no number there; here it has the number of all nodes.
pub fn reasons(rejections: &[Rejection]) -> Vec<ReasonCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rejections {
        row.reasons.iter().for_each(|reason| *counts.entry(reason).or_default() += row.nodes);
    }
    let mut counts: Vec<ReasonCount> =
        counts.into_iter().map(|(reason, nodes)| ReasonCount { reason: reason.to_owned(), nodes }).collect();
    counts.sort_by(|one, other| (other.nodes, &one.reason).cmp(&(one.nodes, &other.reason)));
    counts
}

/// Returns the message of the event `FailedScheduling`.
pub fn message(answers: &Answers) -> Option<String> {
    answers.outcome.as_ref().err().map(Failure::to_string)
}

/// The nodes that fit, the best first.
pub struct Ranking {
    /// By total, then by name.
    pub nodes: Vec<(i64, String, NodeId)>,
}

impl Ranking {
    /// Ranks the nodes that fit.
    pub fn of(answers: &Answers, cache: &Cache) -> Self {
        let fitting = answers.outcome.iter().flatten();
        let mut nodes: Vec<(i64, String, NodeId)> =
            fitting.map(|(node, total)| (*total, name_of(cache, *node), *node)).collect();
        nodes.sort_by(|one, other| (other.0, &one.1).cmp(&(one.0, &other.1)));
        Self { nodes }
    }

    /// Returns the number of nodes with the highest total.
    pub fn ties(&self) -> usize {
        self.nodes.iter().take_while(|(total, ..)| Some(*total) == self.nodes.first().map(|(best, ..)| *best)).count()
    }

    /// Returns the highest total minus the highest lower total.
    pub fn margin(&self) -> Option<i64> {
        Some(self.nodes.first()?.0 - self.nodes.get(self.ties())?.0)
    }

    /// Returns the best nodes with their scores.
    pub fn best(&self, answers: &Answers, profile: &Profile) -> Vec<NodeScore> {
        self.scored(0..BEST.min(self.nodes.len()), answers, profile)
    }

    /// Returns the worst nodes that are not among the best, with their scores.
    pub fn worst(&self, answers: &Answers, profile: &Profile) -> Vec<NodeScore> {
        let end = self.nodes.len();
        self.scored(end.saturating_sub(WORST).max(BEST.min(end))..end, answers, profile)
    }

    fn scored(&self, places: Range<usize>, answers: &Answers, profile: &Profile) -> Vec<NodeScore> {
        let score = |(total, name, node): &(i64, String, NodeId)| score_of(*node, name, *total, answers, profile);
        self.nodes[places].iter().map(score).collect()
    }

    /// Returns the number of nodes with a higher total than the node at this index, plus one.
    pub fn rank(&self, at: usize) -> usize {
        1 + self.nodes.iter().take_while(|(total, ..)| *total > self.nodes[at].0).count()
    }

    /// Returns the index of this node.
    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().position(|(.., id)| *id == node)
    }
}

/// Returns the scores of a node by plugin.
pub fn score_of(node: NodeId, name: &str, total: i64, answers: &Answers, profile: &Profile) -> NodeScore {
    let points = |(plugin, weight): &(berth_core::profile::ProfilePlugin, i64)| {
        let by = answers.scores.iter().find(|score| score.plugin == plugin.declaration.name)?;
        let (raw, normalized) = *by.nodes.get(&node)?;
        let plugin = plugin.declaration.name.to_string();
        Some(PluginPoints { plugin, raw, normalized, weight: *weight, weighted: normalized * weight })
    };
    NodeScore { node: name.to_owned(), total, scores: profile.score.iter().filter_map(points).collect() }
}
