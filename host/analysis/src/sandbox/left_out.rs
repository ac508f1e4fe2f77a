//! The plugins of profiles that take no part.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_core::profile::Profile;
use berth_core::profile_spec::{Enabled, ProfileSpec};
use berth_plugin_host::{ComponentSet, LoadedComponent};

/// Returns the loaded plugins that the requested profiles enable at an extension point that the component exports, or as
/// further plugins of the plugins directory, and that the served profiles lack.
pub(super) fn left_out(components: &ComponentSet, requested: &[ProfileSpec], served: &[Profile]) -> Vec<Arc<str>> {
    let plugins = served.iter().flat_map(Profile::plugins);
    let served: BTreeSet<&str> = plugins.map(|plugin| &*plugin.declaration.name).collect();
    let enables = |component: &LoadedComponent, spec: &ProfileSpec| {
        let is_other = spec.others && !component.source.is_built_in();
        let names = |list: &[Enabled]| list.iter().any(|enabled| enabled.name == component.name);
        let mut lists = spec.points.each().into_iter();
        is_other || lists.any(|(_, point, list)| point.intersects(component.points) && names(list))
    };
    let is_left_out = |component: &&Arc<LoadedComponent>| {
        !served.contains(&*component.name) && requested.iter().any(|spec| enables(component, spec))
    };
    let names = components.components().filter(is_left_out).map(|component| Arc::clone(&component.name));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}
