//! Objects other than nodes and pods, for an [index](crate::index): Services, PersistentVolumes, custom resources.
//!
//! The host lists and watches a kind as soon as a plugin reads it. After each change of an object, the SDK gives the
//! index the whole object, with the declared fields only.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use berth_guest::index::Index;
//! use berth_guest::objects::{Kind, Object};
//! use berth_guest::plugin::NoArgs;
//! use berth_guest::prelude::*;
//! use serde::Deserialize;
//!
//! #[derive(Default, Deserialize)]
//! struct Namespace {
//!     #[serde(default)]
//!     metadata: Metadata,
//! }
//!
//! #[derive(Default, Deserialize)]
//! struct Metadata {
//!     #[serde(default)]
//!     labels: BTreeMap<String, String>,
//! }
//!
//! /// The pool that each namespace has in its labels.
//! pub struct Pools(BTreeMap<String, String>);
//!
//! impl Index for Pools {
//!     type Nodes = ();
//!     type Pods = ();
//!     type PendingPods = ();
//!
//!     fn new(_: &NoArgs) -> Pools {
//!         Pools(BTreeMap::new())
//!     }
//!
//!     fn kinds(_: &NoArgs) -> Vec<Kind> {
//!         vec![Kind::new("v1", "Namespace", ["metadata.labels"])]
//!     }
//!
//!     fn object_set(&mut self, object: &Object<'_>) {
//!         let labels = object.read::<Namespace>().unwrap_or_default().metadata.labels;
//!         self.0.insert(object.name.to_owned(), labels.get("pool").cloned().unwrap_or_default());
//!     }
//!
//!     fn object_removed(&mut self, object: &Object<'_>) {
//!         self.0.remove(object.name);
//!     }
//! }
//!
//! fn filter(namespace: &pod::Namespace, node: &node::Labels, pools: &Pools) -> Result<(), &'static str> {
//!     let pool = pools.0.get(&**namespace).map_or("", String::as_str);
//!     (pool == node.get("pool").unwrap_or_default()).then_some(()).ok_or("node(s) are another namespace's")
//! }
//!
//! berth_guest::plugin!(name: "NamespacePools", index: Pools, filter: filter);
//! # fn main() {}
//! ```

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use serde::de::DeserializeOwned;

use crate::arguments;
use crate::bindings::objects::exports::berth::scheduler::objects;
use crate::labels::Hasher;

/// A kind, and the fields of its objects that the plugin reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind(pub(crate) objects::Kind);

impl Kind {
    /// Declares a kind and the paths of its fields, such as `spec.selector` or `spec.containers.image`. A path
    /// includes everything below it, and goes through lists. Quote a key that contains dots:
    /// `metadata.annotations["example.com/pool"]`.
    pub fn new<'a>(api_version: &str, name: &str, fields: impl IntoIterator<Item = &'a str>) -> Kind {
        let fields = fields.into_iter().map(str::to_owned).collect();
        Kind(objects::Kind { api_version: api_version.to_owned(), name: name.to_owned(), fields })
    }
}

/// An object of a kind that the plugin reads.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// The index of the object's kind in the list that [`kinds`](crate::index::Index::kinds) returned.
    pub kind: usize,
    /// `metadata.namespace`; empty for a cluster-scoped kind.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.uid`.
    pub uid: &'a str,
    /// True if a plugin assumed a change of the object, so the API server does not have this version yet.
    pub assumed: bool,
    fields: &'a str,
}

impl Object<'_> {
    /// Reads the declared fields into a struct in the shape of the object. An error names the field.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        arguments::fields(self.fields)
    }
}

/// The names and uids of all objects, by id. Stored because the host reports a removed object by its id alone.
#[derive(Default)]
pub(crate) struct Objects(HashMap<u32, Known, BuildHasherDefault<Hasher>>);

struct Known {
    kind: usize,
    namespace: String,
    name: String,
    uid: String,
}

impl Objects {
    /// Stores an object and updates the index.
    pub(crate) fn set(&mut self, object: objects::Object, update_index: impl FnOnce(&Object<'_>)) {
        let objects::Object { id, kind, namespace, name, uid, fields, assumed } = object;
        let kind = kind as usize;
        update_index(&Object { kind, namespace: &namespace, name: &name, uid: &uid, assumed, fields: &fields });
        self.0.insert(id, Known { kind, namespace, name, uid });
    }

    /// Removes an object and updates the index. The index receives the object with its names and uid, and no fields.
    pub(crate) fn remove(&mut self, id: u32, update_index: impl FnOnce(&Object<'_>)) {
        if let Some(Known { kind, namespace, name, uid }) = self.0.remove(&id) {
            update_index(&Object { kind, namespace: &namespace, name: &name, uid: &uid, assumed: false, fields: "{}" });
        }
    }
}
