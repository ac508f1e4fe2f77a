//! The intent executor. A step is one [`Action::ExecuteIntents`](berth_core::Action::ExecuteIntents): the intents that
//! pre-bind plugins return for one pod. The executor executes the intents of a step one after the other and reports the
//! result of the step as an event. If the step is cancelled, or the binding of its pod fails later, the executor
//! executes the undo intents without a report.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use berth_core::Event;
use berth_core::intent::{Intent, ObjectReference};
use berth_core::model::PodKey;
use futures::future::{Either, select};
use hashbrown::HashMap;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tracing::warn;

use super::cluster_event::ClusterEvent;
use super::evictor::Evictor;
use super::patcher::Patcher;
use super::waiter::Waiter;
use berth_supervisor::Supervisor;

/// The error of each step that is in progress when the scheduler ends, and of later steps.
const ENDING: &str = "the scheduler is ending";

/// Executes the intents of many pods at once. Dropping the executor aborts the steps in progress, except cancelled
/// ones.
pub(super) struct IntentExecutor {
    clients: Arc<IntentClients>,
    runtime: Handle,
    in_progress: Arc<Mutex<InProgress>>,
}

/// The clients that execute intents.
pub(super) struct IntentClients {
    pub(super) patcher: Arc<Patcher>,
    pub(super) evictor: Arc<Evictor>,
    pub(super) waiter: Waiter,
    pub(super) events: UnboundedSender<ClusterEvent>,
    /// Limits the number of concurrent writes. A wait takes no permit.
    pub(super) writes: Semaphore,
    pub(super) supervisor: Supervisor,
}

#[derive(Default)]
struct InProgress {
    tasks: HashMap<(PodKey, u64), Task>,
    ending: bool,
}

/// The task that executes a step.
struct Task {
    handle: AbortHandle,
    /// Cancels the step. The message is the intents that undo the step.
    stop: oneshot::Sender<Vec<Intent>>,
}

/// The result of a step.
enum Ended {
    Done,
    Failed(String),
    /// The step was cancelled. These intents undo it.
    Stopped(Vec<Intent>),
}

impl IntentExecutor {
    pub(super) fn new(clients: IntentClients) -> Self {
        Self { clients: Arc::new(clients), runtime: Handle::current(), in_progress: Arc::default() }
    }

    /// Executes the intents of a pod's step and reports the result as an event.
    pub(super) fn execute(&self, pod: PodKey, step: u64, intents: Vec<Intent>) {
        let mut in_progress = lock(&self.in_progress);
        if in_progress.ending {
            return self.clients.send(Event::IntentsFailed(pod, step, ENDING.to_owned()));
        }
        let (clients, tasks, key) = (Arc::clone(&self.clients), Arc::clone(&self.in_progress), (pod.clone(), step));
        let (stop, mut stopped) = oneshot::channel();
        let execution = async move {
            let ended = clients.execute_all(&intents, &mut stopped).await;
            if let Ended::Stopped(undo) = ended {
                return clients.change_all(undo).await;
            }
            // If the entry is gone, `stop` cancelled the step and sends undo intents, or `abort_all` already reported
            // the failure.
            let reported = lock(&tasks).tasks.remove(&key).is_some();
            if reported {
                clients.report(key, ended);
            } else if let Ok(undo) = stopped.await {
                clients.change_all(undo).await;
            }
        };
        let task = self.runtime.spawn(self.clients.supervisor.finite("the execution of intents", execution));
        // The task can't remove its entry before this insert, because the removal needs the lock that `in_progress`
        // holds.
        in_progress.tasks.insert((pod, step), Task { handle: task.abort_handle(), stop });
    }

    /// Cancels a step. The core gets no event for a cancelled step. A write in progress is completed first, because the
    /// result of an interrupted write is unknown. Then the undo intents are executed.
    pub(super) fn stop(&self, pod: PodKey, step: u64, undo: Vec<Intent>) {
        let task = lock(&self.in_progress).tasks.remove(&(pod, step));
        let unsent = match task {
            Some(task) => task.stop.send(undo).err(),
            None => Some(undo),
        };
        if let Some(undo) = unsent.filter(|undo| !undo.is_empty()) {
            self.runtime.spawn(self.clients.supervisor.finite("the execution of undo intents", self.change(undo)));
        }
    }

    /// Executes the intents in order, continues after a failure, and reports nothing.
    pub(super) fn change(&self, intents: Vec<Intent>) -> impl Future<Output = ()> + Send + use<> {
        let clients = Arc::clone(&self.clients);
        async move { clients.change_all(intents).await }
    }

