//! Supervision: every thread and every task that the scheduler needs is started under a name, and its end is reported.
//!
//! A scheduler that lost a part of itself looks alive: it renews its Lease and answers probes, while no pod is scheduled. So the end
//! of a part ends the process, which says what ended, and the standby takes over.

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

/// Watches over the parts of one scheduler. Copies watch over the same parts.
#[derive(Clone, Debug, Default)]
pub struct Supervisor(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    parts: Mutex<BTreeSet<&'static str>>,
    /// The first part that ended.
    first: watch::Sender<Option<Ended>>,
    /// The task that is to panic, for tests.
    failing: watch::Sender<Option<Box<str>>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self { parts: Mutex::default(), first: watch::Sender::new(None), failing: watch::Sender::new(None) }
    }
}

/// A part of the scheduler has ended, though the scheduler was not told to stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} has ended: {cause}; ending, so that another scheduler can take over")]
pub struct Ended {
    /// The thread or task.
    pub part: &'static str,
    /// Why it ended.
    pub cause: Cause,
}

/// Why a part ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It panicked with this message.
    Panicked(String),
    /// It returned, though its work has no end.
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
    /// Makes a future of a task whose work has no end. If it panics or returns, that is reported; if it is dropped or aborted, it
    /// was not needed any more.
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

    /// Makes a future of a task that does one piece of work. If it panics, that is reported: nobody knows how far the work came.
    pub fn finite<F>(&self, part: &'static str, task: F) -> impl Future<Output = ()> + use<F>
    where
        F: Future<Output = ()>,
    {
        self.task(part, task).map(drop)
    }

    /// The task; `None` if it panicked.
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

    /// Runs the work of a thread. If it panics, that is reported. Threads return when they are told to.
    pub fn thread(&self, part: &'static str, work: impl FnOnce()) {
        self.started(part);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.report(part, Cause::Panicked(message(&*panic)));
        }
    }

    /// Returns the first end of a part, when there is one.
    pub async fn first_end(&self) -> Ended {
        let mut first = self.0.first.subscribe();
        match first.wait_for(Option::is_some).await.map(|ended| ended.clone()) {
            Ok(Some(ended)) => ended,
            // The sender is in `self`.
            _ => std::future::pending().await,
        }
    }

    /// The names of all parts that were started.
    #[must_use]
    pub fn parts(&self) -> BTreeSet<&'static str> {
        self.lock().clone()
    }

    /// Makes a task panic, for tests.
    #[doc(hidden)]
    pub fn fail(&self, part: &str) {
        self.0.failing.send_replace(Some(part.into()));
    }

    fn started(&self, part: &'static str) {
        self.lock().insert(part);
    }

    fn report(&self, part: &'static str, cause: Cause) {
        let ended = Ended { part, cause };
        tracing::error!("{ended}");
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

/// Panics when the part is to fail.
async fn failure(part: &'static str, mut failing: watch::Receiver<Option<Box<str>>>) -> Infallible {
    if failing.wait_for(|failing| failing.as_deref() == Some(part)).await.is_ok() {
        std::panic::resume_unwind(Box::new(format!("{part} is made to fail")));
    }
    std::future::pending().await
}

/// The message of a panic.
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
