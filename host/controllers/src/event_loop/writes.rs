//! Sends the writes of tasks, and records their results.

use tokio::task::JoinError;

use super::super::controller::Task;
use super::super::outcome::{Error, Outcome};
use super::super::queue::RunResult;
use super::super::send::send;
use super::super::write::Write;
use super::EventLoop;

/// The result of a write, with the task that requested it.
pub type WriteResult = (Task, Outcome);

/// A task whose writes wait or are being sent.
pub struct Running {
    /// The number of writes without a result.
    pub left: usize,
    /// The result of the task so far.
    pub result: RunResult,
}

impl EventLoop {
    /// Starts to send a write.
    pub(super) fn spawn(&mut self, task: Task, write: Write) {
        // After the failure of one write of a task, skip its other writes, which would probably fail too.
        if self.running.get(&task).is_some_and(|running| running.result.failed) {
            return self.finished(task, false);
        }
        let (store, kinds) = (self.store.clone(), self.kinds.clone());
        self.sending.spawn(async move {
            let outcome = send(&*store, &kinds, &write).await;
            if let Outcome::Failed(error) = &outcome {
                report(&task, &write, error);
            }
            (task, outcome)
        });
    }

    /// Records the result of a write.
    pub(super) fn record(&mut self, result: Result<WriteResult, JoinError>) {
        // A spawned write neither panics nor is aborted while the event loop runs.
        let Ok((task, outcome)) = result else { return };
        let failed = matches!(outcome, Outcome::Failed(_));
        let changes = match outcome {
            Outcome::Stored(object) => self.cluster.put(object),
            Outcome::Gone(kind, key, uid) => self.cluster.remove(kind, &key, &uid).into_iter().collect(),
            Outcome::Done | Outcome::Failed(_) => Vec::new(),
        };
        self.take_changes(changes);
        self.finished(task, failed);
    }

    /// Counts a finished write of a task, and completes the task after the last write.
    fn finished(&mut self, task: Task, failed: bool) {
        let Some(running) = self.running.get_mut(&task) else { return };
        running.left -= 1;
        running.result.failed |= failed;
        if running.left == 0 {
            let result = running.result;
            self.running.remove(&task);
            self.queue.done(task, result, self.clock.instant());
        }
    }
}

fn report(task: &Task, write: &Write, error: &Error) {
    let (controller, key, kind, race) = (task.controller, &task.key, write.kind, error.is_race());
    if race {
        tracing::trace!(?controller, %kind, object = %key, %error, "conflict with another writer; trying again");
    } else {
        tracing::warn!(?controller, %kind, object = %key, %error, "writing an object failed; trying again later");
    }
}
