//! Explains why a pod is pending and why a node was chosen or not.

mod alone;
mod dominant;
mod error;
mod sentences;
mod subject;
mod table;
pub mod text;
mod types;
mod why_not;

use berth_core::cycle::Failure;
use berth_core::profile::Profile;
use serde_json::Value;

pub use self::alone::{AllNodes, NodeRow, PluginReason, all_nodes};
use self::dominant::Dominant;
pub use self::error::ExplainError;
use self::error::suggestion_of;
use self::subject::Subject;
use self::table::Ranking;
pub use self::types::{
    CurrentNode, Explanation, NodeScore, PermitWait, PluginPoints, PodRef, PodStatus, ReasonCount, Rejection,
    RejectionKind, State,
};
pub use self::why_not::{FilterAnswer, PointsLost, WhyNot, why_not};
use crate::sandbox::{Answers, PreEnqueueAnswer, Sandbox};
use crate::suggest::{
    Confirmer, MOST_CONFIRMATIONS, MOST_SUGGESTIONS, Suggestion, scheduler_name, scheduling_gates, suggestions,
};

/// Explains a pod on a sandbox. `object` is the pod as the API server sends it, `status` what the scheduler knows about
/// it. The sandbox is unchanged afterwards.
///
/// # Errors
/// The pod can't be read.
pub fn explain(sandbox: &mut Sandbox, object: &Value, status: PodStatus) -> Result<Explanation, ExplainError> {
    let subject = Subject::new(sandbox, object)?;
    let before = sandbox.position();
    subject.take_off_its_node(sandbox);
    let explanation = explained(sandbox, &subject, status);
    sandbox.revert_to(before);
    Ok(explanation)
}

fn explained(sandbox: &mut Sandbox, subject: &Subject, status: PodStatus) -> Explanation {
    let mut explanation = subject.empty_explanation(sandbox, status);
    let Some(profile) = sandbox.profile_of(&subject.pod).cloned() else {
        let names = sandbox.core().profiles().iter().map(|profile| &profile.scheduler_name);
        let similar = suggestion_of(&subject.pod.spec.scheduler_name, names);
        let mut confirmer = confirmer_of_any_profile(sandbox, subject);
        explanation.suggestions = scheduler_name(&mut confirmer).into_iter().collect();
        explanation.confirmations = confirmer.asked;
        dominant::another_scheduler(&mut explanation, &similar);
        return explanation;
    };
    let gated = sandbox.pre_enqueue(&subject.pod);
    let Some(answers) = sandbox.explain(&subject.pod) else { return explanation };
    fill(&mut explanation, &answers, sandbox, &profile, subject);
    explanation.state = state_of(&explanation, &answers, subject, &gated);
    let plugins: Vec<String> = explanation.rejections.iter().filter_map(|row| row.plugin.clone()).collect();
    let wants_suggestions = matches!(explanation.state, State::NoNodeFits | State::Gated | State::AwaitsVictims);
    let mut dominant = Dominant::default();
    if wants_suggestions {
        let (object, pod) = (subject.object.clone(), subject.pod.clone());
        let mut confirmer = Confirmer::new(sandbox, &profile, object, pod, None, MOST_CONFIRMATIONS);
        let mut found: Vec<Suggestion> = Vec::new();
        if explanation.state == State::Gated {
            found.extend(scheduling_gates(&mut confirmer));
        }
        if answers.outcome.is_err() {
            found.extend(suggestions(&mut confirmer, &plugins));
        }
        dominant = Dominant::of(&confirmer);
        explanation.confirmations = confirmer.asked;
        explanation.confirmations_limited = confirmer.is_limited;
        found.truncate(MOST_SUGGESTIONS);
        explanation.suggestions = found;
    }
    dominant::describe(&mut explanation, &dominant, gated, &answers);
    explanation
}

/// Returns a confirmer for a pod that no profile has, with the plugins of the first profile.
fn confirmer_of_any_profile<'s>(sandbox: &'s mut Sandbox, subject: &Subject) -> Confirmer<'s> {
    let profile = sandbox.core().profiles().first().cloned().unwrap_or_else(Profile::default);
    Confirmer::new(sandbox, &profile, subject.object.clone(), subject.pod.clone(), None, MOST_CONFIRMATIONS)
}

/// Fills in the table.
fn fill(explanation: &mut Explanation, answers: &Answers, sandbox: &Sandbox, profile: &Profile, subject: &Subject) {
    let cache = sandbox.core().cache();
    let ranking = Ranking::of(answers, cache);
    explanation.fitting = ranking.nodes.len();
    explanation.rejections = table::rejections(answers, cache);
    explanation.reasons = table::reasons(&explanation.rejections);
    explanation.message = table::message(answers);
    explanation.best = ranking.best(answers, profile);
    explanation.worst = ranking.worst(answers, profile);
    explanation.ties = ranking.ties();
    explanation.margin = ranking.margin();
    explanation.current = subject.node.as_ref().map(|name| {
        let place = cache.node_id(name).and_then(|node| Some((node, ranking.place(node)?)));
        let score = |(node, at): (_, usize)| table::score_of(node, name, ranking.nodes[at].0, answers, profile);
        let rejected = cache.node_id(name).filter(|_| place.is_none());
        CurrentNode {
            node: name.clone(),
            rank: place.map(|(_, at)| ranking.rank(at)),
            score: place.map(score),
            rejected: rejected.map(|node| table::rejection_of(answers, cache, node)),
        }
    });
}

fn state_of(explanation: &Explanation, answers: &Answers, subject: &Subject, gated: &PreEnqueueAnswer) -> State {
    let status = &explanation.status;
    // The core assumes a pod on its reserved node, so that the copy of the cluster shows the pod there.
    if !status.permit_waits.is_empty() {
        return State::WaitsForPermission;
    }
    if status.reserved_node.is_some() {
        return State::Binding;
    }
    if subject.node.is_some() {
        return State::Bound;
    }
    if subject.pod.deleting {
        return State::Deleting;
    }
    match gated {
        Ok(None) => {}
        Ok(Some(_)) => return State::Gated,
        Err(_) => return State::PluginFailed,
    }
    if !status.victims.is_empty() {
        return State::AwaitsVictims;
    }
    match &answers.outcome {
        Ok(_) => State::Fits,
        Err(Failure::NoNodes) => State::NoNodes,
        Err(Failure::Unschedulable(..)) => State::NoNodeFits,
        Err(Failure::Plugin(_) | Failure::PostFilter(_) | Failure::Extender(_)) => State::PluginFailed,
    }
}
