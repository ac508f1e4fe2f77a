//! The binding of a pod to a node.
//!
//! As in kube-apiserver, the node does not need to exist. A binding to a node that was just deleted succeeds, and a
//! controller removes the pod later.

use std::sync::Arc;

use axum::response::Response;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::admission::{add_annotations, add_labels, topology_labels};
use crate::clock;
use crate::failure::{Failure, Subject};
use crate::faults::BindFault;
use crate::http::{Call, answer, body};
use crate::state::State;
use crate::store::Object;
use crate::value::{items, members, remove, set_condition, text};
use crate::verbs::{ObjectRef, modify};
use berth_apimachinery::schema;

/// Binds a pod to the node in the body. `name` is the pod's name in the path; `None` if only the body names the pod.
///
/// # Errors
/// 400 if the binding is malformed, 404 if the pod does not exist, 409 if the pod cannot be bound, 500 if the target is
/// not a node or has no name. An injected fault gives 409 or 500.
pub async fn bind(state: &Arc<State>, namespace: &str, name: Option<&str>, call: Call) -> Result<Response, Failure> {
    let dry_run = call.query.dry_run()?;
    let mut binding = body::object(call).await?;
    check(&mut binding, namespace, name)?;
    let fault = state.faults.take_binding();
    match fault {
        Some(BindFault::Slow(time)) => state.options.clock.sleep(time).await,
        Some(BindFault::Fail) => return Err(Failure::internal("injected")),
        Some(BindFault::Conflict) => {
            return Err(Failure::conflict(subject(text(&binding["metadata"], "name")), "injected"));
        }
        Some(BindFault::LoseAnswer) | None => {}
    }
    let pod = text(&binding["metadata"], "name").to_owned();
    let resource = state.registry.find("", "v1", "pods").ok_or_else(Failure::no_such_path)?;
    let labels = topology_labels(state, text(&binding["target"], "name"));
    let reference = ObjectRef { resource: &resource, namespace, name: &pod };
    modify(state, reference, dry_run, |current, pod| {
        check_preconditions(&binding, current, &pod)?;
        assign(pod, &binding, &labels, state.now()).map_err(|why| Failure::conflict(subject(current.name()), &why))
    })?;
    match fault {
        Some(BindFault::LoseAnswer) => Ok(answer::broken()),
        _ => Ok(answer::success(201, None)),
    }
}

fn subject(name: &str) -> Subject<'_> {
    Subject { group: "", kind: "pods/binding", name }
}

/// Validates the binding.
fn check(binding: &mut Value, namespace: &str, name: Option<&str>) -> Result<(), Failure> {
    let cannot = "Binding in version \"v1\" cannot be handled as a Binding:";
    for (member, expected) in [("kind", "Binding"), ("apiVersion", "v1")] {
        let given = text(binding, member);
        if !given.is_empty() && given != expected {
            return Err(Failure::bad_request(format!("{cannot} its {member} is {given:?}")));
        }
    }
    schema::check("core.v1.Binding", binding, "")
        .map_err(|problem| Failure::bad_request(format!("{cannot} {problem}")))?;
    let metadata = &mut binding["metadata"];
    if !metadata.is_object() {
        *metadata = json!({});
    }
    let given = text(metadata, "namespace");
    if !given.is_empty() && given != namespace {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    match (name, text(metadata, "name")) {
        (Some(name), given) if given != name => {
            return Err(Failure::bad_request("name in URL does not match name in Binding object"));
        }
        (None, "") => return Err(Failure::bad_request("name is required")),
        _ => {}
    }
    let target = &binding["target"];
    let kind = text(target, "kind");
    if !matches!(kind, "" | "Node") {
        return Err(Failure::plain_error(format!(
            "target.kind: Unsupported value: {kind:?}: supported values: \"Node\", \"<empty>\""
        )));
    }
    match text(target, "name") {
        "" => Err(Failure::plain_error("target.name: Required value")),
        _ => Ok(()),
    }
}

fn check_preconditions(binding: &Value, current: &Object, pod: &Value) -> Result<(), Failure> {
    let (wanted, actual) = (text(&binding["metadata"], "uid"), text(&pod["metadata"], "uid"));
    let broken = |what: &str, wanted: &str, actual: &str| {
        let why = format!("Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {actual}");
        Failure::conflict(Subject { group: "", kind: "pods", name: current.name() }, &why)
    };
    if !wanted.is_empty() && wanted != actual {
        return Err(broken("UID", wanted, actual));
    }
    let version = text(&binding["metadata"], "resourceVersion");
    match version.is_empty() || version == current.rv().to_string() {
        true => Ok(()),
        false => Err(broken("ResourceVersion", version, &current.rv().to_string())),
    }
}

/// Returns the pod with its node, its `PodScheduled` condition, the binding's annotations and labels, and the node's
/// topology labels. Returns the reason as the error if the pod cannot be bound.
fn assign(mut pod: Value, binding: &Value, topology: &[(String, Value)], now: Timestamp) -> Result<Value, String> {
    let name = text(&pod["metadata"], "name");
    if pod["metadata"].get("deletionTimestamp").is_some() {
        return Err(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    let node = text(&pod["spec"], "nodeName");
    if !node.is_empty() {
        return Err(format!("pod {name} is already assigned to node {node:?}"));
    }
    if items(&pod["spec"], "schedulingGates").next().is_some() {
        return Err(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    pod["spec"]["nodeName"] = binding["target"]["name"].clone();
    remove(&mut pod["status"], "nominatedNodeName");
    add_annotations(&mut pod, binding);
    let own = members(&binding["metadata"], "labels").map(|(key, value)| (key.clone(), value.clone()));
    let labels: Vec<(String, Value)> = own.chain(topology.iter().cloned()).collect();
    add_labels(&mut pod, labels);
    let condition = json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null,
        "lastTransitionTime": clock::seconds(now)});
    set_condition(&mut pod["status"], condition);
    Ok(pod)
}
