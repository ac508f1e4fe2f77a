//! Plays back the captures that the schedulers of a test made.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use berth_analysis::preview::{MOST_DECISIONS, PastPolicy, preview};
use berth_analysis::whatif::Policy;
use berth_capture::{CaptureError, CaptureReader, files};
use berth_core::plugins::ExtensionPoints;
use berth_plugin_host::ComponentSet;
use berth_replay::{LastDecisions, Outcome, Replay, ReplayError, ReplayOptions, cycles, patient};

use crate::redacted;

/// The sizes of the result cache with which captures are played back, in bytes: as usual, none, and one that holds few
/// results. The actions depend on none of them.
const CACHES: [usize; 3] = [256 << 20, 0, 16 << 10];

/// Plays back every capture in the directory, with the copies of components in it, and with each size of the result
/// cache. Then plays back a redacted copy.
///
/// # Errors
/// A capture can't be played back or redacted, or an action differs from the recorded one.
pub fn replay_all(directory: &Path) -> Result<()> {
    for path in files::list(directory)? {
        let components = components(&path).with_context(|| path.display().to_string())?;
        for cache in CACHES {
            let about = || format!("{}, with {cache} bytes of result cache", path.display());
            let outcome = replay_with_cache(&path, &components, cache).with_context(about)?;
            ensure!(outcome.lost_steps == 0, "{}: {} steps are lost", about(), outcome.lost_steps);
            if let Some(difference) = outcome.first_difference {
                bail!("{}: {} steps differ; the first: {difference:#?}", about(), outcome.differing_steps);
            }
        }
        decide_again(&path, &components).with_context(|| path.display().to_string())?;
        redacted::check(&path, components).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Judges the last decisions of a capture with the policies that decided. Each must decide as recorded.
fn decide_again(path: &Path, components: &Arc<ComponentSet>) -> Result<()> {
    let reader = CaptureReader::open(path)?;
    // A sandbox asks no extenders.
    if !reader.header().extenders.is_empty() {
        return Ok(());
    }
    let mut decisions = LastDecisions::new(MOST_DECISIONS);
    let mut replay = Replay::new(reader, Arc::clone(components), LastDecisions::replay_options())?;
    decisions.play(&mut replay, cycles(CaptureReader::open(path)?)?, &mut || true)?;
    let decisions = decisions.into_decisions();
    for of_policy in decisions.chunk_by(|one, other| Arc::ptr_eq(&one.policy, &other.policy)) {
        let PastPolicy { components, specs } = &*of_policy[0].policy;
        let preview = preview(of_policy, Policy { components, specs }, &mut || true)?;
        ensure!(preview.different.is_empty(), "{preview:#?}");
        // A plugin that reserves or permits can have a state of its own, which a sandbox lacks.
        let own_state = ExtensionPoints::RESERVE | ExtensionPoints::PERMIT;
        let mut own = components.components().filter(|component| !component.source.is_built_in());
        if !own.any(|component| component.points.intersects(own_state)) {
            ensure!(preview.notes.is_empty() && preview.judged == of_policy.len(), "{preview:#?}");
        }
    }
    Ok(())
}

/// Plays a capture back to its end.
///
/// # Errors
/// The capture can't be read to its end, or a component is missing.
pub fn replay(path: &Path) -> Result<Outcome> {
    replay_with_cache(path, &components(path)?, CACHES[0])
}

/// Loads the default plugins and the copies of components beside the capture, with the configuration of the capture.
///
/// # Errors
/// The capture can't be read, or its configuration is invalid.
pub fn components(path: &Path) -> Result<Arc<ComponentSet>> {
    let reader = CaptureReader::open(path)?;
    let text = reader.header().configuration.to_string();
    let berth = berth_config::parse(&text, "the configuration of the capture")?.berth;
    let modules = path.parent().map(|folder| folder.join(files::MODULES)).filter(|folder| folder.is_dir());
    let options = berth::loader_options(&berth, modules, Arc::new(patient(&berth.limits())))?;
    Ok(Arc::new(ComponentSet::load(&options)?))
}

fn replay_with_cache(path: &Path, components: &Arc<ComponentSet>, result_cache_bytes: usize) -> Result<Outcome> {
    let options = ReplayOptions { result_cache_bytes, ..ReplayOptions::default() };
    let mut replay = Replay::new(CaptureReader::open(path)?, Arc::clone(components), options)?;
    while replay.step()? {}
    Ok(replay.outcome().clone())
}

/// Returns whether the scheduler that writes a capture has not ended it yet.
#[must_use]
pub fn is_being_written(error: &anyhow::Error) -> bool {
    let truncated = |error: &CaptureError| matches!(error, CaptureError::Truncated(_));
    error.chain().any(|cause| {
        cause.downcast_ref::<CaptureError>().is_some_and(truncated)
            || matches!(cause.downcast_ref::<ReplayError>(), Some(ReplayError::Capture(error)) if truncated(error))
    })
}
