//! Labels and annotations, compact: a cluster's nodes have few different keys and values, so each text is kept once.

use std::collections::HashMap;
use std::rc::Rc;

use crate::types;

/// A sorted map of texts: labels or annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelMap(Rc<[(Rc<str>, Rc<str>)]>);

impl LabelMap {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(known, _)| (**known).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| &**value)
    }

    /// Whether there is such a key, whatever its value.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for LabelMap {
    /// Of a key that comes twice, the last value counts.
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(labels: I) -> LabelMap {
        let sorted: std::collections::BTreeMap<_, _> = labels.into_iter().collect();
        LabelMap(sorted.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// Facts that are a map of texts: they dereference to [`LabelMap`].
macro_rules! fact {
    ($($(#[$doc:meta])* $fact:ident,)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// Texts in use, each once.
#[derive(Default)]
pub(crate) struct Texts {
    known: HashMap<Rc<str>, ()>,
    /// How many there may be before unused ones are looked for.
    sweep_at: usize,
    /// The labels made last. The next node's are likely the same but for a few.
    last: LabelMap,
}

impl Texts {
    /// Moves labels out of the contract's form.
    pub(crate) fn labels(&mut self, labels: Vec<types::Label>) -> LabelMap {
        if labels.is_empty() {
            return LabelMap::default();
        }
        let last = std::mem::take(&mut self.last);
        let mut pairs: Vec<_> = labels
            .into_iter()
            .enumerate()
            .map(|(at, label)| {
                let (key, value) = match last.0.get(at) {
                    Some((key, value)) => (Some(key), Some(value)),
                    None => (None, None),
                };
                (self.text(label.key, key), self.text(label.value, value))
            })
            .collect();
        // The host sorts them; a lookup must not depend on it.
        if !pairs.is_sorted_by(|(one, _), (two, _)| one < two) {
            pairs.sort_by(|(one, _), (two, _)| one.cmp(two));
        }
        self.last = LabelMap(pairs.into());
        self.last.clone()
    }

    fn text(&mut self, text: String, guess: Option<&Rc<str>>) -> Rc<str> {
        if let Some(guess) = guess.filter(|guess| ***guess == *text) {
            return guess.clone();
        }
        if let Some((known, ())) = self.known.get_key_value(text.as_str()) {
            return known.clone();
        }
        self.sweep();
        let text: Rc<str> = text.into();
        self.known.insert(text.clone(), ());
        text
    }

    /// Drops texts that nobody holds any more, each time their number has doubled.
    fn sweep(&mut self) {
        if self.known.len() >= self.sweep_at {
            self.known.retain(|text, ()| Rc::strong_count(text) > 1);
            self.sweep_at = (self.known.len() * 2).max(1024);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(key: &str, value: &str) -> types::Label {
        types::Label { key: key.into(), value: value.into() }
    }

    #[test]
    fn labels_are_found_whatever_their_order() {
        let labels = Texts::default().labels(vec![label("zone", "a"), label("disk", "ssd"), label("arch", "")]);
        assert_eq!(labels.get("disk"), Some("ssd"));
        assert_eq!(labels.get("arch"), Some(""));
        assert_eq!(labels.get("dis"), None);
        assert_eq!(labels.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["arch", "disk", "zone"]);
    }

    #[test]
    fn equal_texts_are_kept_once() {
        let mut texts = Texts::default();
        let one = texts.labels(vec![label("host", "one"), label("zone", "a")]);
        let two = texts.labels(vec![label("zone", "a")]);
        assert!(Rc::ptr_eq(&one.0[1].1, &two.0[0].1));
    }

    #[test]
    fn texts_that_nobody_holds_are_dropped() {
        let mut texts = Texts::default();
        let kept = texts.labels(vec![label("kept", "kept")]);
        for n in 0..100_000 {
            texts.labels(vec![label("n", &n.to_string())]);
        }
        assert!(texts.known.len() < 3000, "{}", texts.known.len());
        assert!(Rc::ptr_eq(&kept.0[0].0, &texts.labels(vec![label("kept", "x")]).0[0].0));
    }
}
