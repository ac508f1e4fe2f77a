//! The reasons why profiles can't be served.

use super::catalog::Catalog;
use crate::load::LoadError;
use berth_apimachinery::nearest;

/// A profile can't be served as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// A plugin that the profile names does not exist.
    #[error("profile {profile} names the plugin {plugin}, but no component has that name; there are: {known}{hint}")]
    Missing {
        /// The profile's scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// A similar name: `. Did you mean X?`, or empty.
        hint: String,
        /// The names of all components, and the refused components with their errors; `none` if there are none.
        known: String,
    },
    /// A plugin that the profile names was refused.
    #[error("profile {profile} names the plugin {plugin}, which was refused: {error}")]
    Refused {
        /// The profile's scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// The reason.
        error: LoadError,
    },
    /// A plugin is enabled at an extension point that it does not export.
    #[error("profile {profile} enables the plugin {plugin} at {point}, which it does not export")]
    WrongPoint {
        /// The profile's scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// The extension point, as in the configuration.
        point: &'static str,
    },
    /// A profile enables two plugins at queueSort.
    #[error(
        "profile {profile} enables two plugins at queueSort, {first} and {plugin}: only one can sort the queue; \
         disable the other"
    )]
    SeveralSorts {
        /// The profile's scheduler name.
        profile: String,
        /// The name of the second plugin.
        plugin: String,
        /// The name of the first plugin.
        first: String,
    },
    /// Two profiles have different plugins at queueSort.
    #[error(
        "profile {profile} sorts the queue with {plugin}, profile {other_profile} with {other}: all profiles share one \
         queue, so they need the same plugin with the same arguments at queueSort"
    )]
    DifferentSorts {
        /// The profile's scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// The scheduler name of the other profile.
        other_profile: String,
        /// The name of the other profile's plugin.
        other: String,
    },
}

impl AssembleError {
    /// Returns whether a later attempt may succeed with the same components, for example when a list is no longer
    /// forbidden.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Refused { error, .. } if error.cause.may_pass())
    }

    /// Returns the error for a name without a working component. `refused` is the error of the best component, if
    /// there is one.
    pub(super) fn unavailable(profile: &str, plugin: &str, refused: Option<LoadError>, catalog: &Catalog) -> Self {
        let (profile, plugin) = (profile.to_owned(), plugin.to_owned());
        match refused {
            Some(error) => Self::Refused { profile, plugin, error },
            None => {
                let near = nearest(&plugin, catalog.names().into_iter());
                let hint = near.map_or_else(String::new, |name| format!(". Did you mean {name}?"));
                let mut known: Vec<String> = catalog.names().into_iter().map(str::to_owned).collect();
                known.extend(catalog.refused().map(|(_, error)| format!("(refused) {error}")));
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                Self::Missing { profile, plugin, hint, known }
            }
        }
    }
}
