//! `--watch`: runs the scenarios again when a file changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::cli::{out, report};

/// The time without a change before the scenarios run, because editors and compilers write files in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// The extensions of files that scenarios read. Another file, such as the JUnit report, may be the result of a run.
const INPUTS: [&str; 3] = ["yaml", "yml", "wasm"];

/// Runs the scenarios now, and after each change of the paths or of the files on which the last run depended. Runs until
/// the process is stopped.
///
/// # Errors
/// The system can't watch files.
pub(super) fn run_again(paths: &[PathBuf], mut run: impl FnMut() -> Result<(bool, Vec<PathBuf>)>) -> Result<()> {
    let (changed, changes) = channel();
    // The receiver lives as long as this function.
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let _ = changed.send(event);
    })
    .context("--watch: watching files")?;
    let mut watched = BTreeSet::new();
    let mut depends: BTreeSet<PathBuf> = paths.iter().cloned().collect();
    watch(&mut watcher, &depends, &mut watched)?;
    loop {
        match run() {
            Ok((_, more)) => depends.extend(more),
            // A mistake that the next change can mend.
            Err(error) => report(&error),
        }
        watch(&mut watcher, &depends, &mut watched)?;
        out::line("Waiting for a change. Ctrl-C ends.")?;
        loop {
            match changes.recv() {
                Ok(event) if event.as_ref().map_or(true, |event| is_change(event, &depends)) => break,
                Ok(_) => {}
                Err(_) => return Ok(()),
            }
        }
        while changes.recv_timeout(QUIET).is_ok() {}
    }
}

/// Watches these files and directories, if they are not yet `watched`.
fn watch(
    watcher: &mut RecommendedWatcher,
    paths: &BTreeSet<PathBuf>,
    watched: &mut BTreeSet<(PathBuf, bool)>,
) -> Result<()> {
    for path in paths {
        // The directory of a file is watched, because editors replace files.
        let (directory, mode) = match path.is_dir() {
            true => (path.clone(), RecursiveMode::Recursive),
            false => (parent(path), RecursiveMode::NonRecursive),
        };
        // The run reports a directory that does not exist.
        if directory.exists() && watched.insert((directory.clone(), path.is_dir())) {
            let place = || format!("--watch: {}", directory.display());
            watcher.watch(&directory, mode).with_context(place)?;
        }
    }
    Ok(())
}

fn parent(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Returns whether the event reports a change of one of these files, or of a file that scenarios may read.
fn is_change(event: &Event, depends: &BTreeSet<PathBuf>) -> bool {
    let is_read =
        matches!(event.kind, EventKind::Access(access) if !matches!(access, AccessKind::Close(AccessMode::Write)));
    let is_input = |path: &PathBuf| {
        let extension = path.extension().and_then(std::ffi::OsStr::to_str);
        extension.is_some_and(|extension| INPUTS.contains(&extension)) || depends.iter().any(|file| is_same(file, path))
    };
    !is_read && event.paths.iter().any(is_input)
}

/// Returns whether both paths name the same file. The watcher's paths are absolute.
fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| parent(path).canonicalize().ok().zip(path.file_name().map(std::ffi::OsStr::to_owned));
    one == other || whole(one).is_some_and(|one| whole(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, ModifyKind};

    use super::*;

    fn event(kind: EventKind, path: PathBuf) -> Event {
        Event::new(kind).add_path(path)
    }

    #[test]
    fn only_files_that_scenarios_read_start_a_run() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let depends = BTreeSet::from([at("sub/../policy"), directory.path().to_owned()]);
        std::fs::create_dir(at("sub")).unwrap();
        let modified = EventKind::Modify(ModifyKind::Any);
        for name in ["a.yaml", "sub/b.yml", "plugin.wasm", "policy"] {
            assert!(is_change(&event(modified, at(name)), &depends), "{name}");
            assert!(is_change(&event(EventKind::Create(CreateKind::File), at(name)), &depends), "{name}");
            let read = EventKind::Access(AccessKind::Open(AccessMode::Read));
            assert!(!is_change(&event(read, at(name)), &depends), "{name}");
        }
        for name in ["report.xml", "result.json", "log"] {
            assert!(!is_change(&event(modified, at(name)), &depends), "{name}");
        }
    }
}
