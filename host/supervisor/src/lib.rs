//! Supervision of the scheduler's threads and tasks. A *part* is one thread or task. Each part starts under a name, and
//! the supervisor reports the unexpected end of a part.
//!
//! In: the futures of tasks and the functions of threads. Out: the first part that ended, with the cause.
//!
//! A scheduler that lost one of its parts looks alive: the scheduler renews its Lease and answers probes, but schedules
//! no pods. Therefore, the end of a part ends the process with an error that names the part, and the standby takes
//! over.
//!
//! The supervisor must never restart a part. The supervisor does not end the process: the caller of
//! [`Supervisor::first_end`] does.

use std::any::Any;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{Either, select};
use tokio::sync::watch;

/// The supervisor of one scheduler's parts. Clones share the same parts.
#[derive(Clone, Debug, Default)]
pub struct Supervisor(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    parts: Mutex<BTreeSet<&'static str>>,
    /// The first part that ended unexpectedly, with the cause.
    first: watch::Sender<Option<Ended>>,
    /// The name of the task that must panic, for tests.
    failing: watch::Sender<Option<Box<str>>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self { parts: Mutex::default(), first: watch::Sender::new(None), failing: watch::Sender::new(None) }
    }
}

/// The error that a part of the scheduler ended, although the scheduler was not told to stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} has ended: {cause}; ending, so that another scheduler can take over")]
pub struct Ended {
    /// The name of the thread or task.
    pub part: &'static str,
    /// The cause of the part's end.
    pub cause: Cause,
}

/// The cause of a part's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The part panicked with this message.
    Panicked(String),
    /// The part returned, although its work has no end.
    Returned,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked(message) => write!(f, "it panicked: {message}"),
            Self::Returned => f.write_str("it returned, though its work has no end"),
        }
    }
}

impl Supervisor {
    /// Wraps a task whose work has no end. Reports a panic and a return. Does not report a task that is dropped or
    /// aborted, because such a task is no longer needed.
    pub fn endless<F>(&self, part: &'static str, task: F) -> impl Future<Output = ()> + use<F>
    where
        F: Future<Output = ()>,
    {
        let supervisor = self.clone();
        let task = self.task(part, task);
        async move {
            if task.await.is_some() {
                supervisor.report(part, Cause::Returned);
            }
        }
    }

    /// Wraps a task that does one piece of work. Reports a panic, because the work may be incomplete.
    pub fn finite<F>(&self, part: &'static str, task: F) -> impl Future<Output = ()> + use<F>
    where
        F: Future<Output = ()>,
    {
        self.task(part, task).map(drop)
    }

    /// Wraps a task. The returned future reports a panic of the task, and then gives `None` instead of the output.
    fn task<F>(&self, part: &'static str, task: F) -> impl Future<Output = Option<F::Output>> + use<F>
    where
        F: Future,
    {
        self.started(part);
        let supervisor = self.clone();
        let failure = failure(part, self.0.failing.subscribe());
        async move {
            let task = select(Box::pin(task), Box::pin(failure)).map(|first| match first {
                Either::Left((output, _)) => output,
                Either::Right((never, _)) => match never {},
            });
            match AssertUnwindSafe(task).catch_unwind().await {
                Ok(output) => Some(output),
                Err(panic) => {
                    supervisor.report(part, Cause::Panicked(message(&*panic)));
                    None
                }
            }
        }
    }

    /// Runs the work of a thread. Reports a panic. Does not report a return, because threads return when they are
    /// told to stop.
    pub fn thread(&self, part: &'static str, work: impl FnOnce()) {
        self.started(part);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.report(part, Cause::Panicked(message(&*panic)));
        }
    }

    /// Waits for the first unexpected end of a part.
    pub async fn first_end(&self) -> Ended {
        let mut first = self.0.first.subscribe();
        match first.wait_for(Option::is_some).await.map(|ended| ended.clone()) {
            Ok(Some(ended)) => ended,
            // The channel does not close, because `self` holds the sender.
            _ => std::future::pending().await,
        }
    }

    /// Returns the names of all parts that were started, including parts that have ended.
    #[must_use]
    pub fn parts(&self) -> BTreeSet<&'static str> {
        self.lock().clone()
    }

    /// Makes the task `part` panic, for tests.
    #[doc(hidden)]
    pub fn fail(&self, part: &str) {
        self.0.failing.send_replace(Some(part.into()));
    }

    fn started(&self, part: &'static str) {
        self.lock().insert(part);
    }

    fn report(&self, part: &'static str, cause: Cause) {
        let ended = Ended { part, cause };
        tracing::error!(part, error = %ended.cause, "a thread or task of the scheduler has ended; ending the process");
        self.0.first.send_if_modified(|first| {
            let is_first = first.is_none();
            if is_first {
                *first = Some(ended);
            }
            is_first
        });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<&'static str>> {
        self.0.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Panics when [`Supervisor::fail`] names this part.
async fn failure(part: &'static str, mut failing: watch::Receiver<Option<Box<str>>>) -> Infallible {
    if failing.wait_for(|failing| failing.as_deref() == Some(part)).await.is_ok() {
        std::panic::resume_unwind(Box::new(format!("{part} is made to fail")));
    }
    std::future::pending().await
}

/// Returns the message of a panic; `without a message` if the panic's value is not a string.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(supervisor: &Supervisor) -> Option<String> {
        supervisor.first_end().now_or_never().map(|ended| ended.to_string())
    }

    #[tokio::test]
    async fn the_end_of_an_endless_task_is_reported() {
        let supervisor = Supervisor::default();
        supervisor.endless("the informer of pods", async {}).await;
        let told = ended(&supervisor).expect("an end");
        assert!(told.starts_with("the informer of pods has ended: it returned"), "{told}");
    }

    #[tokio::test]
    async fn a_panic_of_a_task_is_reported_and_the_first_one_stays() {
        let supervisor = Supervisor::default();
        supervisor.finite("a binding", async {}).await;
        assert_eq!(ended(&supervisor), None);
        supervisor.finite("a binding", async { panic!("no {}", "node") }).await;
        supervisor.finite("an eviction", async { panic!("later") }).await;
        let told = ended(&supervisor).expect("an end");
        assert!(told.starts_with("a binding has ended: it panicked: no node"), "{told}");
    }

    #[tokio::test]
    async fn a_task_that_is_aborted_was_not_needed() {
        let supervisor = Supervisor::default();
        let task = tokio::spawn(supervisor.endless("a worker", std::future::pending()));
        task.abort();
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(ended(&supervisor), None);
        assert_eq!(supervisor.parts(), BTreeSet::from(["a worker"]));
    }

    #[test]
    fn a_panic_of_a_thread_is_reported() {
        let supervisor = Supervisor::default();
        supervisor.thread("the core's thread", || {});
        assert_eq!(ended(&supervisor), None);
        supervisor.thread("the core's thread", || panic!("index out of bounds"));
        let told = ended(&supervisor).expect("an end");
        assert!(told.starts_with("the core's thread has ended: it panicked: index out of bounds"), "{told}");
    }
}
