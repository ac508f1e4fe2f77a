//! Things by key, of which those used longest ago go where all of them take too much.

use std::hash::Hash;

use hashbrown::HashMap;

/// Something that takes room.
pub trait Size {
    /// About how many bytes.
    fn bytes(&self) -> usize;
}

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Shelf<K, V> {
    things: HashMap<K, Thing<V>>,
}

#[derive(Clone, Debug, Default)]
struct Thing<V> {
    value: V,
    /// A cycle's number.
    last_used: u64,
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self { things: HashMap::new() }
    }
}

impl<K: Eq + Hash + Ord + Clone, V: Default + Size> Shelf<K, V> {
    /// What stands under the key, in this cycle; new where nothing does.
    pub fn of(&mut self, key: K, cycle: u64) -> &mut V {
        let thing = self.things.entry(key).or_default();
        thing.last_used = cycle;
        &mut thing.value
    }

    /// Drops what stands under keys that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&K) -> bool) {
        self.things.retain(|key, _| keep(key));
    }

    /// Drops those used longest ago, to three quarters of so many bytes, where they take more.
    pub fn make_room(&mut self, most_bytes: usize) {
        let mut bytes: usize = self.things.values().map(|thing| thing.value.bytes()).sum();
        if bytes <= most_bytes {
            return;
        }
        let age = |(key, thing): (&K, &Thing<V>)| (thing.last_used, key.clone(), thing.value.bytes());
        let mut by_age: Vec<_> = self.things.iter().map(age).collect();
        by_age.sort_unstable();
        for (_, key, size) in by_age {
            if bytes <= most_bytes / 4 * 3 {
                break;
            }
            self.things.remove(&key);
            bytes -= size;
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.things.len()
    }
}
