//! Pieces of JSON that several objects share. Pods of one workload have the same containers, tolerations and labels, and
//! nodes have the same images.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of hashes of pieces that are remembered. A piece is shared from its second occurrence on, so the table
/// bounds the number of other pieces between the two.
const REMEMBERED: usize = 1 << 14;

/// The shared pieces of the objects of one collection.
#[derive(Debug, Default)]
pub struct Chunks {
    inner: Mutex<Inner>,
    hashes: RandomState,
}

#[derive(Debug, Default)]
struct Inner {
    shared: HashMap<u64, Arc<[u8]>>,
    /// The hash that was seen last in each slot. Empty until the first use.
    seen: Vec<u64>,
    /// The number of pieces after the last purge.
    kept: usize,
}

impl Chunks {
    /// Returns the shared piece with this content; `None` for a piece that was not seen before.
    pub fn share(&self, piece: &[u8]) -> Option<Arc<[u8]>> {
        let hash = self.hashes.hash_one(piece);
        // A panic cannot leave the table in an inconsistent state.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = inner.shared.get(&hash) {
            return (**shared == *piece).then(|| shared.clone());
        }
        if inner.seen.is_empty() {
            inner.seen = vec![0; REMEMBERED];
        }
        let slot = inner.seen.get_mut(usize::try_from(hash).unwrap_or_default() % REMEMBERED)?;
        if *slot != hash {
            *slot = hash;
            return None;
        }
        let shared: Arc<[u8]> = piece.into();
        inner.shared.insert(hash, shared.clone());
        inner.purge();
        Some(shared)
    }
}

impl Inner {
    /// Removes the pieces that no object has, when the number of pieces has about doubled since the last removal.
    fn purge(&mut self) {
        if self.shared.len() < 2 * self.kept + 1024 {
            return;
        }
        self.shared.retain(|_, piece| Arc::strong_count(piece) > 1);
        self.kept = self.shared.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_shared_from_its_second_occurrence_on() {
        let chunks = Chunks::default();
        assert!(chunks.share(b"a").is_none());
        let (second, third) = (chunks.share(b"a").unwrap(), chunks.share(b"a").unwrap());
        assert!(Arc::ptr_eq(&second, &third));
        assert!(chunks.share(b"b").is_none());
    }

    #[test]
    fn pieces_without_objects_are_forgotten() {
        let chunks = Chunks::default();
        let kept = (chunks.share(b"kept"), chunks.share(b"kept"));
        for number in 0..5000 {
            let piece = format!("{number}");
            chunks.share(piece.as_bytes());
            chunks.share(piece.as_bytes());
        }
        let inner = chunks.inner.lock().unwrap();
        assert!(inner.shared.len() < 2100, "{}", inner.shared.len());
        assert!(inner.shared.values().any(|piece| kept.1.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, piece))));
    }
}
