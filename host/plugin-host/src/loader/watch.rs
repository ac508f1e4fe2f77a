//! Being told of changes by the system.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// The folders that are watched, each with the identity that it had: a folder made again under its name is another.
pub(super) struct Watches {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, (u64, u64)>,
}

impl Watches {
    /// Calls `changed` when something happens in a watched folder. Where the system can't tell, nothing is watched:
    /// looking every few seconds has to do.
    pub fn new(changed: impl Fn() + Send + 'static) -> Self {
        let handler = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| is_change(&event.kind)) {
                changed();
            }
        };
        let watcher = notify::recommended_watcher(handler)
            .inspect_err(|error| tracing::warn!("changes of plugins are noticed later, by looking: {error}"))
            .ok();
        Self { watcher, watched: BTreeMap::new() }
    }

    /// Watches these folders and no others.
    pub fn follow(&mut self, folders: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: BTreeMap<PathBuf, (u64, u64)> =
            folders.iter().filter_map(|folder| Some((folder.clone(), identity(folder)?))).collect();
        for folder in self.watched.iter().filter(|(folder, id)| wanted.get(*folder) != Some(id)).map(|(f, _)| f) {
            // A folder that is gone is not watched any more, which is what is wanted.
            let _ = watcher.unwatch(folder);
        }
        self.watched.retain(|folder, id| wanted.get(folder) == Some(id));
        for (folder, id) in wanted {
            if self.watched.contains_key(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.watched.insert(folder, id)),
                Err(error) => tracing::debug!("{} is not watched: {error}", folder.display()),
            }
        }
    }
}

/// Reading files, as the loader itself does, is no change.
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
