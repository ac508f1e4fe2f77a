//! Watches with a kube client. After an error, a watch tries again with kube's backoff. The backoff uses real time
//! instead of the controllers' clock, because the backoff concerns the network.

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use kube::core::{ApiResource, DynamicObject, Resource};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde::de::DeserializeOwned;

use super::super::kinds::{Kind, Object, Other, Typed};
use super::super::metadata::Key;
use super::super::node::Node;
use super::super::pod::Pod;
use super::{Served, WatchEvent};

/// The number of objects in one page of a list. A page of pods is a few megabytes.
const PAGE: u32 = 1000;

/// Watches all objects of a kind.
pub fn watch(kind: Kind, served: &Served, client: Client) -> BoxStream<'static, WatchEvent> {
    match kind {
        Kind::Pod => watch_partial::<Pod>(client),
        Kind::Node => watch_partial::<Node>(client),
        Kind::Other(number) => watch_metadata(client, number, &served.resource),
        complete_kind => watch_complete(client, complete_kind, &served.resource),
    }
}

/// Watches all objects of a kind of which only some fields are decoded.
fn watch_partial<K>(client: Client) -> BoxStream<'static, WatchEvent>
where
    K: Typed + Resource<DynamicType = ()> + DeserializeOwned + Clone + std::fmt::Debug + Send + Sync + 'static,
    Object: From<K>,
{
    let events = watcher::watcher(Api::<K>::all(client), config());
    open(K::KIND, events, |object| Some(Object::from(object)))
}

/// Watches all objects of a kind that is decoded completely. Logs and skips an object that cannot be decoded.
fn watch_complete(client: Client, kind: Kind, resource: &ApiResource) -> BoxStream<'static, WatchEvent> {
    let events = watcher::watcher(Api::<DynamicObject>::all_with(client, resource), config());
    open(kind, events, move |object: DynamicObject| {
        let key = Key::of(&object.metadata);
        let read = serde_json::to_value(object).and_then(|value| Object::from_value(kind, value));
        read.inspect_err(|error| tracing::warn!(%kind, object = %key, %error, "an object can't be read; ignoring it"))
            .ok()
    })
}

/// Watches all objects of a kind that API discovery found, and decodes only their metadata.
fn watch_metadata(client: Client, number: u16, resource: &ApiResource) -> BoxStream<'static, WatchEvent> {
    let events = watcher::watcher(Api::<Other>::all_with(client, resource), config());
    open(Kind::Other(number), events, move |object| Some(Object::other(number, object)))
}

fn config() -> watcher::Config {
    watcher::Config::default().page_size(PAGE)
}

fn open<K: Send + 'static>(
    kind: Kind,
    events: impl Stream<Item = watcher::Result<Event<K>>> + Send + 'static,
    decode: impl Fn(K) -> Option<Object> + Send + 'static,
) -> BoxStream<'static, WatchEvent> {
    let convert = move |event| match event {
        Ok(Event::Init) => Some(WatchEvent::ListStarted(kind)),
        Ok(Event::InitApply(object) | Event::Apply(object)) => decode(object).map(WatchEvent::Applied),
        Ok(Event::InitDone) => Some(WatchEvent::ListFinished(kind)),
        Ok(Event::Delete(object)) => decode(object).map(WatchEvent::Deleted),
        Err(error @ watcher::Error::InitialListFailed(_)) => {
            tracing::warn!(%kind, %error, "list failed; trying again");
            None
        }
        Err(error) => {
            tracing::debug!(%kind, %error, "the watch broke; trying again");
            None
        }
    };
    events.default_backoff().flat_map(move |event| stream::iter(convert(event))).boxed()
}
