//! Things by id and by key. The key is read from the thing itself and kept nowhere else: a cluster has ten times as many pods as
//! nodes, and a uid takes more room than most of what is kept of a pod.

use std::hash::{BuildHasher, Hash};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::ids::Slab;

/// Something with a key of its own, which never changes.
pub(super) trait Keyed {
    type Key: ?Sized + Eq + Hash;

    fn key(&self) -> &Self::Key;
}

/// See the module's head. A copy shares what it holds with the original, as that of a [`Slab`] does.
#[derive(Clone, Debug)]
pub(super) struct Register<T> {
    things: Slab<T>,
    /// In so many parts, by the key's hash, of which each is copied by itself.
    by_key: Vec<Arc<HashTable<u32>>>,
    hasher: DefaultHashBuilder,
}

const PARTS: usize = 256;

/// The part in which a key of this hash stands. A table goes by the first bits and by the last ones.
fn part(hash: u64) -> usize {
    (hash >> 32) as usize % PARTS
}

impl<T> Default for Register<T> {
    fn default() -> Self {
        Self { things: Slab::default(), by_key: vec![Arc::default(); PARTS], hasher: DefaultHashBuilder::default() }
    }
}

impl<T> Deref for Register<T> {
    type Target = Slab<T>;

    fn deref(&self) -> &Slab<T> {
        &self.things
    }
}

impl<T> DerefMut for Register<T> {
    fn deref_mut(&mut self) -> &mut Slab<T> {
        &mut self.things
    }
}

impl<T: Keyed + Clone> Register<T> {
    /// The id of the thing of this key.
    pub fn find(&self, key: &T::Key) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        self.by_key[part(hash)].find(hash, |id| self.things.get(*id).is_some_and(|thing| thing.key() == key)).copied()
    }

    /// A thing whose key nothing has that is there.
    pub fn insert(&mut self, thing: T) -> u32 {
        let hash = self.hasher.hash_one(thing.key());
        let id = self.things.insert(thing);
        let (things, hasher) = (&self.things, &self.hasher);
        let hash_of = |id: &u32| things.get(*id).map_or(0, |thing| hasher.hash_one(thing.key()));
        Arc::make_mut(&mut self.by_key[part(hash)]).insert_unique(hash, id, hash_of);
        id
    }

    /// Takes the thing out; its id stays out of use until [`Slab::free`].
    pub fn retire(&mut self, id: u32) -> Option<T> {
        let hash = self.hasher.hash_one(self.things.get(id)?.key());
        if let Ok(entry) = Arc::make_mut(&mut self.by_key[part(hash)]).find_entry(hash, |other| *other == id) {
            entry.remove();
        }
        self.things.retire(id)
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
