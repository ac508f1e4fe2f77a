//! `--watch`: runs the scenarios again when a file changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result};
use notify::event::{AccessKind, EventKind};
use notify::{Event, RecursiveMode, Watcher};

use crate::cli::{out, report};

/// The time without a change before the scenarios run, because editors and compilers write files in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// Runs the scenarios now, and after each change of the paths or of the files on which the last run depended. Runs until
/// the process is stopped.
///
/// # Errors
/// The system can't watch files.
pub(super) fn run_again(paths: &[PathBuf], mut run: impl FnMut() -> Result<(bool, Vec<PathBuf>)>) -> Result<()> {
    let (changed, changes) = channel();
    // The receiver lives as long as this function.
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.map_or(true, |event| !is_read(&event)) {
            let _ = changed.send(());
        }
    })
    .context("--watch: watching files")?;
    let mut watched = BTreeSet::new();
    let mut depends: Vec<PathBuf> = paths.to_vec();
    loop {
        for path in &depends {
            // The directory of a file is watched, because editors replace files.
            let directory = if path.is_dir() { path.clone() } else { parent(path) };
            if watched.insert(directory.clone()) {
                let place = || format!("--watch: {}", directory.display());
                watcher.watch(&directory, RecursiveMode::Recursive).with_context(place)?;
            }
        }
        match run() {
            Ok((_, more)) => depends = more,
            // A mistake that the next change can mend.
            Err(error) => report(&error),
        }
        out::line("Waiting for a change. Ctrl-C ends.")?;
        if changes.recv().is_err() {
            return Ok(());
        }
        while changes.recv_timeout(QUIET).is_ok() {}
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Returns whether the event only reports that a file was read, as the run itself does.
fn is_read(event: &Event) -> bool {
    matches!(event.kind, EventKind::Access(access) if !matches!(access, AccessKind::Close(notify::event::AccessMode::Write)))
}
