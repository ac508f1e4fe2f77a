//! Labels and selectors.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A `map[string]string`, sorted by key: labels, annotations, node selectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels(Vec<(Box<str>, Box<str>)>);

impl Labels {
    /// Returns the value for `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(k, _)| k.as_ref().cmp(key)).ok()?;
        Some(&self.0[at].1)
    }

    /// Returns all entries, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_ref(), v.as_ref()))
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<Box<str>>, V: Into<Box<str>>> FromIterator<(K, V)> for Labels {
    /// If a key occurs several times, its last entry stays.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut all: Vec<(Box<str>, Box<str>)> = entries.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.reverse();
        all.dedup_by(|a, b| a.0 == b.0);
        all.reverse();
        Self(all)
    }
}

/// As a JSON object.
impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::<Box<str>, Box<str>>::deserialize(deserializer).map(Self::from_iter)
    }
}

/// The operator of a requirement (`NodeSelectorOperator`, `LabelSelectorOperator`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Operator {
    /// The value is one of `values`.
    In,
    /// The value is none of `values`, or the key is absent.
    NotIn,
    /// The key is present.
    Exists,
    /// The key is absent.
    DoesNotExist,
    /// The value is an integer greater than the only element of `values`.
    Gt,
    /// The value is an integer less than the only element of `values`.
    Lt,
}

/// `NodeSelectorRequirement` or `LabelSelectorRequirement`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// The label's key or the field's path.
    pub key: Box<str>,
    /// The operator.
    pub operator: Operator,
    /// The values to compare with.
    pub values: Vec<Box<str>>,
}

/// `metav1.LabelSelector`, with `matchLabels` converted to requirements with operator In. An empty selector matches
/// everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// All requirements have to match.
    pub requirements: Vec<Requirement>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_are_written() {
        let labels: Labels = [("b", "1"), ("a", "2")].into_iter().collect();
        let text = serde_json::to_string(&labels).expect("text");
        assert_eq!(text, r#"{"a":"2","b":"1"}"#);
        assert_eq!(serde_json::from_str::<Labels>(&text).expect("labels"), labels);
    }

    #[test]
    fn of_equal_keys_the_last_stays_and_keys_are_sorted() {
        let labels: Labels = [("b", "1"), ("a", "2"), ("b", "3")].into_iter().collect();
        assert_eq!(labels.iter().collect::<Vec<_>>(), [("a", "2"), ("b", "3")]);
        assert_eq!((labels.get("b"), labels.get("c")), (Some("3"), None));
    }
}
