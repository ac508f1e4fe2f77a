//! Informers: one list and watch a kind, turned into events for the core.
//!
//! Nothing is lost between a watch and the next: a watch that ends is taken up where it ended; where the API server no
//! longer knows that place, everything is listed anew, and what is not on the list is reported as removed. There is one
//! watch for all pods, as two (pending, assigned) would deliver a pod's way from one to the other in no order.

use std::time::Duration;

use ::kube::api::{WatchEvent, WatchParams};
use ::kube::runtime::utils::Backoff;
use ::kube::runtime::watcher::DefaultBackoff;
use ::kube::{Api, Error as ClientError, ResourceExt};
use futures::{Stream, StreamExt};
use http::StatusCode;
use tracing::{info, warn};

use super::list::{ListError, Listed, Lister};

/// Which objects of a kind, and how they are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection {
    /// A field selector.
    pub(super) fields: Option<&'static str>,
    /// How many objects a list's page holds.
    pub(super) page_size: u32,
    /// How long to wait for the head of a watch's answer.
    pub(super) patience: Duration,
    /// How long a watch may bring nothing.
    pub(super) silence: Duration,
}

/// What is done with the objects of one kind.
pub(super) trait Intake: Send {
    /// An object as lists and watches hand it over.
    type Object: Listed;

    /// What they are called in messages: a plural.
    fn what(&self) -> String;

    /// A complete list begins.
    fn list_begins(&mut self);
    /// It ended; what was not on it is gone.
    fn list_ends(&mut self);
    /// An object is there, perhaps changed.
    fn set(&mut self, object: Self::Object);
    /// An object is gone.
    fn removed(&mut self, object: &Self::Object);
    /// The list could not be had; it is asked for again.
    fn not_listed(&mut self, _error: &ListError) {}
}

/// A watch that is silent for longer is dead: the API server ends each watch after 290 s, unless it is told otherwise.
pub(super) const SILENCE: Duration = Duration::from_secs(295);

/// How long the API server may take to answer a request for discovery, and to begin a watch. A connection whose other end is gone
/// without a word gives no answer for minutes.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How long to leave alone a server that ends a watch with nothing in it: it may do so again.
const PAUSE: Duration = Duration::from_millis(100);

/// Lists and watches for as long as it is polled; `synced` is called when the first list is complete.
pub(super) async fn run<I: Intake>(
    api: Api<I::Object>,
    selection: Selection,
    intake: &mut I,
    synced: impl FnOnce() + Send,
) {
    let mut synced = Some(synced);
    let mut lister = Lister::new(&api, selection);
    let mut wait = Wait::default();
    let mut relists = Relists::default();
    loop {
        let version = listed(&mut lister, intake, &mut wait).await;
        if let Some(synced) = synced.take() {
            synced();
        }
        Watcher { api: &api, selection, version, wait: &mut wait }.run(intake).await;
        tokio::time::sleep(relists.pause()).await;
        info!("{}: listing anew", intake.what());
    }
}

/// The resourceVersion of a list that is complete.
async fn listed<I: Intake>(lister: &mut Lister, intake: &mut I, wait: &mut Wait) -> String {
    loop {
        match lister.list(intake).await {
            Ok(version) => {
                wait.over();
                return version;
            }
            Err(e) => {
                warn!("{}: can't list: {e}; trying again", intake.what());
                intake.not_listed(&e);
            }
        }
        wait.once().await;
    }
}

/// How long to leave the API server alone after it failed: longer each time, until it answers.
#[derive(Default)]
struct Wait(DefaultBackoff);

impl Wait {
    async fn once(&mut self) {
        tokio::time::sleep(self.0.next().unwrap_or(Duration::from_secs(30))).await;
    }

    fn over(&mut self) {
        self.0.reset();
    }
}

/// How long to wait before all is listed anew: 0.8 s and more, twice as long each time up to 30 s, with a jitter, until there was none
/// for two minutes. So does client-go. A list that succeeds changes nothing: the watch after it may end as the last one did.
#[derive(Default)]
struct Relists(DefaultBackoff);

