//! Informers: one list and watch per kind, converted to events for the core.
//!
//! No change is lost between two watches. A new watch continues at the resourceVersion of the previous one. If the
//! API server no longer has that version, the informer lists again and reports the objects that are missing from the
//! list as removed. One watch covers all pods: two watches (pending, assigned) would report a pod's move from one to
//! the other in any order.

use std::time::Duration;

use ::kube::Error as ClientError;
use ::kube::api::{WatchEvent, WatchParams};
use ::kube::core::Request;
use ::kube::runtime::utils::Backoff;
use ::kube::runtime::watcher::DefaultBackoff;
use futures::{Stream, StreamExt};
use http::StatusCode;
use tracing::{info, warn};

use super::cluster_event::ResourceVersion;
use super::list::{Collection, ListError, Listed, Lister};

/// The objects of a kind to list and watch, and the limits of the requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection {
    /// The field selector.
    pub(super) fields: Option<&'static str>,
    /// The number of objects per page of a list.
    pub(super) page_size: u32,
    /// The time limit for the response head of a watch.
    pub(super) patience: Duration,
    /// The longest time without an event before the watch counts as dead.
    pub(super) silence: Duration,
}

/// Consumes the objects of one kind.
pub(super) trait Intake: Send {
    /// The type that a list or watch returns.
    type Object: Listed;

    /// Returns the name of the kind, for messages: `pods`, `nodes`, or for example `v1 Service`.
    fn kind_name(&self) -> String;

    /// A full list begins.
    fn list_begins(&mut self);
    /// The full list at this resourceVersion ended. Objects that were not on it are gone.
    fn list_ends(&mut self, version: ResourceVersion);
    /// An object was added or changed.
    fn set(&mut self, object: Self::Object);
    /// An object was deleted.
    fn removed(&mut self, object: &Self::Object);
    /// A list failed. The informer lists again.
    fn not_listed(&mut self, _error: &ListError) {}
}

/// The longest silence of a watch. The `kube` client asks the API server to end each watch after 290 s, so a watch that
/// is silent for longer is dead.
pub(super) const SILENCE: Duration = Duration::from_secs(295);

/// The time limit for a discovery request, for the start of a watch, and for the first read of a wait. A connection
/// whose peer vanished gives no answer for minutes.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The pause after a watch that the API server ended without an event, so that the informer does not reconnect in a
/// fast loop.
const PAUSE: Duration = Duration::from_millis(100);

/// Lists and watches until the future is dropped. Calls `synced` when the first list is complete.
pub(super) async fn run<I: Intake>(
    collection: Collection,
    selection: Selection,
    intake: &mut I,
    synced: impl FnOnce() + Send,
) {
    let mut synced = Some(synced);
    let mut lister = Lister::new::<I::Object>(collection.clone(), selection);
    let mut backoff = RequestBackoff::default();
    let mut relists = Relists::default();
    loop {
        let version = list_until_success(&mut lister, intake, &mut backoff).await;
        if let Some(synced) = synced.take() {
            synced();
        }
        Watcher { collection: &collection, selection, version, backoff: &mut backoff }.run(intake).await;
        tokio::time::sleep(relists.pause()).await;
        info!(kind = %intake.kind_name(), "listing all objects again");
    }
}

/// Lists until a list succeeds. Returns the resourceVersion of that list.
async fn list_until_success<I: Intake>(lister: &mut Lister, intake: &mut I, backoff: &mut RequestBackoff) -> String {
    loop {
        match lister.list(intake).await {
            Ok(version) => {
                backoff.reset();
                return version;
            }
            Err(error) => {
                warn!(kind = %intake.kind_name(), %error, "list failed; trying again");
                intake.not_listed(&error);
            }
        }
        backoff.pause().await;
    }
}

/// The backoff after a failed list or watch. The backoff resets after each successful list and at each event of a
/// watch.
#[derive(Default)]
struct RequestBackoff(DefaultBackoff);

impl RequestBackoff {
    async fn pause(&mut self) {
        tokio::time::sleep(self.0.next().unwrap_or(Duration::from_secs(30))).await;
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}

/// The backoff between full lists, as in client-go: from 0.8 s, doubled each time up to 30 s, with a jitter. The
/// backoff resets after two minutes without a list. A successful list does not reset it, because the next watch may
/// fail as the last one did.
#[derive(Default)]
struct Relists(DefaultBackoff);

impl Relists {
    fn pause(&mut self) -> Duration {
        self.0.next().unwrap_or(Duration::from_secs(30))
    }
}

/// Runs the watches of a kind one after the other.
struct Watcher<'a> {
    collection: &'a Collection,
    selection: Selection,
    /// The resourceVersion up to which all changes are known.
    version: String,
    backoff: &'a mut RequestBackoff,
}

