//! Dense ids, and the slabs that they index. An id in use names one item. A retired id is not used again until it is
//! freed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The id of a node for as long as the node exists (`node-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// The id of a pod for as long as the pod is assigned to the same node, or assumed there, or for as long as the pod is
/// pending (`pod-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PodId(pub u32);

/// The id of an image under one of its names, for as long as a node has it (`image-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImageId(pub u32);

/// The id of an object for as long as the object exists (`object-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

/// The id of a kind that plugins read or once read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KindId(pub u16);

/// Items under dense ids.
///
/// A copy shares its data with the original until one of the two changes the data. Making a copy takes one pointer for
/// each page, and the list of free ids. A change of a shared slab copies the chunk and the page of the changed entry.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    /// All pages except the last are full.
    pages: Vec<Arc<Page<T>>>,
    free: Vec<u32>,
    len: usize,
}

/// Chunks that are shared together, so that a copy has few reference counts to update. All chunks except the last are
/// full.
type Page<T> = Vec<Arc<Vec<Entry<T>>>>;

/// The number of entries in a chunk, and of chunks in a page. A shared chunk or page is copied when an entry changes,
/// so this number is small enough for a copy between two scheduling cycles.
const CHUNK: usize = 64;

/// The number of entries in a page.
const PAGE: usize = CHUNK * CHUNK;

/// The use of an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Entry<T> {
    /// The id names this item.
    Taken(T),
    /// The item was removed. The id is not used again until it is freed.
    Retired,
    /// The id names an item that is stored elsewhere, under this key.
    Lent(u32),
    /// The id was lent, and its item was removed.
    Returned,
    /// The id can be used again.
    Free,
}

impl<T> Entry<T> {
    /// Returns the item.
    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Taken(thing) => Some(thing),
            Self::Retired | Self::Lent(_) | Self::Returned | Self::Free => None,
        }
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T: Clone> Slab<T> {
    /// Creates a slab with these entries, by id. `free` holds the free ids; the last of them is used first.
    pub(crate) fn with_entries(entries: Vec<Entry<T>>, free: Vec<u32>) -> Self {
        let len = entries.iter().filter(|entry| entry.as_ref().is_some()).count();
        let mut slab = Self { len, ..Self::default() };
        for entry in entries {
            slab.add(entry);
        }
        slab.free = free;
        slab
    }

    pub fn insert(&mut self, thing: T) -> u32 {
        self.len += 1;
        self.add(Entry::Taken(thing))
    }

    /// Returns a new id for an item that is stored elsewhere, under this key. No item of this slab has the id until the
    /// id is returned and freed ([`Slab::take_back`], [`Slab::free_returned`]).
    pub fn lend(&mut self, key: u32) -> u32 {
        self.add(Entry::Lent(key))
    }

    /// Ends the use of a lent id. The id stays out of use until [`Slab::free_returned`].
    pub fn take_back(&mut self, id: u32) {
        if let Some(entry @ Entry::Lent(_)) = self.entry_mut(id) {
            *entry = Entry::Returned;
        }
    }

    fn add(&mut self, added: Entry<T>) -> u32 {
        if let Some(id) = self.free.pop()
            && let Some(entry) = self.entry_mut(id)
        {
            *entry = added;
            return id;
        }
        let id = self.end() as u32;
        let at = id as usize;
        if at.is_multiple_of(PAGE) {
            self.pages.push(Arc::default());
        }
        if let Some(page) = self.pages.last_mut().map(Arc::make_mut) {
            if at.is_multiple_of(CHUNK) {
                page.push(Arc::new(Vec::with_capacity(CHUNK)));
            }
            if let Some(last) = page.last_mut().map(Arc::make_mut) {
                last.push(added);
            }
        }
        id
    }

    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        match self.entry_mut(id)? {
            Entry::Taken(thing) => Some(thing),
            Entry::Retired | Entry::Lent(_) | Entry::Returned | Entry::Free => None,
        }
    }

    /// Removes the item. Its id stays out of use until [`Slab::free`].
    pub fn retire(&mut self, id: u32) -> Option<T> {
        let entry = self.entry_mut(id)?;
        match std::mem::replace(entry, Entry::Retired) {
            Entry::Taken(thing) => {
                self.len -= 1;
                Some(thing)
            }
            other => {
                *entry = other;
                None
            }
        }
    }

    /// Allows to use a retired id again. A second call has no effect: the log holds two removals of a pod if its node
    /// was removed first.
    pub fn free(&mut self, id: u32) {
        if let Some(entry @ Entry::Retired) = self.entry_mut(id) {
            *entry = Entry::Free;
            self.free.push(id);
        }
    }

    /// Allows to use a returned id again. Ids of removed items of this slab are left alone: the log may hold the removal
    /// of an item that had the id before it was lent.
    pub fn free_returned(&mut self, id: u32) {
        if let Some(entry @ Entry::Returned) = self.entry_mut(id) {
            *entry = Entry::Free;
            self.free.push(id);
        }
    }

    fn entry_mut(&mut self, id: u32) -> Option<&mut Entry<T>> {
        let at = id as usize;
        let page = Arc::make_mut(self.pages.get_mut(at / PAGE)?);
        Arc::make_mut(page.get_mut(at % PAGE / CHUNK)?).get_mut(at % CHUNK)
    }
}

