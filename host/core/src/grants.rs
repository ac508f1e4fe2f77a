//! What plugins may read and change. The configuration grants it, plugin by plugin (`plugins[].grants` of a
//! BerthConfiguration). Nodes and pods can be read without a grant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::model::ObjectKind;

/// What one plugin may read and change. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// The objects that the plugin may read, beside nodes and pods.
    pub read: Vec<ReadGrant>,
    /// The changes of objects that the plugin may ask for, except evictions and deletions of pods.
    pub write: Vec<WriteGrant>,
    /// The namespaces in which the plugin may evict and delete pods; `None` for no namespace. It includes the pods that
    /// a post-filter evicts.
    pub evict_pods: Option<Namespaces>,
}

impl Grants {
    /// Returns a line for people about each grant, such as `read v1 ConfigMap in namespaces a, b`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let read = self.read.iter().map(|grant| format!("read {}{}", grant.kind, grant.namespaces));
        let write = self.write.iter().map(|grant| {
            let verbs: Vec<&str> = grant.verbs.iter().map(|verb| verb.name()).collect();
            let fields =
                if grant.fields.is_empty() { String::new() } else { format!(", fields {}", grant.fields.join(", ")) };
            format!("{} {}{}{fields}", verbs.join(", "), grant.kind, grant.namespaces)
        });
        let evict = self.evict_pods.iter().map(|namespaces| format!("evict and delete pods{namespaces}"));
        read.chain(write).chain(evict).collect()
    }

    /// Returns these grants and those of `other`.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let evict_pods = match (&self.evict_pods, &other.evict_pods) {
            (Some(own), Some(others)) => Some(own.with(others)),
            (own, others) => own.as_ref().or(others.as_ref()).cloned(),
        };
        Self {
            read: self.read.iter().chain(&other.read).cloned().collect(),
            write: self.write.iter().chain(&other.write).cloned().collect(),
            evict_pods,
        }
    }
}

/// Namespaces by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Namespaces {
    /// Every namespace, and cluster-scoped objects.
    #[default]
    All,
    /// The namespaces with these names. Cluster-scoped objects are excluded.
    Named(BTreeSet<Box<str>>),
}

impl Namespaces {
    /// Returns true if the namespace is one of these. An empty name stands for a cluster-scoped object.
    #[must_use]
    pub fn contains(&self, namespace: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.contains(namespace),
        }
    }

    fn with(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Named(own), Self::Named(others)) => Self::Named(own | others),
            _ => Self::All,
        }
    }
}

impl fmt::Display for Namespaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Named(names) => {
                let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                write!(f, " in {} {}", if names.len() == 1 { "namespace" } else { "namespaces" }, names.join(", "))
            }
        }
    }
}

/// The permission to read objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadGrant {
    /// The kind.
    pub kind: ObjectKind,
    /// The namespaces of the objects.
    pub namespaces: Namespaces,
}

/// The permission to ask for changes of objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteGrant {
    /// The kind.
    pub kind: ObjectKind,
    /// The namespaces of the objects.
    pub namespaces: Namespaces,
    /// The permitted intents.
    pub verbs: BTreeSet<Verb>,
    /// The subresources that a patch may change, beside the object itself and `status`.
    pub subresources: BTreeSet<Box<str>>,
    /// The paths of the fields that a patch may change, for example `metadata.annotations`. A path includes all fields
    /// below it. Empty means every field.
    pub fields: Vec<Box<str>>,
}

/// An intent that a [`WriteGrant`] permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Assume a version of an object, which all plugins of this scheduler see.
    Assume,
    /// Bind a pod to a node: a patch of the subresource `binding`.
    Bind,
    /// Create an object.
    Create,
    /// Delete an object.
    Delete,
    /// Patch an object.
    Patch,
}

impl Verb {
    /// Returns the verb's name in a configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Assume => "assume",
            Self::Bind => "bind",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Patch => "patch",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The grants of all plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantPolicy {
    /// Every plugin may read and change everything: for checks of a component without a configuration.
    Everything,
    /// Each plugin may do what is granted to it. A plugin that is not named may do nothing.
    Named {
        /// The grants of components in the binary, by plugin name. A component from a file gets none of these, so that a
        /// file with the name of a default plugin gains no rights by its name.
        built_in: BTreeMap<Box<str>, Grants>,
        /// The grants of the configuration, by plugin name.
        configured: BTreeMap<Box<str>, Grants>,
    },
}

impl Default for GrantPolicy {
    fn default() -> Self {
        Self::Named { built_in: BTreeMap::new(), configured: BTreeMap::new() }
    }
}

impl GrantPolicy {
    /// Returns the grants of a plugin; `None` for everything.
    #[must_use]
    pub fn of(&self, plugin: &str, is_built_in: bool) -> Option<Arc<Grants>> {
        let Self::Named { built_in, configured } = self else { return None };
        let nothing = Grants::default();
        let own = built_in.get(plugin).filter(|_| is_built_in).unwrap_or(&nothing);
        Some(Arc::new(own.with(configured.get(plugin).unwrap_or(&nothing))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespaces(names: &[&str]) -> Namespaces {
        Namespaces::Named(names.iter().map(|name| (*name).into()).collect())
    }

    #[test]
    fn named_namespaces_exclude_other_namespaces_and_cluster_scoped_objects() {
        assert!(namespaces(&["a"]).contains("a"));
        assert!(!namespaces(&["a"]).contains("b"));
        assert!(!namespaces(&["a"]).contains(""));
        assert!(Namespaces::All.contains(""));
    }

    #[test]
    fn a_line_names_verbs_kind_namespaces_and_fields() {
        let kind = |api_version: &str, kind: &str| ObjectKind { api_version: api_version.into(), kind: kind.into() };
        let grants = Grants {
            read: vec![
                ReadGrant { kind: kind("v1", "ConfigMap"), namespaces: namespaces(&["b", "a"]) },
                ReadGrant { kind: kind("apps/v1", "ReplicaSet"), namespaces: Namespaces::All },
            ],
            write: vec![WriteGrant {
                kind: kind("v1", "Pod"),
                namespaces: namespaces(&["a"]),
                verbs: [Verb::Patch, Verb::Assume].into(),
                subresources: BTreeSet::new(),
                fields: vec!["metadata.annotations".into(), "status".into()],
            }],
            evict_pods: Some(Namespaces::All),
        };
        let expected = [
            "read v1 ConfigMap in namespaces a, b",
            "read apps/v1 ReplicaSet",
            "assume, patch v1 Pod in namespace a, fields metadata.annotations, status",
            "evict and delete pods",
        ];
        assert_eq!(grants.lines(), expected);
        assert_eq!(Grants::default().lines(), Vec::<String>::new());
    }

    #[test]
    fn only_a_component_in_the_binary_gets_the_grants_of_its_name() {
        let evict = |names: &[&str]| Grants { evict_pods: Some(namespaces(names)), ..Grants::default() };
        let policy = GrantPolicy::Named {
            built_in: [("P".into(), evict(&["a"]))].into(),
            configured: [("P".into(), evict(&["b"]))].into(),
        };
        assert_eq!(policy.of("P", true).as_deref(), Some(&evict(&["a", "b"])));
        assert_eq!(policy.of("P", false).as_deref(), Some(&evict(&["b"])));
        assert_eq!(policy.of("Q", true).as_deref(), Some(&Grants::default()));
        assert_eq!(GrantPolicy::Everything.of("Q", false), None);
    }
}