/// The result of a watch.
enum Ended {
    /// The next watch continues at [`Watcher::version`].
    Resumable,
    /// A full list must restore the state.
    Outdated,
}

impl Watcher<'_> {
    /// Watches until a full list is needed.
    async fn run<I: Intake>(&mut self, intake: &mut I) {
        let params = WatchParams { field_selector: self.selection.fields.map(str::to_owned), ..WatchParams::default() };
        loop {
            let watch = tokio::time::timeout(self.selection.patience, self.watch::<I::Object>(&params));
            let Ok(watch) = watch.await else {
                let error = format!("no answer within {:?}", self.selection.patience);
                warn!(kind = %intake.kind_name(), %error, "watch failed; trying again");
                self.backoff.pause().await;
                continue;
            };
            match watch {
                Ok(stream) => match self.follow(stream, intake).await {
                    Ended::Resumable => {}
                    Ended::Outdated => return,
                },
                Err(error) => {
                    warn!(kind = %intake.kind_name(), error = %explain_client(&error), "watch failed; trying again");
                    if is_gone(&error) {
                        return;
                    }
                    self.backoff.pause().await;
                }
            }
        }
    }

    /// Begins a watch at [`Watcher::version`].
    async fn watch<K: Listed>(
        &self,
        params: &WatchParams,
    ) -> Result<impl Stream<Item = Result<WatchEvent<K>, ClientError>> + use<K>, ClientError> {
        let request = Request::new(self.collection.path.as_str()).watch(params, &self.version);
        let request = request.map_err(ClientError::BuildRequest)?;
        self.collection.client.request_events(request).await
    }

    /// Follows one watch to its end. Pauses afterwards if the watch broke and can be resumed, or if it ended without an
    /// event.
    async fn follow<I: Intake>(
        &mut self,
        stream: impl Stream<Item = Result<WatchEvent<I::Object>, ClientError>>,
        intake: &mut I,
    ) -> Ended {
        let mut stream = std::pin::pin!(stream);
        let mut received_event = false;
        loop {
            let Ok(next) = tokio::time::timeout(self.selection.silence, stream.next()).await else {
                warn!(kind = %intake.kind_name(), "the watch is silent; opening a new one");
                return Ended::Resumable;
            };
            let error = match next {
                Some(Ok(WatchEvent::Error(status))) => ClientError::Api(status),
                Some(Ok(event)) => {
                    self.backoff.reset();
                    received_event = true;
                    self.handle(event, intake);
                    continue;
                }
                Some(Err(error)) => error,
                None => {
                    if !received_event {
                        tokio::time::sleep(PAUSE).await;
                    }
                    return Ended::Resumable;
                }
            };
            warn!(kind = %intake.kind_name(), error = %explain_client(&error), "the watch broke; trying again");
            // The content of a line that is not JSON is unknown, so only a list can restore the state.
            if is_gone(&error) || matches!(error, ClientError::SerdeError(_)) {
                return Ended::Outdated;
            }
            self.backoff.pause().await;
            return Ended::Resumable;
        }
    }

    fn handle<I: Intake>(&mut self, event: WatchEvent<I::Object>, intake: &mut I) {
        let version = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let version = object.resource_version().to_owned();
                intake.set(object);
                version
            }
            WatchEvent::Deleted(object) => {
                intake.removed(&object);
                object.resource_version().to_owned()
            }
            WatchEvent::Bookmark(bookmark) => bookmark.metadata.resource_version,
            WatchEvent::Error(_) => String::new(),
        };
        // An object that can't be read may have no resourceVersion. The version then stays the same until the next
        // event.
        if !version.is_empty() {
            self.version = version;
        }
    }
}

/// Returns whether the API server no longer has the requested resourceVersion (410 Gone).
pub(super) fn is_gone(error: &ClientError) -> bool {
    matches!(error, ClientError::Api(status) if status.code == StatusCode::GONE.as_u16())
}

pub(super) fn explain_client(error: &ClientError) -> String {
    match error {
        ClientError::Api(status) if status.code == 403 => {
            format!("{} (the scheduler's role needs list and watch on it)", status.message)
        }
        other => super::rest::chain(other),
    }
}

#[cfg(test)]
#[path = "informer_test.rs"]
mod tests;
