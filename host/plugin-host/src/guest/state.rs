//! The host's data in the store of each instance.

use std::sync::Arc;

use crate::bindings::types::Verdicts;
use crate::bindings::v0_1::berth::scheduler::{extenders as old_extenders, types as old, what_if as old_what_if};
use crate::bindings::v0_2::berth::scheduler::extenders::{self, Candidate};
use crate::bindings::v0_2::berth::scheduler::facts::Cycle;
use crate::bindings::v0_2::berth::scheduler::what_if::{Host, WhatIfCase};
use crate::contract::older::Convert;

use super::deadline::{Budget, Deadline};
use super::log::GuestLog;
use super::memory::MemoryGuard;
use super::meter::Meter;
use super::post_filter::QueryChannel;
use crate::wasi::{Stream, WasiState};
use berth_core::limits::Limits;

/// The data of an instance's store.
#[derive(Debug)]
pub(crate) struct HostState {
    pub(super) log: GuestLog,
    pub(super) memory: MemoryGuard,
    pub(super) deadline: Deadline,
    pub(super) meter: Meter,
    /// The channel for queries of a post-filter, while it runs.
    pub(super) queries: Option<QueryChannel>,
    pub(crate) wasi: WasiState,
}

impl HostState {
    pub(super) fn new(plugin: Arc<str>, limits: &Limits) -> Self {
        Self {
            log: GuestLog::new(plugin, limits.log_lines),
            memory: MemoryGuard::new(limits),
            deadline: Deadline::new(Budget { cpu: limits.startup, wall: limits.wall }),
            meter: Meter::default(),
            queries: None,
            wasi: WasiState::default(),
        }
    }

    /// Returns the implementation of the import `log`.
    pub(crate) fn log(&mut self) -> &mut GuestLog {
        &mut self.log
    }

    /// Takes bytes that the plugin wrote to a WASI stream.
    pub(crate) fn write_output(&mut self, stream: Stream, bytes: &[u8]) {
        let log = &mut self.log;
        self.wasi.output(stream, bytes, |line| log.printed(stream, line));
    }
}

impl Host for HostState {
    fn ask(&mut self, cycle: Cycle, cases: Vec<WhatIfCase>) -> wasmtime::Result<Verdicts> {
        let Some(queries) = &self.queries else {
            return Err(wasmtime::format_err!("what-if can be called only during post-filter"));
        };
        let asked = self.meter.bytes(&(cycle, &*cases));
        let answer = queries.ask(cases)?;
        self.meter.add_bytes(asked + self.meter.bytes(&answer));
        Ok(answer)
    }
}

impl extenders::Host for HostState {
    fn process_preemption(
        &mut self,
        cycle: Cycle,
        candidates: Vec<Candidate>,
    ) -> wasmtime::Result<Result<Vec<Candidate>, String>> {
        let Some(queries) = &self.queries else {
            return Err(wasmtime::format_err!("extenders can be called only during post-filter"));
        };
        let asked = self.meter.bytes(&(cycle, &*candidates));
        let answer = queries.ask_extenders(candidates)?;
        self.meter.add_bytes(asked + self.meter.bytes(&answer));
        Ok(answer)
    }
}

// Version 0.1 of the same imports.

impl old_what_if::Host for HostState {
    fn ask(&mut self, cycle: old::Cycle, cases: Vec<old_what_if::WhatIfCase>) -> wasmtime::Result<Verdicts> {
        Host::ask(self, cycle.convert(), cases.into_iter().map(Convert::convert).collect())
    }
}

impl old_extenders::Host for HostState {
    fn process_preemption(
        &mut self,
        cycle: old::Cycle,
        candidates: Vec<old_extenders::Candidate>,
    ) -> wasmtime::Result<Result<Vec<old_extenders::Candidate>, String>> {
        let candidates = candidates.into_iter().map(Convert::convert).collect();
        let left = extenders::Host::process_preemption(self, cycle.convert(), candidates)?;
        Ok(left.map(|left| left.into_iter().map(Convert::convert).collect()))
    }
}
