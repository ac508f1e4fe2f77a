//! Messages from other threads to the core's thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use berth_core::cache::{Cache, Coverage};
use berth_core::model::ObjectReads;
use berth_core::plugins::PluginId;
use berth_core::profile::Profile;
use berth_core::profile_spec::ProfileSpec;

use super::entry::Entry;
use super::rebuild::Rebuilt;
use super::resident::{Resident, Stale};
use crate::feed::Feeder;
use crate::load::LoadCause;

/// A message for [`super::Guests::accept`].
pub enum Delivery {
    /// A thread requests a copy of the cluster.
    NeedsCluster(ClusterRequest),
    /// A new set of plugins is ready.
    Swap(Prepared),
    /// An instance was rebuilt.
    Rebuilt(Rebuilt),
}

/// Sends a delivery to the core's thread. Returns false if that thread has ended.
pub type Outbox = Arc<dyn Fn(Delivery) -> bool + Send + Sync>;

/// A copy of the cluster, or the reason why there is none.
pub(crate) type ClusterAnswer = Result<Cache, LoadCause>;

/// A request for a copy of the cluster that contains these objects.
pub struct ClusterRequest {
    objects: Vec<ObjectReads>,
    /// Include the changes since this position of the change log; `None` for no changes.
    since: Option<u64>,
    answer: SyncSender<ClusterAnswer>,
}

impl ClusterRequest {
    /// Returns a request and the receiver of its answer.
    pub fn new(objects: &[ObjectReads], since: Option<u64>) -> (Self, Receiver<ClusterAnswer>) {
        let (answer, receiver) = sync_channel(1);
        (Self { objects: objects.to_vec(), since, answer }, receiver)
    }

    /// Returns the kinds beyond nodes and pods that the cluster must contain.
    #[must_use]
    pub fn objects(&self) -> &[ObjectReads] {
        &self.objects
    }

    /// Answers the request. Returns the request if objects are still being listed.
    pub(super) fn answer(self, cache: &Cache) -> Option<Self> {
        let answer = match cache.objects().coverage(&self.objects) {
            Coverage::Complete => Ok(cache.frozen(self.since.unwrap_or(cache.log().end()))),
            Coverage::Refused(kind, why) => Err(LoadCause::NotListed { kind, why }),
            Coverage::Underway => return Some(self),
        };
        // The requester may be gone and then needs no answer.
        let _ = self.answer.send(answer);
        None
    }
}

/// A set of plugins, filled and tested, and the profiles that use it.
#[derive(Default)]
pub struct Prepared {
    /// The new instances.
    pub(crate) new: Vec<(Arc<Entry>, Resident)>,
    /// All instances that the profiles use. Other instances are removed.
    pub(crate) used: Vec<PluginId>,
    pub(crate) profiles: Vec<Profile>,
    /// The specs of the profiles.
    pub(crate) specs: Vec<ProfileSpec>,
    /// Sends the outcome to the preparing thread; `None` if no thread waits for the outcome.
    pub(crate) done: Option<Sender<Outcome>>,
}

/// The outcome of a prepared set, for the thread that prepared it.
pub(crate) struct Outcome {
    pub(crate) installed: Installed,
    /// Instances that are no longer used. The preparing thread drops them, because unmapping their memory takes time
    /// and that thread has a low priority.
    pub(crate) gone: Vec<Resident>,
}

/// Whether a prepared set was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    Yes,
    /// While the set was prepared, the cluster changed more than the log holds. The set must be filled again.
    FellBehind,
    /// This instance failed on the latest changes.
    Failed(PluginId, String),
}

impl Prepared {
    /// Returns the position in the change log that all new instances have reached; `None` if there are no new
    /// instances.
    pub(crate) fn position(&self) -> Option<u64> {
        self.new.iter().map(|(_, resident)| resident.position()).min()
    }

    /// Sends each new instance the changes since its position in the change log.
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

    /// Returns the set with a receiver for its outcome.
    pub(crate) fn watched(mut self) -> (Self, Receiver<Outcome>) {
        let (sender, receiver) = channel();
        self.done = Some(sender);
        (self, receiver)
    }

    /// Returns the specs from which the profiles of the set were made.
    #[must_use]
    pub fn specs(&self) -> &[ProfileSpec] {
        &self.specs
    }

    /// Returns the profiles of the set.
    #[must_use]
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }
}
