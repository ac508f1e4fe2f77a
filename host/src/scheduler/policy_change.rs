//! Checks a change of the profiles before a preview judges with it, or the scheduler takes it up.

use std::sync::Arc;

use berth_admin::SchedulerView;
use berth_analysis::preview::{PolicyChange, PolicyChangeError};
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::examine::configure;
use berth_plugin_host::{AssembleError, ComponentSet, LoadCause};

use super::Observer;

/// The reason why a change is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChangeRefused {
    /// The change does not apply to the profiles.
    #[error(transparent)]
    Change(#[from] PolicyChangeError),
    /// A plugin refuses its arguments.
    #[error("the arguments of {plugin} are refused: {cause}")]
    Arguments {
        /// The plugin.
        plugin: String,
        /// The plugin's reason.
        cause: LoadCause,
    },
    /// The changed profiles can't serve.
    #[error(transparent)]
    Profiles(#[from] AssembleError),
}

/// Returns the profiles that serve, with a change that was checked. Starts instances of plugins, which takes some time.
///
/// # Errors
/// The change is refused.
pub(super) fn changed_profiles(observer: &Observer, change: &PolicyChange) -> Result<Vec<ProfileSpec>, ChangeRefused> {
    let status = observer.plugins().into_iter();
    let serving = status.filter(|plugin| !plugin.source.is_built_in() && !plugin.profiles.is_empty());
    let further: Vec<Arc<str>> = serving.map(|plugin| plugin.name).collect();
    let specs = change.applied_to(&observer.serving_profiles(), &further)?;
    let components = observer.components();
    check_arguments(&components, change)?;
    components.set(specs.clone())?;
    Ok(specs)
}

/// Configures an instance of each plugin with new arguments. A profile would leave out a default plugin that refuses them.
fn check_arguments(components: &ComponentSet, change: &PolicyChange) -> Result<(), ChangeRefused> {
    for (plugin, arguments) in &change.arguments {
        let Some(component) = components.components().find(|component| *component.name == **plugin) else { continue };
        let configured = configure(component, &arguments.to_string(), components.limits(), &Arc::default());
        configured.map_err(|cause| ChangeRefused::Arguments { plugin: plugin.clone(), cause })?;
    }
    Ok(())
}
