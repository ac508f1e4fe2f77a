//! The slot of one instance: the instance, or the reason why there is none.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::Cache;
use berth_core::plugins::{Cycle, PluginError, PluginId};

use super::entry::{Entry, Health};
use super::rebuild::Rebuilder;
use super::resident::{Resident, Stale};
use super::streak::Streak;
use crate::contract::Export;
use crate::feed::Feeder;
use crate::guest::CallError;

/// If an instance misses more than this number of changes, the host sends the changes although no call is due. The
/// change log holds at least eight times as many changes.
const LAG: u64 = 8_192;

/// The message about an instance that missed changes that the change log no longer holds.
const BEHIND: &str = "is being filled again because it fell behind the cluster's changes";

pub(super) struct Slot {
    pub id: PluginId,
    pub entry: Arc<Entry>,
    state: State,
    streak: Streak,
    /// Whether a replacement for the serving instance is being built.
    is_replacement_underway: bool,
}

enum State {
    Serving(Box<Resident>),
    /// The instance is being rebuilt, for this reason.
    Restarting(String),
    /// The instance fell behind the change log and is being rebuilt.
    Filling,
    /// The instance failed for this reason and is rebuilt at this time.
    BackingOff(String, Timestamp),
}

impl Slot {
    pub fn new(entry: Arc<Entry>, resident: Resident) -> Self {
        entry.counters.set_memory(resident.memory());
        let state = State::Serving(Box::new(resident));
        Self { id: entry.id, entry, state, streak: Streak::default(), is_replacement_underway: false }
    }

    /// Brings the instance up to date, sends it the cycle's pod, and calls it.
    pub fn ask<R>(
        &mut self,
        export: Export,
        cycle: &Cycle<'_>,
        feeder: &mut Feeder,
        rebuilder: &Rebuilder,
        call: impl FnOnce(&mut Resident) -> Result<R, CallError>,
    ) -> Result<R, PluginError> {
        self.retry_if_due(cycle.time, cycle.cache, rebuilder);
        let resident = match &mut self.state {
            State::Serving(resident) => resident,
            State::Filling => return Err(PluginError::filling(self.entry.name(), BEHIND.to_owned())),
            State::Restarting(why) | State::BackingOff(why, _) => {
                return Err(PluginError::down(self.entry.name(), why.clone()));
            }
        };
        let answer = resident
            .catch_up(cycle.cache, feeder)
            .and_then(|()| resident.hold(cycle.signature, cycle.pod).map_err(Stale::Call))
            .and_then(|()| call(resident).map_err(Stale::Call));
        match answer {
            Ok(answer) => {
                self.streak.answered(export);
                self.replace_if_outgrown(cycle.cache, rebuilder);
                Ok(answer)
            }
            Err(stale) => Err(self.failed(stale, Some(export), cycle.time, cycle.cache, rebuilder)),
        }
    }

    /// Returns true while an instance for this slot is being built.
    pub fn is_rebuilding(&self) -> bool {
        self.is_replacement_underway || matches!(self.state, State::Restarting(_) | State::Filling)
    }

    /// Returns the instance, if it serves.
    pub fn resident(&mut self) -> Option<&mut Resident> {
        match &mut self.state {
            State::Serving(resident) => Some(resident),
            _ => None,
        }
    }

    /// Returns the instance, if it serves, so that the caller can drop it.
    pub fn into_resident(self) -> Option<Box<Resident>> {
        match self.state {
            State::Serving(resident) => Some(resident),
            _ => None,
        }
    }

    /// Sends changes to an instance that misses more than [`LAG`]. Otherwise the change log would drop changes that an
    /// instance still misses that is called rarely.
    pub fn keep_up(&mut self, now: Timestamp, cache: &Cache, feeder: &mut Feeder, rebuilder: &Rebuilder) {
        let State::Serving(resident) = &mut self.state else { return };
        if resident.lag(cache) <= LAG {
            return;
        }
        if let Err(stale) = resident.catch_up(cache, feeder) {
            // The error is logged, and no pod waits for an answer.
            let _ = self.failed(stale, None, now, cache, rebuilder);
        }
    }

    /// Starts to rebuild the instance if its back-off ended.
    pub fn retry_if_due(&mut self, now: Timestamp, cache: &Cache, rebuilder: &Rebuilder) {
        if let State::BackingOff(why, until) = &mut self.state
            && *until <= now
        {
            let why = std::mem::take(why);
            self.restart(why, cache, rebuilder);
        }
    }