impl<T> Slab<T> {
    pub fn get(&self, id: u32) -> Option<&T> {
        self.entry(id)?.as_ref()
    }

    /// Returns the key under which the item of a lent id is stored.
    pub fn lent(&self, id: u32) -> Option<u32> {
        match self.entry(id)? {
            Entry::Lent(key) => Some(*key),
            _ => None,
        }
    }

    fn entry(&self, id: u32) -> Option<&Entry<T>> {
        let at = id as usize;
        self.pages.get(at / PAGE)?.get(at % PAGE / CHUNK)?.get(at % CHUNK)
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.all().filter_map(Entry::as_ref)
    }

    pub fn entries(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(self.all()).filter_map(|(id, entry)| Some((id, entry.as_ref()?)))
    }

    /// Returns the entries of all ids, in the order of the ids.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry<T>> {
        self.pages.iter().flat_map(|page| &**page).flat_map(|chunk| &**chunk)
    }

    /// Returns the free ids. The last of them is used first.
    pub(crate) fn free_ids(&self) -> &[u32] {
        &self.free
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn end(&self) -> usize {
        let Some(page) = self.pages.last() else { return 0 };
        let last = page.last().map_or(0, |chunk| (page.len() - 1) * CHUNK + chunk.len());
        (self.pages.len() - 1) * PAGE + last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_stays_as_it_was() {
        let mut slab = Slab::default();
        let ids: Vec<u32> = (0..5000).map(|n| slab.insert(n)).collect();
        assert_eq!((ids.last(), slab.end(), slab.len()), (Some(&4999), 5000, 5000));
        let copy = slab.clone();
        slab.get_mut(70).into_iter().for_each(|thing| *thing = 7000);
        assert_eq!((slab.retire(3), slab.retire(3)), (Some(3), None));
        slab.free(3);
        slab.free(3);
        assert_eq!((slab.insert(3000), slab.insert(1)), (3, 5000));
        assert!(copy.entries().all(|(id, thing)| *thing == id as i32) && copy.len() == 5000 && copy.end() == 5000);
        assert_eq!(
            (slab.get(70), slab.get(3), slab.get(5000), slab.get(5001)),
            (Some(&7000), Some(&3000), Some(&1), None)
        );
        assert_eq!((slab.iter().count(), slab.len(), slab.end()), (5001, 5001, 5001));
    }

    #[test]
    fn lent_ids_name_no_item() {
        let mut slab = Slab::default();
        let first = slab.insert("first");
        let lent = slab.lend(7);
        assert_eq!((lent, slab.lent(lent), slab.lent(first)), (1, Some(7), None));
        assert_eq!((slab.retire(lent), slab.get(lent), slab.len(), slab.iter().count()), (None, None, 1, 1));
        slab.free(lent);
        assert_eq!(slab.insert("second"), 2, "a lent id is not free");
        slab.take_back(lent);
        slab.free(lent);
        assert_eq!((slab.lent(lent), slab.insert("third")), (None, 3), "nor is an id that was returned");
        slab.free_returned(lent);
        slab.free_returned(first);
        assert_eq!((slab.insert("fourth"), slab.insert("fifth")), (lent, 4));
    }
}
