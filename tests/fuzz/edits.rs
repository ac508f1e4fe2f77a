//! Random changes of bytes and text.

use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// A change of some bytes.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Replaces one byte.
    Set(Index, u8),
    /// Inserts these bytes before the index.
    Insert(Index, Vec<u8>),
    /// Removes up to this many bytes, starting at the index.
    Remove(Index, usize),
    /// Inserts a piece again, at the index where the piece begins: its length in bytes, and the number of copies.
    Repeat(Index, usize, usize),
    /// Removes all bytes from the index on.
    Cut(Index),
}

impl Edit {
    /// Applies the change.
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        let at = |index: &Index| if bytes.is_empty() { 0 } else { index.index(bytes.len()) };
        match self {
            Self::Set(index, byte) => {
                let at = at(index);
                bytes.get_mut(at).into_iter().for_each(|found| *found = *byte);
            }
            Self::Insert(index, new) => {
                let at = at(index);
                drop(bytes.splice(at..at, new.iter().copied()));
            }
            Self::Remove(index, count) => {
                let at = at(index);
                let end = bytes.len().min(at + count);
                drop(bytes.drain(at..end));
            }
            Self::Repeat(index, count, times) => {
                let at = at(index);
                let piece = bytes[at..bytes.len().min(at + count)].repeat(*times);
                drop(bytes.splice(at..at, piece));
            }
            Self::Cut(index) => {
                let at = at(index);
                bytes.truncate(at);
            }
        }
    }
}

/// Returns a strategy for up to `most` changes. Half of the insertions insert an entry of the dictionary.
pub fn edits(dictionary: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<Edit>> {
    vec(edit(dictionary), 0..=most)
}

fn edit(dictionary: &'static [&'static str]) -> impl Strategy<Value = Edit> {
    let odd = prop_oneof![any::<u8>(), proptest::sample::select(b"\0\x01\x7f\x80\xff\"{}[]:,-\n%&".to_vec())];
    let new = prop_oneof![vec(any::<u8>(), 1..8), proptest::sample::select(dictionary).prop_map(|token| token.into())];
    prop_oneof![
        4 => (any::<Index>(), odd).prop_map(|(at, byte)| Edit::Set(at, byte)),
        3 => (any::<Index>(), new).prop_map(|(at, new)| Edit::Insert(at, new)),
        2 => (any::<Index>(), 1..32_usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        1 => (any::<Index>(), 1..64_usize, 1..200_usize).prop_map(|(at, count, times)| Edit::Repeat(at, count, times)),
        1 => any::<Index>().prop_map(Edit::Cut),
    ]
}

/// Returns a strategy for an item of the corpus with changes.
pub fn edited(
    corpus: Vec<Vec<u8>>,
    dictionary: &'static [&'static str],
    most: usize,
) -> impl Strategy<Value = Vec<u8>> + use<> {
    let corpus = Rc::new(corpus);
    (any::<Index>(), edits(dictionary, most)).prop_map(move |(of, edits)| {
        let mut bytes = corpus[of.index(corpus.len())].clone();
        edits.iter().for_each(|edit| edit.apply(&mut bytes));
        bytes
    })
}
