//! Suggests changes of a pod that does not enter the queue.

use berth_apimachinery::nearest;

use super::change::{ChangeKind, ObjectRef, PatchOperation};
use super::confirm::Confirmer;
use super::suggestion::Suggestion;

/// Suggests to remove the scheduling gates, if the pod fits then.
pub(crate) fn scheduling_gates(confirmer: &mut Confirmer<'_>) -> Option<Suggestion> {
    let gates: Vec<String> = confirmer.pod.spec.scheduling_gates.iter().map(|gate| gate.to_string()).collect();
    let noun = if gates.len() == 1 { "gate" } else { "gates" };
    let patch = vec![PatchOperation::remove("/spec/schedulingGates")];
    (!gates.is_empty()).then_some(())?;
    confirmer.confirmed(ChangeKind::RemoveSchedulingGates, "SchedulingGates", patch, |_| {
        format!("Remove the scheduling {noun} {}; then the pod can be scheduled.", gates.join(", "))
    })
}

/// Suggests a scheduler name that a profile has and that is similar to the pod's, if the pod fits then.
pub(crate) fn scheduler_name(confirmer: &mut Confirmer<'_>) -> Option<Suggestion> {
    let wrong = confirmer.pod.spec.scheduler_name.to_string();
    let profiles = confirmer.sandbox().core().profiles().iter().map(|profile| &*profile.scheduler_name);
    let name = nearest(&wrong, profiles)?.to_owned();
    let patch = vec![PatchOperation::add("/spec/schedulerName", name.as_str().into())];
    let fit = confirmer.fits(&patch)?;
    let mut change = confirmer.change(ChangeKind::FixSchedulerName, patch);
    change.object = ObjectRef::pod(&confirmer.pod.key.namespace, &confirmer.pod.key.name);
    let text = format!(
        "Use schedulerName: {name}. Kubernetes does not allow the change in an existing pod, so create the pod again."
    );
    Some(confirmer.suggestion(change, "", text, &fit))
}
