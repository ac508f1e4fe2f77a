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
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
    len: usize,
}

#[derive(Clone, Debug)]
enum Entry<T> {
    Taken(T),
    Retired,
    Free,
}

impl<T> Entry<T> {
    fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Taken(thing) => Some(thing),
            Self::Retired | Self::Free => None,
        }
    }
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
            self.entries[id as usize] = Entry::Taken(thing);
            return id;
        }
        self.entries.push(Entry::Taken(thing));
        (self.entries.len() - 1) as u32
    }

    pub fn get(&self, id: u32) -> Option<&T> {
        self.entries.get(id as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        match self.entries.get_mut(id as usize)? {
            Entry::Taken(thing) => Some(thing),
            Entry::Retired | Entry::Free => None,
        }
    }

    /// Takes the thing out; its id stays out of use until [`Slab::free`].
    pub fn retire(&mut self, id: u32) -> Option<T> {
        let entry = self.entries.get_mut(id as usize)?;
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

    /// The id may be used again, if it was retired. Said twice, it counts once: the pod of a node that went leaves it, and
    /// goes.
    pub fn free(&mut self, id: u32) {
        if let Some(entry @ Entry::Retired) = self.entries.get_mut(id as usize) {
            *entry = Entry::Free;
            self.free.push(id);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().filter_map(Entry::as_ref)
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
