//! The instances that the core asks: each kept up to date, and made anew when it breaks.
//!
//! [`Guests`] belongs to the core's thread. Whatever takes long (instantiating, filling, dropping) is done on a thread
//! of its own, from a copy of the cluster; the result comes back as a [`Delivery`].

mod ask;
mod delivery;
mod entry;
mod install;
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
use self::rebuild::{Rebuilder, Rebuilt};
pub(super) use self::resident::{Resident, Stale};
use self::slot::Slot;
use super::feed::Feeder;
use berth_core::limits::Limits;
use berth_supervisor::Supervisor;

/// All instances. Implements [`berth_core::Plugins`].
pub struct Guests {
    /// By plugin id, ascending.
    slots: Vec<Slot>,
    feeder: Feeder,
    /// Copies of the cluster that wait for objects.
    waiting: Vec<ClusterRequest>,
    rebuilder: Rebuilder,
}

impl Guests {
    /// No instances yet. Those that break are made anew on a thread of their own, which sends them through `outbox`.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new(limits: Arc<Limits>, outbox: Outbox) -> std::io::Result<Self> {
        Self::supervised(limits, outbox, &Supervisor::default())
    }

    /// The same, with the thread under this supervisor.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn supervised(limits: Arc<Limits>, outbox: Outbox, supervisor: &Supervisor) -> std::io::Result<Self> {
        let rebuilder = Rebuilder::start(limits, outbox, supervisor)?;
        Ok(Self { slots: Vec::new(), feeder: Feeder::default(), waiting: Vec::new(), rebuilder })
    }

    /// The name of the plugin of which this is an instance.
    #[must_use]
    pub fn name(&self, plugin: PluginId) -> Option<Arc<str>> {
        let at = self.slots.binary_search_by_key(&plugin, |slot| slot.id).ok()?;
        Some(self.slots.get(at)?.entry.name())
    }

    /// Takes what a thread beside the core's delivers, between two steps of the core. The event it may give is the
    /// core's next one.
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

    /// Starts the instances anew whose time has come, tells instances that were not asked for long what changed, and gives
    /// copies of the cluster for which objects were missing. Call it after at most a few hundred events, and once a second.
    pub fn tick(&mut self, now: Timestamp, cache: &Cache) {
        self.waiting = self.waiting.drain(..).filter_map(|request| request.answer(cache)).collect();
        for slot in &mut self.slots {
            slot.retry_if_due(now, cache, &self.rebuilder);
            slot.keep_up(now, cache, &mut self.feeder, &self.rebuilder);
        }
    }

    fn take_rebuilt(&mut self, rebuilt: Rebuilt, now: Timestamp, cache: &Cache) -> Option<Event> {
        let Some(slot) = slot(&mut self.slots, rebuilt.id) else {
            // It was swapped out meanwhile.
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
