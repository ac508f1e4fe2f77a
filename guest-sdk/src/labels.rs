//! Labels and annotations in a compact form. A cluster's nodes have few different keys and values, so each string is
//! kept once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use crate::types;

/// A map of strings: labels or annotations.
///
/// The field is `None` for an empty map: an empty `Rc` takes memory, and that memory would leak where the SDK calls
/// `mem::forget` for a fact that the plugin does not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelMap(Option<Rc<[Pair]>>);

/// A key and its value.
type Pair = (Rc<str>, Rc<str>);

impl LabelMap {
    fn new(pairs: Vec<Pair>) -> LabelMap {
        LabelMap((!pairs.is_empty()).then(|| pairs.into()))
    }

    fn pairs(&self) -> &[Pair] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        // Nearly all keys differ in length, so comparing one by one is faster than a binary search.
        self.pairs().iter().find(|(known, _)| same(known, key)).map(|(_, value)| &**value)
    }

    /// Returns the value of a key, with the memory that all equal strings share.
    pub(crate) fn shared(&self, key: &str) -> Option<Rc<str>> {
        self.pairs().iter().find(|(known, _)| same(known, key)).map(|(_, value)| value.clone())
    }

    /// Returns true if the key exists, with any value.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs().iter().map(|(key, value)| (&**key, &**value))
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for LabelMap {
    /// If a key comes twice, the last value counts.
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(labels: I) -> LabelMap {
        let sorted: std::collections::BTreeMap<_, _> = labels.into_iter().collect();
        LabelMap::new(sorted.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// Facts that are a map of strings. They dereference to [`LabelMap`].
macro_rules! fact {
    ($($(#[$doc:meta])* $fact:ident,)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $fact(pub $crate::labels::LabelMap);

        impl std::ops::Deref for $fact {
            type Target = $crate::labels::LabelMap;

            fn deref(&self) -> &$crate::labels::LabelMap {
                &self.0
            }
        }
    )* };
}

pub(crate) use fact;

/// The strings in use, each kept once.
#[derive(Default)]
pub(crate) struct Texts {
    /// The known strings, by hash. Of two strings with the same hash, only the first is shared; each use of the
    /// second has its own copy.
    known: HashMap<u64, Rc<str>, BuildHasherDefault<IdentityHasher>>,
    /// The number of strings at which `sweep` drops unused strings.
    sweep_at: usize,
    /// The result of the previous call of `labels`. The next node's labels usually have the same keys.
    last: LabelMap,
}

impl Texts {
    /// Converts labels from the contract's form.
    pub(crate) fn labels(&mut self, labels: Vec<types::Label>) -> LabelMap {
        if labels.is_empty() {
            return LabelMap::default();
        }
        let last = std::mem::take(&mut self.last);
        let mut pairs = Vec::with_capacity(labels.len());
        for (at, label) in labels.into_iter().enumerate() {
            let key = match last.pairs().get(at) {
                Some((key, _)) if same(key, &label.key) => key.clone(),
                _ => self.text(label.key),
            };
            let value = match last.pairs().get(at) {
                Some((_, value)) if same(value, &label.value) => value.clone(),
                _ => self.text(label.value),
            };
            pairs.push((key, value));
        }
        self.last = LabelMap::new(pairs);
        self.last.clone()
    }

    fn text(&mut self, text: String) -> Rc<str> {
        let hash = hash(&text);
        match self.known.get(&hash) {
            Some(known) if same(known, &text) => known.clone(),
            Some(_) => text.into(),
            None => {
                self.sweep();
                let text: Rc<str> = text.into();
                self.known.insert(hash, text.clone());
                text
            }
        }
    }

    /// Drops unused strings, each time the number of strings has doubled.
    fn sweep(&mut self) {
        if self.known.len() >= self.sweep_at {
            self.known.retain(|_, text| Rc::strong_count(text) > 1);
            self.sweep_at = (self.known.len() * 2).max(1024);
        }
    }
}

/// A hasher for keys that are hashes already. Returns a `u64` key unchanged.
#[derive(Default)]
struct IdentityHasher(u64);

impl std::hash::Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| mix(hash, u64::from(byte)));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A hasher for strings and numbers. It has no random seed, as a component has no randomness.
#[derive(Default)]
pub(crate) struct Hasher(u64);

impl std::hash::Hasher for Hasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = words(bytes);
        self.0 = words.chain([rest]).fold(self.0, mix);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0, number);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Splits bytes into words of eight bytes, and a last word with the remaining bytes and the length. Without words,
/// WebAssembly compares and hashes byte by byte, which takes half of the time in which a plugin receives a cluster.
fn words(bytes: &[u8]) -> (impl Iterator<Item = u64>, u64) {
    let (words, rest) = bytes.as_chunks::<8>();
    let rest = rest.iter().fold(bytes.len() as u64, |word, &byte| (word << 8) | u64::from(byte));
    (words.iter().map(|word| u64::from_le_bytes(*word)), rest)
}

fn same(one: &str, two: &str) -> bool {
    let ((one_words, one_rest), (two_words, two_rest)) = (words(one.as_bytes()), words(two.as_bytes()));
    one.len() == two.len() && one_rest == two_rest && one_words.eq(two_words)
}

fn hash(text: &str) -> u64 {
    let (words, rest) = words(text.as_bytes());
    words.fold(mix(0, rest), mix)
}

/// Mixes a word into a hash and spreads it over all bits: a hash table uses the lowest and the highest bits.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(key: &str, value: &str) -> types::Label {
        types::Label { key: key.into(), value: value.into() }
    }

    #[test]
    fn labels_are_found_by_key() {
        let labels = Texts::default().labels(vec![label("arch", ""), label("disk", "ssd"), label("zone", "a")]);
        assert_eq!(labels.get("disk"), Some("ssd"));
        assert_eq!(labels.get("arch"), Some(""));
        assert_eq!(labels.get("dis"), None);
        assert_eq!(labels.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["arch", "disk", "zone"]);
    }

    #[test]
    fn an_empty_label_list_allocates_nothing() {
        let none: [(&str, &str); 0] = [];
        for empty in [LabelMap::default(), Texts::default().labels(Vec::new()), none.into_iter().collect()] {
            assert!(empty.0.is_none() && empty.get("any").is_none());
        }
    }

    #[test]
    fn equal_strings_are_stored_once() {
        let mut texts = Texts::default();
        let one = texts.labels(vec![label("host", "one"), label("zone", "a")]);
        let two = texts.labels(vec![label("zone", "a")]);
        assert!(Rc::ptr_eq(&one.pairs()[1].1, &two.pairs()[0].1));
    }

    #[test]
    fn unused_strings_are_dropped() {
        let mut texts = Texts::default();
        let kept = texts.labels(vec![label("kept", "kept")]);
        for n in 0..100_000 {
            texts.labels(vec![label("n", &n.to_string())]);
        }
        assert!(texts.known.len() < 3000, "{}", texts.known.len());
        assert!(Rc::ptr_eq(&kept.pairs()[0].0, &texts.labels(vec![label("kept", "x")]).pairs()[0].0));
    }

    #[test]
    fn strings_are_compared_to_the_last_byte() {
        for (one, two) in [("", "a"), ("12345678", "12345679"), ("123456789", "123456780"), ("12345678", "1234567")] {
            assert!(same(one, one) && same(two, two) && !same(one, two), "{one} {two}");
            assert_ne!(hash(one), hash(two), "{one} {two}");
        }
    }
}
