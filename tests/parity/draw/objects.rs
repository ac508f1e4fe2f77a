//! Objects of kinds other than nodes and pods.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::parts::{Part, merged, object};

/// A generator of random objects of one kind.
#[derive(Clone)]
pub struct Objects {
    /// `apiVersion`
    pub api_version: &'static str,
    /// `kind`
    pub kind: &'static str,
    /// The names that the objects may have. The number of names limits the number of objects.
    pub names: &'static [&'static str],
    /// The namespaces that the objects may be in; empty for a cluster-scoped kind.
    pub namespaces: &'static [&'static str],
    /// The other fields. The oracle parses objects strictly and fills in no defaults, so the parts must include
    /// each field that schedulers need.
    pub parts: Vec<Part>,
}

impl Objects {
    /// Draws one object.
    pub fn one(&self) -> Part {
        let (api_version, kind) = (self.api_version, self.kind);
        let namespaces: Vec<Option<&str>> = match self.namespaces {
            [] => vec![None],
            some => some.iter().copied().map(Some).collect(),
        };
        let names = (select(self.names.to_vec()), select(namespaces));
        (names, object(self.parts.clone()))
            .prop_map(move |((name, namespace), object)| {
                let uid = format!("{kind}-{}-{name}", namespace.unwrap_or_default());
                let mut head = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "uid": uid}});
                if let Some(namespace) = namespace {
                    head["metadata"]["namespace"] = namespace.into();
                }
                merged(object, head)
            })
            .boxed()
    }

    /// Draws some objects, at most one with each name and namespace.
    pub fn some(&self) -> BoxedStrategy<Vec<Value>> {
        let most = self.names.len() * self.namespaces.len().max(1);
        vec(self.one(), 0..=most)
            .prop_map(|objects| {
                let mut kept: Vec<Value> = Vec::new();
                for object in objects {
                    if !kept.iter().any(|kept| kept["metadata"]["uid"] == object["metadata"]["uid"]) {
                        kept.push(object);
                    }
                }
                kept
            })
            .boxed()
    }
}
