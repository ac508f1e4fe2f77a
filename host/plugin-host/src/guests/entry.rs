//! What an instance is made of, and how it fares: shared by the threads that make, use and show it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use berth_core::Timestamp;
use berth_core::plugins::{Declaration, PluginId};

use crate::load::LoadedComponent;
use crate::metrics::Counters;

/// An instance's component and arguments. Two profiles that use the same pair share it.
pub(crate) struct Entry {
    pub id: PluginId,
    pub component: Arc<LoadedComponent>,
    /// JSON.
    pub arguments: Arc<str>,
    pub declaration: Arc<Declaration>,
    pub counters: Arc<Counters>,
    fares: Mutex<Fares>,
}

#[derive(Default)]
struct Fares {
    health: Health,
    last_failure: Option<String>,
}

/// How an instance fares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    #[default]
    Serving,
    /// It is being made anew; the message says why.
    Restarting(String),
    /// It failed too often in a row and rests until then; the message says why.
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
        Self { id, component, arguments, declaration, counters, fares: Mutex::default() }
    }

    pub fn name(&self) -> Arc<str> {
        Arc::clone(&self.component.name)
    }

    pub fn health(&self) -> Health {
        self.fares().health.clone()
    }

    /// How a call failed that broke it; the latest.
    pub fn last_failure(&self) -> Option<String> {
        self.fares().last_failure.clone()
    }

    pub fn set_health(&self, health: Health) {
        self.fares().health = health;
    }

    pub fn set_last_failure(&self, words: String) {
        self.fares().last_failure = Some(words);
    }

    /// Read by people and written when something breaks: the lock is never waited for.
    fn fares(&self) -> MutexGuard<'_, Fares> {
        self.fares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
