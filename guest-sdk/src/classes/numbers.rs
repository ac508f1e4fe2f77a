//! The key of a class of nodes: a few numbers.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// The maximum length of a key that needs no allocation.
const INLINE: usize = 4;

/// A key for [`Classes`](super::Classes): one or more numbers, such as one for each topology spread constraint of the
/// pod. All keys of a pod signature have the same length. A key is made and compared for each node, so up to four
/// numbers need no allocation.
///
/// ```
/// use berth_guest::classes::Numbers;
///
/// let zone_and_pods: Numbers = [3, 17].into_iter().collect();
/// assert_eq!(zone_and_pods[1], 17);
/// ```
#[derive(Clone, Debug)]
pub struct Numbers(Storage);

#[derive(Clone, Debug)]
enum Storage {
    Inline([i64; INLINE], usize),
    Heap(Vec<i64>),
}

impl FromIterator<i64> for Numbers {
    #[inline]
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Numbers {
        let mut numbers = numbers.into_iter();
        let mut inline = [0; INLINE];
        let mut len = 0;
        while let Some(number) = numbers.next() {
            match inline.get_mut(len) {
                Some(place) => *place = number,
                None => return Numbers(Storage::Heap(inline.into_iter().chain([number]).chain(numbers).collect())),
            }
            len += 1;
        }
        Numbers(Storage::Inline(inline, len))
    }
}

impl Deref for Numbers {
    type Target = [i64];

    #[inline]
    fn deref(&self) -> &[i64] {
        match &self.0 {
            Storage::Inline(numbers, len) => &numbers[..*len],
            Storage::Heap(numbers) => numbers,
        }
    }
}

// Compares number by number: a comparison of slices would compare memory, which WebAssembly does byte by byte.
impl PartialEq for Numbers {
    #[inline]
    fn eq(&self, other: &Numbers) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(one, other)| one == other)
    }
}

impl Eq for Numbers {}

impl Hash for Numbers {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.iter().for_each(|number| state.write_u64(number.cast_unsigned()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn number_lists_survive_a_round_trip() {
        for len in 0..=2 * INLINE as i64 {
            let numbers: Numbers = (0..len).collect();
            assert_eq!(*numbers, *(0..len).collect::<Vec<i64>>());
            let others = [(0..len).collect(), (0..len + 1).collect(), (0..len).map(|number| number - 1).collect()];
            let alike: Vec<&Numbers> = others.iter().filter(|other| **other == numbers).collect();
            assert_eq!(alike.len(), if len == 0 { 2 } else { 1 }, "{others:?}");
            let distinct: HashSet<Numbers> = others.into_iter().chain([numbers]).collect();
            assert_eq!(distinct.len(), if len == 0 { 2 } else { 3 });
        }
    }
}
