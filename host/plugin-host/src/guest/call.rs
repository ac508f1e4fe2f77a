//! Executes a call into a plugin: sets the deadline and describes errors.

use std::time::Duration;

use wasmtime::Store;

use super::deadline::{Budget, Deadline, thread_cpu_time};
use super::error::CallError;
use super::instance::Instance;
use super::meter::Meter;
use super::state::HostState;
use crate::contract::{Export, LoadedInterfaces};
use crate::crossing::Crossing;

/// One in this number of calls is timed. The calls in between are assumed to take the same CPU time.
const SAMPLE: u64 = 16;

impl Instance {
    /// Calls a function that every component exports.
    pub(super) fn call<A: Crossing, R: Crossing>(
        &mut self,
        export: Export,
        arguments: A,
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces, A) -> wasmtime::Result<R>,
    ) -> Result<R, CallError> {
        let given = self.meter().bytes(&arguments);
        let answer = self.run(export, |store, interfaces| call(store, interfaces, arguments))?;
        self.meter().add_bytes(given + self.meter().bytes(&answer));
        Ok(answer)
    }

    /// Calls an optional function. Returns `None` if the component does not export it.
    pub(super) fn call_if_there<A: Crossing, R: Crossing>(
        &mut self,
        export: Export,
        arguments: A,
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces, A) -> Option<wasmtime::Result<R>>,
    ) -> Result<Option<R>, CallError> {
        let given = self.meter().bytes(&arguments);
        let answer = self.run(export, |store, interfaces| call(store, interfaces, arguments).transpose())?;
        if let Some(answer) = &answer {
            self.meter().add_bytes(given + self.meter().bytes(answer));
        }
        Ok(answer)
    }

    /// Runs the plugin within the budget of this export.
    fn run<R>(
        &mut self,
        export: Export,
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces) -> wasmtime::Result<R>,
    ) -> Result<R, CallError> {
        let budget = self.budget(export);
        let fuel = self.fuel();
        let calls = self.counters.count_call();
        let started = calls.is_multiple_of(SAMPLE).then(thread_cpu_time);
        let answer = guarded(&mut self.store, budget, export, |store| call(store, &self.interfaces));
        if let Some(started) = started {
            self.counters.add_sample(thread_cpu_time().saturating_sub(started), SAMPLE);
        }
        if let Some(had) = fuel {
            self.meter().add_fuel(had.saturating_sub(self.fuel().unwrap_or(had)));
        }
        answer
    }

    fn meter(&self) -> &Meter {
        &self.store.data().meter
    }

    /// Returns the remaining fuel, if the engine counts it.
    fn fuel(&self) -> Option<u64> {
        if self.meter().counts() { self.store.get_fuel().ok() } else { None }
    }

    fn budget(&self, export: Export) -> Budget {
        let limits = &self.limits;
        let cpu: Duration = match export {
            Export::Start | Export::Describe | Export::Configure | Export::Kinds => limits.startup,
            Export::Apply | Export::ApplyObjects => limits.apply,
            _ => limits.call.saturating_mul(self.times),
        };
        Budget { cpu, wall: limits.wall }
    }
}

/// Runs the plugin's code in `store` within `budget`.
pub(super) fn guarded<R>(
    store: &mut Store<HostState>,
    budget: Budget,
    export: Export,
    run: impl FnOnce(&mut Store<HostState>) -> wasmtime::Result<R>,
) -> Result<R, CallError> {
    let state = store.data_mut();
    state.deadline = Deadline::new(budget);
    state.log.begin();
    store.set_epoch_deadline(1);
    run(store).map_err(|error| CallError::from_trap(export, &error, store.data_mut().log.last_error()))
}
