//! The fields of pods and nodes that a plugin reads: groups of facts, keys of labels and annotations, and paths.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::facts::{NodeFacts, PodFacts};
use crate::model::{Labels, NamedFields, Node, Pod};

/// Sorted keys or paths, each once.
pub type Names = Box<[Box<str>]>;

/// Returns the names in order, each once.
fn names(names: impl IntoIterator<Item = Box<str>>) -> Names {
    let mut names: Vec<Box<str>> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// The fields of a set of pods that a plugin reads (`pod-reads` in the contract). Two pods that are equal in all of them
/// have the same signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodReads {
    /// Groups of facts.
    pub facts: PodFacts,
    /// Keys of labels. Empty if `facts` has [`PodFacts::LABELS`].
    pub label_keys: Names,
    /// Keys of annotations. Empty if `facts` has [`PodFacts::ANNOTATIONS`].
    pub annotation_keys: Names,
    /// Paths of further fields.
    pub fields: Names,
}

/// The fields of nodes that a plugin reads (`node-reads` in the contract).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeReads {
    /// Groups of facts.
    pub facts: NodeFacts,
    /// Keys of labels. Empty if `facts` has [`NodeFacts::LABELS`].
    pub label_keys: Names,
    /// Keys of annotations. Empty if `facts` has [`NodeFacts::ANNOTATIONS`].
    pub annotation_keys: Names,
    /// Paths of further fields.
    pub fields: Names,
}

/// Implements what [`PodReads`] and [`NodeReads`] have in common.
macro_rules! reads {
    ($reads:ident, $facts:ident, $object:ident) => {
        impl $reads {
            /// Creates a value. Sorts keys and paths, and drops keys that `facts` covers.
            #[must_use]
            pub fn new(
                facts: $facts,
                label_keys: impl IntoIterator<Item = Box<str>>,
                annotation_keys: impl IntoIterator<Item = Box<str>>,
                fields: impl IntoIterator<Item = Box<str>>,
            ) -> Self {
                let unless =
                    |covered: $facts, keys: Names| if facts.contains(covered) { Names::default() } else { keys };
                Self {
                    facts,
                    label_keys: unless($facts::LABELS, names(label_keys)),
                    annotation_keys: unless($facts::ANNOTATIONS, names(annotation_keys)),
                    fields: names(fields),
                }
            }

            /// Returns whether nothing is read.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.touching().is_empty()
            }

            /// Returns whether all that is read is groups of facts.
            #[must_use]
            pub fn has_no_names(&self) -> bool {
                self.label_keys.len() + self.annotation_keys.len() + self.fields.len() == 0
            }

            /// Returns the groups of facts that contain the fields. A change of other facts does not concern the plugin.
            #[must_use]
            pub fn touching(&self) -> $facts {
                let mut facts = self.facts;
                if !self.has_no_names() {
                    facts.set($facts::LABELS, facts.contains($facts::LABELS) || !self.label_keys.is_empty());
                    let annotations = facts.contains($facts::ANNOTATIONS) || !self.annotation_keys.is_empty();
                    facts.set($facts::ANNOTATIONS, annotations);
                    facts.set($facts::FIELDS, facts.contains($facts::FIELDS) || !self.fields.is_empty());
                }
                facts
            }

            /// Returns whether two versions of an object that differ in the facts `changed` differ in a field that is
            /// read.
            #[must_use]
            pub fn differ(&self, changed: $facts, before: &$object, after: &$object) -> bool {
                changed.intersects(self.facts)
                    || changed.intersects(self.touching()) && !self.have_equal_names(before, after)
            }

            /// Returns whether two objects are equal in the labels, annotations and fields that are named.
            pub(crate) fn have_equal_names(&self, a: &$object, b: &$object) -> bool {
                self.has_no_names()
                    || of_keys(&a.labels, &self.label_keys).eq(of_keys(&b.labels, &self.label_keys))
                        && of_keys(&a.annotations, &self.annotation_keys)
                            .eq(of_keys(&b.annotations, &self.annotation_keys))
                        && of_paths(&a.fields, &self.fields).eq(of_paths(&b.fields, &self.fields))
            }

            /// Hashes the labels, annotations and fields that are named.
            pub(crate) fn hash_names(&self, object: &$object, hasher: &mut impl Hasher) {
                if self.has_no_names() {
                    return;
                }
                of_keys(&object.labels, &self.label_keys)
                    .chain(of_keys(&object.annotations, &self.annotation_keys))
                    .chain(of_paths(&object.fields, &self.fields))
                    .for_each(|value| value.hash(hasher));
            }

            /// Returns the named fields of the object as JSON: see [`NamedFields::json`].
            #[must_use]
            pub fn json(&self, object: &$object) -> String {
                object.fields.json(&self.fields)
            }
        }

        impl From<$facts> for $reads {
            fn from(facts: $facts) -> Self {
                Self { facts, ..Self::default() }
            }
        }
    };
}

