//! Checks a change of the profiles before a preview judges with it, or the scheduler takes it up.

use std::sync::Arc;

use berth_analysis::preview::{PolicyChange, PolicyChangeError};
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::examine::configure;
use berth_plugin_host::{AssembleError, ComponentSet, LoadCause, PluginStatus};

/// The reason why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum ChangeRefused {
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

/// The policy that a change is applied to.
pub struct Serving {
    /// The profiles that serve.
    pub specs: Vec<ProfileSpec>,
    /// The components that are loaded.
    pub components: ComponentSet,
    /// The names of the plugins that serve because they are in the plugins directory.
    pub further: Vec<Arc<str>>,
}

impl Serving {
    /// Returns the policy with these profiles and components. `plugins` has the state of each plugin.
    pub fn new(specs: Vec<ProfileSpec>, components: ComponentSet, plugins: &[PluginStatus]) -> Self {
        let further = plugins.iter().filter(|plugin| !plugin.source.is_built_in() && !plugin.profiles.is_empty());
        let further = further.map(|plugin| Arc::clone(&plugin.name)).collect();
        Self { specs, components, further }
    }

    /// Returns the profiles with a change that was checked. Starts instances of plugins, which takes some time.
    ///
    /// # Errors
    /// The change is refused.
    pub fn changed(&self, change: &PolicyChange) -> Result<Vec<ProfileSpec>, ChangeRefused> {
        let specs = change.applied_to(&self.specs, &self.further)?;
        check_arguments(&self.components, change)?;
        self.components.set(specs.clone())?;
        Ok(specs)
    }
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
