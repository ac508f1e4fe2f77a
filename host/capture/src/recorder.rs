//! Writes the steps of a running scheduler on a thread of its own.
//!
//! A capture is a directory of files. Each file begins with a checkpoint, so that it can be played back without the files
//! before it. The first file of a process needs none, because it begins with the start of the scheduler.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use berth_core::Timestamp;
use berth_core::checkpoint::CoreCopy;
use prometheus_client::metrics::counter::Counter;

use crate::files::{Directory, Files, SingleFile};
use crate::record::{Header, PolicyRecord};
use crate::shared::{Beginning, Shared};
use crate::write::StepToWrite;
use crate::writing::Writing;

/// Where a recorder writes, and how much.
#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// Where to write.
    pub target: Target,
    /// The largest size of all files in the directory in bytes. The oldest files are deleted first.
    pub limit: u64,
    /// Counts the steps that are lost.
    pub lost: Counter,
}

/// Where a recorder writes.
#[derive(Clone, Debug)]
pub enum Target {
    /// To files in this directory, which is created if it does not exist.
    Directory(PathBuf),
    /// To this file, which must not exist. No further file follows.
    File(PathBuf),
}

/// Records the steps of one scheduler.
///
/// [`Recorder::record`] never waits for the disk. If the disk is too slow or full, steps are lost and counted. The
/// recording goes on in a new file, as soon as the disk takes it and the caller has given a checkpoint.
pub struct Recorder {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Creates the first file in the directory, and starts the thread that writes.
    ///
    /// # Errors
    /// The directory or the file can't be created, or the system refuses a thread.
    pub fn start(options: RecorderOptions, header: Header) -> io::Result<Self> {
        let RecorderOptions { target, limit, lost } = options;
        match target {
            Target::Directory(directory) => {
                std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
                Self::start_in(Directory::new(directory), limit, lost, header)
            }
            Target::File(path) => Self::start_in(SingleFile::new(path), limit, lost, header),
        }
    }

    fn start_in(files: impl Files, limit: u64, lost: Counter, header: Header) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(lost));
        let writing = Writing::start(files, limit, header, Arc::clone(&shared))?;
        let thread = std::thread::Builder::new().name("capture".into()).spawn(move || writing.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Adds a step. The thread writes it within a second.
    pub fn record(&self, step: StepToWrite) {
        self.shared.add(step);
    }

    /// Returns whether the next file waits for [`Recorder::begin`].
    #[must_use]
    pub fn wants_checkpoint(&self) -> bool {
        self.shared.wants_checkpoint()
    }

    /// Begins the next file with a checkpoint: a copy of the core at this time, between two steps, and the plugins that
    /// serve.
    pub fn begin(&self, at: Timestamp, core: CoreCopy, policy: PolicyRecord) {
        self.shared.begin(Beginning { at, core, policy });
    }
}

/// Writes the remaining steps and the last line.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed; the file then lacks its last line.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "recorder_test.rs"]
mod tests;
