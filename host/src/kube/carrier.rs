//! What plugins want done before a pod is bound: intents one after the other, with an answer at the end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use berth_core::Event;
use berth_core::intent::{Intent, ObjectReference};
use berth_core::model::PodKey;
use hashbrown::HashMap;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use tracing::warn;

use super::evictor::Evictor;
use super::patcher::Patcher;
use super::waiter::Waiter;

/// Why waits end when the scheduler does.
const ENDING: &str = "the scheduler is ending";

/// Carries intents, many pods' at once. Dropped, it lets go of them.
pub(super) struct Carrier {
    hands: Arc<Hands>,
    runtime: Handle,
    under_way: Arc<Mutex<UnderWay>>,
}

/// What it is done with.
pub(super) struct Hands {
    pub(super) patcher: Arc<Patcher>,
    pub(super) evictor: Arc<Evictor>,
    pub(super) waiter: Waiter,
    pub(super) events: UnboundedSender<Event>,
    /// Writes that may be under way at once; waits take none.
    pub(super) writes: Semaphore,
}

#[derive(Default)]
struct UnderWay {
    tasks: HashMap<(PodKey, u64), AbortHandle>,
    ending: bool,
}

impl Carrier {
    pub(super) fn new(hands: Hands) -> Self {
        Self { hands: Arc::new(hands), runtime: Handle::current(), under_way: Arc::default() }
    }

    /// Does this for the pod, and says how it went, as an event.
    pub(super) fn carry(&self, pod: PodKey, step: u64, intents: Vec<Intent>) {
        let mut under_way = lock(&self.under_way);
        if under_way.ending {
            return self.hands.send(Event::CarryFailed(pod, step, ENDING.to_owned()));
        }
        let (hands, tasks, key) = (Arc::clone(&self.hands), Arc::clone(&self.under_way), (pod.clone(), step));
        let task = self.runtime.spawn(async move {
            let result = hands.carry_all(&intents).await;
            // Who stopped it has answered for it, or wants no answer.
            if lock(&tasks).tasks.remove(&key).is_some() {
                hands.report(key, result);
            }
        });
        // The task is not done before it stands here: for that it needs the lock.
        under_way.tasks.insert((pod, step), task.abort_handle());
    }

    /// Leaves what is not done yet of this step; there will be no answer.
    pub(super) fn stop(&self, pod: PodKey, step: u64) {
        if let Some(task) = lock(&self.under_way).tasks.remove(&(pod, step)) {
            task.abort();
        }
    }

    /// Lets everything fail that is under way, and whatever is still to come: the scheduler is ending, and its pods are
    /// another's to place.
    pub(super) fn end(&self) {
        for (pod, step) in self.abort_all() {
            self.hands.send(Event::CarryFailed(pod, step, ENDING.to_owned()));
        }
    }

    fn abort_all(&self) -> impl Iterator<Item = (PodKey, u64)> + use<> {
        let mut under_way = lock(&self.under_way);
        under_way.ending = true;
        let tasks = std::mem::take(&mut under_way.tasks);
        tasks.into_iter().map(|(key, task)| {
            task.abort();
            key
        })
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        self.abort_all().for_each(drop);
    }
}

fn lock(under_way: &Mutex<UnderWay>) -> MutexGuard<'_, UnderWay> {
    under_way.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hands {
    fn report(&self, (pod, step): (PodKey, u64), result: Result<(), String>) {
        self.send(match result {
            Ok(()) => Event::Carried(pod, step),
            Err(why) => {
                warn!("pod {pod}: what a plugin wants done before it is bound: {why}");
                Event::CarryFailed(pod, step, why)
            }
        });
    }

    fn send(&self, event: Event) {
        // A receiver that is gone means that the scheduler is ending.
        let _ = self.events.send(event);
    }

    async fn carry_all(&self, intents: &[Intent]) -> Result<(), String> {
        for intent in intents {
            self.carry_one(intent).await?;
        }
        Ok(())
    }

    async fn carry_one(&self, intent: &Intent) -> Result<(), String> {
        match intent {
            Intent::WaitUntil(wait) => self.waiter.wait(wait).await,
            Intent::Patch(patch) => {
                let _permit = self.writes.acquire().await.map_err(|_| ENDING)?;
                self.patcher.patch(patch).await
            }
            Intent::Evict(object, reason) => {
                let pod = pod_key(object)?;
                let _permit = self.writes.acquire().await.map_err(|_| ENDING)?;
                let evicted = self.evictor.try_evict(&pod, reason).await;
                evicted.map_err(|e| format!("pod {pod} can't be evicted: {e}"))
            }
            // The core lays it over its cache, and nothing is to be done.
            Intent::Assume(_) => Ok(()),
        }
    }
}

/// Pods are evicted, and only with all of their names: another one of the same name is none of the plugin's business.
fn pod_key(object: &ObjectReference) -> Result<PodKey, String> {
    let ObjectReference { api_version, kind, namespace, name, uid } = object;
    if (&**api_version, &**kind) != ("v1", "Pod") {
        return Err(format!("{api_version} {kind} {namespace}/{name} is to be evicted, but is no pod"));
    }
    if uid.is_empty() {
        return Err(format!("pod {namespace}/{name} can't be evicted without its uid"));
    }
    Ok(PodKey { namespace: namespace.clone(), name: name.clone(), uid: uid.clone() })
}
