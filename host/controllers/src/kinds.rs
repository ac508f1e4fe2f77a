//! The table of the kinds that the controllers know. Decoding and storing are generated from this table.

use std::collections::HashMap;
use std::fmt;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    Namespace, PersistentVolume, PersistentVolumeClaim, ReplicationController, ResourceQuota, ServiceAccount,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimTemplate};
use k8s_openapi::api::storage::v1::StorageClass;
use kube::core::{ApiResource, DynamicObject, ObjectMeta, PartialObjectMeta};

use serde_json::Value;

use super::config_map::ConfigMap;
use super::metadata;
use super::node::Node;
use super::pod::Pod;
use super::service::Service;

/// An object whose kind has no type here. Only its metadata is kept, for ownership and namespace deletion.
pub type Other = PartialObjectMeta<DynamicObject>;

/// A kind with its own Rust type.
pub trait Typed: Sized {
    /// The kind's entry in the table.
    const KIND: Kind;
    /// Returns the object if it is of this kind.
    fn of(object: &Object) -> Option<&Self>;
}

macro_rules! kinds {
    (slim { $($slim:ident,)* } whole { $($whole:ident,)* }) => {
        /// A kind of object.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind {
            $(#[doc = concat!("A ", stringify!($slim), ".")] $slim,)*
            $(#[doc = concat!("A ", stringify!($whole), ".")] $whole,)*
            /// A kind from discovery, by its number in [`Kinds`]. Only metadata is read.
            Other(u16),
        }

        /// An object in the cluster state.
        #[derive(Clone, Debug)]
        pub enum Object {
            $(#[doc = concat!("A ", stringify!($slim), ".")] $slim(Box<$slim>),)*
            $(#[doc = concat!("A ", stringify!($whole), ".")] $whole(Box<$whole>),)*
            /// The metadata of an object whose kind has no type here.
            Other(u16, Box<Other>),
        }

        impl Object {
            /// Returns the object's kind.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Object::$slim(_) => Kind::$slim,)*
                    $(Object::$whole(_) => Kind::$whole,)*
                    Object::Other(number, _) => Kind::Other(*number),
                }
            }

            /// Returns the object's metadata.
            pub fn meta(&self) -> &ObjectMeta {
                match self {
                    $(Object::$slim(object) => &object.metadata,)*
                    $(Object::$whole(object) => &object.metadata,)*
                    Object::Other(_, object) => &object.metadata,
                }
            }

            /// Decodes an object of this kind from the API server's JSON.
            pub fn decode(kind: Kind, json: &str) -> serde_json::Result<Object> {
                match kind {
                    $(Kind::$slim => Ok(Object::$slim(serde_json::from_str(json)?)),)*
                    Kind::Other(number) => Ok(Object::other(number, serde_json::from_str(json)?)),
                    whole => Object::from_value(whole, serde_json::from_str(json)?),
                }
            }

            /// Decodes an object of this kind from a JSON value. The large types have only this decoder, because each
            /// further decoder would duplicate their code in the binary.
            pub fn from_value(kind: Kind, json: Value) -> serde_json::Result<Object> {
                Ok(match kind {
                    $(Kind::$slim => Object::$slim(serde_json::from_value(json)?),)*
                    $(Kind::$whole => {
                        let mut object: Box<$whole> = serde_json::from_value(json)?;
                        metadata::strip(&mut object.metadata);
                        Object::$whole(object)
                    })*
                    Kind::Other(number) => Object::other(number, serde_json::from_value(json)?),
                })
            }
        }

        $(kinds!(@typed $slim);)*
        $(kinds!(@typed $whole);)*

        $(
            impl From<$slim> for Object {
                fn from(object: $slim) -> Self {
                    Object::$slim(Box::new(object))
                }
            }
        )*

        /// Returns every kind with its own type, with its API resource.
        pub fn typed() -> Vec<(Kind, ApiResource)> {
            vec![
                $((Kind::$slim, ApiResource::erase::<$slim>(&())),)*
                $((Kind::$whole, ApiResource::erase::<$whole>(&())),)*
            ]
        }
    };
    (@typed $kind:ident) => {
        impl Typed for $kind {
            const KIND: Kind = Kind::$kind;
            fn of(object: &Object) -> Option<&Self> {
                match object { Object::$kind(object) => Some(object), _ => None }
            }
        }
    };
}

kinds! {
    slim {
        Pod,
        Node,
        ConfigMap,
        Service,
    }
    whole {
        Namespace,
        ServiceAccount,
        ReplicaSet,
        ReplicationController,
        Deployment,
        StatefulSet,
        DaemonSet,
        Job,
        CronJob,
        PersistentVolumeClaim,
        PersistentVolume,
        StorageClass,
        ResourceClaim,
        ResourceClaimTemplate,
        PodDisruptionBudget,
        ResourceQuota,
    }
}

impl Object {
    /// Returns an object of which only the metadata is kept.
    pub fn other(number: u16, mut object: Other) -> Self {
        metadata::strip(&mut object.metadata);
        Object::Other(number, Box::new(object))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The API resource of a kind in this API server.
#[derive(Clone, Debug)]
pub struct Served {
    /// The group, version, kind and plural name.
    pub resource: ApiResource,
    /// True if the kind is namespaced.
    pub namespaced: bool,
    /// True if the API server supports `deletecollection`.
    pub collective: bool,
    /// True if the controllers watch the kind. Objects of a kind that is not watched are only deleted with their
    /// namespace.
    pub watched: bool,
}

/// The kinds that the API server serves. The number of a discovered kind is never reused.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    served: HashMap<Kind, Served>,
    by_name: HashMap<(String, String), Kind>,
    numbers: u16,
}

impl Kinds {
    /// Stores the result of a discovery. Skips a typed kind in another version than that of the Rust type. Returns the
    /// new kinds and the kinds that are no longer served.
    pub fn update(&mut self, found: Vec<Served>) -> (Vec<Kind>, Vec<Kind>) {
        let typed: HashMap<_, _> =
            typed().into_iter().map(|(kind, resource)| (name_of(&resource), (kind, resource))).collect();
        let mut served = HashMap::new();
        for mut entry in found {
            let name = name_of(&entry.resource);
            let kind = match (typed.get(&name), self.by_name.get(&name)) {
                (Some((_, own)), _) if own.version != entry.resource.version => continue,
                (Some((kind, _)), _) => *kind,
                (None, Some(kind)) => *kind,
                (None, None) => self.number(),
            };
            entry.watched |= !matches!(kind, Kind::Other(_));
            self.by_name.insert(name, kind);
            served.insert(kind, entry);
        }
        let new = served.keys().filter(|kind| !self.served.contains_key(kind)).copied().collect();
        let lost = self.served.keys().filter(|kind| !served.contains_key(kind)).copied().collect();
        self.served = served;
        (new, lost)
    }

    fn number(&mut self) -> Kind {
        self.numbers = self.numbers.saturating_add(1);
        Kind::Other(self.numbers)
    }

    /// Returns the API resource of this kind, if the server serves it.
    pub fn get(&self, kind: Kind) -> Option<&Served> {
        self.served.get(&kind)
    }

    /// Returns the kind that an owner reference names, in any version, if the server serves it.
    pub fn of_owner(&self, api_version: &str, kind: &str) -> Option<Kind> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.by_name.get(&(group.to_owned(), kind.to_owned())).copied().filter(|kind| self.served.contains_key(kind))
    }

    /// Returns the kinds that the controllers watch.
    pub fn watched(&self) -> impl Iterator<Item = (Kind, &Served)> {
        self.served.iter().filter(|(_, served)| served.watched).map(|(kind, served)| (*kind, served))
    }

    /// Returns all namespaced kinds that the server serves.
    pub fn namespaced(&self) -> impl Iterator<Item = &Served> {
        self.served.values().filter(|served| served.namespaced)
    }
}

fn name_of(resource: &ApiResource) -> (String, String) {
    (resource.group.clone(), resource.kind.clone())
}
