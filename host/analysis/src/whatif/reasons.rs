//! The reasons why pods stay pending.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::model::Pod;
use serde_json::Value;

use super::answer::{PodAnswer, PodState};
use super::control::Control;
use crate::explain::{PodStatus, explain};
use crate::sandbox::Sandbox;

/// A reason, its plugin, and the next step.
type Reason = (String, Option<String>, String);

/// Sets the reasons of pending pods. The pods of a workload with the same message share an explanation. At most `most`
/// explanations are computed, while there is time; the other pods keep the message of their attempt.
pub(super) fn explain_pending(
    sandbox: &mut Sandbox,
    pods: &mut [(Arc<Pod>, PodAnswer)],
    object_of: &dyn Fn(&str) -> Option<Value>,
    most: usize,
    control: &mut Control<'_>,
) {
    let mut known: BTreeMap<(Option<String>, Option<String>), Option<Reason>> = BTreeMap::new();
    let mut explained = 0;
    for (pod, answer) in pods {
        match answer.state {
            PodState::Pending => {}
            PodState::WaitsForPermission => {
                answer.reason = Some("A permit plugin lets the pod wait; the node is reserved.".to_owned());
                continue;
            }
            PodState::AnotherScheduler => {
                let name = &pod.spec.scheduler_name;
                answer.reason = Some(format!("No profile has the scheduler name {name}."));
                continue;
            }
            _ => continue,
        }
        // Pods without a controller share nothing but the message.
        let owner = answer.workload.clone().or_else(|| Some(pod.key.uid.to_string()));
        let key = (owner, answer.reason.clone());
        let reason = known.entry(key).or_insert_with(|| {
            let object = (explained < most && control.has_time()).then(|| object_of(&pod.key.uid)).flatten()?;
            explained += 1;
            reason_of(sandbox, pod, object)
        });
        if let Some((reason, plugin, next_step)) = reason.clone() {
            answer.reason = Some(reason);
            answer.plugin = plugin;
            answer.next_step = Some(next_step);
        }
    }
}

fn reason_of(sandbox: &mut Sandbox, pod: &Pod, mut object: Value) -> Option<Reason> {
    // A pod that leaves its node has none any more.
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.remove("nodeName");
    }
    object["metadata"]["uid"] = (*pod.key.uid).into();
    let explanation = explain(sandbox, &object, PodStatus::default()).ok()?;
    Some((explanation.reason, explanation.plugin, explanation.next_step))
}
