//! How many more pods of each workload would fit.

use std::sync::Arc;

use berth_core::model::{Pod, PodKey};

use super::WhatIfError;
use super::answer::{PodAnswer, PodRole, PodState, WorkloadAnswer};
use super::control::Control;
use super::manifests::Created;
use super::placement::Placement;

/// Returns the answers about the workloads of the manifests. The placement is as before afterwards, except that pods
/// without a node are gone.
///
/// # Errors
/// The control ends the work.
pub(super) fn count(
    placement: &mut Placement<'_>,
    pods: &[(Arc<Pod>, PodAnswer)],
    created: &Created,
    most: usize,
    control: &mut Control<'_>,
) -> Result<Vec<WorkloadAnswer>, WhatIfError> {
    if created.workloads.is_empty() {
        return Ok(Vec::new());
    }
    // A pod that waits would take the place of a further pod when a further pod is removed.
    for (pod, answer) in pods.iter().filter(|(_, answer)| answer.state != PodState::Placed) {
        if answer.state != PodState::WaitsForPermission {
            placement.remove(&pod.key);
        }
    }
    let mut new = pods.iter().filter(|(_, answer)| answer.role == PodRole::New).peekable();
    let mut answers = Vec::new();
    for (at, workload) in created.workloads.iter().enumerate() {
        let mut answer = WorkloadAnswer {
            workload: workload.name.clone(),
            namespace: workload.namespace.clone(),
            pods: created.pods.iter().filter(|pod| pod.workload == at).count(),
            ..WorkloadAnswer::default()
        };
        let own: Vec<&(Arc<Pod>, PodAnswer)> = new.by_ref().take(answer.pods).collect();
        answer.placed = own.iter().filter(|(_, found)| found.state == PodState::Placed).count();
        match own.last() {
            Some((_, last)) if answer.placed < answer.pods => {
                answer.more = Some(0);
                answer.more_reason.clone_from(&last.reason);
            }
            Some((pod, _)) if !workload.has_claims => further(placement, pod, &mut answer, most, control)?,
            _ => {}
        }
        answers.push(answer);
    }
    Ok(answers)
}

/// Adds equal pods until one does not fit, and removes them again.
fn further(
    placement: &mut Placement<'_>,
    like: &Arc<Pod>,
    answer: &mut WorkloadAnswer,
    most: usize,
    control: &mut Control<'_>,
) -> Result<(), WhatIfError> {
    let mut added: Vec<PodKey> = Vec::new();
    while answer.more_reason.is_none() {
        if added.len() == most {
            answer.more_is_limited = true;
            break;
        }
        let mut pod = Pod::clone(like);
        pod.key.name = format!("{}-more-{}", pod.key.name, added.len()).into();
        pod.key.uid = format!("{}-more-{}", pod.key.uid, added.len()).into();
        let pod = Arc::new(pod);
        placement.place(&[Arc::clone(&pod)], None, control)?;
        added.push(pod.key.clone());
        let outcome = placement.outcome(&pod);
        if outcome.state != PodState::Placed {
            // The message of the attempt also has the texts of post-filters, which say nothing about nodes.
            let filters = placement.sandbox.fits(&pod).and_then(Result::err).map(|failure| failure.to_string());
            let message = filters.or_else(|| outcome.message.map(|message| message.to_string()));
            answer.more_reason = Some(message.unwrap_or_else(|| "A plugin lets the pod wait.".to_owned()));
        }
    }
    answer.more = Some(added.len() - usize::from(answer.more_reason.is_some()));
    added.iter().rev().for_each(|key| placement.remove(key));
    Ok(())
}
