//! What scores and what runs before and after them answer.

/// An answer, or a message that fails the pod's cycle.
pub type Outcome<T> = Result<T, String>;

/// What a score, a pre-score or a normalize may return: the plain answer, or a `Result` with any error that can be shown.
pub trait IntoOutcome<T> {
    /// The answer, or the message.
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
    /// Score them.
    Score,
    /// The plugin has nothing to say about this pod; it adds nothing to any node's total.
    Skip,
}
