//! Eviction: deletes a pod unless a disruption budget forbids it.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use crate::clock;
use crate::failure::Failure;
use crate::http::{Call, answer, body};
use crate::selectors::LabelSelector;
use crate::state::State;
use crate::store::key;
use crate::value::{items, set_default, text};
use crate::verbs::{Deletion, ObjectRef, delete_object, modify};

/// Evicts the pod that the path names.
///
/// # Errors
/// 400, 404, 409, 429 if a budget forbids the eviction, 500 if more than one budget covers the pod.
pub async fn evict(state: &Arc<State>, namespace: &str, name: &str, call: Call) -> Result<Response, Failure> {
    let query = call.query.clone();
    let eviction = body::object(call).await?;
    let given = text(&eviction["metadata"], "name");
    if !given.is_empty() && given != name {
        return Err(Failure::bad_request("name in URL does not match name in Eviction object"));
    }
    let deletion = Deletion::read(eviction.get("deleteOptions"), &query)?;
    let resource = state.registry.find("", "v1", "pods").ok_or_else(Failure::no_such_path)?;
    let pod = resource.objects.get(&key(namespace, name)).ok_or_else(|| Failure::not_found(resource.subject(name)))?;
    let pod = resource.stored(&pod);
    if !is_free(&pod)
        && let Some(budget) = budget_of(state, namespace, &pod)?
    {
        spend(state, namespace, &budget, &pod, deletion.is_dry_run())?;
    }
    let reference = ObjectRef { resource: &resource, namespace, name };
    modify(state, reference, deletion.is_dry_run(), |_, pod| Ok(with_disruption_target(state, pod)))?;
    delete_object(state, reference, &deletion, deletion.is_dry_run())?;
    Ok(answer::success(201, None))
}

/// Returns the pod with the condition DisruptionTarget, which says that the pod is evicted.
fn with_disruption_target(state: &State, mut pod: Value) -> Value {
    const KIND: &str = "DisruptionTarget";
    let condition = json!({
        "type": KIND, "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
        "lastProbeTime": null, "lastTransitionTime": clock::seconds(state.now()),
        "observedGeneration": pod["metadata"]["generation"],
    });
    let others = items(&pod["status"], "conditions").filter(|one| text(one, "type") != KIND).cloned();
    let conditions: Vec<Value> = others.chain([condition]).collect();
    pod["status"]["conditions"] = conditions.into();
    pod
}

/// Returns true if the eviction needs no budget: the pod has finished, is pending, or is being deleted.
fn is_free(pod: &Value) -> bool {
    matches!(text(&pod["status"], "phase"), "Succeeded" | "Failed" | "Pending")
        || pod["metadata"].get("deletionTimestamp").is_some()
}

fn budget_of(state: &State, namespace: &str, pod: &Value) -> Result<Option<String>, Failure> {
    let mut covering = Vec::new();
    for budget in state.values("policy", "poddisruptionbudgets", Some(namespace)) {
        let selector = LabelSelector::from_object(budget["spec"].get("selector")).map_err(Failure::internal)?;
        if selector.matches_value(pod) {
            covering.push(text(&budget["metadata"], "name").to_owned());
        }
    }
    match covering.len() {
        0 | 1 => Ok(covering.pop()),
        _ => Err(Failure::internal(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        )),
    }
}

/// Consumes one allowed disruption of the budget called `budget`, unless the pod is not ready and can be evicted
/// without the budget.
///
/// # Errors
/// 429 if the budget allows no disruption, or if the budget's status is out of date.
fn spend(state: &Arc<State>, namespace: &str, budget: &str, pod: &Value, dry_run: bool) -> Result<(), Failure> {
    let resource = state.registry.find("policy", "v1", "poddisruptionbudgets").ok_or_else(Failure::no_such_path)?;
    modify(state, ObjectRef { resource: &resource, namespace, name: budget }, dry_run, |_, mut budget| {
        if !is_ready(pod) && spares_unready(&budget) {
            return Ok(budget);
        }
        let generation = budget["metadata"]["generation"].as_i64().unwrap_or_default();
        if budget["status"]["observedGeneration"].as_i64().unwrap_or_default() < generation {
            return Err(refusal(&budget, "is still being processed by the server."));
        }
        let allowed = budget["status"]["disruptionsAllowed"].as_i64().unwrap_or_default();
        if allowed <= 0 {
            let status = &budget["status"];
            let why = format!(
                "needs {} healthy pods and has {} currently",
                status["desiredHealthy"].as_i64().unwrap_or_default(),
                status["currentHealthy"].as_i64().unwrap_or_default()
            );
            return Err(refusal(&budget, &why));
        }
        budget["status"]["disruptionsAllowed"] = (allowed - 1).into();
        set_default(&mut budget["status"], "disruptedPods", json!({}));
        budget["status"]["disruptedPods"][text(&pod["metadata"], "name")] = clock::seconds(state.now()).into();
        Ok(budget)
    })?;
    Ok(())
}

fn is_ready(pod: &Value) -> bool {
    items(&pod["status"], "conditions").any(|one| text(one, "type") == "Ready" && text(one, "status") == "True")
}

/// Returns true if pods that are not ready can be evicted without the budget: with the policy `AlwaysAllow`, or while
/// enough pods are healthy.
fn spares_unready(budget: &Value) -> bool {
    let count = |name: &str| budget["status"][name].as_i64().unwrap_or_default();
    let healthy = count("desiredHealthy") > 0 && count("currentHealthy") >= count("desiredHealthy");
    healthy || text(&budget["spec"], "unhealthyPodEvictionPolicy") == "AlwaysAllow"
}

fn refusal(budget: &Value, why: &str) -> Failure {
    let message = format!("The disruption budget {} {why}", text(&budget["metadata"], "name"));
    let cause = json!([{"reason": "DisruptionBudget", "message": message}]);
    Failure::too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.")
        .with_detail("causes", cause)
}
