//! The reasons why a component is refused, with the file, the cause and the remedy.

use std::sync::Arc;

use berth_core::model::ObjectKind;

use super::declared::Mistake;
use super::source::Source;
use crate::authority::Refusal;
use crate::contract::{Version, names_alone};
use crate::convert::BadKinds;
use crate::guest::CallError;

/// A refused component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_name}: {cause}")]
pub struct LoadError {
    /// The file, or the name of the built-in component.
    pub source_name: String,
    /// The reason.
    pub cause: LoadCause,
}

impl LoadError {
    /// Returns an error about `source`.
    #[must_use]
    pub fn new(source: &Source, cause: impl Into<LoadCause>) -> Self {
        Self { source_name: source.to_string(), cause: cause.into() }
    }
}

/// The reason why a component is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadCause {
    /// The file can't be read.
    #[error("can't be read: {0}")]
    Unreadable(String),
    /// The file is larger than [`berth_core::limits::Limits::file_size`].
    #[error("is {size} bytes large, more than the {limit} that a component may have")]
    TooLarge {
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The engine can't be started, so the component was not tested.
    #[error("can't be tested because the WebAssembly engine does not start: {0}")]
    NoEngine(String),
    /// The file is empty.
    #[error("is empty; was it still being written?")]
    Empty,
    /// The file is truncated.
    #[error("is cut off after {0} bytes; was it still being written? Copy it under another name and rename it")]
    Truncated(usize),
    /// The file does not begin with the magic number of WebAssembly.
    #[error("is not WebAssembly: a component begins with the bytes `\\0asm`")]
    NotWasm,
    /// The file is a core module, not a component.
    #[error(
        "is a core module, not a component: turn it into one with `wasm-tools component new`, or build it as the SDK's README says"
    )]
    CoreModule,
    /// The file is not valid WebAssembly.
    #[error("is not valid WebAssembly: {0}")]
    Invalid(String),
    /// The component does not export `plugin`.
    #[error("exports no `berth:scheduler/plugin@{}`: it is not a plugin for Berth", Version::NEWEST)]
    NotAPlugin,
    /// The component was built for another version of the contract.
    #[error(
        "uses version {found} of the contract berth:scheduler (`{name}`), but this host serves {}: build it with the SDK \
         of version {}",
        Version::all(),
        Version::NEWEST
    )]
    OtherVersion {
        /// The name of the import or export.
        name: String,
        /// Its version.
        found: String,
    },
    /// The component uses interfaces of several versions of the contract.
    #[error("mixes versions of the contract berth:scheduler: it has `{one}` and `{other}`. Build it with one SDK")]
    MixedVersions {
        /// The name of an import or export.
        one: String,
        /// The name of another one, of another version.
        other: String,
    },
    /// A function is missing or has the wrong type.
    #[error("does not conform to the contract berth:scheduler: {0}. Build it with the SDK of this host's release")]
    OtherTypes(String),
    /// The component imports something that plugins may not use.
    #[error(
        "imports `{0}`, which the host does not provide: plugins may import only berth:scheduler/log. {hint}",
        hint = import_hint(.0)
    )]
    Import(String),
    /// The component exports no extension point that the host calls.
    #[error("exports none of the extension points {alone}; it exports {0}", alone = names_alone())]
    NothingToCall(String),
    /// The component declares facts without the export `snapshot`.
    #[error("declares that it reads {0}, but exports no `berth:scheduler/snapshot` to receive it")]
    NoSnapshot(String),
    /// The component declares an invalid kind or field.
    #[error("has an invalid declaration of objects: {0}")]
    Kinds(#[from] BadKinds),
    /// The declaration contradicts itself or the exports.
    #[error("{0}")]
    Mistake(#[from] Mistake),
    /// The schema of the arguments is invalid.
    #[error("describes its arguments by an invalid JSON Schema: {0}")]
    Schema(String),
    /// The component reads kinds that are not granted to it.
    #[error("{0}")]
    NotGranted(#[from] Refusal),
    /// A kind can't be listed: the list is forbidden, or failed for a while. The informer continues to try.
    #[error("reads {kind}, which can't be listed here: {why}")]
    NotListed {
        /// The kind that can't be listed.
        kind: Arc<ObjectKind>,
        /// The API server's message, and the remedy.
        why: Arc<str>,
    },
    /// The component declares normalization `custom` without the export `normalize`.
    #[error("declares that it normalizes scores itself, but exports no `berth:scheduler/normalize`")]
    NoNormalize,
    /// The name is invalid.
    #[error("has the invalid name {0:?}: a name has 1 to 63 letters, digits, `-`, `_` and `.`")]
    BadName(String),
    /// A call failed before any cycle.
    #[error("{0}")]
    Call(#[from] CallError),
    /// `configure` refused the arguments.
    #[error("refuses its arguments: {message} (arguments: {arguments})")]
    Arguments {
        /// The plugin's message.
        message: String,
        /// The arguments, truncated.
        arguments: String,
    },
    /// The trial run failed.
    #[error("failed its trial run over {nodes} nodes: {error}")]
    Trial {
        /// The number of nodes in the trial.
        nodes: usize,
        /// The error of the call.
        error: CallError,
    },
    /// A score in the trial run is out of range.
    #[error("failed its trial run: a score of {score}, but {rule}")]
    Score {
        /// The score.
        score: i64,
        /// The rule for scores.
        rule: &'static str,
    },
    /// Another file has the same name.
    #[error("has the name {name}, which {other} already has; remove one of them")]
    NameTaken {
        /// The name of the plugin.
        name: String,
        /// The other file.
        other: String,
    },
    /// The instance was ready, and then failed on the latest changes.
    #[error("failed on the cluster's latest changes: it {0}")]
    LateFailure(String),
    /// There are more files than [`berth_core::limits::Limits::files`].
    #[error("is one of more than {0} components in the directory; remove some, or raise the limit")]
    TooMany(usize),
}

impl LoadCause {
    /// Returns whether a later attempt may succeed with the same component and arguments.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::NotListed { .. })
    }
}

fn import_hint(name: &str) -> &'static str {
    if name.starts_with("wasi:") {
        "Of WASI 0.2, the host provides only stubs of cli, clocks, filesystem, io, random and sockets; build it \
         without other WASI interfaces"
    } else {
        "Remove the code that needs the import"
    }
}
