//! Things by id and by name. The name is read from the thing itself and kept nowhere else: a cluster has ten times as many pods as
//! nodes, and a uid takes more room than most of what is kept of a pod.

use std::hash::BuildHasher;
use std::ops::{Deref, DerefMut};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::ids::Slab;

/// Something with a name of its own, which never changes.
pub(super) trait Named {
    fn known_as(&self) -> &str;
}

/// See the module's head.
#[derive(Clone, Debug)]
pub(super) struct Register<T> {
    things: Slab<T>,
    by_name: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T> Default for Register<T> {
    fn default() -> Self {
        Self { things: Slab::default(), by_name: HashTable::new(), hasher: DefaultHashBuilder::default() }
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

impl<T: Named + Clone> Register<T> {
    /// The id of the thing of this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.find(self.hasher.hash_one(name), |id| self.name(*id) == name).copied()
    }

    /// A thing whose name nothing has that is there.
    pub fn insert(&mut self, thing: T) -> u32 {
        let hash = self.hasher.hash_one(thing.known_as());
        let id = self.things.insert(thing);
        let (things, hasher) = (&self.things, &self.hasher);
        let hash_of = |id: &u32| hasher.hash_one(things.get(*id).map_or("", Named::known_as));
        self.by_name.insert_unique(hash, id, hash_of);
        id
    }

    /// Takes the thing out; its id stays out of use until [`Slab::free`].
    pub fn retire(&mut self, id: u32) -> Option<T> {
        let hash = self.hasher.hash_one(self.name(id));
        if let Ok(entry) = self.by_name.find_entry(hash, |other| *other == id) {
            entry.remove();
        }
        self.things.retire(id)
    }

    fn name(&self, id: u32) -> &str {
        self.things.get(id).map_or("", Named::known_as)
    }
}
