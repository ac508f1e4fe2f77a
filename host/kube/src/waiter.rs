//! Waits until an object meets a condition. The first [`WATCHES`] concurrent waits each watch one object. Further waits
//! share one watch of all objects of a kind.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ::kube::api::{ApiResource, DynamicObject, ListParams};
use ::kube::runtime::{WatchStreamExt, watcher};
use ::kube::{Api, Client, Error as ClientError, ResourceExt};
use berth_core::intent::{ObjectReference, Wait};
use futures::StreamExt;
use tokio::sync::Semaphore;
use tracing::debug;

use super::informer::{PATIENCE, explain_client};
use super::patient::patient;
use super::resources::{Resources, name_of};
use super::shared_watch::{Seen, SharedWatches};
use super::until::{Evaluator, Until, Verdict};
use berth_supervisor::Supervisor;

/// The number of waits with a watch of their own, each a connection. Further waits share one watch per kind.
const WATCHES: usize = 128;
/// The number of concurrent initial reads by waits that share a watch.
const READS: usize = 32;
/// The pause after an initial read that failed.
const READ_PAUSE: Duration = Duration::from_secs(5);
/// The upper limit of a wait's time-out. A longer time-out is shortened to this value.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Executes waits.
pub(super) struct Waiter {
    client: Client,
    resources: Arc<Resources>,
    watches: Semaphore,
    reads: Semaphore,
    shared: SharedWatches,
    evaluator: Evaluator,
}

impl Waiter {
    pub(super) fn new(client: Client, resources: Arc<Resources>, supervisor: Supervisor) -> Self {
        Self::with_patience(client, resources, supervisor, PATIENCE)
    }

    /// Creates a waiter whose requests fail if the response head does not arrive within `patience`.
    fn with_patience(client: Client, resources: Arc<Resources>, supervisor: Supervisor, patience: Duration) -> Self {
        // The watches of kube-runtime have no time limit for the response head.
        let client = patient(client, patience);
        let shared = SharedWatches::new(client.clone(), supervisor);
        let (watches, reads) = (Semaphore::new(WATCHES), Semaphore::new(READS));
        Self { client, resources, watches, reads, shared, evaluator: Evaluator::default() }
    }

    /// Returns when the object meets the condition. The error names the object and says why the wait failed: a reason
    /// from the condition, an invalid condition, a missing permission, a deleted object or the time-out.
    pub(super) async fn wait(&self, wait: &Wait) -> Result<(), String> {
        let named = |why: String| format!("waiting for {}: {why}", name_of(&wait.object));
        let until = Arc::new(Until::parse(&wait.until).map_err(named)?);
        let resource = self.resources.of(&wait.object).await.map_err(named)?;
        let timeout = wait.timeout.min(LONGEST);
        let condition = Condition { object: &wait.object, until, evaluator: &self.evaluator };
        match tokio::time::timeout(timeout, self.until(condition, &resource)).await {
            Ok(result) => result.map_err(named),
            Err(_) => Err(named(format!("the condition is not met after {}: {}", seconds(timeout), wait.until))),
        }
    }

    async fn until(&self, condition: Condition<'_>, resource: &ApiResource) -> Result<(), String> {
        let api = match &*condition.object.namespace {
            "" => Api::all_with(self.client.clone(), resource),
            namespace => Api::namespaced_with(self.client.clone(), namespace, resource),
        };
        match self.watches.try_acquire() {
            Ok(_place) => watch(&api, &condition).await,
            Err(_) => self.follow(&api, &condition, resource).await,
        }
    }

    /// Waits for the condition with the shared watch of the kind.
    async fn follow(
        &self,
        api: &Api<DynamicObject>,
        condition: &Condition<'_>,
        resource: &ApiResource,
    ) -> Result<(), String> {
        // Subscribe first, so that no change between the read and the first event is lost.
        let mut subscription = self.shared.subscribe(condition.object, resource);
        let InitialRead { found, version: read_at } = loop {
            let _permit = self.reads.acquire().await.map_err(|e| e.to_string())?;
            if let Some(read) = read_object(api, condition.object).await? {
                break read;
            }
            tokio::time::sleep(READ_PAUSE).await;
        };
        if let Some(end) = condition.judge(found.as_ref()).await {
            return end;
        }
        // The shared watch may report a state that is older than the read.
        let is_old = |object: &DynamicObject| {
            version(object.resource_version()).zip(read_at).is_some_and(|(version, read_at)| version <= read_at)
        };
        loop {
            let end = match subscription.next().await {
                Seen::Nothing => None,
                Seen::Object(object) | Seen::Gone(Some(object)) if is_old(&object) => None,
                Seen::Object(object) => condition.judge(Some(&object)).await,
                Seen::Gone(_) => condition.judge(None).await,
                Seen::Forbidden(why) => return Err(why.to_string()),
            };
            if let Some(end) = end {
                return end;
            }
        }
    }
}

