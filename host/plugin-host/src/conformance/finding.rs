//! A promise that was broken: by whom, where, and how.

use std::fmt;
use std::sync::Arc;

use super::answer::Answer;
use super::promise::Promise;
use crate::guest::{CallError, Export};

/// A promise that a plugin broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its name.
    pub plugin: Arc<str>,
    /// What it did not hold.
    pub promise: Promise,
    /// Where.
    pub export: Export,
    /// About which node, if about one: its name, and what happened to it last.
    pub node: Option<(Box<str>, &'static str)>,
    /// For which pod, if for one.
    pub pod: Option<Box<str>>,
    /// After so many changes of the cluster.
    pub deltas: usize,
    /// How.
    pub what: What,
    /// How often it broke the same promise there again.
    pub again: usize,
}

/// How a promise was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A call gave no answer, or one that can't be used.
    Failed(CallError),
    /// A score that may not be.
    OutOfRange {
        /// The score.
        score: i64,
        /// What scores have to be.
        rule: &'static str,
    },
    /// Two answers that have to be equal are not.
    Differs {
        /// One of them, and when it was given.
        one: (Answer, &'static str),
        /// The other.
        other: (Answer, &'static str),
    },
    /// It declares something else with the same arguments.
    DeclaresOtherwise,
    /// Its memory never came to rest.
    Grows {
        /// Bytes when the rounds began.
        from: usize,
        /// Bytes at their end.
        to: usize,
        /// How many.
        rounds: usize,
        /// So many in a row would have been enough without growth.
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
        write!(f, ", after {} changes: {}", self.deltas, self.what)?;
        match self.again {
            0 => Ok(()),
            again => write!(f, " [and {again} times more]"),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "it {error}"),
            Self::OutOfRange { score, rule } => write!(f, "a score of {score}, where {rule}"),
            Self::Differs { one, other } => {
                write!(f, "it says \"{}\" {}, and \"{}\" {}", one.0, one.1, other.0, other.1)
            }
            Self::DeclaresOtherwise => f.write_str("it declares something else with the same arguments"),
            Self::Grows { from, to, rounds, rest } => write!(
                f,
                "its memory grew from {} to {} KiB over {rounds} rounds of the same nodes, pods and templates coming and \
                 going, and never rested for {rest} of them",
                from / 1024,
                to / 1024
            ),
        }
    }
}
