//! Why a capture can't be played back.

use std::io;

use berth_capture::CaptureError;
use berth_core::checkpoint::RestoreError;
use berth_plugin_host::AssembleError;

/// The reason why a capture can't be played back.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The capture can't be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A file of the capture can't be read.
    #[error("{file}: {error}")]
    File {
        /// The path of the file.
        file: String,
        /// The reason.
        #[source]
        error: CaptureError,
    },
    /// The capture has no events.
    #[error("the capture has no events")]
    Empty,
    /// The capture has no plugins.
    #[error("the capture has no plugins and profiles; name a configuration with --config")]
    NoPolicy,
    /// The history can't be played back with a policy.
    #[error("{name}: {error}")]
    Policy {
        /// The name of the policy.
        name: String,
        /// The reason.
        #[source]
        error: Box<ReplayError>,
    },
    /// A plugin reads something that the capture lacks.
    #[error(
        "the plugin {plugin} reads {what}, which the capture lacks; {}",
        if *is_kind {
            "record the cluster with berth capture --plugins DIR --config FILE, with this plugin in DIR"
        } else {
            "record the cluster with berth capture --all-fields"
        }
    )]
    NotInCapture {
        /// The plugin's name.
        plugin: String,
        /// The kind or the fields that the capture lacks.
        what: String,
        /// The capture has no object of the kind.
        is_kind: bool,
    },
    /// The copy of the capture can't be written.
    #[error("can't write the copy of the capture: {0}")]
    Copy(#[source] io::Error),
    /// The checkpoint can't be restored.
    #[error("the state at the beginning of the capture can't be restored: {0}")]
    Restore(#[from] RestoreError),
    /// The thread that rebuilds plugins can't be started.
    #[error("can't start the thread that rebuilds plugins: {0}")]
    Thread(#[from] io::Error),
    /// There is no component of a recorded plugin.
    #[error(
        "the plugin {name} served when the capture was made, and no component of it is here; put its file (SHA-256 \
         {digest}…) into a directory and name the directory with --modules"
    )]
    MissingComponent {
        /// The plugin's name.
        name: String,
        /// The first digits of the component's digest.
        digest: String,
    },
    /// The recorded profiles can't be served.
    #[error("the recorded profiles can't be served: {0}")]
    Profiles(#[from] AssembleError),
    /// Other plugins serve in the replay than in the capture.
    #[error("the profile {profile} is served by other plugins than when the capture was made: {what}")]
    OtherPlugins {
        /// `schedulerName`.
        profile: String,
        /// The plugins that serve only in one of the two.
        what: String,
    },
    /// A plugin failed while it was filled with the recorded cluster.
    #[error("the plugins could not be filled with the recorded cluster; the log has the plugin's error")]
    NotFilled,
}

impl ReplayError {
    /// Returns why a file ends early. The capture of a scheduler that crashed or still runs has no last line, and counts
    /// as far as it goes.
    ///
    /// # Errors
    /// Returns this error if it is another one.
    pub fn truncated(self) -> Result<CaptureError, Self> {
        match self {
            Self::Capture(error @ CaptureError::Truncated(_)) => Ok(error),
            other => Err(other),
        }
    }
}
