//! What a plugin may read and change.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use berth_core::grants::{Grants, Namespaces, ReadGrant, Verb, WriteGrant};
use berth_core::model::ObjectKind;

/// What a plugin may read and change. Without a grant, a plugin reads nodes and pods, and changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginGrants {
    /// The objects that the plugin may read, beside nodes and pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<ReadableObjects>,
    /// The changes of objects that the plugin may ask for, except evictions and deletions of pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<WritableObjects>,
    /// The namespaces in which the plugin may evict and delete pods. Without this field: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evict_pods: Option<EvictablePods>,
}

/// The objects of a kind that a plugin may read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadableObjects {
    /// For example `v1` or `apps/v1`.
    #[schemars(length(min = 1))]
    pub api_version: String,
    /// For example `ConfigMap`.
    #[schemars(length(min = 1))]
    pub kind: String,
    /// The namespaces of the objects. Default: all, and cluster-scoped objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
}

/// The objects of a kind that a plugin may change, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WritableObjects {
    /// For example `v1` or `apps/v1`.
    #[schemars(length(min = 1))]
    pub api_version: String,
    /// For example `ConfigMap`.
    #[schemars(length(min = 1))]
    pub kind: String,
    /// The namespaces of the objects. Default: all, and cluster-scoped objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// The permitted changes.
    #[schemars(length(min = 1))]
    pub verbs: Vec<GrantedVerb>,
    /// The subresources that a patch may change, beside the object itself and its status. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subresources: Vec<String>,
    /// The paths of the fields that a patch may change, such as `metadata.annotations["example.com/pool"]`. A path
    /// includes all fields below it. Default: every field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// The namespaces in which a plugin may evict and delete pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvictablePods {
    /// The namespaces of the pods. Default: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
}

/// A change of an object that a plugin can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GrantedVerb {
    /// Assume a version of the object, which all plugins of this scheduler see until the API server has it.
    Assume,
    /// Bind a pod to a node.
    Bind,
    /// Create an object.
    Create,
    /// Delete an object.
    Delete,
    /// Patch an object.
    Patch,
}

impl PluginGrants {
    /// Returns the grants in the core's form.
    #[must_use]
    pub fn to_core(&self) -> Grants {
        let read = |grant: &ReadableObjects| ReadGrant {
            kind: kind(&grant.api_version, &grant.kind),
            namespaces: namespaces(&grant.namespaces),
        };
        let write = |grant: &WritableObjects| WriteGrant {
            kind: kind(&grant.api_version, &grant.kind),
            namespaces: namespaces(&grant.namespaces),
            verbs: grant.verbs.iter().copied().map(Into::into).collect(),
            subresources: names(&grant.subresources),
            fields: grant.fields.iter().map(|path| path.as_str().into()).collect(),
        };
        Grants {
            read: self.read.iter().map(read).collect(),
            write: self.write.iter().map(write).collect(),
            evict_pods: self.evict_pods.as_ref().map(|pods| namespaces(&pods.namespaces)),
        }
    }
}

impl From<&Grants> for PluginGrants {
    fn from(grants: &Grants) -> Self {
        let read = |grant: &ReadGrant| ReadableObjects {
            api_version: grant.kind.api_version.to_string(),
            kind: grant.kind.kind.to_string(),
            namespaces: names_of(&grant.namespaces),
        };
        let write = |grant: &WriteGrant| WritableObjects {
            api_version: grant.kind.api_version.to_string(),
            kind: grant.kind.kind.to_string(),
            namespaces: names_of(&grant.namespaces),
            verbs: grant.verbs.iter().copied().map(Into::into).collect(),
            subresources: grant.subresources.iter().map(ToString::to_string).collect(),
            fields: grant.fields.iter().map(ToString::to_string).collect(),
        };
        Self {
            read: grants.read.iter().map(read).collect(),
            write: grants.write.iter().map(write).collect(),
            evict_pods: grants.evict_pods.as_ref().map(|pods| EvictablePods { namespaces: names_of(pods) }),
        }
    }
}

impl From<Verb> for GrantedVerb {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Assume => Self::Assume,
            Verb::Bind => Self::Bind,
            Verb::Create => Self::Create,
            Verb::Delete => Self::Delete,
            Verb::Patch => Self::Patch,
        }
    }
}

impl From<GrantedVerb> for Verb {
    fn from(verb: GrantedVerb) -> Self {
        match verb {
            GrantedVerb::Assume => Self::Assume,
            GrantedVerb::Bind => Self::Bind,
            GrantedVerb::Create => Self::Create,
            GrantedVerb::Delete => Self::Delete,
            GrantedVerb::Patch => Self::Patch,
        }
    }
}

fn kind(api_version: &str, kind: &str) -> ObjectKind {
    ObjectKind { api_version: api_version.into(), kind: kind.into() }
}

fn names(given: &[String]) -> BTreeSet<Box<str>> {
    given.iter().map(|name| name.as_str().into()).collect()
}

fn names_of(namespaces: &Namespaces) -> Vec<String> {
    match namespaces {
        Namespaces::All => Vec::new(),
        Namespaces::Named(names) => names.iter().map(ToString::to_string).collect(),
    }
}

fn namespaces(given: &[String]) -> Namespaces {
    if given.is_empty() { Namespaces::All } else { Namespaces::Named(names(given)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
apiVersion: berth.dev/v1alpha1
kind: BerthConfiguration
plugins:
- name: p
  grants:
    read:
    - {apiVersion: v1, kind: ConfigMap, namespaces: [a]}
    - {apiVersion: v1, kind: Service}
    write:
    - apiVersion: v1
      kind: ConfigMap
      verbs: [assume, create, delete, patch]
      subresources: [scale]
      fields: [data]
    - {apiVersion: v1, kind: Pod, verbs: [bind]}
    evictPods: {namespaces: [b]}
- name: q
  grants: {evictPods: {}}
- name: r
"#;

    #[test]
    fn grants_keep_their_meaning_in_the_cores_form() {
        let berth = crate::parse(FILE, "f.yaml").unwrap_or_else(|error| panic!("{error}")).berth;
        let core = berth.grants();
        assert_eq!(core.keys().map(|name| &**name).collect::<Vec<_>>(), ["p", "q"]);
        assert!(core["p"].read[0].namespaces.contains("a") && !core["p"].read[0].namespaces.contains("b"));
        assert_eq!(core["q"].evict_pods, Some(Namespaces::All));
        assert_eq!(Some(&PluginGrants::from(&core["p"])), berth.plugins[0].grants.as_ref());
    }
}
