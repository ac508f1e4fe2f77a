//! The profiles as the core takes them, from what was asked for and the instances that there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::plugins::ExtensionPoints;
use berth_core::profile::{Profile, ProfilePlugin};

use super::error::AssembleError;
use super::spec::{Enabled, NamedBy, ProfileSpec};
use crate::wasm::guests::Entry;

/// A plugin's name and its arguments.
pub(super) type Pair = (Arc<str>, Arc<str>);

/// The profile that `spec` asks for. `others` are the names that stand at its end.
pub(super) fn profile(
    spec: &ProfileSpec,
    others: &[Arc<str>],
    instances: &BTreeMap<Pair, Arc<Entry>>,
) -> Result<Profile, AssembleError> {
    let mut profile = Profile { scheduler_name: spec.scheduler_name.clone(), ..Profile::default() };
    for (point_name, point, enabled) in spec.points.each() {
        let at_end =
            others.iter().map(|name| Enabled { name: Arc::clone(name), weight: 1, named_by: NamedBy::Default });
        for enabled in enabled.iter().cloned().chain(at_end) {
            let pair = (Arc::clone(&enabled.name), spec.arguments_of(&enabled.name));
            // Whatever has to be there was seen to be there.
            let Some(entry) = instances.get(&pair) else { continue };
            if entry.declaration.points.contains(point) {
                add(&mut profile, point, plugin(spec, entry), enabled.weight);
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
    ProfilePlugin { id: entry.id, declaration: Arc::clone(&entry.declaration), failure_policy: spec.failure_policy }
}

fn add(profile: &mut Profile, point: ExtensionPoints, plugin: ProfilePlugin, weight: i64) {
    match point {
        ExtensionPoints::PRE_FILTER => profile.pre_filter.push(plugin),
        ExtensionPoints::FILTER => profile.filter.push(plugin),
        ExtensionPoints::PRE_SCORE => profile.pre_score.push(plugin),
        _ => profile.score.push((plugin, weight)),
    }
}