    /// Fails all steps in progress and all later ones. Called when the scheduler ends, because another instance may
    /// schedule its pods from then on.
    pub(super) fn end(&self) {
        for (pod, step) in self.abort_all() {
            self.clients.send(Event::IntentsFailed(pod, step, ENDING.to_owned()));
        }
    }

    fn abort_all(&self) -> impl Iterator<Item = (PodKey, u64)> + use<> {
        let mut in_progress = lock(&self.in_progress);
        in_progress.ending = true;
        let tasks = std::mem::take(&mut in_progress.tasks);
        tasks.into_iter().map(|(key, task)| {
            task.handle.abort();
            key
        })
    }
}

impl Drop for IntentExecutor {
    fn drop(&mut self) {
        self.abort_all().for_each(drop);
    }
}

fn lock(in_progress: &Mutex<InProgress>) -> MutexGuard<'_, InProgress> {
    in_progress.lock().unwrap_or_else(PoisonError::into_inner)
}

impl IntentClients {
    fn report(&self, (pod, step): (PodKey, u64), ended: Ended) {
        match ended {
            Ended::Done => self.send(Event::IntentsExecuted(pod, step)),
            Ended::Failed(why) => {
                warn!(%pod, error = %why, "executing the intents of a plugin failed; the pod is not bound");
                self.send(Event::IntentsFailed(pod, step, why));
            }
            Ended::Stopped(_) => {}
        }
    }

    fn send(&self, event: Event) {
        // The receiver is gone only when the scheduler is ending.
        let _ = self.events.send(event.into());
    }

    async fn execute_all(&self, intents: &[Intent], stopped: &mut oneshot::Receiver<Vec<Intent>>) -> Ended {
        for intent in intents {
            let result = match intent {
                Intent::WaitUntil(wait) => match select(pin!(self.waiter.wait(wait)), &mut *stopped).await {
                    Either::Left((result, _)) => result,
                    Either::Right((Ok(undo), _)) => return Ended::Stopped(undo),
                    Either::Right((Err(_), _)) => Err(ENDING.to_owned()),
                },
                other => self.execute_one(other).await,
            };
            if let Err(why) = result {
                return Ended::Failed(why);
            }
            if let Ok(undo) = stopped.try_recv() {
                return Ended::Stopped(undo);
            }
        }
        Ended::Done
    }

    async fn change_all(&self, intents: Vec<Intent>) {
        for intent in &intents {
            if let Err(error) = self.execute_one(intent).await {
                warn!(%error, "an intent of a plugin failed; continuing with the next one");
            }
        }
    }

    async fn execute_one(&self, intent: &Intent) -> Result<(), String> {
        match intent {
            Intent::WaitUntil(wait) => self.waiter.wait(wait).await,
            Intent::Patch(patch) => {
                let _permit = self.writes.acquire().await.map_err(|_| ENDING)?;
                self.patcher.patch(patch).await
            }
            Intent::Create(object, rest) => {
                let _permit = self.writes.acquire().await.map_err(|_| ENDING)?;
                self.patcher.create(object, rest).await
            }
            Intent::Delete(object) => {
                let _permit = self.writes.acquire().await.map_err(|_| ENDING)?;
                self.patcher.delete(object).await
            }
            Intent::Evict(object, reason) => {
                let pod = pod_key(object)?;
                let _permit = self.writes.acquire().await.map_err(|_| ENDING)?;
                let evicted = self.evictor.try_evict(&pod, reason).await;
                evicted.map_err(|e| format!("pod {pod} can't be evicted: {e}"))
            }
            // The core has put the object into its cache already; there is no request to send.
            Intent::Assume(_) => Ok(()),
        }
    }
}

/// Returns the key of the pod to evict. The uid is required, so that a new pod of the same name is not evicted.
fn pod_key(object: &ObjectReference) -> Result<PodKey, String> {
    let ObjectReference { api_version, kind, namespace, name, uid } = object;
    if (&**api_version, &**kind) != ("v1", "Pod") {
        return Err(format!("{api_version} {kind} {namespace}/{name} can't be evicted: it is not a pod"));
    }
    if uid.is_empty() {
        return Err(format!("pod {namespace}/{name} can't be evicted: the intent has no uid"));
    }
    Ok(PodKey { namespace: namespace.clone(), name: name.clone(), uid: uid.clone() })
}
