//! Why a question has no answer.

use berth_apimachinery::nearest;
use berth_apimachinery::objects::ReadError;

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The pod can't be read.
    #[error("the pod can't be read: {0}")]
    Pod(#[from] ReadError),
    /// The node does not exist.
    #[error("there is no node {0:?} in the cluster{1}")]
    NoSuchNode(String, String),
    /// No profile has the pod's scheduler name.
    #[error("no profile has the scheduler name {0:?}, so no plugin can be asked about the pod{1}")]
    AnotherScheduler(String, String),
}

/// Returns `, did you mean NAME?`, or nothing.
pub(super) fn suggestion_of(wrong: &str, names: impl Iterator<Item = impl AsRef<str>>) -> String {
    let names: Vec<String> = names.map(|name| name.as_ref().to_owned()).collect();
    nearest(wrong, names.iter().map(String::as_str)).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}
