//! An LRU cache bounded in bytes, for the values that a plugin computes per pod signature. If the values take too many
//! bytes, the cache evicts the least recently used values. The most recently used value stays, whatever its size.
//!
//! The host limits the memory of an instance. A plugin that counts per node for each of a thousand pod signatures would
//! exceed that limit without a bound.
//!
//! ```
//! use berth_guest::room::{Place, Room};
//!
//! let room = Room::new(1000);
//! let (one, two) = (Place::default(), Place::default());
//! *one.open(&room) = Some("one");
//! one.takes(600, &room);
//! *two.open(&room) = Some("two");
//! two.takes(600, &room);
//! assert_eq!((*one.open(&room), *two.open(&room)), (None, Some("two")));
//! ```

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::{Rc, Weak};

/// The bound of a cache, shared by all its places.
#[derive(Debug)]
pub struct Room<T> {
    bytes: usize,
    /// The factor of `bytes` for large clusters.
    factor: Cell<usize>,
    /// The bytes of all places, or more: the bytes of a dropped place are counted until the next eviction.
    used: Cell<usize>,
    clock: Cell<u64>,
    /// All places that were opened. Dropped places are removed when the list has doubled, and at each eviction.
    places: RefCell<Vec<Weak<Inner<T>>>>,
    /// The length of `places` at which dropped places are removed.
    sweep_at: Cell<usize>,
}

/// The number of nodes up to which `Room::bytes` is the bound. Each further 50,000 nodes raise the bound by `bytes`,
/// because the host then also allows an instance more memory.
const USUAL_NODES: usize = 50_000;

/// The length of `places` below which dropped places stay in the list.
const MIN_SWEEP: usize = 64;

/// The place of one cached value. The value may be evicted at any time.
#[derive(Debug)]
pub struct Place<T>(Rc<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    value: RefCell<Option<T>>,
    bytes: Cell<usize>,
    /// The value of `Room::clock` when the place was last opened; 0 if the place was never opened.
    opened: Cell<u64>,
}

impl<T> Default for Place<T> {
    fn default() -> Place<T> {
        Place(Rc::new(Inner { value: RefCell::new(None), bytes: Cell::new(0), opened: Cell::new(0) }))
    }
}

impl<T> Room<T> {
    /// Makes a cache bounded to this number of bytes. [`Room::has_nodes`] raises the bound for more than 50,000 nodes.
    pub fn new(bytes: usize) -> Room<T> {
        Room {
            bytes,
            factor: Cell::new(1),
            used: Cell::new(0),
            clock: Cell::new(0),
            places: RefCell::default(),
            sweep_at: Cell::new(MIN_SWEEP),
        }
    }

    /// Raises the bound for a cluster of this many nodes, because values that count per node grow with the number of
    /// nodes. Never lowers the bound.
    pub fn has_nodes(&self, nodes: usize) {
        self.factor.set(self.factor.get().max(nodes.div_ceil(USUAL_NODES)));
    }

    fn limit(&self) -> usize {
        self.bytes.saturating_mul(self.factor.get())
    }

    fn add(&self, place: &Rc<Inner<T>>) {
        if self.places.borrow().len() >= self.sweep_at.get() {
            self.sweep();
        }
        self.places.borrow_mut().push(Rc::downgrade(place));
    }

    /// Removes dropped places from the list, because a `Weak` keeps the memory of a dropped place allocated.
    fn sweep(&self) {
        let mut places = self.places.borrow_mut();
        places.retain(|place| place.strong_count() > 0);
        self.sweep_at.set(MIN_SWEEP.max(2 * places.len()));
    }

    fn evict(&self) {
        self.sweep();
        let places = self.places.borrow();
        let mut live: Vec<Rc<Inner<T>>> = places.iter().filter_map(Weak::upgrade).collect();
        live.sort_unstable_by_key(|place| place.opened.get());
        let mut used: usize = live.iter().map(|place| place.bytes.get()).sum();
        for place in live {
            // The place that was opened last stays, whatever its size. A quarter of the bound is left free, so that
            // evictions are rare.
            if used <= self.limit() - self.limit() / 4 || place.opened.get() == self.clock.get() {
                break;
            }
            used -= place.bytes.take();
            place.value.take();
        }
        self.used.set(used);
    }
}

impl<T> Place<T> {
    /// Returns the value for use; `None` if there is none or if it was evicted. Marks the place as the most recently
    /// used.
    pub fn open(&self, room: &Room<T>) -> RefMut<'_, Option<T>> {
        if self.0.opened.get() == 0 {
            room.add(&self.0);
        }
        room.clock.set(room.clock.get() + 1);
        self.0.opened.set(room.clock.get());
        self.0.value.borrow_mut()
    }

    /// Returns the value without marking the place as used; `None` if there is no value or it was evicted.
    pub fn look(&self) -> Ref<'_, Option<T>> {
        self.0.value.borrow()
    }

    /// Sets the number of bytes that the place takes. Call this after changing the value. May evict other places, so
    /// no other place may be borrowed.
    pub fn takes(&self, bytes: usize, room: &Room<T>) {
        let before = self.0.bytes.replace(bytes);
        room.used.set((room.used.get() + bytes).saturating_sub(before));
        if room.used.get() > room.limit() {
            room.evict();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(place: &Place<u8>, bytes: usize, room: &Room<u8>) {
        place.open(room).get_or_insert(0);
        place.takes(bytes, room);
    }

    fn are_present(places: &[Place<u8>]) -> Vec<bool> {
        places.iter().map(|place| place.look().is_some()).collect()
    }

    #[test]
    fn the_least_recently_used_entry_is_evicted() {
        let room = Room::new(100);
        let places: Vec<Place<u8>> = (0..4).map(|_| Place::default()).collect();
        [0, 1, 2].into_iter().for_each(|at| put(&places[at], 30, &room));
        put(&places[0], 30, &room);
        assert_eq!(are_present(&places), [true, true, true, false]);
        put(&places[3], 30, &room);
        assert_eq!(are_present(&places), [true, false, false, true]);
    }

    #[test]
    fn many_nodes_double_the_limit() {
        for (nodes, left) in [(50_000, [false, false, true]), (50_001, [true, true, true])] {
            let room = Room::new(100);
            let places: Vec<Place<u8>> = (0..3).map(|_| Place::default()).collect();
            room.has_nodes(nodes);
            room.has_nodes(1);
            places.iter().for_each(|place| put(place, 60, &room));
            assert_eq!(are_present(&places), left, "{nodes}");
        }
    }

    #[test]
    fn a_dropped_entry_frees_its_bytes() {
        let room = Room::new(100);
        let live = Place::default();
        put(&live, 40, &room);
        for _ in 0..10 {
            put(&Place::default(), 20, &room);
        }
        assert!(live.look().is_some());
        assert!(room.places.borrow().len() <= 3);
    }

    #[test]
    fn dropped_entries_leave_no_records() {
        let room = Room::new(1 << 20);
        let live: Vec<Place<u8>> = (0..10).map(|_| Place::default()).collect();
        live.iter().for_each(|place| put(place, 1, &room));
        for _ in 0..1000 {
            put(&Place::default(), 1, &room);
        }
        assert!(room.places.borrow().len() <= MIN_SWEEP);
        assert!(live.iter().all(|place| place.look().is_some()));
    }

    #[test]
    fn entries_in_use_are_not_evicted() {
        let (room, place) = (Room::new(100), Place::default());
        put(&place, 1000, &room);
        assert!(place.look().is_some());
    }
}