/// The result of an initial read.
struct InitialRead {
    found: Option<DynamicObject>,
    /// The resourceVersion of the list.
    version: Option<u64>,
}

fn version(text: Option<String>) -> Option<u64> {
    text?.parse().ok()
}

fn by_name(object: &ObjectReference) -> String {
    format!("metadata.name={}", object.name)
}

/// The result of a wait, or `None` while the wait continues.
type End = Option<Result<(), String>>;

/// A condition on an object.
struct Condition<'a> {
    object: &'a ObjectReference,
    until: Arc<Until>,
    evaluator: &'a Evaluator,
}

/// Reads the object by a list with a field selector, so that the permissions `list` and `watch` suffice. Returns `None`
/// if the request failed and may succeed later.
async fn read_object(api: &Api<DynamicObject>, object: &ObjectReference) -> Result<Option<InitialRead>, String> {
    let params = ListParams::default().fields(&by_name(object));
    let Ok(listed) = tokio::time::timeout(PATIENCE, api.list(&params)).await else {
        let error = format!("no answer within {PATIENCE:?}");
        debug!(object = %name_of(object), %error, "reading the object of a wait failed; trying again");
        return Ok(None);
    };
    match listed {
        Ok(mut list) => {
            let version = version(list.metadata.resource_version.take());
            Ok(Some(InitialRead { found: list.items.pop(), version }))
        }
        Err(ClientError::Api(status)) if status.code == 403 => {
            Err(format!("{} (the scheduler's role needs list and watch on it)", status.message))
        }
        Err(error) => {
            let error = explain_client(&error);
            debug!(object = %name_of(object), %error, "reading the object of a wait failed; trying again");
            Ok(None)
        }
    }
}

async fn watch(api: &Api<DynamicObject>, condition: &Condition<'_>) -> Result<(), String> {
    let object = condition.object;
    let config = watcher::Config::default().fields(&by_name(object));
    let mut events = pin!(watcher(api.clone(), config).default_backoff());
    let mut listed = false;
    while let Some(event) = events.next().await {
        let end = match event {
            Ok(watcher::Event::Init) => {
                listed = false;
                None
            }
            Ok(watcher::Event::InitApply(found)) => {
                listed = true;
                condition.judge(Some(&found)).await
            }
            Ok(watcher::Event::Apply(found)) => condition.judge(Some(&found)).await,
            Ok(watcher::Event::InitDone) if listed => None,
            Ok(watcher::Event::InitDone | watcher::Event::Delete(_)) => condition.judge(None).await,
            Err(watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error)) => {
                if let ClientError::Api(status) = &error
                    && status.code == 403
                {
                    return Err(explain_client(&error));
                }
                let error = explain_client(&error);
                debug!(object = %name_of(object), %error, "watching the object of a wait failed; trying again");
                None
            }
            Err(error) => {
                debug!(object = %name_of(object), %error, "the watch of a wait's object broke; trying again");
                None
            }
        };
        if let Some(end) = end {
            return end;
        }
    }
    Err("the watch of the object ended".to_owned())
}

impl Condition<'_> {
    async fn judge(&self, found: Option<&DynamicObject>) -> End {
        let object = self.object;
        // If the wait has a uid, an object of the same name with another uid counts as deleted.
        let gone = || (!object.uid.is_empty()).then(|| Err("the object is gone".to_owned()));
        let json = match found {
            Some(found) if !object.uid.is_empty() && found.uid().as_deref() != Some(&*object.uid) => return gone(),
            Some(found) => Some(serde_json::to_value(found).unwrap_or_default()),
            None => None,
        };
        match self.evaluator.evaluate(&self.until, json).await {
            Verdict::Met => Some(Ok(())),
            Verdict::Failed(reason) => Some(Err(reason)),
            Verdict::NotYet if found.is_none() => gone(),
            Verdict::NotYet => None,
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_millis() as f64 / 1_000.0)
}

#[cfg(test)]
#[path = "waiter_test.rs"]
mod tests;
