//! Builds the core's profiles from the profile specs and the instances.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::plugins::ExtensionPoints;
use berth_core::profile::{Profile, ProfilePlugin};

use super::error::AssembleError;
use crate::guests::Entry;
use berth_core::profile_spec::{Enabled, NamedBy, ProfileSpec};

/// The plugin at queueSort by default.
const DEFAULT_SORT: &str = "PrioritySort";

/// A plugin's name and its arguments.
pub(super) type Pair = (Arc<str>, Arc<str>);

/// Builds the profile of `spec`. `others` are plugins of the directory that the profile does not name. They come after
/// the plugins that the profile names.
pub(super) fn profile(
    spec: &ProfileSpec,
    others: &[Arc<str>],
    instances: &BTreeMap<Pair, Arc<Entry>>,
) -> Result<Profile, AssembleError> {
    let mut profile = Profile {
        scheduler_name: spec.scheduler_name.clone(),
        percentage_of_nodes_to_score: spec.percentage_of_nodes_to_score,
        without_default_binder: spec.without_default_binder,
        ..Profile::default()
    };
    for (point_name, point, enabled) in spec.points.each() {
        let at_end =
            others.iter().map(|name| Enabled { name: Arc::clone(name), weight: 1, named_by: NamedBy::Default });
        for enabled in enabled.iter().cloned().chain(at_end) {
            let pair = (Arc::clone(&enabled.name), spec.arguments_of(&enabled.name));
            // The presence of required plugins was checked before.
            let Some(entry) = instances.get(&pair) else { continue };
            if entry.declaration.points.contains(point) {
                add(&mut profile, point, plugin(spec, entry), &enabled)?;
            } else if enabled.named_by == NamedBy::Point {
                return Err(AssembleError::WrongPoint {
                    profile: spec.scheduler_name.to_string(),
                    plugin: enabled.name.to_string(),
                    point: point_name,
                });
            }
        }
    }
    Ok(profile)
}

fn plugin(spec: &ProfileSpec, entry: &Entry) -> ProfilePlugin {
    let own = spec.failure_policies.get(&*entry.declaration.name);
    let failure_policy = own.copied().unwrap_or(spec.failure_policy);
    ProfilePlugin { id: entry.id, declaration: Arc::clone(&entry.declaration), failure_policy }
}

/// Checks that all profiles sort the shared queue in the same way. A profile without a plugin at queueSort uses
/// PrioritySort.
pub(super) fn check_same_order(profiles: &[Profile]) -> Result<(), AssembleError> {
    let sort =
        |profile: &Profile| profile.queue_sort.as_ref().map(|plugin| (plugin.id, plugin.declaration.name.clone()));
    let default = |name: &str| name == DEFAULT_SORT;
    for pair in profiles.windows(2) {
        let (one, other) = (sort(&pair[0]), sort(&pair[1]));
        let same = match (&one, &other) {
            (Some((one, _)), Some((other, _))) => one == other,
            (Some((_, name)), None) | (None, Some((_, name))) => default(name),
            (None, None) => true,
        };
        if !same {
            let name = |sort: Option<(_, Arc<str>)>| {
                sort.map_or_else(|| DEFAULT_SORT.to_owned(), |(_, name)| name.to_string())
            };
            return Err(AssembleError::DifferentSorts {
                profile: pair[1].scheduler_name.to_string(),
                plugin: name(other),
                other_profile: pair[0].scheduler_name.to_string(),
                other: name(one),
            });
        }
    }
    Ok(())
}

/// Adds the plugin at queueSort. A plugin that the profile does not name is left out if there is one already.
fn add_sort(profile: &mut Profile, plugin: ProfilePlugin, named_by: NamedBy) -> Result<(), AssembleError> {
    match &profile.queue_sort {
        None => profile.queue_sort = Some(plugin),
        Some(_) if named_by == NamedBy::Default => {}
        Some(first) => {
            return Err(AssembleError::SeveralSorts {
                profile: profile.scheduler_name.to_string(),
                plugin: plugin.declaration.name.to_string(),
                first: first.declaration.name.to_string(),
            });
        }
    }
    Ok(())
}

fn add(
    profile: &mut Profile,
    point: ExtensionPoints,
    plugin: ProfilePlugin,
    enabled: &Enabled,
) -> Result<(), AssembleError> {
    match point {
        ExtensionPoints::PRE_ENQUEUE => profile.pre_enqueue.push(plugin),
        ExtensionPoints::QUEUE_SORT => add_sort(profile, plugin, enabled.named_by)?,
        ExtensionPoints::PRE_FILTER => profile.pre_filter.push(plugin),
        ExtensionPoints::FILTER => profile.filter.push(plugin),
        ExtensionPoints::POST_FILTER => profile.post_filter.push(plugin),
        ExtensionPoints::PRE_SCORE => profile.pre_score.push(plugin),
        ExtensionPoints::RESERVE => profile.reserve.push(plugin),
        ExtensionPoints::PERMIT => profile.permit.push(plugin),
        ExtensionPoints::PRE_BIND => profile.pre_bind.push(plugin),
        ExtensionPoints::BIND => profile.bind.push(plugin),
        ExtensionPoints::POST_BIND => profile.post_bind.push(plugin),
        _ => profile.score.push((plugin, enabled.weight)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use berth_core::plugins::{Declaration, PluginId};

    use super::*;

    fn sort(id: u32, name: &str) -> ProfilePlugin {
        let declaration = Declaration { name: name.into(), ..Declaration::default() };
        ProfilePlugin { id: PluginId(id), declaration: Arc::new(declaration), failure_policy: Default::default() }
    }

    #[test]
    fn profiles_that_sort_the_queue_differently_are_refused() {
        let cases = [
            ([Some((0, "Own")), Some((0, "Own"))], None),
            ([None, Some((0, DEFAULT_SORT))], None),
            ([None, None], None),
            ([Some((0, DEFAULT_SORT)), Some((1, DEFAULT_SORT))], Some("p1 sorts the queue with PrioritySort")),
            (
                [Some((0, DEFAULT_SORT)), Some((1, "Own"))],
                Some("p1 sorts the queue with Own, profile p0 with PrioritySort"),
            ),
            ([Some((1, "Own")), None], Some("p1 sorts the queue with PrioritySort, profile p0 with Own")),
        ];
        for (sorts, expected) in cases {
            let profile = |(number, own): (usize, &Option<(u32, &str)>)| Profile {
                scheduler_name: format!("p{number}").into(),
                queue_sort: own.map(|(id, name)| sort(id, name)),
                ..Profile::default()
            };
            let profiles: Vec<Profile> = sorts.iter().enumerate().map(profile).collect();
            let error = check_same_order(&profiles).err().map(|error| error.to_string());
            match (&error, expected) {
                (None, None) => {}
                (Some(error), Some(expected)) => assert!(error.contains(expected), "{error}"),
                _ => panic!("{sorts:?}: {error:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn two_plugins_at_queue_sort_are_refused() {
        let mut profile = Profile { scheduler_name: "own".into(), ..Profile::default() };
        add_sort(&mut profile, sort(0, "First"), NamedBy::MultiPoint).expect("the first");
        add_sort(&mut profile, sort(1, "InTheDirectory"), NamedBy::Default).expect("left out");
        let error = add_sort(&mut profile, sort(2, "Second"), NamedBy::Point).unwrap_err().to_string();
        assert!(error.starts_with("profile own enables two plugins at queueSort, First and Second"), "{error}");
        assert_eq!(profile.queue_sort.map(|plugin| plugin.id), Some(PluginId(0)));
    }
}
