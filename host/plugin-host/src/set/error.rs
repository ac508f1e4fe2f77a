//! Why profiles can't be served.

use super::catalog::Catalog;
use crate::load::LoadError;
use berth_apimachinery::nearest;

/// A profile can't be served as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// A plugin that it names is not there.
    #[error("profile {profile} names the plugin {plugin}, but no component has that name; there are: {known}{hint}")]
    Missing {
        /// Its scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// The name that was perhaps meant: `. Did you mean X?`.
        hint: String,
        /// All names.
        known: String,
    },
    /// A plugin that it names was refused.
    #[error("profile {profile} names the plugin {plugin}, which was refused: {error}")]
    Refused {
        /// Its scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// Why.
        error: LoadError,
    },
    /// A plugin is enabled where it has nothing to do.
    #[error("profile {profile} enables the plugin {plugin} at {point}, which it does not export")]
    WrongPoint {
        /// Its scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// As in a configuration.
        point: &'static str,
    },
    /// Two plugins would sort the queue.
    #[error(
        "profile {profile} enables two plugins at queueSort, {first} and {plugin}: one can sort the queue. Disable the other"
    )]
    SeveralSorts {
        /// Its scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// The one before.
        first: String,
    },
    /// Two profiles would sort the one queue in different ways.
    #[error(
        "profile {profile} sorts the queue with {plugin}, profile {other_profile} with {other}: all profiles share one \
         queue, so they need the same plugin with the same arguments at queueSort"
    )]
    DifferentSorts {
        /// A scheduler name.
        profile: String,
        /// The plugin's name.
        plugin: String,
        /// The scheduler name of the profile before it.
        other_profile: String,
        /// Its plugin's name.
        other: String,
    },
}

impl AssembleError {
    /// Whether it may be otherwise at the next try, with the same components: what was not to be listed may be by then.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Refused { error, .. } if error.cause.may_pass())
    }

    /// No component of the name works; `refused` says why the best one doesn't, if there is one.
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
