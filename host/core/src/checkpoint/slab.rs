//! Items under dense ids. The state holds the use of every id and the order of the free ids, because these decide which
//! id the next item gets, and the choice among equal nodes goes by id.

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

use super::error::{RestoreError, check};
use crate::cache::ids::{Entry, Slab};
use crate::cache::register::{Keyed, Register};

/// A [`Slab`], with its items as `T`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SlabState<T> {
    /// By id.
    entries: Vec<Entry<T>>,
    /// The free ids. The last of them is used first.
    free: Vec<u32>,
}

impl<T> SlabState<T> {
    /// Copies a slab. `state_of` returns the state of an item.
    pub fn of<I>(slab: &Slab<I>, mut state_of: impl FnMut(&I) -> T) -> Self {
        let entries = slab.all().map(|entry| match entry {
            Entry::Taken(item) => Entry::Taken(state_of(item)),
            Entry::Retired => Entry::Retired,
            Entry::Lent(key) => Entry::Lent(*key),
            Entry::Returned => Entry::Returned,
            Entry::Free => Entry::Free,
        });
        Self { entries: entries.collect(), free: slab.free_ids().to_vec() }
    }

    /// Creates the slab. `restore` returns the item with this id.
    fn restore_slab<I: Clone>(
        self,
        what: &str,
        mut restore: impl FnMut(u32, T) -> Result<I, RestoreError>,
    ) -> Result<Slab<I>, RestoreError> {
        self.check_free_ids(what)?;
        let entries = (0..).zip(self.entries).map(|(id, entry)| match entry {
            Entry::Taken(state) => restore(id, state).map(Entry::Taken),
            Entry::Retired => Ok(Entry::Retired),
            Entry::Lent(key) => Ok(Entry::Lent(key)),
            Entry::Returned => Ok(Entry::Returned),
            Entry::Free => Ok(Entry::Free),
        });
        Ok(Slab::with_entries(entries.collect::<Result<_, _>>()?, self.free))
    }

    /// Creates the register. `restore` returns the item with this id, and `what` names the items for errors.
    pub fn restore<I: Keyed + Clone>(
        self,
        what: &'static str,
        restore: impl FnMut(u32, T) -> Result<I, RestoreError>,
    ) -> Result<Register<I>, RestoreError> {
        let slab = self.restore_slab(what, restore)?;
        Register::of(slab).map_err(|id| RestoreError::duplicate(what, format!("with the id {id}")))
    }

    fn check_free_ids(&self, what: &str) -> Result<(), RestoreError> {
        let is_free = |id: &&u32| matches!(self.entries.get(**id as usize), Some(Entry::Free));
        let listed: HashSet<&u32> = self.free.iter().filter(is_free).collect();
        let free = self.entries.iter().filter(|entry| matches!(entry, Entry::Free)).count();
        check(listed.len() == free && self.free.len() == free, || format!("the list of free ids of {what} is wrong"))
    }
}
