//! The error of a request to a store.

use kube::core::Status;

/// The reason that a request to a store failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store rejected the request.
    #[error("{}", .0.message)]
    Rejected(Box<Status>),
    /// The store did not answer, or its answer cannot be read.
    #[error(transparent)]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns an error for a request without an answer.
    pub fn failed(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Error::Failed(Box::new(cause))
    }

    /// Returns the status with which the store rejected the request.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Error::Rejected(status) => Some(status),
            Error::Failed(_) => None,
        }
    }

    /// Returns the HTTP status code of the rejection.
    pub fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    /// Returns true if the object, its collection or its namespace does not exist.
    pub fn is_missing(&self) -> bool {
        self.code() == Some(404)
    }
}

impl From<kube::Error> for Error {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Error::Rejected(status),
            other => Error::failed(other),
        }
    }
}
