//! Sends a [`Write`] to the API server, and interprets the response.

use kube::Client;
use kube::core::Status;
use kube::core::params::{DeleteParams, GetParams, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy};
use kube::core::request::Request;
use serde::Deserialize;

use super::kinds::{Kind, Kinds, Object, Other};
use super::metadata::{self, Key};
use super::namespace;
use super::write::{Action, Grace, Guard, Propagation, Strategy, Write};

/// The field manager under which the controllers write.
const MANAGER: &str = "berth-controllers";

/// The result of a request.
#[derive(Debug)]
pub enum Outcome {
    /// The current state of the object.
    Seen(Object),
    /// The object with this UID is deleted.
    Gone(Kind, Key, String),
    /// Nothing new is known: the object was already gone, or a guard prevented the request.
    Done,
    /// The request failed and can be retried later.
    Failed(Error),
}

/// An error of a request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server rejected the request or is not reachable.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// The request cannot be built.
    #[error("the request can't be built: {0}")]
    Request(#[from] kube::core::request::Error),
    /// The response is not an object of the kind.
    #[error("the API server's answer can't be read: {0}")]
    Answer(#[from] serde_json::Error),
    /// The API server does not serve the kind any more.
    #[error("the API server doesn't serve the kind {0}")]
    Unserved(Kind),
    /// The namespace still contains objects.
    #[error("the namespace still holds objects")]
    NotEmpty,
}

impl Error {
    /// Returns true for errors that result from concurrent changes: a conflict with another writer, or a terminating
    /// namespace.
    pub fn is_race(&self) -> bool {
        let terminating = |status: &Status| {
            let details = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
            details.iter().any(|cause| cause.reason == "NamespaceTerminating")
        };
        matches!(self, Error::NotEmpty) || self.code() == Some(409) || self.status().is_some_and(terminating)
    }

    fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    fn status(&self) -> Option<&Status> {
        match self {
            Error::Api(kube::Error::Api(status)) => Some(status),
            _ => None,
        }
    }

    /// Returns the error in one line.
    pub fn summary(&self) -> String {
        self.status().map_or_else(|| self.to_string(), |status| status.message.clone())
    }
}

/// Sends a write. A response that only reports a concurrent change is not a failure.
pub async fn send(client: &Client, kinds: &Kinds, write: &Write) -> Outcome {
    match attempt(client, kinds, write).await {
        Ok(outcome) => outcome,
        Err(error) => match (&write.action, error.code()) {
            (Action::Delete { uid, .. }, Some(404 | 409)) => Outcome::Gone(write.kind, write.key.clone(), uid.clone()),
            (Action::Patch { .. }, Some(404)) => Outcome::Done,
            _ => Outcome::Failed(error),
        },
    }
}

async fn attempt(client: &Client, kinds: &Kinds, write: &Write) -> Result<Outcome, Error> {
    for guard in &write.unless {
        if exists(client, kinds, write.key.namespace(), guard).await? {
            return Ok(Outcome::Done);
        }
    }
    let served = kinds.get(write.kind).ok_or(Error::Unserved(write.kind))?;
    let request = Request::new(served.path(write.key.namespace()));
    let name = write.key.name();
    match &write.action {
        Action::Create(body) => {
            let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
            let text = client.request_text(request.create(&params, serde_json::to_vec(&**body)?)?).await?;
            Ok(Outcome::Seen(Object::decode(write.kind, &text)?))
        }
        Action::Patch { subresource, strategy, body } => {
            let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
            let patch = match strategy {
                Strategy::Merge => Patch::Merge(body),
                Strategy::Strategic => Patch::Strategic(body),
            };
            let request = match *subresource {
                "" => request.patch(name, &params, &patch)?,
                subresource => request.patch_subresource(subresource, name, &params, &patch)?,
            };
            Ok(Outcome::Seen(Object::decode(write.kind, &client.request_text(request).await?)?))
        }
        Action::Delete { uid, grace, propagation } => {
            let request = request.delete(name, &delete_params(uid, *grace, *propagation))?;
            deleted(write, uid, &client.request_text(request).await?)
        }
        Action::Empty => namespace::empty(client, kinds, name).await,
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
    let held = !meta.finalizers.as_deref().unwrap_or_default().is_empty();
    Ok(if metadata::deleting(meta) && (graceful || held) { Outcome::Seen(object) } else { gone })
}

async fn exists(client: &Client, kinds: &Kinds, namespace: &str, guard: &Guard) -> Result<bool, Error> {
    // If the kind is not served, the object cannot be requested and counts as existing.
    let (kind, namespace, name, uid) = match guard {
        Guard::Object(kind, key, uid) => (Some(*kind), key.namespace(), key.name(), uid.as_ref()),
        Guard::Owner(owner) => {
            (kinds.of_owner(&owner.api_version, &owner.kind), namespace, owner.name.as_str(), Some(&owner.uid))
        }
    };
    let Some(served) = kind.and_then(|kind| kinds.get(kind)) else { return Ok(true) };
    let path = served.path(namespace);
    let request = Request::new(path).get_metadata(name, &GetParams::default())?;
    match client.request::<Other>(request).await {
        Ok(found) => Ok(uid.is_none_or(|uid| found.metadata.uid.as_ref() == Some(uid))),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
        Err(error) => Err(error.into()),
    }
}
