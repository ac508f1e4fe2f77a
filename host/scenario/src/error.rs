//! Errors of scenarios.

/// The reason why a scenario can't be read or run. A condition that is not true is no error, but an
/// [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// A field of the file is wrong.
    #[error("{path}: {why}")]
    Field {
        /// The path of the field, such as `steps[2].create`.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A step can't be done.
    #[error("{0}")]
    Step(String),
    /// The plugins or the configuration can't be used.
    #[error("{0}")]
    Policy(String),
    /// A part of the cluster can't be started.
    #[error("{what}: {why}")]
    Cluster {
        /// The part.
        what: &'static str,
        /// The reason.
        why: String,
    },
}

impl ScenarioError {
    /// Returns an error about a field.
    pub(crate) fn field(path: impl Into<String>, why: impl ToString) -> Self {
        Self::Field { path: path.into(), why: why.to_string() }
    }

    /// Returns an error about a part of the cluster.
    pub(crate) fn cluster(what: &'static str, why: impl ToString) -> Self {
        Self::Cluster { what, why: why.to_string() }
    }
}
