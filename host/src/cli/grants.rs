//! The grants of a plugin in words.

use berth_config::v1alpha1::{PluginGrants, ReadableObjects, WritableObjects};
use berth_core::grants::Verb;

/// Returns the kinds that the grants allow to read, each with its API version.
pub fn reads(grants: &PluginGrants) -> Vec<String> {
    let read =
        |grant: &ReadableObjects| format!("{} {}{}", grant.api_version, grant.kind, in_namespaces(&grant.namespaces));
    grants.read.iter().map(read).collect()
}

/// Returns the changes that the grants allow.
pub fn changes(grants: &PluginGrants) -> Vec<String> {
    let write = |grant: &WritableObjects| {
        let verbs: Vec<&str> = grant.verbs.iter().map(|verb| Verb::from(*verb).name()).collect();
        let fields = if grant.fields.is_empty() { String::new() } else { format!(" ({})", grant.fields.join(", ")) };
        let namespaces = in_namespaces(&grant.namespaces);
        format!("{} {} {}{fields}{namespaces}", verbs.join(" and "), grant.api_version, grant.kind)
    };
    let evict = grants.evict_pods.as_ref();
    let evict = evict.map(|pods| format!("evict and delete pods{}", in_namespaces(&pods.namespaces)));
    grants.write.iter().map(write).chain(evict).collect()
}

fn in_namespaces(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" in {}", names.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use berth_config::v1alpha1::{EvictablePods, GrantedVerb};

    use super::*;

    #[test]
    fn grants_name_kinds_verbs_fields_and_namespaces() {
        let [api_version, kind] = ["v1".to_owned(), "ConfigMap".to_owned()];
        let namespaces = vec!["a".to_owned(), "b".to_owned()];
        let grants = PluginGrants {
            read: vec![ReadableObjects { api_version: api_version.clone(), kind: kind.clone(), namespaces }],
            write: vec![WritableObjects {
                api_version,
                kind,
                verbs: vec![GrantedVerb::Create, GrantedVerb::Patch],
                fields: vec!["data".to_owned()],
                ..WritableObjects::default()
            }],
            evict_pods: Some(EvictablePods { namespaces: vec!["a".to_owned()] }),
        };
        assert_eq!(reads(&grants), ["v1 ConfigMap in a and b"]);
        assert_eq!(changes(&grants), ["create and patch v1 ConfigMap (data)", "evict and delete pods in a"]);
    }
}
