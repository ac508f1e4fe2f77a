//! Items by id and by key. The key is read from the item and not stored a second time, because a cluster has ten
//! times as many pods as nodes and a uid takes more memory than most other data of a pod.

use std::hash::{BuildHasher, Hash};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::ids::Slab;

/// An item with a key that never changes.
pub(crate) trait Keyed {
    type Key: ?Sized + Eq + Hash;

    fn key(&self) -> &Self::Key;
}

/// Items by id and by key. A copy shares its data with the original, as a copy of a [`Slab`] does.
#[derive(Clone, Debug)]
pub(crate) struct Register<T> {
    entries: Slab<T>,
    /// The ids by key, split by the key's hash into [`PARTS`] tables. A shared table is copied on its own when it
    /// changes.
    by_key: Vec<Arc<HashTable<u32>>>,
    hasher: DefaultHashBuilder,
}

const PARTS: usize = 256;

/// Returns the index in `by_key` of the table for a key with this hash. Uses the middle bits, because the table itself
/// uses the high and the low bits of the hash.
fn part(hash: u64) -> usize {
    (hash >> 32) as usize % PARTS
}

impl<T> Default for Register<T> {
    fn default() -> Self {
        Self { entries: Slab::default(), by_key: vec![Arc::default(); PARTS], hasher: DefaultHashBuilder::default() }
    }
}

impl<T> Deref for Register<T> {
    type Target = Slab<T>;

    fn deref(&self) -> &Slab<T> {
        &self.entries
    }
}

impl<T> DerefMut for Register<T> {
    fn deref_mut(&mut self) -> &mut Slab<T> {
        &mut self.entries
    }
}

impl<T: Keyed + Clone> Register<T> {
    /// Creates a register with the items of this slab. Fails with the id of an item whose key an earlier item has.
    pub fn of(entries: Slab<T>) -> Result<Self, u32> {
        let mut register = Self { entries, ..Self::default() };
        let ids: Vec<u32> = register.entries.entries().map(|(id, _)| id).collect();
        for id in ids {
            let Some(thing) = register.entries.get(id) else { continue };
            if register.find(thing.key()).is_some() {
                return Err(id);
            }
            register.index(id, register.hasher.hash_one(thing.key()));
        }
        Ok(register)
    }

    /// Returns the id of the item with this key.
    pub fn find(&self, key: &T::Key) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        self.by_key[part(hash)].find(hash, |id| self.entries.get(*id).is_some_and(|thing| thing.key() == key)).copied()
    }

    /// Adds an item. No other item may have its key.
    pub fn insert(&mut self, thing: T) -> u32 {
        let hash = self.hasher.hash_one(thing.key());
        let id = self.entries.insert(thing);
        self.index(id, hash);
        id
    }

    /// Adds the id of an item whose key has this hash to the ids by key.
    fn index(&mut self, id: u32, hash: u64) {
        let (entries, hasher) = (&self.entries, &self.hasher);
        let hash_of = |id: &u32| entries.get(*id).map_or(0, |thing| hasher.hash_one(thing.key()));
        Arc::make_mut(&mut self.by_key[part(hash)]).insert_unique(hash, id, hash_of);
    }

    /// Removes the item. Its id stays out of use until [`Slab::free`].
    pub fn retire(&mut self, id: u32) -> Option<T> {
        let hash = self.hasher.hash_one(self.entries.get(id)?.key());
        if let Ok(entry) = Arc::make_mut(&mut self.by_key[part(hash)]).find_entry(hash, |other| *other == id) {
            entry.remove();
        }
        self.entries.retire(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keyed for &str {
        type Key = str;

        fn key(&self) -> &str {
            self
        }
    }

    #[test]
    fn a_copy_finds_what_was_there() {
        let mut register = Register::default();
        let (a, b) = (register.insert("a"), register.insert("b"));
        let copy = register.clone();
        assert_eq!((register.retire(a), register.retire(a)), (Some("a"), None));
        let c = register.insert("c");
        assert_eq!(["a", "b", "c"].map(|key| register.find(key)), [None, Some(b), Some(c)]);
        assert_eq!(["a", "b", "c"].map(|key| copy.find(key)), [Some(a), Some(b), None]);
    }
}
