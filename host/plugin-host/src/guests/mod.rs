//! The plugin instances that the core calls. The host sends each instance the changes of the cluster, and rebuilds an
//! instance that breaks.
//!
//! [`Guests`] belongs to the core's thread. Slow work (instantiate, fill, drop) runs on a separate thread with a copy
//! of the cluster; the result returns as a [`Delivery`].

mod ask;
mod delivery;
mod entry;
mod failures;
mod install;
mod observed;
mod rebuild;
mod resident;
mod slot;
mod streak;
mod what_if;

use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::plugins::PluginId;
use berth_core::{Event, Timestamp};

pub(super) use self::delivery::Installed;
pub use self::delivery::{ClusterRequest, Delivery, Outbox, Prepared};
pub(super) use self::entry::Entry;
pub use self::entry::Health;
use self::failures::Failures;
pub use self::observed::{CallObserver, Observed, PluginAnswer, PluginCall};
use self::rebuild::{Rebuilder, Rebuilt};
pub use self::resident::{Resident, Stale};
use self::slot::Slot;
use super::feed::Feeder;
use berth_core::limits::Limits;
use berth_supervisor::Supervisor;

/// All plugin instances. Implements [`berth_core::Plugins`].
pub struct Guests {
    /// Ordered by plugin id.
    slots: Vec<Slot>,
    feeder: Feeder,
    /// Requests for a copy of the cluster that wait until the objects are listed.
    waiting: Vec<ClusterRequest>,
    rebuilder: Rebuilder,
    failures: Failures,
}

impl Guests {
    /// Creates an empty set. Broken instances are rebuilt on a separate thread, which sends them through `outbox`.
    ///
    /// # Errors
    /// The thread can't be started.
    pub fn new(limits: Arc<Limits>, outbox: Outbox) -> std::io::Result<Self> {
        Self::supervised(limits, outbox, &Supervisor::default())
    }

    /// Creates an empty set, with the thread under this supervisor.
    ///
    /// # Errors
    /// The thread can't be started.
    pub fn supervised(limits: Arc<Limits>, outbox: Outbox, supervisor: &Supervisor) -> std::io::Result<Self> {
        let rebuilder = Rebuilder::start(limits, outbox, supervisor)?;
        Ok(Self {
            slots: Vec::new(),
            feeder: Feeder::default(),
            waiting: Vec::new(),
            rebuilder,
            failures: Failures::default(),
        })
    }

    /// Returns the plugin's name.
    #[must_use]
    pub fn name(&self, plugin: PluginId) -> Option<Arc<str>> {
        let at = self.slots.binary_search_by_key(&plugin, |slot| slot.id).ok()?;
        Some(self.slots.get(at)?.entry.name())
    }

    /// Returns true while an instance is being rebuilt. A [`Delivery::Rebuilt`] follows for each such instance.
    #[must_use]
    pub fn is_rebuilding(&self) -> bool {
        self.slots.iter().any(Slot::is_rebuilding)
    }

    /// Handles a message from another thread, between two steps of the core. If this returns an event, the core must
    /// handle it before any other event.
    pub fn accept(&mut self, delivery: Delivery, now: Timestamp, cache: &Cache) -> Option<Event> {
        match delivery {
            Delivery::NeedsCluster(request) => {
                let waiting = request.answer(cache)?;
                let wanted = waiting.objects().to_vec();
                self.waiting.push(waiting);
                Some(Event::ObjectsWanted(wanted))
            }
            Delivery::Swap(prepared) => self.swap(prepared, cache).map(Event::PluginsSwapped),
            Delivery::Rebuilt(rebuilt) => self.take_rebuilt(rebuilt, now, cache),
        }
    }

    /// Starts to rebuild the instances whose back-off ended, sends changes to instances that miss many, and answers
    /// waiting requests for a copy of the cluster. Call this at least every few hundred events, and at least once a
    /// second.
    pub fn tick(&mut self, now: Timestamp, cache: &Cache) {
        self.waiting = self.waiting.drain(..).filter_map(|request| request.answer(cache)).collect();
        for slot in &mut self.slots {
            slot.retry_if_due(now, cache, &self.rebuilder);
            slot.keep_up(now, cache, &mut self.feeder, &self.rebuilder);
        }
    }

    fn take_rebuilt(&mut self, rebuilt: Rebuilt, now: Timestamp, cache: &Cache) -> Option<Event> {
        let Some(slot) = slot(&mut self.slots, rebuilt.id) else {
            // The plugin was removed meanwhile.
            if let Ok(resident) = rebuilt.result {
                self.rebuilder.dispose(resident);
            }
            return None;
        };
        let recovered = slot.take_rebuilt(rebuilt.result, now, cache, &mut self.feeder, &self.rebuilder);
        recovered.then(|| Event::PluginRecovered(slot.entry.name()))
    }
}

fn slot(slots: &mut [Slot], id: PluginId) -> Option<&mut Slot> {
    let at = slots.binary_search_by_key(&id, |slot| slot.id).ok()?;
    slots.get_mut(at)
}
