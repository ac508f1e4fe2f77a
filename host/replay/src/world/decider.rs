//! Who decides about the pods of a world.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_capture::PolicyRecord;
use berth_core::Options;
use berth_core::limits::Limits;
use berth_core::profile::Profile;
use berth_core::profile_spec::ProfileSpec;
use berth_core::queue::Backoff;
use berth_plugin_host::{ComponentSet, Delivery, Prepared};

use super::World;
use crate::error::ReplayError;
use crate::history::History;
use crate::plugins::RecordedPlugins;
use crate::reads;

/// Plugins and profiles.
#[derive(Clone)]
pub struct Policy {
    /// The components.
    pub components: Arc<ComponentSet>,
    /// The profiles.
    pub specs: Vec<ProfileSpec>,
    /// The backoffs of pods; `None` for those of the capture.
    pub backoff: Option<Backoff>,
}

/// Who decides about the pods.
#[derive(Clone)]
pub enum Decider {
    /// The scheduler of the capture: its bindings and preemptions count as they are recorded.
    Recorded,
    /// The plugins and profiles of the capture, with the exchanges of plugins that it contains. The components must
    /// contain those that served.
    CapturePolicy(Arc<ComponentSet>),
    /// A policy that serves from the beginning to the end.
    Policy(Policy),
}

/// A decider and its plugins.
pub(super) enum Deciding {
    Recorded,
    Following(Box<RecordedPlugins>, PolicyRecord),
    Fixed(Policy),
}

impl Decider {
    /// Returns the decider for this history.
    ///
    /// # Errors
    /// The decider is the policy of the capture, and the capture has none.
    pub(super) fn on(self, history: &History) -> Result<Deciding, ReplayError> {
        Ok(match self {
            Self::Recorded => Deciding::Recorded,
            Self::CapturePolicy(components) => {
                let policy = history.policy.clone().ok_or(ReplayError::NoPolicy)?;
                Deciding::Following(Box::new(RecordedPlugins::new(components)), policy)
            }
            Self::Policy(policy) => Deciding::Fixed(policy),
        })
    }
}

impl Deciding {
    pub fn is_recorded(&self) -> bool {
        matches!(self, Self::Recorded)
    }

    /// Returns whether the plugins are those for which the capture was made.
    pub fn follows_the_capture(&self) -> bool {
        matches!(self, Self::Following(..))
    }

    pub fn limits(&self) -> Arc<Limits> {
        match self {
            Self::Recorded => Arc::new(Limits::default()),
            Self::Following(plugins, _) => plugins.limits(),
            Self::Fixed(policy) => Arc::clone(policy.components.limits()),
        }
    }

    /// Returns these options with what the policy sets.
    pub fn options(&self, mut options: Options) -> Options {
        options.decisions.bytes = 0;
        if let Self::Fixed(Policy { backoff: Some(backoff), .. }) = self {
            options.queue.backoff = *backoff;
        }
        options
    }

    /// Brings the first plugins into service.
    ///
    /// # Errors
    /// The plugins can't serve, or read what the capture lacks.
    pub fn begin(&mut self, world: &mut World<'_>) -> Result<(), ReplayError> {
        match self {
            Self::Recorded => Ok(()),
            Self::Following(plugins, policy) => follow(plugins, policy, world),
            Self::Fixed(Policy { components, specs, .. }) => {
                let all = components.set(specs.clone())?;
                let plugins = all.profiles().iter().flat_map(Profile::plugins);
                reads::check(plugins.map(|plugin| &*plugin.declaration), &world.history.kinds)?;
                let prepared = components.filled(specs.clone(), &mut |reads| world.list(reads))?;
                let served = names(prepared.profiles());
                let left_out = names(all.profiles()).difference(&served).cloned().collect();
                world.course.left_out = left_out;
                install(prepared, world)
            }
        }
    }

    /// Exchanges the plugins as recorded, if the world follows the capture.
    ///
    /// # Errors
    /// A recorded plugin is not here, or can't serve.
    pub fn exchange(&mut self, policy: &PolicyRecord, world: &mut World<'_>) -> Result<(), ReplayError> {
        match self {
            Self::Following(plugins, _) => follow(plugins, policy, world),
            Self::Recorded | Self::Fixed(_) => Ok(()),
        }
    }
}

fn follow(plugins: &mut RecordedPlugins, policy: &PolicyRecord, world: &mut World<'_>) -> Result<(), ReplayError> {
    match plugins.prepare(policy, &mut |reads| world.list(reads))? {
        Some(prepared) => install(prepared, world),
        None => Ok(()),
    }
}

fn install(prepared: Prepared, world: &mut World<'_>) -> Result<(), ReplayError> {
    let swapped = world.engine.accept(Delivery::Swap(prepared), world.now).ok_or(ReplayError::NotFilled)?;
    world.step(swapped);
    world.deliver();
    Ok(())
}

fn names(profiles: &[Profile]) -> BTreeSet<String> {
    profiles.iter().flat_map(Profile::plugins).map(|plugin| plugin.declaration.name.to_string()).collect()
}
