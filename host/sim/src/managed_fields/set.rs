//! Sets of fields, in the form of `fieldsV1`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::step::Step;

/// The member of `fieldsV1` that says that the set contains the field itself, in addition to fields below it.
const ITSELF: &str = ".";

/// A set of paths. A path can be in the set without the paths below it, and the other way round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet {
    nodes: BTreeMap<Step, Node>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    /// True if the set contains the path that ends here.
    contained: bool,
    /// The longer paths.
    below: FieldSet,
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.contained && self.below.is_empty()
    }
}

impl FieldSet {
    /// Returns the set of paths whose steps are members of objects.
    pub fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(&path.iter().map(|name| Step::field(name)).collect::<Vec<_>>());
        }
        set
    }

    /// Returns true if the set has no path.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a path. Ignores the empty path.
    pub fn insert(&mut self, path: &[Step]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.nodes.entry(first.clone()).or_default();
        match rest {
            [] => node.contained = true,
            rest => node.below.insert(rest),
        }
    }

    /// Returns true if the set contains the path of this one step.
    pub fn has(&self, step: &Step) -> bool {
        self.nodes.get(step).is_some_and(|node| node.contained)
    }

    /// Returns the paths that start with `step`, without that step; `None` if no path starts with `step`.
    pub fn below(&self, step: &Step) -> Option<&Self> {
        self.nodes.get(step).map(|node| &node.below).filter(|below| !below.is_empty())
    }

    /// Returns the paths that are in this set, in `other`, or in both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        for (step, node) in &other.nodes {
            let own = union.nodes.entry(step.clone()).or_default();
            own.contained |= node.contained;
            own.below = own.below.union(&node.below);
        }
        union
    }

    /// Returns the paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.keep(|step, node| {
            other.nodes.get(step).map_or_else(Node::default, |also| Node {
                contained: node.contained && also.contained,
                below: node.below.intersection(&also.below),
            })
        })
    }

    /// Returns the paths that are not in `other`. A path stays even if `other` contains a path above it.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.keep(|step, node| match other.nodes.get(step) {
            None => node.clone(),
            Some(also) => {
                Node { contained: node.contained && !also.contained, below: node.below.difference(&also.below) }
            }
        })
    }

    /// Returns the paths that are neither in `other` nor below a path in `other`.
    #[must_use]
    pub fn without_all_below(&self, other: &Self) -> Self {
        self.keep(|step, node| match other.nodes.get(step) {
            None => node.clone(),
            Some(also) if also.contained => Node::default(),
            Some(also) => Node { contained: node.contained, below: node.below.without_all_below(&also.below) },
        })
    }

    /// Returns the set with the nodes that `change` returns. Drops empty nodes.
    fn keep(&self, change: impl Fn(&Step, &Node) -> Node) -> Self {
        let nodes = self.nodes.iter().map(|(step, node)| (step.clone(), change(step, node)));
        Self { nodes: nodes.filter(|(_, node)| !node.is_empty()).collect() }
    }

    /// Returns the set with the changed nodes. `change` gets each step, whether the set contains the path of the step,
    /// and the paths below it.
    #[must_use]
    pub fn map(&self, change: impl Fn(&Step, bool, &Self) -> (bool, Self)) -> Self {
        self.keep(|step, node| {
            let (contained, below) = change(step, node.contained, &node.below);
            Node { contained, below }
        })
    }

    /// Returns all paths.
    pub fn paths(&self) -> Vec<Vec<Step>> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect(&self, path: &mut Vec<Step>, paths: &mut Vec<Vec<Step>>) {
        for (step, node) in &self.nodes {
            path.push(step.clone());
            if node.contained {
                paths.push(path.clone());
            }
            node.below.collect(path, paths);
            path.pop();
        }
    }

    /// Returns the set as `fieldsV1`.
    pub fn encode(&self) -> Value {
        let members = self.nodes.iter().map(|(step, node)| {
            let mut below = match node.below.encode() {
                Value::Object(below) => below,
                _ => Map::new(),
            };
            if node.contained && !below.is_empty() {
                below.insert(ITSELF.to_owned(), Value::Object(Map::new()));
            }
            (step.encode(), Value::Object(below))
        });
        Value::Object(members.collect())
    }

    /// Parses `fieldsV1`. Returns `None` if it is malformed.
    pub fn parse(fields: &Value) -> Option<Self> {
        let mut set = Self::default();
        for (text, below) in fields.as_object()? {
            if text == ITSELF {
                continue;
            }
            let members = below.as_object()?;
            let contained = members.is_empty() || members.contains_key(ITSELF);
            set.nodes.insert(Step::parse(text)?, Node { contained, below: Self::parse(below)? });
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(fields: Value) -> FieldSet {
        FieldSet::parse(&fields).unwrap()
    }

    #[test]
    fn sets_are_written_as_they_were_read() {
        for fields in [
            json!({}),
            json!({"f:spec": {"f:replicas": {}}}),
            json!({"f:metadata": {"f:labels": {".": {}, "f:app": {}}, "f:finalizers": {"v:\"a/b\"": {}}}}),
            json!({"f:spec": {"f:containers": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}}}}}),
            json!({"f:list": {"i:3": {}}}),
        ] {
            assert_eq!(set(fields.clone()).encode(), fields);
        }
        // The members of a key are put in order, so that each item has one key.
        let keys = json!({"k:{\"protocol\": \"TCP\", \"port\": 80}": {}});
        assert_eq!(set(keys).encode(), json!({"k:{\"port\":80,\"protocol\":\"TCP\"}": {}}));
        for malformed in [json!([]), json!({"x:a": {}}), json!({"f:a": 1}), json!({"k:[]": {}}), json!({"spec": {}})] {
            assert!(FieldSet::parse(&malformed).is_none(), "{malformed}");
        }
    }

    #[test]
    fn the_algebra_of_sets() {
        let one = set(json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}));
        let other = set(json!({"f:a": {"f:b": {}, "f:d": {}}, "f:e": {}}));
        assert_eq!(one.union(&other).encode(), json!({"f:a": {".": {}, "f:b": {}, "f:d": {}}, "f:c": {}, "f:e": {}}));
        assert_eq!(one.intersection(&other).encode(), json!({"f:a": {"f:b": {}}}));
        assert_eq!(one.difference(&other).encode(), json!({"f:a": {}, "f:c": {}}));
        assert_eq!(other.difference(&one).encode(), json!({"f:a": {"f:d": {}}, "f:e": {}}));
        assert!(one.difference(&one).is_empty());
        let above = set(json!({"f:a": {}}));
        assert_eq!(one.difference(&above).encode(), json!({"f:a": {"f:b": {}}, "f:c": {}}));
        assert_eq!(one.without_all_below(&above).encode(), json!({"f:c": {}}));
    }

    #[test]
    fn paths_are_printed_as_in_conflicts() {
        let fields = json!({"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}}}},
            "f:finalizers": {"v:\"x\"": {}}});
        let texts: Vec<String> =
            set(fields).paths().iter().map(|path| path.iter().map(Step::to_string).collect()).collect();
        assert_eq!(
            texts,
            [
                ".finalizers[=\"x\"]",
                ".spec.ports[port=80,protocol=\"TCP\"]",
                ".spec.ports[port=80,protocol=\"TCP\"].name"
            ]
        );
    }
}
