//! What is worked out for templates and kept as long as there is room: of what takes more than that, the parts go that were
//! asked for longest ago.
//!
//! An instance may take so much memory and no more, and who counts by node for each of a thousand templates can take any amount.
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

/// Room for so many bytes.
#[derive(Debug)]
pub struct Room<T> {
    bytes: usize,
    /// So many times that, for the cluster's size.
    times: Cell<usize>,
    /// What all take, and perhaps more: what was dropped since is counted until room is made.
    taken: Cell<usize>,
    now: Cell<u64>,
    /// Those of things that were dropped are let go when there are twice as many as were left the last time.
    places: RefCell<Vec<Weak<Inner<T>>>>,
    enough: Cell<usize>,
}

/// In larger clusters there is as much room again for each so many nodes more, as the host allows an instance as much memory again.
const USUAL_NODES: usize = 50_000;

/// So few places are not looked through.
const FEW: usize = 64;

/// The place of one thing, which may be gone whenever it is opened.
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
    /// For so many bytes in clusters of up to 50,000 nodes.
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

    /// There are so many nodes, or more: room for what is counted by node grows with them.
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

    /// A place's memory is kept for as long as it is named here, even when the place is dropped.
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
            // The latest stays, whatever it takes. A quarter is left free, so that this is seldom done.
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
    /// What is there, if it still is.
    pub fn open(&self, room: &Room<T>) -> RefMut<'_, Option<T>> {
        if self.0.opened.get() == 0 {
            room.add(&self.0);
        }
        room.now.set(room.now.get() + 1);
        self.0.opened.set(room.now.get());
        self.0.value.borrow_mut()
    }

    /// What was opened last, for a look.
    pub fn look(&self) -> Ref<'_, Option<T>> {
        self.0.value.borrow()
    }

    /// Says how many bytes it takes now that it was opened. Others may have to go, and none may be open.
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
    fn what_was_asked_for_longest_ago_goes() {
        let room = Room::new(100);
        let places: Vec<Place<u8>> = (0..4).map(|_| Place::default()).collect();
        [0, 1, 2].into_iter().for_each(|at| put(&places[at], 30, &room));
        put(&places[0], 30, &room);
        assert_eq!(there(&places), [true, true, true, false]);
        put(&places[3], 30, &room);
        assert_eq!(there(&places), [true, false, false, true]);
    }

    #[test]
    fn where_there_are_many_nodes_there_is_as_much_room_again() {
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
    fn what_is_dropped_makes_room() {
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
    fn what_is_dropped_leaves_nothing_behind() {
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
    fn what_is_in_use_stays_however_large() {
        let (room, place) = (Room::new(100), Place::default());
        put(&place, 1000, &room);
        assert!(place.look().is_some());
    }
}
