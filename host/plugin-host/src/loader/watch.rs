//! Watches folders with the notifications of the operating system.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// The watched folders, each with its identity, because a folder can be replaced by another with the same name.
pub(super) struct Watches {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, (u64, u64)>,
}

impl Watches {
    /// Creates the watches. Calls `changed` after a change in a watched folder. If the system has no notifications,
    /// nothing is watched, and the loader only polls.
    pub fn new(changed: impl Fn() + Send + 'static) -> Self {
        let handler = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| is_change(&event.kind)) {
                changed();
            }
        };
        let watcher = notify::recommended_watcher(handler)
            .inspect_err(|error| {
                tracing::warn!(%error, "file notifications are not available; polling the plugins directory instead");
            })
            .ok();
        Self { watcher, watched: BTreeMap::new() }
    }

    /// Watches exactly these folders.
    pub fn follow(&mut self, folders: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: BTreeMap<PathBuf, (u64, u64)> =
            folders.iter().filter_map(|folder| Some((folder.clone(), identity(folder)?))).collect();
        for folder in self.watched.iter().filter(|(folder, id)| wanted.get(*folder) != Some(id)).map(|(f, _)| f) {
            // A deleted folder is not watched any more, so an error does not matter.
            let _ = watcher.unwatch(folder);
        }
        self.watched.retain(|folder, id| wanted.get(folder) == Some(id));
        for (folder, id) in wanted {
            if self.watched.contains_key(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.watched.insert(folder, id)),
                Err(error) => {
                    tracing::debug!(file = %folder.display(), %error, "watch of a folder failed; polling it instead")
                }
            }
        }
    }
}

/// Returns whether the event is a change. A read, as by the loader itself, is not.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

fn identity(folder: &Path) -> Option<(u64, u64)> {
    fs::metadata(folder).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
