//! An LRU cache bounded in bytes, for what a plugin computes per template. If the values take too many bytes, the
//! least recently used ones are dropped.
//!
//! The host limits the memory of an instance. A plugin that counts per node for each of a thousand templates would
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
    times: Cell<usize>,
    /// The bytes of all places, or more: the bytes of a dropped place are counted until the next eviction.
    taken: Cell<usize>,
    now: Cell<u64>,
    /// All places that were opened. Dropped places are removed once the list has doubled.
    places: RefCell<Vec<Weak<Inner<T>>>>,
    enough: Cell<usize>,
}

/// The number of nodes that `bytes` is meant for. Each further 50,000 nodes add the same room again, as the host then
/// also allows an instance more memory.
const USUAL_NODES: usize = 50_000;

/// The length of `places` below which dropped places are not looked for.
const FEW: usize = 64;

/// The place of one cached value. The value may be gone whenever the place is opened.
#[derive(Debug)]
pub struct Place<T>(Rc<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    value: RefCell<Option<T>>,
    bytes: Cell<usize>,
    opened: Cell<u64>,
}

impl<T> Default for Place<T> {
    fn default() -> Place<T> {
        Place(Rc::new(Inner { value: RefCell::new(None), bytes: Cell::new(0), opened: Cell::new(0) }))
    }
}

impl<T> Room<T> {
    /// Makes a cache bounded to this number of bytes, in clusters of up to 50,000 nodes.
    pub fn new(bytes: usize) -> Room<T> {
        Room {
            bytes,
            times: Cell::new(1),
            taken: Cell::new(0),
            now: Cell::new(0),
            places: RefCell::default(),
            enough: Cell::new(FEW),
        }
    }

    /// Raises the bound for a cluster of this many nodes, as what is counted per node grows with them. Never lowers
    /// the bound.
    pub fn has_nodes(&self, nodes: usize) {
        self.times.set(self.times.get().max(nodes.div_ceil(USUAL_NODES)));
    }

    fn most(&self) -> usize {
        self.bytes.saturating_mul(self.times.get())
    }

    fn add(&self, place: &Rc<Inner<T>>) {
        if self.places.borrow().len() >= self.enough.get() {
            self.let_go();
        }
        self.places.borrow_mut().push(Rc::downgrade(place));
    }

    /// Removes dropped places from the list: a `Weak` keeps the place's memory allocated.
    fn let_go(&self) {
        let mut places = self.places.borrow_mut();
        places.retain(|place| place.strong_count() > 0);
        self.enough.set(FEW.max(2 * places.len()));
    }

    fn make(&self) {
        self.let_go();
        let places = self.places.borrow();
        let mut kept: Vec<Rc<Inner<T>>> = places.iter().filter_map(Weak::upgrade).collect();
        kept.sort_unstable_by_key(|place| place.opened.get());
        let mut taken: usize = kept.iter().map(|place| place.bytes.get()).sum();
        for place in kept {
            // The place that was opened last stays, whatever its size. A quarter of the bound is left free, so that
            // evictions are rare.
            if taken <= self.most() - self.most() / 4 || place.opened.get() == self.now.get() {
                break;
            }
            taken -= place.bytes.take();
            place.value.take();
        }
        self.taken.set(taken);
    }
}

impl<T> Place<T> {
    /// Returns the value for use; `None` if there is none or if it was evicted. Marks the place as the most recently
    /// used.
    pub fn open(&self, room: &Room<T>) -> RefMut<'_, Option<T>> {
        if self.0.opened.get() == 0 {
            room.add(&self.0);
        }
        room.now.set(room.now.get() + 1);
        self.0.opened.set(room.now.get());
        self.0.value.borrow_mut()
    }

    /// Returns the value without marking the place as used.
    pub fn look(&self) -> Ref<'_, Option<T>> {
        self.0.value.borrow()
    }

    /// Sets the number of bytes that the place takes. Call this after changing the value. May evict other places, so
    /// no other place may be borrowed.
    pub fn takes(&self, bytes: usize, room: &Room<T>) {
        let before = self.0.bytes.replace(bytes);
        room.taken.set((room.taken.get() + bytes).saturating_sub(before));
        if room.taken.get() > room.most() {
            room.make();
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

    fn there(places: &[Place<u8>]) -> Vec<bool> {
        places.iter().map(|place| place.look().is_some()).collect()
    }

    #[test]
    fn the_least_recently_used_entry_is_evicted() {
        let room = Room::new(100);
        let places: Vec<Place<u8>> = (0..4).map(|_| Place::default()).collect();
        [0, 1, 2].into_iter().for_each(|at| put(&places[at], 30, &room));
        put(&places[0], 30, &room);
        assert_eq!(there(&places), [true, true, true, false]);
        put(&places[3], 30, &room);
        assert_eq!(there(&places), [true, false, false, true]);
    }

    #[test]
    fn many_nodes_double_the_limit() {
        for (nodes, left) in [(50_000, [false, false, true]), (50_001, [true, true, true])] {
            let room = Room::new(100);
            let places: Vec<Place<u8>> = (0..3).map(|_| Place::default()).collect();
            room.has_nodes(nodes);
            room.has_nodes(1);
            places.iter().for_each(|place| put(place, 60, &room));
            assert_eq!(there(&places), left, "{nodes}");
        }
    }

    #[test]
    fn a_dropped_entry_frees_its_bytes() {
        let room = Room::new(100);
        let kept = Place::default();
        put(&kept, 40, &room);
        for _ in 0..10 {
            put(&Place::default(), 20, &room);
        }
        assert!(kept.look().is_some());
        assert!(room.places.borrow().len() <= 3);
    }

    #[test]
    fn dropped_entries_leave_no_records() {
        let room = Room::new(1 << 20);
        let kept: Vec<Place<u8>> = (0..10).map(|_| Place::default()).collect();
        kept.iter().for_each(|place| put(place, 1, &room));
        for _ in 0..1000 {
            put(&Place::default(), 1, &room);
        }
        assert!(room.places.borrow().len() <= FEW);
        assert!(kept.iter().all(|place| place.look().is_some()));
    }

    #[test]
    fn entries_in_use_are_not_evicted() {
        let (room, place) = (Room::new(100), Place::default());
        put(&place, 1000, &room);
        assert!(place.look().is_some());
    }
}
