//! Watches: one a kind, each a task that turns the API server's events into [`Seen`] for the one channel.

use futures::{Stream, TryStreamExt};
use kube::core::{ApiResource, Resource};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::kinds::{Kind, Object, Other, Typed};

/// Objects listed in one request; a page of pods is a few megabytes.
const PAGE: u32 = 1000;

/// What a watch saw.
#[derive(Debug)]
pub enum Seen {
    /// A list of the kind begins: what isn't in it is gone.
    Listing(Kind),
    /// The object is so now.
    Applied(Object),
    /// The list is complete.
    Listed(Kind),
    /// The object was deleted; this was its last state.
    Deleted(Object),
}

/// Where watches put what they saw. It is bounded: a slow controller slows the watches.
pub type Sender = mpsc::Sender<Seen>;

/// An open watch; dropping it ends it.
#[derive(Debug)]
pub struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Watches all objects of a typed kind.
pub fn typed<K>(client: Client, sender: Sender) -> Watch
where
    K: Typed + Resource<DynamicType = ()> + DeserializeOwned + Clone + std::fmt::Debug + Send + Sync + 'static,
    Object: From<K>,
{
    let stream = watcher::watcher(Api::<K>::all(client), config());
    open(K::KIND, stream, Object::from, sender)
}

/// Watches the metadata of all objects of a discovered kind.
pub fn other(client: Client, number: u16, resource: &ApiResource, sender: Sender) -> Watch {
    let stream = watcher::watcher(Api::<Other>::all_with(client, resource), config());
    open(Kind::Other(number), stream, move |object| Object::other(number, object), sender)
}

fn config() -> watcher::Config {
    watcher::Config::default().page_size(PAGE)
}

fn open<K: Send + 'static>(
    kind: Kind,
    stream: impl Stream<Item = watcher::Result<Event<K>>> + Send + 'static,
    keep: impl Fn(K) -> Object + Send + 'static,
    sender: Sender,
) -> Watch {
    let run = async move {
        let mut stream = Box::pin(stream.default_backoff());
        loop {
            let seen = match stream.try_next().await {
                Ok(Some(Event::Init)) => Seen::Listing(kind),
                Ok(Some(Event::InitApply(object) | Event::Apply(object))) => Seen::Applied(keep(object)),
                Ok(Some(Event::InitDone)) => Seen::Listed(kind),
                Ok(Some(Event::Delete(object))) => Seen::Deleted(keep(object)),
                Ok(None) => return,
                Err(error) => {
                    tracing::debug!(%kind, %error, "watch is opened again");
                    continue;
                }
            };
            if sender.send(seen).await.is_err() {
                return;
            }
        }
    };
    Watch(tokio::spawn(run).abort_handle())
}
