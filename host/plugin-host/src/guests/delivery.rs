//! What other threads hand to the core's.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use berth_core::cache::{Cache, Coverage};
use berth_core::model::ObjectReads;
use berth_core::plugins::PluginId;
use berth_core::profile::Profile;

use super::entry::Entry;
use super::rebuild::Rebuilt;
use super::resident::{Resident, Stale};
use crate::feed::Feeder;
use crate::load::LoadCause;

/// Something for [`super::Guests::accept`].
pub enum Delivery {
    /// A thread wants a copy of the cluster as it is.
    NeedsCluster(ClusterRequest),
    /// Another set of plugins is ready.
    Swap(Prepared),
    /// An instance was made anew.
    Rebuilt(Rebuilt),
}

/// Puts a delivery on its way to the core's thread; false where that has ended.
pub type Outbox = Arc<dyn Fn(Delivery) -> bool + Send + Sync>;

/// A copy of the cluster, or why it can't be had.
pub(crate) type ClusterAnswer = Result<Cache, LoadCause>;

/// A wish for a copy of the cluster with these objects in it.
pub struct ClusterRequest {
    objects: Vec<ObjectReads>,
    /// With the changes since then; `None` for none.
    since: Option<u64>,
    answer: SyncSender<ClusterAnswer>,
}

impl ClusterRequest {
    /// The request and where its answer comes.
    pub(crate) fn new(objects: &[ObjectReads], since: Option<u64>) -> (Self, Receiver<ClusterAnswer>) {
        let (answer, receiver) = sync_channel(1);
        (Self { objects: objects.to_vec(), since, answer }, receiver)
    }

    /// Further kinds that have to be in the cluster.
    #[must_use]
    pub fn objects(&self) -> &[ObjectReads] {
        &self.objects
    }

    /// Gives it, unless objects are still being listed: then it comes back.
    pub(super) fn answer(self, cache: &Cache) -> Option<Self> {
        let answer = match cache.objects().coverage(&self.objects) {
            Coverage::Complete => Ok(cache.frozen(self.since.unwrap_or(cache.log().end()))),
            Coverage::Refused(kind, why) => Err(LoadCause::NotListed { kind, why }),
            Coverage::Underway => return Some(self),
        };
        // Who asked may be gone; then nobody needs it.
        let _ = self.answer.send(answer);
        None
    }
}

/// A set of plugins, filled and tried, and the profiles that use it.
#[derive(Default)]
pub struct Prepared {
    /// Instances that were not there before.
    pub(crate) new: Vec<(Arc<Entry>, Resident)>,
    /// All instances that the profiles use; others go.
    pub(crate) used: Vec<PluginId>,
    pub(crate) profiles: Vec<Profile>,
    /// Where whoever prepared it waits for the outcome, if somebody does.
    pub(crate) done: Option<Sender<Outcome>>,
}

/// What became of a prepared set, told to the thread that prepared it.
pub(crate) struct Outcome {
    pub(crate) installed: Installed,
    /// Instances that nobody uses any more. Unmapping their memory takes its time, which is to be that thread's: its priority is
    /// low.
    pub(crate) gone: Vec<Resident>,
}

/// Whether a prepared set serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    Yes,
    /// The cluster changed more than the log holds while it was prepared: fill it again.
    FellBehind,
    /// This one of its instances failed on the latest changes.
    Failed(PluginId, String),
}

impl Prepared {
    /// Up to where all of the new instances know the changes of the cluster; `None` where there are none.
    pub(crate) fn position(&self) -> Option<u64> {
        self.new.iter().map(|(_, resident)| resident.position()).min()
    }

    /// Tells the new instances what changed since.
    pub(crate) fn catch_up(&mut self, cache: &Cache, feeder: &mut Feeder) -> Installed {
        for (entry, resident) in &mut self.new {
            match resident.catch_up(cache, feeder) {
                Ok(()) => {}
                Err(Stale::Behind) => return Installed::FellBehind,
                Err(Stale::Call(error)) => return Installed::Failed(entry.id, error.to_string()),
            }
        }
        Installed::Yes
    }

    /// Lets the preparing thread learn what becomes of the set.
    pub(crate) fn watched(mut self) -> (Self, Receiver<Outcome>) {
        let (sender, receiver) = channel();
        self.done = Some(sender);
        (self, receiver)
    }

    /// The profiles that the set is for.
    #[must_use]
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }
}
