//! Calls the extension points of one plugin in the order of a scheduling cycle. The trial run of a component and the
//! conformance check use this module.
//!
//! Before a call, the caller sends the pod with `Resident::hold`.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use berth_core::cache::{Cache, NodeId, NodeInfo};
use berth_core::intent::Intent;
use berth_core::plugins::{
    ClassFilter, ClassId, Classified, Code, Cycle, ExtensionPoints, MOST_CLASSES, Normalization, Passed, Permission,
    PreFilterResult, PreScoreResult, Reserved, Scope, Status, Undone, Verdicts, WhatIf,
};

use super::contract::Export;
use super::guest::CallError;
use super::guests::Resident;

/// The results of pre-filter and filter.
pub struct Filtered {
    /// The result of pre-filter.
    pub pre_filter: PreFilterResult,
    /// The status for each node in question; `None` if the pod fits.
    pub rejected: Vec<Option<Status>>,
}

/// The results of score and normalize for each node in question.
pub struct Scored {
    /// The results of score.
    pub raw: Vec<i64>,
    /// The results of normalize; equal to `raw` unless the plugin declares normalization `custom`.
    pub normalized: Vec<i64>,
}

/// The class of each node for one pod signature (`Template`), as the host keeps it.
#[derive(Default)]
pub struct Classes {
    /// The id of the last cycle whose answer of classify was applied; 0 before the first answer.
    known: u64,
    of: HashMap<NodeId, ClassId>,
}

/// The answers of reserve for a chosen node and, if it succeeds, of permit, pre-bind and bind.
pub struct BindingAnswers {
    /// The result of reserve.
    pub reserved: Result<Reserved, Status>,
    /// The result of permit; the default after a failed reserve.
    pub permission: Permission,
    /// The intents of pre-bind; empty after a failed reserve.
    pub pre_bind: Vec<Intent>,
    /// The intents of bind; `None` after a failed reserve, or if the plugin leaves the binding to another plugin.
    pub bind: Option<Vec<Intent>>,
    /// The answer of unreserve, called as after a pre-bind; empty after a failed reserve.
    pub undone: Undone,
}

/// A score outside the allowed range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The index of the node among the nodes in question.
    pub at: usize,
    /// The first score outside the range.
    pub score: i64,
    /// The rule that the score breaks.
    pub rule: &'static str,
}

