//! Dense ids, and the slabs they index. An id in use names one thing; a retired one waits until it is freed.

/// A node for as long as it exists (`node-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// An assigned or assumed pod for as long as it is one (`pod-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PodId(pub u32);

/// An image by one of its names for as long as a node has it (`image-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub u32);

/// Things under dense ids.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    entries: Vec<Option<T>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T> Slab<T> {
    pub fn insert(&mut self, thing: T) -> u32 {
        self.len += 1;
        if let Some(id) = self.free.pop() {
            self.entries[id as usize] = Some(thing);
            return id;
        }
        self.entries.push(Some(thing));
        (self.entries.len() - 1) as u32
    }

    pub fn get(&self, id: u32) -> Option<&T> {
        self.entries.get(id as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        self.entries.get_mut(id as usize)?.as_mut()
    }

    /// Takes the thing out; its id stays out of use until [`Slab::free`].
    pub fn retire(&mut self, id: u32) -> Option<T> {
        let thing = self.entries.get_mut(id as usize)?.take()?;
        self.len -= 1;
        Some(thing)
    }

    /// The id, retired before, may be used again.
    pub fn free(&mut self, id: u32) {
        if self.entries.get(id as usize).is_some_and(Option::is_none) {
            self.free.push(id);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().flatten()
    }

    pub fn entries(&self) -> impl Iterator<Item = (u32, &T)> {
        self.entries.iter().enumerate().filter_map(|(id, entry)| Some((id as u32, entry.as_ref()?)))
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn end(&self) -> usize {
        self.entries.len()
    }
}
