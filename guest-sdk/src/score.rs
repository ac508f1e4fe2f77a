//! The answers of scores, and of the functions before and after scores.

/// An answer, or a message that fails the pod's cycle.
pub type Outcome<T> = Result<T, String>;

/// The return type of a score, pre-score or normalize: a plain answer, or a `Result` with an error that can be
/// displayed.
pub trait IntoOutcome<T> {
    /// Returns the answer, or the error's message.
    fn into_outcome(self) -> Outcome<T>;
}

impl<T> IntoOutcome<T> for T {
    fn into_outcome(self) -> Outcome<T> {
        Ok(self)
    }
}

impl<T, E: std::fmt::Display> IntoOutcome<T> for Result<T, E> {
    fn into_outcome(self) -> Outcome<T> {
        self.map_err(|error| error.to_string())
    }
}

/// Whether a plugin scores this pod's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreScore {
    /// The plugin scores this pod's nodes.
    Score,
    /// The plugin does not score this pod's nodes, and adds nothing to the total score of any node.
    Skip,
}
