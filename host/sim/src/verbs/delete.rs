//! delete: removes an object, or marks the object for deletion while a grace period, a finalizer or its kind's rules
//! keep it. The server does not end a grace period: a client, such as the kubelet, deletes the pod again with 0 s.

use std::sync::Arc;

use axum::response::Response;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::definitions;
use super::write::{Modified, ObjectRef, modify};
use crate::clock;
use crate::failure::{Failure, Problems, Subject};
use crate::http::{Call, answer, body};
use crate::request::{Query, Target};
use crate::resource::Resource;
use crate::state::State;
use crate::store::Object;
use crate::value::{copy_member, set_default, text};

/// The options of a deletion.
#[derive(Debug, Default, Clone)]
pub struct Deletion {
    grace: Option<i64>,
    uid: Option<String>,
    version: Option<String>,
    policy: Option<String>,
    dry_run: bool,
}

impl Deletion {
    /// Returns true for a dry run.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Reads a `DeleteOptions` body and the query parameters. The body takes precedence.
    ///
    /// # Errors
    /// 400 for an invalid option, 422 for an unknown value of `dryRun`.
    pub fn read(options: Option<&Value>, query: &Query) -> Result<Self, Failure> {
        let none = Value::Null;
        let options = options.unwrap_or(&none);
        let grace = match options.get("gracePeriodSeconds").and_then(Value::as_i64) {
            Some(seconds) => Some(seconds),
            None => query.number("gracePeriodSeconds")?.and_then(|seconds| i64::try_from(seconds).ok()),
        };
        let owned = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let policy = owned(options, "propagationPolicy").or(query.get("propagationPolicy").map(str::to_owned));
        if policy.as_deref().is_some_and(|policy| !matches!(policy, "Orphan" | "Background" | "Foreground")) {
            return Err(Failure::bad_request(format!(
                "invalid DeletionPropagation policy {:?}",
                policy.unwrap_or_default()
            )));
        }
        let preconditions = &options["preconditions"];
        let dry_run = asks_for_dry_run(options)? | query.dry_run()?;
        Ok(Self {
            grace,
            uid: owned(preconditions, "uid"),
            version: owned(preconditions, "resourceVersion"),
            policy,
            dry_run,
        })
    }
}

/// Reads `dryRun` of a `DeleteOptions` body.
fn asks_for_dry_run(options: &Value) -> Result<bool, Failure> {
    let values = match options.get("dryRun") {
        None | Some(Value::Null) => return Ok(false),
        Some(Value::Array(values)) => values,
        Some(other) => return Err(Failure::bad_request(format!("dryRun: {other} is not a list of strings"))),
    };
    if let Some(other) = values.iter().find(|value| *value != "All") {
        let mut problems = Problems::default();
        problems.unsupported("dryRun", other.as_str().unwrap_or_default(), &["All"]);
        let subject = Subject { group: "meta.k8s.io", kind: "DeleteOptions", name: "" };
        return Err(Failure::invalid(subject, &problems));
    }
    Ok(!values.is_empty())
}

/// Deletes the object that the path names.
///
/// # Errors
/// 400, 404, 406, 409 if a precondition fails, 413, 415, 422.
pub async fn delete(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let query = call.query.clone();
    let options = body::optional_object(call).await?;
    let deletion = Deletion::read(options.as_ref(), &query)?;
    let name = target.name.as_deref().unwrap_or_default();
    let reference = ObjectRef { resource: &target.resource, namespace: &target.namespace, name };
    let modified = delete_object(state, reference, &deletion, deletion.dry_run)?;
    let resource = &target.resource;
    match &modified {
        Modified::Removed(object) if !resource.kind().is_some_and(|kind| kind.returns_deleted) => {
            let mut details =
                json!({"name": name, "kind": resource.plural, "uid": resource.stored(object)["metadata"]["uid"]});
            if !resource.group.is_empty() {
                details["group"] = resource.group.as_str().into();
            }
            Ok(answer::success(200, Some(details)))
        }
        other => Ok(answer::object(200, resource, other.object(), view)),
    }
}

