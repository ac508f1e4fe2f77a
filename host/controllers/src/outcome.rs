//! The result of a request to the store.

use kube::core::Status;

use super::kinds::{Kind, Object};
use super::metadata::Key;
use super::store;

/// The result of a request.
#[derive(Debug)]
pub enum Outcome {
    /// The current state of the object.
    Stored(Object),
    /// The object with this UID is deleted.
    Gone(Kind, Key, String),
    /// The request needs no further work, and no new state of the object is known. For example, a guard prevented the
    /// request, or the object to patch was already gone.
    Done,
    /// The request failed and can be retried later.
    Failed(Error),
}

/// An error of a request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store rejected the request or is not reachable.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The response is not an object of the kind.
    #[error("the API server's answer can't be read: {0}")]
    Answer(#[from] serde_json::Error),
    /// The store does not serve the kind any more.
    #[error("the API server doesn't serve the kind {0}")]
    Unserved(Kind),
    /// The namespace still contains objects.
    #[error("the namespace still holds objects")]
    NotEmpty,
}

impl Error {
    /// Returns true for errors that are expected during concurrent changes: a conflict with another writer, a
    /// terminating namespace, or a namespace that still contains objects.
    pub fn is_race(&self) -> bool {
        let terminating = |status: &Status| {
            let details = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
            details.iter().any(|cause| cause.reason == "NamespaceTerminating")
        };
        matches!(self, Error::NotEmpty) || self.code() == Some(409) || self.status().is_some_and(terminating)
    }

    /// Returns the HTTP status code of the response, if there was one.
    pub fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    fn status(&self) -> Option<&Status> {
        match self {
            Error::Store(error) => error.status(),
            _ => None,
        }
    }
}
