//! `managedResources[].ignoredByScheduler`: resources that NodeResourcesFit leaves to an extender.

use serde_json::{Map, Value, json};

use super::v1;
use berth_core::profile_spec::ProfileSpec;

/// The plugin that checks resources.
const FIT: &str = "NodeResourcesFit";

/// Sets `ignoredResources` of NodeResourcesFit in every profile to the resources that extenders manage and the
/// scheduler ignores. The list replaces the configured one, as in kube-scheduler.
pub(super) fn leave_managed_resources(profiles: &mut [ProfileSpec], extenders: &[v1::Extender]) {
    let managed = extenders.iter().flat_map(|extender| &extender.managed_resources);
    let ignored: Vec<&str> =
        managed.filter(|resource| resource.ignored_by_scheduler).map(|resource| resource.name.as_str()).collect();
    if ignored.is_empty() {
        return;
    }
    for profile in profiles {
        let arguments = profile.arguments.entry(FIT.into()).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(arguments) = arguments {
            arguments.insert("ignoredResources".to_owned(), json!(ignored));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn managing(resources: &[(&str, bool)]) -> v1::Extender {
        let resource = |(name, ignored_by_scheduler): &(&str, bool)| v1::ExtenderManagedResource {
            name: (*name).to_owned(),
            ignored_by_scheduler: *ignored_by_scheduler,
        };
        let managed_resources = resources.iter().map(resource).collect();
        v1::Extender { managed_resources, ..v1::Extender::default() }
    }

    #[test]
    fn what_extenders_manage_takes_the_place_of_what_is_ignored() {
        let profile = |arguments: Value| {
            let mut profile = crate::default_profile("p");
            if !arguments.is_null() {
                profile.arguments.insert(FIT.into(), arguments);
            }
            profile
        };
        let own = json!({"ignoredResources": ["a/own"], "ignoredResourceGroups": ["g"]});
        for (extenders, before, after) in [
            (vec![managing(&[("a/x", false)])], own.clone(), own.clone()),
            (vec![], Value::Null, Value::Null),
            (
                vec![managing(&[("a/x", true), ("a/y", false)]), managing(&[("a/z", true)])],
                own,
                json!({"ignoredResources": ["a/x", "a/z"], "ignoredResourceGroups": ["g"]}),
            ),
            (vec![managing(&[("a/x", true)])], Value::Null, json!({"ignoredResources": ["a/x"]})),
        ] {
            let mut profiles = [profile(before)];
            leave_managed_resources(&mut profiles, &extenders);
            assert_eq!(profiles[0].arguments.get(FIT).cloned().unwrap_or_default(), after);
        }
    }
}
