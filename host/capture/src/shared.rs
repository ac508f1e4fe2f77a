//! What the scheduler's thread and the recorder's thread share.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use berth_core::Timestamp;
use berth_core::checkpoint::CoreCopy;
use prometheus_client::metrics::counter::Counter;

use crate::record::PolicyRecord;
use crate::write::StepToWrite;

/// The time between two writes. A crash loses what came after the last write.
const INTERVAL: Duration = Duration::from_millis(500);

/// The largest number of steps that wait for the thread. With one more, steps are lost.
pub(crate) const MOST_WAITING: usize = 100_000;

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
    /// Creates the state of a new recorder. `lost` counts the lost steps.
    pub fn new(lost: Counter) -> Self {
        Self { state: Mutex::default(), stop: Condvar::new(), wants_checkpoint: AtomicBool::new(false), lost }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic leaves the list of items as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a step. The step is lost if too many steps wait, or if steps before it are lost.
    pub fn add(&self, step: StepToWrite) {
        let mut state = self.lock();
        if !state.losing && state.waiting.len() < MOST_WAITING {
            state.waiting.push(Item::Step(step));
            return;
        }
        if !state.losing {
            state.losing = true;
            tracing::warn!("steps are missing in the capture: the disk is too slow");
        }
        self.lost.inc();
    }

    /// Begins the next file.
    pub fn begin(&self, beginning: Beginning) {
        self.wants_checkpoint.store(false, Relaxed);
        let mut state = self.lock();
        state.losing = false;
        state.waiting.push(Item::Begin(Box::new(beginning)));
    }

    /// Lets the recorder's thread write what waits, and end.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.stop.notify_one();
    }

    /// Returns whether the recorder's thread asked for a checkpoint.
    pub fn wants_checkpoint(&self) -> bool {
        self.wants_checkpoint.load(Relaxed)
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
