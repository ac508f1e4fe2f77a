//! Watches: one task for each kind, which sends the API server's events as [`Seen`] to the event loop's channel.

use futures::{Stream, TryStreamExt};
use kube::core::{ApiResource, DynamicObject, Resource};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::kinds::{Kind, Object, Other, Typed};
use super::metadata::Key;

/// The number of objects in one page of a list. A page of pods is a few megabytes.
const PAGE: u32 = 1000;

/// An event of a watch.
#[derive(Debug)]
pub enum Seen {
    /// A list of the kind starts. Objects that the list does not contain are deleted.
    Listing(Kind),
    /// The current state of an object.
    Applied(Object),
    /// The list is complete.
    Listed(Kind),
    /// The object was deleted. This was its last state.
    Deleted(Object),
}

/// The channel for the events of watches. It is bounded, so slow controllers slow down the watches.
pub type Sender = mpsc::Sender<Seen>;

/// An open watch. Dropping the value closes the watch.
#[derive(Debug)]
pub struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Watches all objects of a kind of which only some fields are decoded.
pub fn slim<K>(client: Client, sender: Sender) -> Watch
where
    K: Typed + Resource<DynamicType = ()> + DeserializeOwned + Clone + std::fmt::Debug + Send + Sync + 'static,
    Object: From<K>,
{
    let stream = watcher::watcher(Api::<K>::all(client), config());
    open(K::KIND, stream, |object| Some(Object::from(object)), sender)
}

/// Watches all objects of a kind that is decoded completely. Logs and skips an object that cannot be decoded.
pub fn whole(client: Client, kind: Kind, resource: &ApiResource, sender: Sender) -> Watch {
    let stream = watcher::watcher(Api::<DynamicObject>::all_with(client, resource), config());
    let keep = move |object: DynamicObject| {
        let key = Key::of(&object.metadata);
        let read = serde_json::to_value(object).and_then(|value| Object::from_value(kind, value));
        read.inspect_err(|error| tracing::warn!(%kind, %key, %error, "the object can't be read and is left alone")).ok()
    };
    open(kind, stream, keep, sender)
}

/// Watches the metadata of all objects of a discovered kind.
pub fn other(client: Client, number: u16, resource: &ApiResource, sender: Sender) -> Watch {
    let stream = watcher::watcher(Api::<Other>::all_with(client, resource), config());
    open(Kind::Other(number), stream, move |object| Some(Object::other(number, object)), sender)
}

fn config() -> watcher::Config {
    watcher::Config::default().page_size(PAGE)
}

fn open<K: Send + 'static>(
    kind: Kind,
    stream: impl Stream<Item = watcher::Result<Event<K>>> + Send + 'static,
    keep: impl Fn(K) -> Option<Object> + Send + 'static,
    sender: Sender,
) -> Watch {
    let run = async move {
        let mut stream = Box::pin(stream.default_backoff());
        loop {
            let seen = match stream.try_next().await {
                Ok(Some(Event::Init)) => Some(Seen::Listing(kind)),
                Ok(Some(Event::InitApply(object) | Event::Apply(object))) => keep(object).map(Seen::Applied),
                Ok(Some(Event::InitDone)) => Some(Seen::Listed(kind)),
                Ok(Some(Event::Delete(object))) => keep(object).map(Seen::Deleted),
                Ok(None) => return,
                Err(error @ watcher::Error::InitialListFailed(_)) => {
                    tracing::warn!(%kind, %error, "the kind can't be listed; trying again");
                    continue;
                }
                Err(error) => {
                    tracing::debug!(%kind, %error, "the watch is opened again");
                    continue;
                }
            };
            if let Some(seen) = seen
                && sender.send(seen).await.is_err()
            {
                return;
            }
        }
    };
    Watch(tokio::spawn(run).abort_handle())
}
