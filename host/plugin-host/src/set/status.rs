//! The state of plugins for display.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::grants::Grants;
use hashbrown::HashMap;

use super::catalog::Catalog;
use super::error::AssembleError;
use super::inventory::{InstanceKey, Inventory};
use crate::guests::{Entry, Health};
use crate::load::{Digest, LoadError, LoadedComponent, Source};
use crate::metrics::Usage;
use berth_core::profile_spec::ProfileSpec;

/// A line of `berth plugin list`: an instance, or a component without an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginStatus {
    /// The plugin's name; empty if the component was refused before its configuration.
    pub name: Arc<str>,
    /// The version from `describe`; empty if the component was refused before its configuration.
    pub version: Box<str>,
    /// The origin of its component.
    pub source: Source,
    /// The component's digest; `None` if the component was refused before its configuration.
    pub digest: Option<Digest>,
    /// The arguments, as JSON; `{}` without an instance. Profiles with equal arguments share an instance.
    pub arguments: Arc<str>,
    /// The JSON Schema of the arguments; `None` if the component has none.
    pub schema: Option<Arc<str>>,
    /// A line for people about each grant of the plugin; `None` if everything is granted, or the component was refused
    /// before its configuration.
    pub grants: Option<Vec<String>>,
    /// The scheduler names of the profiles that use it.
    pub profiles: Vec<Box<str>>,
    /// The state.
    pub state: PluginState,
    /// The last error, if there is one.
    pub last_error: Option<String>,
    /// The cost so far; zero without an instance.
    pub usage: Usage,
}

/// The state of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginState {
    /// The plugin serves.
    Loaded,
    /// The plugin serves, but its file was deleted or became invalid.
    LastGood,
    /// The plugin broke or fell behind the cluster's changes, and its instance is being rebuilt.
    Restarting,
    /// The plugin failed too often and is rebuilt at this time.
    BackingOff(Timestamp),
    /// The plugin can't be used, for the reason in [`PluginStatus::last_error`].
    Refused,
    /// The plugin is valid, but no profile uses it.
    Unused,
}

impl PluginState {
    /// Returns the name that people see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::LastGood => "last good",
            Self::Restarting => "restarting",
            Self::BackingOff(_) => "backing off",
            Self::Refused => "refused",
            Self::Unused => "unused",
        }
    }
}

/// The state after the last pass of the loader.
#[derive(Default)]
pub(crate) struct Board {
    /// The profiles that serve. Before the first set serves, the profiles that are to serve.
    pub specs: Vec<ProfileSpec>,
    pub(super) inventory: Inventory,
    pub(super) failed: HashMap<InstanceKey, LoadError>,
    pub(super) catalog: Catalog,
    /// The reason why the latest profiles don't serve.
    pub refused_profiles: Option<AssembleError>,
}

impl Board {
    /// Returns the catalog, in which each component that serves replaces the others of its name.
    pub fn components(&self) -> Catalog {
        self.catalog.clone().with_serving(&self.inventory.serving)
    }

    /// Returns all components and instances, ordered by name.
    pub fn status(&self) -> Vec<PluginStatus> {
        let mut lines: Vec<PluginStatus> =
            self.inventory.entries.values().map(|entry| self.of_instance(entry)).collect();
        for component in self.catalog.components() {
            if !self.inventory.serving.values().any(|serving| serving.digest == component.digest) {
                lines.push(self.of_component(component));
            }
        }
        lines.extend(self.catalog.refused().map(|(source, error)| of_refused(source, error)));
        lines.sort_by(|a, b| (&a.name, &a.source, &a.arguments).cmp(&(&b.name, &b.source, &b.arguments)));
        lines
    }

    fn of_instance(&self, entry: &Entry) -> PluginStatus {
        let component_in_use = &entry.component;
        // The file may have been renamed meanwhile.
        let found = self.catalog.components().find(|component| component.digest == component_in_use.digest);
        let uses = |spec: &&ProfileSpec| {
            let named = spec.names().iter().any(|(name, _)| *name == component_in_use.name);
            (named || spec.others) && spec.arguments_of(&component_in_use.name) == entry.arguments
        };
        let (state, broken) = match entry.health() {
            Health::Serving if found.is_some() => (PluginState::Loaded, None),
            Health::Serving => (PluginState::LastGood, None),
            Health::Restarting(why) => (PluginState::Restarting, Some(why)),
            Health::BackingOff(until, why) => (PluginState::BackingOff(until), Some(why)),
        };
        PluginStatus {
            profiles: self.specs.iter().filter(uses).map(|spec| spec.scheduler_name.clone()).collect(),
            arguments: Arc::clone(&entry.arguments),
            state,
            last_error: broken.or_else(|| entry.last_failure()),
            usage: entry.counters.read(),
            ..line(found.unwrap_or(component_in_use))
        }
    }

    fn of_component(&self, component: &LoadedComponent) -> PluginStatus {
        let failure = self.failed.iter().find(|((digest, _), _)| *digest == component.digest);
        match failure {
            Some((_, error)) => PluginStatus {
                state: PluginState::Refused,
                last_error: Some(error.cause.to_string()),
                ..line(component)
            },
            None => line(component),
        }
    }
}

fn line(component: &LoadedComponent) -> PluginStatus {
    PluginStatus {
        name: Arc::clone(&component.name),
        version: component.version.clone(),
        source: component.source.clone(),
        digest: Some(component.digest),
        arguments: "{}".into(),
        schema: component.arguments.as_ref().map(|schema| Arc::clone(schema.text())),
        grants: component.authority().grants().map(Grants::lines),
        profiles: Vec::new(),
        state: PluginState::Unused,
        last_error: None,
        usage: Usage::default(),
    }
}

fn of_refused(source: &Source, error: &LoadError) -> PluginStatus {
    PluginStatus {
        name: "".into(),
        version: "".into(),
        source: source.clone(),
        digest: None,
        arguments: "{}".into(),
        schema: None,
        grants: None,
        profiles: Vec::new(),
        state: PluginState::Refused,
        last_error: Some(error.cause.to_string()),
        usage: Usage::default(),
    }
}
