//! Watches: one task for each kind, which sends the store's events to the event loop's channel.

use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::store::WatchEvent;

/// The sender of the channel for the events of watches. The channel is bounded, so slow controllers slow down the
/// watches.
pub type Sender = mpsc::Sender<WatchEvent>;

/// An open watch. Dropping the value closes the watch.
#[derive(Debug)]
pub struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Watch {
    /// Starts a task that sends the events of a watch to `sender`.
    pub fn open(mut events: BoxStream<'static, WatchEvent>, sender: Sender) -> Self {
        let forward = async move {
            while let Some(event) = events.next().await {
                if sender.send(event).await.is_err() {
                    return;
                }
            }
        };
        Watch(tokio::spawn(forward).abort_handle())
    }
}
