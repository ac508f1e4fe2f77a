//! Objects of kinds beyond nodes and pods.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::parts::{Part, merged, object};

/// What objects of one kind consist of.
#[derive(Clone)]
pub struct Objects {
    /// `apiVersion`
    pub api_version: &'static str,
    /// `kind`
    pub kind: &'static str,
    /// Names that they may have: no more of them are there at once.
    pub names: &'static [&'static str],
    /// Namespaces that they may be in; none where the kind has none.
    pub namespaces: &'static [&'static str],
    /// The rest, parsed strictly: it has to have what the API server would not fill in for a scheduler to read.
    pub parts: Vec<Part>,
}

impl Objects {
    /// One of them.
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

    /// Some of them, none twice.
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
