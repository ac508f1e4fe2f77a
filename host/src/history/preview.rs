//! Previews of another policy: which of the last decisions it would have changed. The decisions come from the capture.

use std::path::PathBuf;
use std::sync::Arc;

use berth_admin::api::QuestionError;
use berth_analysis::preview::{self, MOST_DECISIONS, PolicyChange, Preview};
use berth_analysis::{SandboxError, whatif};
use berth_capture::{CaptureError, CaptureReader};
use berth_plugin_host::ComponentSet;
use berth_replay::{LastDecisions, Replay, ReplayError, cycles};

use super::Recording;
use super::policy_change::{ChangeRefused, Serving};

/// The reason why there is no preview.
#[derive(Debug, thiserror::Error)]
pub enum NoPreview {
    /// The change is refused.
    #[error(transparent)]
    Change(#[from] ChangeRefused),
    /// A file of the capture can't be read.
    #[error("can't read the capture: {0}")]
    Capture(#[from] CaptureError),
    /// A plugin that decided is gone.
    #[error("the plugin {0}, which took part in the last decisions, is not loaded any more, so they can't be judged")]
    PluginGone(String),
    /// The capture can't be played back.
    #[error("can't play the capture back: {0}")]
    Replay(ReplayError),
    /// The decisions can't be judged.
    #[error("can't judge the last decisions: {0}")]
    Sandbox(#[from] SandboxError),
    /// There was not enough time.
    #[error("playing the capture back takes too long; use a smaller --capture-limit, so that its files are smaller")]
    TooLong,
}

impl From<ReplayError> for NoPreview {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::MissingComponent { name, .. } => Self::PluginGone(name),
            other => Self::Replay(other),
        }
    }
}

impl From<NoPreview> for QuestionError {
    fn from(error: NoPreview) -> Self {
        match error {
            NoPreview::Change(_) => Self::Invalid(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl Recording {
    /// Judges the last decisions of the capture with a change of the profiles that serve. Ends early when `go_on` returns
    /// false.
    ///
    /// # Errors
    /// The change is invalid, or the capture can't be played back.
    pub fn preview(
        &self,
        serving: &Serving,
        change: &PolicyChange,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Preview, NoPreview> {
        let specs = serving.changed(change)?;
        let decisions = last_decisions(&self.files, &self.components, go_on)?;
        let policy = whatif::Policy { components: &serving.components, specs: &specs };
        Ok(preview::preview(&decisions.into_decisions(), policy, go_on)?)
    }
}

/// Plays the end of a capture back: as many of the latest files as have the decisions.
fn last_decisions(
    files: &[PathBuf],
    components: &Arc<ComponentSet>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<LastDecisions, NoPreview> {
    let (mut chosen, mut total) = (Vec::new(), 0);
    for file in files.iter().rev() {
        let cycles = match CaptureReader::open(file).and_then(cycles) {
            // The scheduler has just begun the file.
            Err(CaptureError::Truncated(None)) => continue,
            cycles => cycles?,
        };
        chosen.push((file, cycles));
        total += cycles;
        if total >= MOST_DECISIONS as u64 {
            break;
        }
    }
    let mut decisions = LastDecisions::new(MOST_DECISIONS);
    for (file, cycles) in chosen.into_iter().rev() {
        let reader = CaptureReader::open(file)?;
        let mut replay = Replay::new(reader, Arc::clone(components), LastDecisions::replay_options())?;
        if !decisions.play(&mut replay, cycles, go_on)? {
            return Err(NoPreview::TooLong);
        }
    }
    Ok(decisions)
}