impl Relists {
    fn pause(&mut self) -> Duration {
        self.0.next().unwrap_or(Duration::from_secs(30))
    }
}

/// One watch after the other.
struct Watcher<'a, K> {
    api: &'a Api<K>,
    selection: Selection,
    /// Up to which everything is known.
    version: String,
    wait: &'a mut Wait,
}

/// How a watch ended.
enum Ended {
    /// It can be taken up where it was.
    Here,
    /// Everything has to be listed anew.
    Lost,
}

impl<K: Listed> Watcher<'_, K> {
    /// Watches until everything has to be listed anew.
    async fn run<I: Intake<Object = K>>(&mut self, intake: &mut I) {
        let params = WatchParams { field_selector: self.selection.fields.map(str::to_owned), ..WatchParams::default() };
        loop {
            let watch = tokio::time::timeout(self.selection.patience, self.api.watch(&params, &self.version));
            let Ok(watch) = watch.await else {
                warn!("{}: can't watch: no answer within {:?}; trying again", intake.what(), self.selection.patience);
                self.wait.once().await;
                continue;
            };
            match watch {
                Ok(stream) => match self.follow(stream, intake).await {
                    Ended::Here => {}
                    Ended::Lost => return,
                },
                Err(e) => {
                    warn!("{}: can't watch: {}; trying again", intake.what(), explain_client(&e));
                    if is_gone(&e) {
                        return;
                    }
                    self.wait.once().await;
                }
            }
        }
    }

    /// Follows one watch to its end, which is followed by a wait where it broke.
    async fn follow<I: Intake<Object = K>>(
        &mut self,
        stream: impl Stream<Item = Result<WatchEvent<K>, ClientError>>,
        intake: &mut I,
    ) -> Ended {
        let mut stream = std::pin::pin!(stream);
        let mut brought = false;
        loop {
            let Ok(next) = tokio::time::timeout(self.selection.silence, stream.next()).await else {
                warn!("{}: the watch is silent; trying again", intake.what());
                return Ended::Here;
            };
            let error = match next {
                Some(Ok(WatchEvent::Error(status))) => ClientError::Api(status),
                Some(Ok(event)) => {
                    self.wait.over();
                    brought = true;
                    self.take(event, intake);
                    continue;
                }
                Some(Err(error)) => error,
                None => {
                    if !brought {
                        tokio::time::sleep(PAUSE).await;
                    }
                    return Ended::Here;
                }
            };
            warn!("{}: the watch broke: {}; trying again", intake.what(), explain_client(&error));
            // Where a line is no JSON, nobody knows what stood there.
            if is_gone(&error) || matches!(error, ClientError::SerdeError(_)) {
                return Ended::Lost;
            }
            self.wait.once().await;
            return Ended::Here;
        }
    }

    fn take<I: Intake<Object = K>>(&mut self, event: WatchEvent<K>, intake: &mut I) {
        let version = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let version = object.resource_version();
                intake.set(object);
                version
            }
            WatchEvent::Deleted(object) => {
                intake.removed(&object);
                object.resource_version()
            }
            WatchEvent::Bookmark(bookmark) => Some(bookmark.metadata.resource_version),
            WatchEvent::Error(_) => None,
        };
        // An object that can't be read may have none: then what follows it tells how far the watch is.
        if let Some(version) = version.filter(|version| !version.is_empty()) {
            self.version = version;
        }
    }
}

/// The API server no longer knows the place from which it was to go on.
pub(super) fn is_gone(error: &ClientError) -> bool {
    matches!(error, ClientError::Api(status) if status.code == StatusCode::GONE.as_u16())
}

pub(super) fn explain_client(error: &ClientError) -> String {
    match error {
        ClientError::Api(status) if status.code == 403 => {
            format!("{} (its role needs list and watch on it)", status.message)
        }
        ClientError::Api(status) => status.message.clone(),
        other => super::rest::chain(other),
    }
}

#[cfg(test)]
#[path = "informer_test.rs"]
mod tests;
