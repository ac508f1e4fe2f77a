//! Rebuilds broken instances outside the core's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use berth_core::cache::Cache;
use berth_core::plugins::PluginId;

use super::delivery::{Delivery, Outbox};
use super::entry::Entry;
use super::resident::Resident;
use crate::feed::Feeder;
use crate::load;
use berth_core::limits::Limits;
use berth_supervisor::{Supervisor, message};

enum Job {
    Rebuild(Arc<Entry>, Box<Cache>),
    /// Drop an instance. It takes time to unmap its memory.
    Dispose(Box<Resident>),
}

/// A rebuilt instance, or the reason why it could not be rebuilt.
pub struct Rebuilt {
    pub(super) id: PluginId,
    pub(super) result: Result<Box<Resident>, String>,
}

/// A handle of the rebuilding thread. The thread ends when the last handle is dropped.
#[derive(Clone)]
pub(super) struct Rebuilder {
    jobs: Sender<Job>,
    /// The threshold for [`Resident::outgrown`], in bytes: an outgrown instance is replaced.
    pub(super) recycle_from: usize,
}

impl Rebuilder {
    pub fn start(limits: Arc<Limits>, outbox: Outbox, supervisor: &Supervisor) -> std::io::Result<Self> {
        let (jobs, receiver) = channel();
        let recycle_from = limits.memory / 100 * limits.recycle_percent;
        let supervisor = supervisor.clone();
        let work = move || supervisor.thread("the thread that rebuilds plugins", || work(&receiver, &limits, &outbox));
        thread::Builder::new().name("wasm-rebuild".into()).spawn(work)?;
        Ok(Self { jobs, recycle_from })
    }

    /// Starts to rebuild an instance from `entry` with the current cluster.
    pub fn rebuild(&self, entry: &Arc<Entry>, cache: &Cache) {
        entry.counters.count_rebuild();
        self.send(Job::Rebuild(Arc::clone(entry), Box::new(cache.frozen(cache.log().end()))));
    }

    /// Drops an instance on the rebuilding thread.
    pub fn dispose(&self, resident: Box<Resident>) {
        self.send(Job::Dispose(resident));
    }

    /// Sends a job to the thread. Drops the job if the thread has ended because the core's thread has ended.
    fn send(&self, job: Job) {
        let _ = self.jobs.send(job);
    }
}

fn work(jobs: &Receiver<Job>, limits: &Arc<Limits>, outbox: &Outbox) {
    let mut feeder = Feeder::default();
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Dispose(resident) => drop(resident),
            Job::Rebuild(entry, cache) => {
                let result = catch_panic(|| rebuild(&entry, &cache, &mut feeder, limits)).unwrap_or_else(|panic| {
                    // The feeder may be inconsistent after the panic.
                    feeder = Feeder::default();
                    Err(panic)
                });
                if !outbox(Delivery::Rebuilt(Rebuilt { id: entry.id, result })) {
                    return;
                }
            }
        }
    }
}

/// Runs the work. A panic of the host counts as a failure of this plugin, so that other plugins are not affected.
fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let caught = catch_unwind(AssertUnwindSafe(work));
    caught.map_err(|panic| format!("can't be rebuilt because the host panicked: {}", message(&*panic)))
}

fn rebuild(entry: &Entry, cache: &Cache, feeder: &mut Feeder, limits: &Arc<Limits>) -> Result<Box<Resident>, String> {
    let (instance, declaration) = load::configure(&entry.component, &entry.arguments, limits, &entry.counters)
        .map_err(|error| error.to_string())?;
    if declaration != *entry.declaration {
        return Err("returns another declaration for the same arguments".into());
    }
    let resident = Resident::fill(instance, Arc::clone(&entry.declaration), cache, feeder);
    resident.map(Box::new).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_during_a_rebuild_counts_as_a_failure_of_the_plugin() {
        assert_eq!(catch_panic(|| 1), Ok(1));
        let why = catch_panic(|| panic!("index {} out of bounds", 7)).expect_err("it panics");
        assert_eq!(why, "can't be rebuilt because the host panicked: index 7 out of bounds");
    }
}
