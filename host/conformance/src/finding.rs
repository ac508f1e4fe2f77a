//! A finding: a promise that a plugin broke.

use std::fmt;
use std::sync::Arc;

use super::answer::Answer;
use super::promise::Promise;
use berth_plugin_host::CallError;
use berth_plugin_host::Export;

/// A promise that a plugin broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// The broken promise.
    pub promise: Promise,
    /// The function that was called.
    pub export: Export,
    /// The node, if the finding is about one: its name, and its last change or `its score`.
    pub node: Option<(Box<str>, &'static str)>,
    /// The pod, if the finding is about one.
    pub pod: Option<Box<str>>,
    /// The number of changes of the cluster before the finding.
    pub deltas: usize,
    /// The details.
    pub violation: Violation,
    /// The number of further findings with the same promise and the same function.
    pub repetitions: usize,
}

/// The details of a broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a check keeps few findings")]
pub enum Violation {
    /// A call failed or gave an invalid answer.
    Failed(CallError),
    /// A score is out of range.
    OutOfRange {
        /// The score.
        score: i64,
        /// The rule for scores.
        rule: &'static str,
    },
    /// Two answers that must be equal differ.
    Differs {
        /// The first answer, and the circumstances of its call as text, for example `in the first call`.
        one: (Answer, &'static str),
        /// The second answer, and the circumstances of its call as text.
        other: (Answer, &'static str),
    },
    /// The plugin returned another declaration for the same arguments.
    OtherDeclaration,
    /// The memory never stopped growing.
    Grows {
        /// The bytes before the first round.
        from: usize,
        /// The bytes after the last round.
        to: usize,
        /// The number of rounds.
        rounds: usize,
        /// The required number of consecutive rounds without growth.
        rest: usize,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} in {}", self.plugin, self.promise, self.export)?;
        if let Some((node, last)) = &self.node {
            write!(f, ", node {node} ({last})")?;
        }
        if let Some(pod) = &self.pod {
            write!(f, ", pod {pod}")?;
        }
        write!(f, ", after {} changes: {}", self.deltas, self.violation)?;
        match self.repetitions {
            0 => Ok(()),
            repetitions => write!(f, " (and {repetitions} more)"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "it {error}"),
            Self::OutOfRange { score, rule } => write!(f, "a score of {score}, but {rule}"),
            Self::Differs { one, other } => {
                write!(f, "it returned \"{}\" {}, but \"{}\" {}", one.0, one.1, other.0, other.1)
            }
            Self::OtherDeclaration => f.write_str("it returns another declaration for the same arguments"),
            Self::Grows { from, to, rounds, rest } => write!(
                f,
                "its memory grew from {} to {} KiB in {rounds} rounds that replace the same nodes, pods and signatures, \
                 and was never stable for {rest} rounds",
                from / 1024,
                to / 1024
            ),
        }
    }
}
