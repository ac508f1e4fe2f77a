//! The data of an instance that stays when the instance is rebuilt, and the instance's health. The threads that build,
//! use and display the instance share this data.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use berth_core::Timestamp;
use berth_core::plugins::{Declaration, PluginId};

use crate::load::LoadedComponent;
use crate::metrics::Counters;

/// A component with arguments. Profiles that use the same pair share an instance.
pub(crate) struct Entry {
    pub id: PluginId,
    pub component: Arc<LoadedComponent>,
    /// The arguments, as JSON.
    pub arguments: Arc<str>,
    pub declaration: Arc<Declaration>,
    pub counters: Arc<Counters>,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    health: Health,
    last_failure: Option<String>,
}

/// The health of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// The instance answers.
    #[default]
    Serving,
    /// The instance is being rebuilt, for this reason.
    Restarting(String),
    /// The instance failed too often in a row and is rebuilt at this time. The text is the reason.
    BackingOff(Timestamp, String),
}

impl Entry {
    pub fn new(
        id: PluginId,
        component: Arc<LoadedComponent>,
        arguments: Arc<str>,
        declaration: Arc<Declaration>,
        counters: Arc<Counters>,
    ) -> Self {
        Self { id, component, arguments, declaration, counters, record: Mutex::default() }
    }

    pub fn name(&self) -> Arc<str> {
        Arc::clone(&self.component.name)
    }

    pub fn health(&self) -> Health {
        self.record().health.clone()
    }

    /// Returns the error of the last call that broke the instance.
    pub fn last_failure(&self) -> Option<String> {
        self.record().last_failure.clone()
    }

    pub fn set_health(&self, health: Health) {
        self.record().health = health;
    }

    pub fn set_last_failure(&self, message: String) {
        self.record().last_failure = Some(message);
    }

    /// Locks the health and the last failure. They are written only after a failure or a rebuild, and read only for
    /// display, so there is almost no contention.
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
