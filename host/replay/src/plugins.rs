//! The plugins that served when the capture was made.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_capture::{PolicyRecord, RecordedProfile};
use berth_core::cache::Cache;
use berth_core::limits::Limits;
use berth_core::model::ObjectReads;
use berth_core::profile::Profile;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::{ComponentSet, Prepared, Succession};

use crate::error::ReplayError;

/// The length of the start of a digest in messages.
const SHORT: usize = 12;

/// Prepares recorded plugins.
pub(crate) struct RecordedPlugins {
    succession: Succession,
    components: Arc<ComponentSet>,
    /// The plugins of which another version is used than the recorded one.
    pub others: BTreeSet<String>,
    /// The components and the profiles that were prepared last.
    serving: Option<(Arc<ComponentSet>, Vec<ProfileSpec>)>,
}

impl RecordedPlugins {
    /// Creates a value that chooses among these components.
    pub fn new(components: Arc<ComponentSet>) -> Self {
        let succession = Succession::new(Arc::clone(components.limits()));
        Self { succession, components, others: BTreeSet::new(), serving: None }
    }

    /// Returns the limits of the plugins.
    pub fn limits(&self) -> Arc<Limits> {
        Arc::clone(self.components.limits())
    }

    /// Returns the components and the profiles that were prepared last.
    pub fn serving(&self) -> Option<(&Arc<ComponentSet>, &[ProfileSpec])> {
        self.serving.as_ref().map(|(components, specs)| (components, &specs[..]))
    }

    /// Returns instances of the recorded plugins, or `None` if they serve already. `cluster` is as in
    /// [`ComponentSet::filled`].
    ///
    /// # Errors
    /// A recorded plugin is not here, or can't serve.
    pub fn prepare(
        &mut self,
        policy: &PolicyRecord,
        cluster: &mut dyn FnMut(&[ObjectReads]) -> Cache,
    ) -> Result<Option<Prepared>, ReplayError> {
        let plugins: BTreeSet<(&str, &str)> = policy
            .profiles
            .iter()
            .flat_map(|profile| &profile.plugins)
            .map(|plugin| (&*plugin.name, &*plugin.digest))
            .collect();
        let (components, others, missing) = self.components.select(&plugins);
        if let Some((name, digest)) = plugins.iter().find(|(name, _)| missing.contains(name)) {
            let digest = digest.get(..SHORT).unwrap_or(digest).to_owned();
            return Err(ReplayError::MissingComponent { name: (*name).to_owned(), digest });
        }
        self.others.extend(others.into_iter().map(str::to_owned));
        let specs: Vec<ProfileSpec> = policy.profiles.iter().map(|profile| profile.spec.clone()).collect();
        let prepared = components.next(&mut self.succession, specs.clone(), cluster)?;
        if let Some(prepared) = &prepared {
            check(&policy.profiles, prepared.profiles())?;
        }
        self.serving = Some((Arc::new(components), specs));
        Ok(prepared)
    }
}

/// Checks that the same plugins serve each profile.
fn check(recorded: &[RecordedProfile], profiles: &[Profile]) -> Result<(), ReplayError> {
    for (recorded, profile) in recorded.iter().zip(profiles) {
        let before: BTreeSet<&str> = recorded.plugins.iter().map(|plugin| &*plugin.name).collect();
        let now: BTreeSet<&str> = profile.components.iter().map(|plugin| &*plugin.name).collect();
        if before != now {
            let list = |names: Vec<&str>| names.join(", ");
            let gone = list(before.difference(&now).copied().collect());
            let new = list(now.difference(&before).copied().collect());
            let what = match (gone.is_empty(), new.is_empty()) {
                (false, true) => format!("without {gone}"),
                (true, _) => format!("with {new}"),
                (false, false) => format!("without {gone}, with {new}"),
            };
            return Err(ReplayError::OtherPlugins { profile: profile.scheduler_name.to_string(), what });
        }
    }
    Ok(())
}
