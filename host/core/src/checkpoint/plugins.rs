//! The plugins that the state names. The ids of plugin instances differ between processes, so that a checkpoint names a
//! plugin by its profile and its name.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use super::error::RestoreError;
use crate::declaration::Declaration;
use crate::plugins::{PluginId, PodSignatureId};
use crate::profile::Profile;
use crate::queue::Rejector;
use crate::queue::entry::EXTENDERS;

/// A plugin that the state names.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum PluginState {
    /// All extenders ([`Rejector::extenders`]).
    Extenders,
    /// A plugin of a profile.
    Serving {
        /// `schedulerName` of a profile that uses the instance.
        scheduler_name: Box<str>,
        /// The plugin's name.
        name: Arc<str>,
    },
    /// An instance that rejected a pod and that no profile uses any more. Its declaration still says which events may
    /// help the pod.
    Replaced(Arc<Declaration>),
}

/// A rejector of a pod.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RejectorState {
    /// The index in the list of plugins.
    plugin: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pending: bool,
    /// The id of the pod's signature. Waiting pods are grouped by these ids, and an event is judged once for a group.
    /// The ids are stored, and not computed again, because they are those of the pods' rejected versions, which the
    /// state does not hold. The restored core numbers new signatures from
    /// [`super::CoreState::next_signature`] on, so that no other pod gets one of these ids.
    signature: PodSignatureId,
}

/// The list of plugins that the state names, while the state is written.
#[derive(Debug)]
pub(super) struct NamedPlugins {
    /// The profile and the name of each serving instance.
    serving: HashMap<PluginId, (Box<str>, Arc<str>)>,
    pub plugins: Vec<PluginState>,
    by_id: HashMap<PluginId, u32>,
}

impl NamedPlugins {
    /// Creates an empty list. `profiles` are the profiles that serve.
    pub fn new(profiles: &[Profile]) -> Self {
        let mut serving = HashMap::new();
        for profile in profiles {
            for plugin in profile.plugins() {
                let name = || (profile.scheduler_name.clone(), Arc::clone(&plugin.declaration.name));
                serving.entry(plugin.id).or_insert_with(name);
            }
        }
        Self { serving, plugins: Vec::new(), by_id: HashMap::new() }
    }

    /// Returns the index of this plugin. Adds the plugin if it is not in the list.
    pub fn index(&mut self, id: PluginId, declaration: &Arc<Declaration>) -> u32 {
        *self.by_id.entry(id).or_insert_with(|| {
            self.plugins.push(match self.serving.get(&id) {
                _ if id == EXTENDERS => PluginState::Extenders,
                Some((scheduler_name, name)) => {
                    PluginState::Serving { scheduler_name: scheduler_name.clone(), name: Arc::clone(name) }
                }
                None => PluginState::Replaced(Arc::clone(declaration)),
            });
            (self.plugins.len() - 1) as u32
        })
    }

    pub fn rejector(&mut self, rejector: &Rejector) -> RejectorState {
        RejectorState {
            plugin: self.index(rejector.id, &rejector.declaration),
            pending: rejector.pending,
            signature: rejector.signature,
        }
    }
}

/// The plugins that the state of a checkpoint names, with their ids in this process.
#[derive(Debug)]
pub(super) struct RestoredPlugins(Vec<(PluginId, Arc<Declaration>)>);

impl RestoredPlugins {
    /// Finds the plugins in the profiles of this process.
    pub fn find(plugins: Vec<PluginState>, profiles: &[Profile]) -> Result<Self, RestoreError> {
        let used: HashSet<PluginId> = profiles.iter().flat_map(Profile::plugin_ids).collect();
        // No plugin of this process has one of the highest ids, because ids are numbered from 0. Two replaced instances
        // must not share an id, because waiting pods are grouped by the ids of their rejectors.
        let mut unused = (0..EXTENDERS.0).rev().map(PluginId).filter(|id| !used.contains(id));
        let restored = plugins.into_iter().map(|plugin| match plugin {
            PluginState::Extenders => {
                let Rejector { id, declaration, .. } = Rejector::extenders();
                Ok((id, declaration))
            }
            PluginState::Serving { scheduler_name, name } => {
                let profile = profiles.iter().find(|profile| profile.scheduler_name == scheduler_name);
                let found = profile.and_then(|of| of.plugins().find(|plugin| plugin.declaration.name == name));
                let unknown =
                    || RestoreError::UnknownPlugin { profile: scheduler_name.to_string(), plugin: name.to_string() };
                let plugin = found.ok_or_else(unknown)?;
                Ok((plugin.id, Arc::clone(&plugin.declaration)))
            }
            PluginState::Replaced(declaration) => Ok((unused.next().unwrap_or(EXTENDERS), declaration)),
        });
        restored.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the plugin with this index.
    pub fn get(&self, index: u32) -> Result<(PluginId, Arc<Declaration>), RestoreError> {
        let plugin = self.0.get(index as usize).cloned();
        plugin.ok_or(RestoreError::OutOfRange { what: "plugin", index, len: self.0.len() })
    }

    pub fn rejector(&self, state: &RejectorState) -> Result<Rejector, RestoreError> {
        let (id, declaration) = self.get(state.plugin)?;
        Ok(Rejector { id, declaration, pending: state.pending, signature: state.signature })
    }
}
