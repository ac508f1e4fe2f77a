//! Why a component was refused: the file, the cause, and what to do.

use std::sync::Arc;

use berth_core::model::ObjectKind;

use super::contract::CONTRACT;
use super::source::Source;
use crate::convert::BadKinds;
use crate::guest::CallError;

/// A component that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_name}: {cause}")]
pub struct LoadError {
    /// The file.
    pub source_name: String,
    /// What is wrong with it.
    pub cause: LoadCause,
}

impl LoadError {
    /// `cause`, about `source`.
    #[must_use]
    pub fn new(source: &Source, cause: impl Into<LoadCause>) -> Self {
        Self { source_name: source.to_string(), cause: cause.into() }
    }
}

/// What is wrong with a component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadCause {
    /// It can't be read.
    #[error("can't be read: {0}")]
    Unreadable(String),
    /// Larger than [`crate::Limits::file_size`].
    #[error("is {size} bytes large, more than the {limit} that a component may have")]
    TooLarge {
        /// Bytes.
        size: u64,
        /// Bytes.
        limit: u64,
    },
    /// It may be good, but nothing can run here.
    #[error("can't be tried, as the WebAssembly engine does not start: {0}")]
    NoEngine(String),
    /// Nothing in it.
    #[error("is empty; was it still being written?")]
    Empty,
    /// It ends too early.
    #[error("is cut off after {0} bytes; was it still being written? Copy it under another name and rename it")]
    Truncated(usize),
    /// It doesn't begin as WebAssembly does.
    #[error("is not WebAssembly: a component begins with the bytes `\\0asm`")]
    NotWasm,
    /// WebAssembly, but not a component.
    #[error(
        "is a core module, not a component: turn it into one with `wasm-tools component new`, or build it as the SDK's README says"
    )]
    CoreModule,
    /// WebAssembly's own rules are broken.
    #[error("is not valid WebAssembly: {0}")]
    Invalid(String),
    /// A component of another purpose.
    #[error("exports no `berth:scheduler/plugin@{CONTRACT}`: it is not a plugin for Berth")]
    NotAPlugin,
    /// Built for another version of the contract.
    #[error(
        "speaks version {found} of the contract berth:scheduler (`{name}`), this host speaks {CONTRACT}: build it with the SDK of that version"
    )]
    OtherVersion {
        /// The import or export.
        name: String,
        /// Its version.
        found: String,
    },
    /// A function is missing or of another type.
    #[error(
        "doesn't keep to the contract berth:scheduler@{CONTRACT}: {0}. Build it with the SDK of this host's release"
    )]
    OtherTypes(String),
    /// It wants to be given something that plugins don't get.
    #[error("imports `{0}`, which plugins are not given: they are pure, and import only berth:scheduler/log. {hint}", hint = import_hint(.0))]
    Import(String),
    /// It exports nothing that the host calls.
    #[error(
        "takes part in no extension point (pre-enqueue, queue-sort, pre-filter, filter, post-filter, pre-score, score, reserve, permit, pre-bind, bind, post-bind); it exports {0}"
    )]
    NothingToCall(String),
    /// It reads facts that nobody can give it.
    #[error(
        "declares that it reads {0}, but exports no `berth:scheduler/snapshot@{CONTRACT}` through which it would learn them"
    )]
    NoSnapshot(String),
    /// It wants to read something that is no kind, or no field.
    #[error("can't read objects as it wants to: {0}")]
    Kinds(#[from] BadKinds),
    /// A kind can't be listed: it is forbidden, or every attempt fails for a while. Attempts go on.
    #[error("reads {kind}, which can't be listed here: {why}")]
    NotListed {
        /// The kind.
        kind: Arc<ObjectKind>,
        /// The API server's words, and what helps.
        why: Arc<str>,
    },
    /// It declares `custom`, without the export.
    #[error("declares that it normalizes scores itself, but exports no `berth:scheduler/normalize@{CONTRACT}`")]
    NoNormalize,
    /// Not a name.
    #[error("calls itself {0:?}: a name has 1 to 63 letters, digits, `-`, `_` and `.`")]
    BadName(String),
    /// A call into it failed before any cycle.
    #[error("{0}")]
    Call(#[from] CallError),
    /// `configure` refused the arguments. Its own words.
    #[error("refuses its arguments: {message} (arguments: {arguments})")]
    Arguments {
        /// What the plugin said.
        message: String,
        /// What it was given, cut.
        arguments: String,
    },
    /// The trial run failed.
    #[error("failed its trial run over {nodes} nodes: {error}")]
    Trial {
        /// How many nodes it was tried on.
        nodes: usize,
        /// What was wrong.
        error: CallError,
    },
    /// It gave a score that may not be.
    #[error("failed its trial run: a score of {score} where {rule}")]
    Score {
        /// The score.
        score: i64,
        /// What scores have to be.
        rule: &'static str,
    },
    /// Another file has its name.
    #[error("calls itself {name}, as {other} does already; remove one of them")]
    NameTaken {
        /// The name.
        name: String,
        /// The file that has it.
        other: String,
    },
    /// It was ready, and failed on the changes that came meanwhile.
    #[error("failed on the cluster's latest changes: it {0}")]
    LateFailure(String),
    /// More files than [`crate::Limits::files`].
    #[error("is one of more than {0} components in the directory; remove some, or raise the limit")]
    TooMany(usize),
}

impl LoadCause {
    /// Whether it may be otherwise at the next try, though neither the component nor its arguments change.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::NotListed { .. })
    }
}

fn import_hint(name: &str) -> &'static str {
    if name.starts_with("wasi:") {
        "Of WASI 0.2 there are cli, clocks, filesystem, io, random and sockets, with nothing behind them; build it without the rest"
    } else {
        "Remove what needs the import"
    }
}