/// Deletes an object, or marks it for deletion if a grace period, a finalizer or its kind's rules keep it.
///
/// # Errors
/// 404, 409 if a precondition fails.
pub fn delete_object(
    state: &Arc<State>,
    reference: ObjectRef<'_>,
    deletion: &Deletion,
    dry_run: bool,
) -> Result<Modified, Failure> {
    let now = state.now();
    modify(state, reference, dry_run, |current, object| {
        check_preconditions(reference.resource, current, &object, deletion)?;
        Ok(decide(reference.resource, object, deletion, now))
    })
}

/// Checks the UID and resource version preconditions against the stored object.
pub fn check_preconditions(
    resource: &Resource,
    current: &Object,
    object: &Value,
    deletion: &Deletion,
) -> Result<(), Failure> {
    let uid = text(&object["metadata"], "uid");
    let differs = |name: &str, expected: &str, found: &str, hint: &str| {
        let why = format!(
            "the {name} in the precondition ({expected}) does not match the {name} in record ({found}). \
             The object might have been {hint}"
        );
        // This message names the kind instead of the plural.
        Failure::conflict(Subject { kind: &resource.kind, ..resource.subject(current.name()) }, &why)
    };
    match (&deletion.uid, &deletion.version) {
        (Some(expected), _) if expected != uid => Err(differs("UID", expected, uid, "deleted and then recreated")),
        (_, Some(expected)) if *expected != current.rv().to_string() => {
            Err(differs("ResourceVersion", expected, &current.rv().to_string(), "modified"))
        }
        _ => Ok(()),
    }
}

fn decide(resource: &Resource, mut object: Value, deletion: &Deletion, now: Timestamp) -> Value {
    let metadata = &mut object["metadata"];
    match deletion.policy.as_deref() {
        // The garbage collector removes these two finalizers.
        Some("Foreground") => add_finalizer(metadata, "foregroundDeletion"),
        Some("Orphan") => add_finalizer(metadata, "orphan"),
        _ => {}
    }
    let grace = grace_period(resource, &object, deletion);
    let metadata = &mut object["metadata"];
    let deleting = metadata.get("deletionTimestamp").is_some();
    let before = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_i64);
    // A second deletion can only shorten the grace period.
    if !deleting || before.is_some_and(|before| grace < before) {
        metadata["deletionTimestamp"] = clock::after(now, grace).into();
        metadata["deletionGracePeriodSeconds"] = grace.into();
        if let Some(count) = metadata.get("generation").and_then(Value::as_i64).filter(|_| !deleting) {
            metadata["generation"] = (count + 1).into();
        }
        if definitions::is_resource_of_definitions(resource) && !deleting {
            add_finalizer(metadata, definitions::FINALIZER);
            definitions::mark_terminating(&mut object, now);
        }
        if resource.kind == "Namespace" && resource.group.is_empty() {
            object["status"]["phase"] = "Terminating".into();
        }
    }
    object
}

fn add_finalizer(metadata: &mut Value, finalizer: &str) {
    set_default(metadata, "finalizers", json!([]));
    if let Some(list) = metadata["finalizers"].as_array_mut()
        && !list.iter().any(|existing| existing == finalizer)
    {
        list.push(finalizer.into());
    }
}

/// Returns the grace period in seconds. The result is 0 except for a pod that has a node and has not ended. A negative
/// grace period counts as 1 s.
fn grace_period(resource: &Resource, object: &Value, deletion: &Deletion) -> i64 {
    if resource.kind != "Pod" || !resource.group.is_empty() {
        return 0;
    }
    let ended = matches!(text(&object["status"], "phase"), "Succeeded" | "Failed");
    if text(&object["spec"], "nodeName").is_empty() || ended {
        return 0;
    }
    let own = object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    match deletion.grace.unwrap_or(own) {
        ..0 => 1,
        seconds => seconds,
    }
}

/// Restores the deletion fields, which an update cannot change.
pub fn keep_deletion(new: &mut Value, old: &Value) {
    for member in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        copy_member(&mut new["metadata"], &old["metadata"], member);
    }
}
