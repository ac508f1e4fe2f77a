//! Replaces the set of plugins between two cycles.

use berth_core::cache::Cache;
use berth_core::profile::Profile;

use super::delivery::{Installed, Outcome, Prepared};
use super::resident::Resident;
use super::{Guests, Slot};

impl Guests {
    /// Installs a prepared set. Instances that the previous set and the new set both use stay. The new instances first
    /// receive the latest changes; if that fails, nothing is replaced.
    ///
    /// Returns the profiles of the set, for [`berth_core::Event::PluginsSwapped`]; `None` if nothing was replaced.
    pub fn swap(&mut self, mut prepared: Prepared, cache: &Cache) -> Option<Vec<Profile>> {
        let done = prepared.done.take();
        let installed = prepared.catch_up(cache, &mut self.feeder);
        let (profiles, gone) = if installed == Installed::Yes {
            let (profiles, gone) = self.replace_slots(prepared);
            (Some(profiles), gone)
        } else {
            (None, prepared.new.into_iter().map(|(_, resident)| resident).collect())
        };
        match done {
            // The loader may have ended; the set is installed all the same.
            Some(done) => drop(done.send(Outcome { installed, gone })),
            None => gone.into_iter().for_each(|resident| self.rebuilder.dispose(Box::new(resident))),
        }
        profiles
    }

    /// Returns the profiles, and the instances that are no longer used.
    fn replace_slots(&mut self, prepared: Prepared) -> (Vec<Profile>, Vec<Resident>) {
        let (kept, gone): (Vec<Slot>, Vec<Slot>) =
            self.slots.drain(..).partition(|slot| prepared.used.contains(&slot.id));
        self.slots = kept;
        self.slots.extend(prepared.new.into_iter().map(|(entry, resident)| Slot::new(entry, resident)));
        self.slots.sort_by_key(|slot| slot.id);
        (prepared.profiles, gone.into_iter().filter_map(Slot::into_resident).map(|resident| *resident).collect())
    }
}
