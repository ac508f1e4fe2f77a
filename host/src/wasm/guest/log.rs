//! What guests log.

use std::sync::Arc;

use crate::wasm::bindings::berth::scheduler::log::{Host, Level};
use crate::wasm::wasi::Stream;

/// Bytes of a message that are kept.
const MESSAGE: usize = 16 << 10;

/// The log of one instance: lines go to `tracing` with the plugin's name, within a bound per call.
#[derive(Debug)]
pub(crate) struct GuestLog {
    plugin: Arc<str>,
    per_call: u32,
    lines: u32,
    last_error: Option<String>,
}

impl GuestLog {
    pub fn new(plugin: Arc<str>, per_call: u32) -> Self {
        Self { plugin, per_call, lines: 0, last_error: None }
    }

    /// A new call begins.
    pub fn begin(&mut self) {
        if self.lines > self.per_call {
            let (plugin, dropped) = (&self.plugin, self.lines - self.per_call);
            tracing::warn!(plugin = &**plugin, dropped, "log lines dropped: too many in one call");
        }
        self.lines = 0;
        self.last_error = None;
    }

    /// The guest printed a line. On stderr it may be why it traps next.
    pub(in crate::wasm) fn printed(&mut self, stream: Stream, line: &str) {
        if line.is_empty() || !self.has_room() {
            return;
        }
        let plugin = &*self.plugin;
        match stream {
            Stream::Out => tracing::info!(plugin, "{line}"),
            Stream::Error => {
                tracing::warn!(plugin, "{line}");
                self.last_error = Some(line.to_owned());
            }
        }
    }

    /// Counts a line. Whether there is room for it.
    fn has_room(&mut self) -> bool {
        self.lines = self.lines.saturating_add(1);
        self.lines <= self.per_call
    }

    /// What the guest logged as an error in this call: of one that panicked, why.
    pub fn last_error(&mut self) -> Option<String> {
        self.last_error.take()
    }
}

impl Host for GuestLog {
    fn write(&mut self, level: Level, mut message: String) -> wasmtime::Result<()> {
        if !self.has_room() {
            return Ok(());
        }
        message.truncate(message.floor_char_boundary(MESSAGE));
        let plugin = &*self.plugin;
        match level {
            Level::Error => {
                tracing::error!(plugin, "{message}");
                self.last_error = Some(message);
            }
            Level::Warn => tracing::warn!(plugin, "{message}"),
            Level::Info => tracing::info!(plugin, "{message}"),
            Level::Debug => tracing::debug!(plugin, "{message}"),
        }
        Ok(())
    }
}