/// Calls pre-filter, and calls filter for the nodes that pre-filter leaves.
pub fn filtered(resident: &mut Resident, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Filtered, CallError> {
    let pre_filter = resident.instance().pre_filter(cycle)?;
    let mut rejected = vec![None; nodes.len()];
    match &pre_filter {
        PreFilterResult::All | PreFilterResult::Skip => {}
        PreFilterResult::Reject(status) => rejected.fill(Some(status.clone())),
        PreFilterResult::Narrow(names) => {
            let left_out = left_out(&resident.declaration().name);
            let named: Vec<Option<NodeId>> = names.iter().map(|name| cycle.cache.node_id(name)).collect();
            for (node, rejected) in nodes.iter().zip(&mut rejected) {
                *rejected = (!named.contains(&Some(*node))).then(|| left_out.clone());
            }
        }
    }
    if pre_filter != PreFilterResult::Skip {
        let left: Vec<usize> = (0..nodes.len()).filter(|at| rejected[*at].is_none()).collect();
        let asked: Vec<NodeId> = left.iter().map(|at| nodes[*at]).collect();
        if !asked.is_empty() {
            for (at, verdict) in left.into_iter().zip(verdicts(resident, cycle, &asked)?) {
                rejected[at] = verdict;
            }
        }
    }
    Ok(Filtered { pre_filter, rejected })
}

/// Calls filter alone.
pub fn verdicts(
    resident: &mut Resident,
    cycle: &Cycle<'_>,
    nodes: &[NodeId],
) -> Result<Vec<Option<Status>>, CallError> {
    let verdicts = resident.instance().filter(cycle, nodes)?;
    let outcome = |verdict: &u16| verdicts.outcomes.get(usize::from(*verdict).checked_sub(1)?).cloned();
    Ok(verdicts.nodes.iter().map(outcome).collect())
}

/// Answers the what-if queries of a post-filter in the absence of other plugins. The pod fits no node as it is, and
/// fits a node on which at most one pod is left after removals.
pub fn fits_beside_one_pod(cache: &Cache, cases: &[WhatIf]) -> Verdicts {
    let left =
        |case: &WhatIf| cache.node(case.node).map_or(0, |info| info.pods.len()).saturating_sub(case.removed.len());
    let full = Status { code: Code::Unschedulable, reasons: vec!["full".into()] };
    let is_full = |case: &WhatIf| u16::from(case.removed.is_empty() || left(case) > 1);
    Verdicts { outcomes: vec![full], nodes: cases.iter().map(is_full).collect() }
}

/// Calls pre-score alone. A plugin of scope `node` does not receive the nodes.
pub fn pre_score(resident: &mut Resident, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<PreScoreResult, CallError> {
    let nodes = if resident.declaration().score_scope == Scope::Node { &[] } else { nodes };
    resident.instance().pre_score(cycle, nodes)
}

/// Calls pre-score, score and normalize. Returns `None` if there are no nodes, or if the plugin does not export score,
/// or if pre-score returns skip.
pub fn scored(resident: &mut Resident, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Option<Scored>, CallError> {
    if nodes.is_empty()
        || !resident.declaration().points.contains(ExtensionPoints::SCORE)
        || pre_score(resident, cycle, nodes)? == PreScoreResult::Skip
    {
        return Ok(None);
    }
    let raw = resident.instance().score(cycle, nodes)?;
    let normalized = match resident.declaration().normalization {
        Normalization::Custom => resident.instance().normalize(cycle, nodes, &raw)?,
        Normalization::None | Normalization::Default | Normalization::DefaultReversed => raw.clone(),
    };
    Ok(Some(Scored { raw, normalized }))
}

/// Calls reserve, permit, pre-bind, bind and unreserve, without executing intents. Returns `None` if the plugin exports
/// none of reserve, permit, pre-bind and bind.
pub fn binding_answers(
    resident: &mut Resident,
    cycle: &Cycle<'_>,
    info: &NodeInfo,
) -> Result<Option<BindingAnswers>, CallError> {
    const AFTER: ExtensionPoints = ExtensionPoints::RESERVE
        .union(ExtensionPoints::PERMIT)
        .union(ExtensionPoints::PRE_BIND)
        .union(ExtensionPoints::BIND);
    if !resident.declaration().points.intersects(AFTER) {
        return Ok(None);
    }
    let (instance, node) = (resident.instance(), &*info.node.name);
    let reserved = instance.reserve(cycle, info.id)?;
    let Ok(Reserved { state, .. }) = &reserved else {
        let (permission, pre_bind, bind, undone) = (Permission::default(), Vec::new(), None, Undone::default());
        return Ok(Some(BindingAnswers { reserved, permission, pre_bind, bind, undone }));
    };
    let permission = instance.permit(cycle, node, state)?;
    let pre_bind = instance.pre_bind(cycle, node, state)?;
    let bind = instance.bind(cycle, node, state)?;
    let undone = instance.unreserve(cycle, node, state, true)?;
    Ok(Some(BindingAnswers { reserved, permission, pre_bind, bind, undone }))
}

/// Calls classify and score-classes. Returns `None` if the plugin does not answer by class, or if classify returns none
/// for this pod.
pub fn by_class(
    resident: &mut Resident,
    cycle: &Cycle<'_>,
    nodes: &[NodeId],
    classes: &mut Classes,
) -> Result<Option<(Filtered, Option<Scored>)>, CallError> {
    if !resident.declaration().answers_by_class() {
        return Ok(None);
    }
    let Some(answer) = resident.instance().classify(cycle, classes.known)? else { return Ok(None) };
    classes.update(cycle, &answer)?;
    let scores = answer.scores && !nodes.is_empty() && resident.declaration().points.contains(ExtensionPoints::SCORE);
    let of_nodes = match answer.filter {
        ClassFilter::Skip | ClassFilter::Reject(_) if !scores => Vec::new(),
        _ => classes.of(cycle, nodes)?,
    };
    let filtered = match answer.filter {
        ClassFilter::Skip => Filtered { pre_filter: PreFilterResult::Skip, rejected: vec![None; nodes.len()] },
        ClassFilter::Reject(status) => {
            let rejected = vec![Some(status.clone()); nodes.len()];
            Filtered { pre_filter: PreFilterResult::Reject(status), rejected }
        }
        ClassFilter::Verdicts(verdicts) => {
            let mut rejected = Vec::with_capacity(nodes.len());
            for class in &of_nodes {
                let verdict = verdicts.nodes.get(class.0 as usize);
                let verdict = verdict.ok_or_else(|| bad_class(format!("class {} has no verdict", class.0)))?;
                rejected.push(usize::from(*verdict).checked_sub(1).map(|outcome| verdicts.outcomes[outcome].clone()));
            }
            Filtered { pre_filter: PreFilterResult::All, rejected }
        }
    };
    if !scores {
        return Ok(Some((filtered, None)));
    }
    let mut counts: BTreeMap<ClassId, u32> = BTreeMap::new();
    of_nodes.iter().for_each(|class| *counts.entry(*class).or_default() += 1);
    let passed: Vec<Passed> = counts.into_iter().map(|(class, nodes)| Passed { class, nodes }).collect();
    let scores = resident.instance().score_classes(cycle, &passed)?;
    let at = |class: &ClassId| passed.binary_search_by_key(class, |passed| passed.class).unwrap_or_default();
    let (raw, normalized) = of_nodes.iter().map(|class| (scores.raw[at(class)], scores.normalized[at(class)])).unzip();
    Ok(Some((filtered, Some(Scored { raw, normalized }))))
}

fn bad_class(message: String) -> CallError {
    CallError::BadAnswer(Export::Classify, message)
}

impl Classes {
    fn update(&mut self, cycle: &Cycle<'_>, answer: &Classified) -> Result<(), CallError> {
        if self.known == 0 && !answer.anew {
            return Err(bad_class(
                "it returned changes of classes before it returned the classes of all nodes".to_owned(),
            ));
        }
        if let Some(class) = answer.classes.iter().find(|class| class.0 >= MOST_CLASSES) {
            return Err(bad_class(format!(
                "it returned class {}; class numbers must be less than {MOST_CLASSES}",
                class.0
            )));
        }
        if answer.anew {
            self.of.clear();
        }
        self.known = cycle.id;
        self.of.extend(answer.nodes.iter().copied().zip(answer.classes.iter().copied()));
        Ok(())
    }

    fn of(&self, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<ClassId>, CallError> {
        let name = |node: &NodeId| cycle.cache.node(*node).map(|info| info.node.name.clone()).unwrap_or_default();
        let class = |node: &NodeId| {
            self.of.get(node).copied().ok_or_else(|| bad_class(format!("node {} has no class", name(node))))
        };
        nodes.iter().map(class).collect()
    }
}

impl Scored {
    /// Returns the first score outside the range that this normalization requires.
    pub fn out_of_range(&self, normalization: Normalization) -> Option<OutOfRange> {
        let final_range = |scores: &[i64], rule| first_outside(scores, 0..=100, rule);
        match normalization {
            Normalization::None => final_range(&self.raw, "scores that are not normalized must be from 0 to 100"),
            Normalization::Default | Normalization::DefaultReversed => {
                first_outside(&self.raw, 0..=i64::MAX, "scores that the host normalizes must not be negative")
            }
            Normalization::Custom => final_range(&self.normalized, "normalized scores must be from 0 to 100"),
        }
    }
}

fn first_outside(scores: &[i64], range: RangeInclusive<i64>, rule: &'static str) -> Option<OutOfRange> {
    let at = scores.iter().position(|score| !range.contains(score))?;
    Some(OutOfRange { at, score: scores[at], rule })
}

/// Returns the status of a node that the plugin's pre-filter left out, with kube-scheduler's message.
fn left_out(plugin: &str) -> Status {
    let reason = format!("node(s) didn't satisfy plugin(s) [{plugin}]").into();
    Status { code: Code::UnschedulableAndUnresolvable, reasons: vec![reason] }
}
