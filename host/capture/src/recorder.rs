//! Writes the steps of a running scheduler on a thread of its own.
//!
//! A capture is a directory of files. Each file begins with a checkpoint, so that it can be played back without the files
//! before it. The first file of a process needs none, because it begins with the start of the scheduler.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use berth_core::Timestamp;
use berth_core::checkpoint::CoreCopy;
use prometheus_client::metrics::counter::Counter;

use crate::files::{Directory, Files};
use crate::record::{Header, PolicyRecord};
use crate::write::StepToWrite;
use crate::writing::Writing;

/// The time between two writes. A crash loses what came after the last write.
const INTERVAL: Duration = Duration::from_millis(500);

/// The largest number of steps that wait for the thread. With one more, steps are lost.
pub(crate) const MOST_WAITING: usize = 100_000;

/// Where a recorder writes, and how much.
#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// The directory of the files. It is created if it does not exist.
    pub directory: PathBuf,
    /// The largest size of all files in the directory in bytes. The oldest files are deleted first.
    pub limit: u64,
    /// Counts the steps that are lost.
    pub lost: Counter,
}

/// Records the steps of one scheduler.
///
/// [`Recorder::record`] never waits for the disk. If the disk is too slow or full, steps are lost and counted. The
/// recording goes on in a new file, as soon as the disk takes it and the caller has given a checkpoint.
pub struct Recorder {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the scheduler's thread and the recorder's thread share.
pub(crate) struct Shared {
    state: Mutex<State>,
    stop: Condvar,
    wants_checkpoint: AtomicBool,
    pub lost: Counter,
}

/// Something to write.
pub(crate) enum Item {
    Step(StepToWrite),
    /// A new file begins with this checkpoint.
    Begin(Box<Beginning>),
}

/// The checkpoint with which a file begins.
pub(crate) struct Beginning {
    pub at: Timestamp,
    pub core: CoreCopy,
    pub policy: PolicyRecord,
}

#[derive(Default)]
struct State {
    waiting: Vec<Item>,
    /// Steps are lost until the next file begins.
    losing: bool,
    stopping: bool,
}

/// What the recorder's thread has to do.
pub(crate) struct Work {
    pub items: Vec<Item>,
    /// Steps after the items are lost.
    pub losing: bool,
    pub stopping: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic leaves the list of items as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next time to write.
    pub fn work(&self) -> Work {
        let mut state = self.lock();
        if !state.stopping {
            state = self.stop.wait_timeout(state, INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        Work { items: std::mem::take(&mut state.waiting), losing: state.losing, stopping: state.stopping }
    }

    /// Asks the scheduler for a checkpoint, with which the next file begins.
    pub fn ask_for_checkpoint(&self) {
        self.wants_checkpoint.store(true, Relaxed);
    }

    /// Loses all steps until the next file begins. Steps that wait are lost, too.
    pub fn lose(&self) {
        let mut state = self.lock();
        state.losing = true;
        let waiting = std::mem::take(&mut state.waiting);
        self.lost.inc_by(waiting.iter().filter(|item| matches!(item, Item::Step(_))).count() as u64);
    }
}

impl Recorder {
    /// Creates the first file in the directory, and starts the thread that writes.
    ///
    /// # Errors
    /// The directory or the file can't be created, or the system refuses a thread.
    pub fn start(options: RecorderOptions, header: Header) -> io::Result<Self> {
        let RecorderOptions { directory, limit, lost } = options;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        Self::start_in(Directory::new(directory), limit, lost, header)
    }

    fn start_in(files: impl Files, limit: u64, lost: Counter, header: Header) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            stop: Condvar::new(),
            wants_checkpoint: AtomicBool::new(false),
            lost,
        });
        let writing = Writing::start(files, limit, header, Arc::clone(&shared))?;
        let thread = std::thread::Builder::new().name("capture".into()).spawn(move || writing.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Adds a step. The thread writes it within a second.
    pub fn record(&self, step: StepToWrite) {
        let mut state = self.shared.lock();
        if !state.losing && state.waiting.len() < MOST_WAITING {
            state.waiting.push(Item::Step(step));
            return;
        }
        if !state.losing {
            state.losing = true;
            tracing::warn!("steps are missing in the capture: the disk is too slow");
        }
        self.shared.lost.inc();
    }

    /// Returns whether the next file waits for [`Recorder::begin`].
    #[must_use]
    pub fn wants_checkpoint(&self) -> bool {
        self.shared.wants_checkpoint.load(Relaxed)
    }

    /// Begins the next file with a checkpoint: a copy of the core at this time, between two steps, and the plugins that
    /// serve.
    pub fn begin(&self, at: Timestamp, core: CoreCopy, policy: PolicyRecord) {
        self.shared.wants_checkpoint.store(false, Relaxed);
        let mut state = self.shared.lock();
        state.losing = false;
        state.waiting.push(Item::Begin(Box::new(Beginning { at, core, policy })));
    }
}

/// Writes the remaining steps and the last line.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed; the file then lacks its last line.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "recorder_test.rs"]
mod tests;
