//! Sends a [`Write`] to the store, and interprets the response.

use kube::core::ObjectMeta;
use kube::core::params::{DeleteParams, Preconditions, PropagationPolicy};
use serde::Deserialize;

use super::kinds::{Kinds, Object};
use super::metadata;
use super::namespace;
use super::outcome::{Error, Outcome};
use super::store::{Store, Target};
use super::write::{Action, Grace, Guard, Propagation, Write};

/// Sends a write. The deletion of an object that is gone or has another UID is not a failure, and neither is the patch
/// of an object that is gone.
pub async fn send(store: &dyn Store, kinds: &Kinds, write: &Write) -> Outcome {
    match attempt(store, kinds, write).await {
        Ok(outcome) => outcome,
        Err(error) => match (&write.action, error.code()) {
            (Action::Delete { uid, .. }, Some(404 | 409)) => Outcome::Gone(write.kind, write.key.clone(), uid.clone()),
            (Action::Patch { .. }, Some(404)) => Outcome::Done,
            _ => Outcome::Failed(error),
        },
    }
}

async fn attempt(store: &dyn Store, kinds: &Kinds, write: &Write) -> Result<Outcome, Error> {
    for guard in &write.unless {
        if exists(store, kinds, write.key.namespace(), guard).await? {
            return Ok(Outcome::Done);
        }
    }
    let served = kinds.get(write.kind).ok_or(Error::Unserved(write.kind))?;
    let target = Target::of(served, write.key.namespace(), write.key.name());
    match &write.action {
        Action::Create(body) => {
            let text = store.create(target, body).await?;
            Ok(Outcome::Stored(Object::decode(write.kind, &text)?))
        }
        Action::Patch { subresource, strategy, body } => {
            let text = store.patch(target, subresource, *strategy, body).await?;
            Ok(Outcome::Stored(Object::decode(write.kind, &text)?))
        }
        Action::Delete { uid, grace, propagation } => {
            let text = store.delete(target, &delete_params(uid, *grace, *propagation)).await?;
            deleted(write, uid, &text)
        }
        Action::Empty => namespace::empty(store, kinds, write.key.name()).await,
    }
}

fn delete_params(uid: &str, grace: Grace, propagation: Propagation) -> DeleteParams {
    DeleteParams {
        grace_period_seconds: (grace == Grace::None).then_some(0),
        propagation_policy: Some(match propagation {
            Propagation::Background => PropagationPolicy::Background,
            Propagation::Foreground => PropagationPolicy::Foreground,
            Propagation::Orphan => PropagationPolicy::Orphan,
        }),
        preconditions: Some(Preconditions { uid: Some(uid.to_owned()), resource_version: None }),
        ..DeleteParams::default()
    }
}

/// Interprets the response to a deletion: a `Status`, or the object, which stays if it has a grace period or
/// finalizers.
fn deleted(write: &Write, uid: &str, text: &str) -> Result<Outcome, Error> {
    #[derive(Deserialize)]
    struct Answer {
        kind: Option<String>,
    }
    let gone = Outcome::Gone(write.kind, write.key.clone(), uid.to_owned());
    let answer: Answer = serde_json::from_str(text)?;
    if answer.kind.as_deref() == Some("Status") {
        // The server also returns a `Status` for objects that finalizers keep. The watch reports their deletion.
        return Ok(Outcome::Done);
    }
    let object = Object::decode(write.kind, text)?;
    let meta = object.meta();
    let graceful = meta.deletion_grace_period_seconds.unwrap_or(0) > 0;
    let has_finalizers = !meta.finalizers.as_deref().unwrap_or_default().is_empty();
    Ok(if metadata::deleting(meta) && (graceful || has_finalizers) { Outcome::Stored(object) } else { gone })
}

/// An object of which only the metadata is decoded, to compare the UID.
#[derive(Deserialize)]
struct Identified {
    metadata: ObjectMeta,
}

async fn exists(store: &dyn Store, kinds: &Kinds, namespace: &str, guard: &Guard) -> Result<bool, Error> {
    // If the kind is not served, the object cannot be requested and counts as existing.
    let (kind, namespace, name, uid) = match guard {
        Guard::Object(kind, key, uid) => (Some(*kind), key.namespace(), key.name(), uid.as_ref()),
        Guard::Owner(owner) => {
            (kinds.of_owner(&owner.api_version, &owner.kind), namespace, owner.name.as_str(), Some(&owner.uid))
        }
    };
    let Some(served) = kind.and_then(|kind| kinds.get(kind)) else { return Ok(true) };
    match store.get(Target::of(served, namespace, name)).await {
        Ok(text) => {
            let found: Identified = serde_json::from_str(&text)?;
            Ok(uid.is_none_or(|uid| found.metadata.uid.as_ref() == Some(uid)))
        }
        Err(error) if error.is_missing() => Ok(false),
        Err(error) => Err(error.into()),
    }
}
