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
    /// About how many bytes all of them take, what was dropped since it was counted included.
    taken: usize,
}

/// What was used in the last so many cycles is likely to be used again.
const RECENT: u64 = 1024;

#[derive(Clone, Debug, Default)]
struct Thing<V> {
    value: V,
    /// A cycle's number.
    last_used: u64,
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self { things: HashMap::new(), taken: 0 }
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

    /// Whether something new that will take so many bytes has room beside what was used lately, of `most_bytes` in all; if so,
    /// it is counted. Where things are used in turn that don't fit all, it is better that some stay than that each is made anew whenever
    /// its turn comes.
    pub fn has_room_for(&mut self, bytes: usize, most_bytes: usize, cycle: u64) -> bool {
        if self.taken + bytes > most_bytes {
            self.things.retain(|_, thing| cycle.saturating_sub(thing.last_used) < RECENT);
            self.taken = self.things.values().map(|thing| thing.value.bytes()).sum();
        }
        let has_room = self.taken + bytes <= most_bytes;
        self.taken += if has_room { bytes } else { 0 };
        has_room
    }

    /// Drops those used longest ago, to three quarters of so many bytes, where they take more.
    pub fn make_room(&mut self, most_bytes: usize) {
        let mut bytes: usize = self.things.values().map(|thing| thing.value.bytes()).sum();
        self.taken = bytes;
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
        self.taken = bytes;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.things.len()
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

    /// Puts something of this size there if it has room.
    fn put(shelf: &mut Shelf<u32, usize>, key: u32, size: usize, cycle: u64) -> bool {
        let known = *shelf.of(key, cycle) == size;
        if known || shelf.has_room_for(size, 100, cycle) {
            *shelf.of(key, cycle) = size;
            return known;
        }
        false
    }

    #[test]
    fn what_is_used_in_turn_and_does_not_fit_stays_in_part() {
        let mut shelf = Shelf::default();
        let mut made_before = 0;
        for cycle in 0..60 {
            made_before += u32::from(put(&mut shelf, (cycle % 6) as u32, 30, cycle));
        }
        assert_eq!(made_before, 3 * 9, "three of six stay");
        assert!(!put(&mut shelf, 9, 30, 5000), "it is new");
        assert!(put(&mut shelf, 9, 30, 5001), "what was not used for long made room");
    }

    #[test]
    fn those_used_longest_ago_go() {
        let mut shelf = Shelf::default();
        (0..4).for_each(|key| *shelf.of(key, u64::from(key)) = 30);
        shelf.of(0, 9);
        shelf.make_room(100);
        assert_eq!((0..4).filter(|key| *shelf.of(*key, 10) == 30).collect::<Vec<u32>>(), [0, 3]);
    }
}