reads!(PodReads, PodFacts, Pod);
reads!(NodeReads, NodeFacts, Node);

/// Returns the value of each key.
fn of_keys<'a>(labels: &'a Labels, keys: &'a [Box<str>]) -> impl Iterator<Item = Option<&'a str>> {
    keys.iter().map(|key| labels.get(key))
}

/// Returns the value of each path.
fn of_paths<'a>(fields: &'a NamedFields, paths: &'a [Box<str>]) -> impl Iterator<Item = Option<&'a str>> {
    paths.iter().map(|path| fields.get(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::named_fields::NamedField;

    fn boxed<const N: usize>(names: [&str; N]) -> [Box<str>; N] {
        names.map(Box::from)
    }

    fn pod(app: &str, revision: &str, path: &str) -> Pod {
        let labels: Labels = [("app", app), ("revision", revision)].into_iter().collect();
        let fields = NamedFields::new(vec![NamedField { path: path.into(), json: "{}".into() }]);
        Pod { annotations: labels.clone(), labels: labels.into(), fields, ..Pod::default() }
    }

    #[test]
    fn names_are_sorted_and_covered_keys_dropped() {
        let reads = PodReads::new(PodFacts::LABELS, boxed(["x"]), boxed(["b", "a", "b"]), boxed(["spec.b", "spec.a"]));
        assert_eq!(*reads.label_keys, []);
        assert_eq!(*reads.annotation_keys, boxed(["a", "b"]));
        assert_eq!(*reads.fields, boxed(["spec.a", "spec.b"]));
        assert_eq!(reads.touching(), PodFacts::LABELS | PodFacts::ANNOTATIONS | PodFacts::FIELDS);
        assert!(PodReads::default().is_empty() && !reads.is_empty() && !reads.has_no_names());
    }

    #[test]
    fn versions_differ_in_the_fields_that_are_read() {
        let changed = PodFacts::LABELS | PodFacts::ANNOTATIONS | PodFacts::FIELDS;
        let (before, after) = (pod("web", "1", "spec.a"), pod("web", "2", "spec.b"));
        let none: [Box<str>; 0] = [];
        for (label_keys, annotation_keys, fields, differ) in [
            (&["app"][..], &["app"][..], &["spec.none"][..], false),
            (&["revision"], &[], &[], true),
            (&[], &["revision"], &[], true),
            (&[], &[], &["spec.a"], true),
            (&["none"], &["none"], &[], false),
        ] {
            let names = |names: &[&str]| names.iter().map(|name| Box::from(*name)).collect::<Vec<_>>();
            let reads = PodReads::new(PodFacts::NAME, names(label_keys), names(annotation_keys), names(fields));
            assert_eq!(reads.differ(changed, &before, &after), differ, "{reads:?}");
        }
        let all = PodReads::new(PodFacts::LABELS, none.clone(), none.clone(), none);
        assert!(all.differ(changed, &before, &after));
        assert!(!all.differ(PodFacts::ANNOTATIONS, &before, &after));
    }
}
