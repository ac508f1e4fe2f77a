//! An LRU cache bounded in bytes.

use std::hash::Hash;

use hashbrown::HashMap;

/// A value with a size.
pub trait Size {
    /// Returns the approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// Values by key, each with the cycle of its last use. Callers enforce the bound with [`Self::evict`].
#[derive(Clone, Debug)]
pub struct Lru<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// The approximate size of all values in bytes. The sizes of changed and dropped values are wrong until `evict` or
    /// `has_space_for` sums up all sizes again.
    bytes: usize,
}

/// The number of cycles for which a value counts as recently used.
const RECENT: u64 = 1024;

#[derive(Clone, Debug, Default)]
struct Entry<V> {
    value: V,
    /// The number of the cycle in which the value was used last.
    last_used: u64,
}

impl<K, V> Default for Lru<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), bytes: 0 }
    }
}

impl<K: Eq + Hash + Ord + Clone, V: Default + Size> Lru<K, V> {
    /// Returns the value of the key and sets the cycle of its last use. An unknown key gets a default value.
    pub fn of(&mut self, key: K, cycle: u64) -> &mut V {
        let entry = self.entries.entry(key).or_default();
        entry.last_used = cycle;
        &mut entry.value
    }

    /// Drops the values whose keys `keep` refuses.
    pub fn retain(&mut self, keep: impl Fn(&K) -> bool) {
        self.entries.retain(|key, _| keep(key));
    }

    /// Returns whether a new value of this size fits beside the recently used values, within `most_bytes` in total.
    /// If the value fits, its size is counted. Recently used values are not evicted here: if many values are used in
    /// turn, evictions would cause each value to be rebuilt at every use.
    pub fn has_space_for(&mut self, bytes: usize, most_bytes: usize, cycle: u64) -> bool {
        if self.bytes + bytes > most_bytes {
            self.entries.retain(|_, entry| cycle.saturating_sub(entry.last_used) < RECENT);
            self.bytes = self.entries.values().map(|entry| entry.value.bytes()).sum();
        }
        let has_space = self.bytes + bytes <= most_bytes;
        self.bytes += if has_space { bytes } else { 0 };
        has_space
    }

    /// If the values take more than `most_bytes`, evicts the least recently used values until the others take at most
    /// three quarters of `most_bytes`.
    pub fn evict(&mut self, most_bytes: usize) {
        let mut left: usize = self.entries.values().map(|entry| entry.value.bytes()).sum();
        self.bytes = left;
        if left <= most_bytes {
            return;
        }
        let age = |(key, entry): (&K, &Entry<V>)| (entry.last_used, key.clone(), entry.value.bytes());
        let mut by_age: Vec<_> = self.entries.iter().map(age).collect();
        by_age.sort_unstable();
        for (_, key, size) in by_age {
            if left <= most_bytes / 4 * 3 {
                break;
            }
            self.entries.remove(&key);
            left -= size;
        }
        self.bytes = left;
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Size for usize {
        fn bytes(&self) -> usize {
            *self
        }
    }

    /// Stores a value of this size if it fits. Returns whether the value was there before.
    fn put(lru: &mut Lru<u32, usize>, key: u32, size: usize, cycle: u64) -> bool {
        let known = *lru.of(key, cycle) == size;
        if known || lru.has_space_for(size, 100, cycle) {
            *lru.of(key, cycle) = size;
            return known;
        }
        false
    }

    #[test]
    fn some_values_stay_if_not_all_fit() {
        let mut lru = Lru::default();
        let mut made_before = 0;
        for cycle in 0..60 {
            made_before += u32::from(put(&mut lru, (cycle % 6) as u32, 30, cycle));
        }
        assert_eq!(made_before, 3 * 9, "three of six stay");
        assert!(!put(&mut lru, 9, 30, 5000), "it is new");
        assert!(put(&mut lru, 9, 30, 5001), "a value that was not used for long is evicted");
    }

    #[test]
    fn the_least_recently_used_values_are_evicted() {
        let mut lru = Lru::default();
        (0..4).for_each(|key| *lru.of(key, u64::from(key)) = 30);
        lru.of(0, 9);
        lru.evict(100);
        assert_eq!((0..4).filter(|key| *lru.of(*key, 10) == 30).collect::<Vec<u32>>(), [0, 3]);
    }
}
