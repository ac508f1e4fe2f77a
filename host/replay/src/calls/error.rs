//! Why two builds can't be compared.

use berth_plugin_host::LoadError;

use super::report::NotServed;
use crate::error::ReplayError;

/// The reason why the calls about a pod can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CallsError {
    /// The capture has no pod of this name.
    #[error("the pod {pod} never appears in the capture{}", .similar.as_ref().map_or_else(String::new, |name| format!("; did you mean {name}?")))]
    NoPod {
        /// Namespace and name.
        pod: String,
        /// Namespace and name of a similar pod.
        similar: Option<String>,
    },
    /// The scheduler of the capture did not try to schedule the pod.
    #[error(
        "the capture has no scheduling attempt of the pod {0}: the pod was bound before, waited all the time, or is for another \
         scheduler; `berth explain pod` tells about the pod"
    )]
    NoAttempt(String),
    /// The plugin did not serve the pod.
    #[error(
        "the plugin {plugin} did not serve in the capture{}; these plugins served: {}",
        .not_served.similar.as_ref().map_or_else(String::new, |name| format!("; did you mean {name}?")),
        .not_served.served.join(", ")
    )]
    NotServed {
        /// The plugin's name.
        plugin: String,
        /// The plugins that served.
        not_served: NotServed,
    },
    /// The capture was made from outside.
    #[error(
        "the capture has no scheduling attempts, because `berth capture` made it from outside; record the scheduler with \
         `berth run --capture DIR`"
    )]
    FromOutside,
    /// The local build reads a kind that the scheduler did not record.
    #[error(
        "the plugin {plugin} reads {what}, which the capture lacks: a scheduler records the kinds that its plugins read; record \
         a scheduler with a plugin that reads this kind"
    )]
    KindNotRecorded {
        /// The plugin's name.
        plugin: String,
        /// The kind.
        what: String,
    },
    /// A build can't be asked.
    #[error(transparent)]
    Build(#[from] LoadError),
    /// The capture can't be played back.
    #[error(transparent)]
    Replay(ReplayError),
}

impl From<ReplayError> for CallsError {
    fn from(error: ReplayError) -> Self {
        match error {
            // The remedy for a capture from outside does not help here.
            ReplayError::NotInCapture { plugin, what, is_kind: true } => Self::KindNotRecorded { plugin, what },
            other => Self::Replay(other),
        }
    }
}
