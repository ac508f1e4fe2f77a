//! What the host keeps with each instance's store.

use std::sync::Arc;

use crate::wasm::bindings::berth::scheduler::extenders::{self, Candidate};
use crate::wasm::bindings::berth::scheduler::what_if::{Cycle, Host, Verdicts, WhatIfCase};

use super::deadline::{Budget, Deadline};
use super::log::GuestLog;
use super::memory::MemoryGuard;
use super::post_filter::Desk;
use crate::wasm::limits::Limits;
use crate::wasm::wasi::{Stream, WasiState};

/// The data of an instance's store.
#[derive(Debug)]
pub(crate) struct HostState {
    pub(super) log: GuestLog,
    pub(super) memory: MemoryGuard,
    pub(super) deadline: Deadline,
    /// Where a post-filter asks, while it runs.
    pub(super) desk: Option<Desk>,
    pub(in crate::wasm) wasi: WasiState,
}

impl HostState {
    pub(super) fn new(plugin: Arc<str>, limits: &Limits) -> Self {
        Self {
            log: GuestLog::new(plugin, limits.log_lines),
            memory: MemoryGuard::new(limits),
            deadline: Deadline::new(Budget { cpu: limits.startup, wall: limits.wall }),
            desk: None,
            wasi: WasiState::default(),
        }
    }

    /// What `log` is linked to.
    pub(crate) fn log(&mut self) -> &mut GuestLog {
        &mut self.log
    }

    /// Takes what the guest wrote to a stream of WASI's.
    pub(in crate::wasm) fn write_output(&mut self, stream: Stream, bytes: &[u8]) {
        let log = &mut self.log;
        self.wasi.output(stream, bytes, |line| log.printed(stream, line));
    }
}

impl Host for HostState {
    fn ask(&mut self, _: Cycle, cases: Vec<WhatIfCase>) -> wasmtime::Result<Verdicts> {
        match &self.desk {
            Some(desk) => desk.ask(cases),
            None => Err(wasmtime::format_err!("what-if can be asked during post-filter only")),
        }
    }
}

impl extenders::Host for HostState {
    fn process_preemption(
        &mut self,
        _: Cycle,
        candidates: Vec<Candidate>,
    ) -> wasmtime::Result<Result<Vec<Candidate>, String>> {
        match &self.desk {
            Some(desk) => desk.ask_extenders(candidates),
            None => Err(wasmtime::format_err!("extenders can be asked during post-filter only")),
        }
    }
}
