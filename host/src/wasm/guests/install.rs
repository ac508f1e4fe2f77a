//! Exchanging the set of plugins, between two cycles.

use berth_core::cache::Cache;
use berth_core::profile::Profile;

use super::delivery::{Installed, Prepared};
use super::resident::Stale;
use super::{Guests, Slot};

impl Guests {
    /// Puts a prepared set in the place of the one before. Instances that both use stay as they are; the new ones are
    /// brought up to date first, and if that fails, nothing is exchanged.
    ///
    /// Returns the profiles of the set, for [`berth_core::Event::PluginsSwapped`].
    pub fn swap(&mut self, mut prepared: Prepared, cache: &Cache) -> Option<Vec<Profile>> {
        let done = prepared.done.take();
        let installed = self.bring_up_to_date(&mut prepared, cache);
        let profiles = (installed == Installed::Yes).then(|| self.put_in_place(prepared));
        if let Some(done) = done {
            // The loader may have ended; the set serves all the same.
            let _ = done.send(installed);
        }
        profiles
    }

    fn bring_up_to_date(&mut self, prepared: &mut Prepared, cache: &Cache) -> Installed {
        for (entry, resident) in &mut prepared.new {
            match resident.catch_up(cache, &mut self.feeder) {
                Ok(()) => {}
                Err(Stale::Behind) => return Installed::FellBehind,
                Err(Stale::Call(error)) => return Installed::Failed(entry.id, error.to_string()),
            }
        }
        Installed::Yes
    }

    fn put_in_place(&mut self, prepared: Prepared) -> Vec<Profile> {
        let (kept, gone): (Vec<Slot>, Vec<Slot>) =
            self.slots.drain(..).partition(|slot| prepared.used.contains(&slot.id));
        self.slots = kept;
        self.slots.extend(prepared.new.into_iter().map(|(entry, resident)| Slot::new(entry, resident)));
        self.slots.sort_by_key(|slot| slot.id);
        gone.into_iter().filter_map(Slot::into_resident).for_each(|resident| self.rebuilder.dispose(resident));
        prepared.profiles
    }
}