    /// Takes the result of a rebuild. Returns true if the plugin serves now and no instance was serving before.
    pub fn take_rebuilt(
        &mut self,
        result: Result<Box<Resident>, String>,
        now: Timestamp,
        cache: &Cache,
        feeder: &mut Feeder,
        rebuilder: &Rebuilder,
    ) -> bool {
        let serving = matches!(self.state, State::Serving(_));
        self.is_replacement_underway = false;
        let rebuilt = result.and_then(|mut resident| match resident.catch_up(cache, feeder) {
            Ok(()) => Ok(Some(resident)),
            Err(Stale::Behind) => Ok(None),
            Err(Stale::Call(error)) => Err(error.to_string()),
        });
        match rebuilt {
            Ok(Some(resident)) => {
                self.entry.counters.set_memory(resident.memory());
                self.entry.set_health(Health::Serving);
                if let State::Serving(old) = std::mem::replace(&mut self.state, State::Serving(resident)) {
                    rebuilder.dispose(old);
                }
                return !serving;
            }
            Ok(None) if serving => self.is_replacement_underway = true,
            Ok(None) => {}
            Err(message) if serving => {
                let plugin = &*self.entry.name();
                tracing::warn!(plugin, error = %message, "rebuild to free memory failed; keeping the instance");
                self.resident().into_iter().for_each(Resident::accept_size);
                return false;
            }
            Err(message) => {
                self.back_off_or_restart(message, None, now, cache, rebuilder);
                return false;
            }
        }
        rebuilder.rebuild(&self.entry, cache);
        false
    }

    fn failed(
        &mut self,
        stale: Stale,
        export: Option<Export>,
        now: Timestamp,
        cache: &Cache,
        rebuilder: &Rebuilder,
    ) -> PluginError {
        let message = match stale {
            Stale::Behind => {
                tracing::warn!(
                    plugin = &*self.entry.name(),
                    "plugin fell behind the cluster's changes; filling it again"
                );
                self.rebuild_as(State::Filling, BEHIND.to_owned(), cache, rebuilder);
                return PluginError::filling(self.entry.name(), BEHIND.to_owned());
            }
            Stale::Call(call) if !call.poisons() => return PluginError::failed(self.entry.name(), call.to_string()),
            Stale::Call(call) => call.to_string(),
        };
        self.entry.counters.count_failure();
        self.entry.set_last_failure(message.clone());
        tracing::warn!(plugin = &*self.entry.name(), error = %message, "plugin failed; rebuilding its instance");
        self.back_off_or_restart(message.clone(), export, now, cache, rebuilder);
        PluginError::failed(self.entry.name(), message)
    }

    fn back_off_or_restart(
        &mut self,
        message: String,
        export: Option<Export>,
        now: Timestamp,
        cache: &Cache,
        rebuilder: &Rebuilder,
    ) {
        match self.streak.failed(export, now) {
            None => self.restart(format!("is being restarted because it {message}"), cache, rebuilder),
            Some(until) => {
                let why = format!(
                    "failed {} times in a row and restarts after a backoff; it {message}",
                    self.streak.failures()
                );
                self.entry.set_health(Health::BackingOff(until, why.clone()));
                self.take_down(State::BackingOff(why, until), rebuilder);
            }
        }
    }

    fn restart(&mut self, why: String, cache: &Cache, rebuilder: &Rebuilder) {
        self.rebuild_as(State::Restarting(why.clone()), why, cache, rebuilder);
    }

    fn rebuild_as(&mut self, state: State, why: String, cache: &Cache, rebuilder: &Rebuilder) {
        self.entry.set_health(Health::Restarting(why));
        self.take_down(state, rebuilder);
        // If a replacement of an instance that grew too large is being built already, use the replacement.
        if !std::mem::take(&mut self.is_replacement_underway) {
            rebuilder.rebuild(&self.entry, cache);
        }
    }

    fn take_down(&mut self, state: State, rebuilder: &Rebuilder) {
        if let State::Serving(old) = std::mem::replace(&mut self.state, state) {
            rebuilder.dispose(old);
        }
    }

    fn replace_if_outgrown(&mut self, cache: &Cache, rebuilder: &Rebuilder) {
        let State::Serving(resident) = &self.state else {
            return;
        };
        if !self.is_replacement_underway && resident.outgrown(rebuilder.recycle_from) {
            self.entry.counters.set_memory(resident.memory());
            self.is_replacement_underway = true;
            rebuilder.rebuild(&self.entry, cache);
        }
    }
}
