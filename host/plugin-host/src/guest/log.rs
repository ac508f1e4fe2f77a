//! Log lines of plugins.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bindings::v0_1::berth::scheduler::log as old;
use crate::bindings::v0_2::berth::scheduler::log::{Host, Level};
use crate::wasi::Stream;

/// The bytes of a message that are kept.
const MESSAGE: usize = 16 << 10;

/// The largest number of lines per second and instance, over all calls.
const PER_SECOND: u32 = 200;

/// The log of one instance. Lines go to `tracing` with the plugin's name. The number of lines per call and per second
/// is limited.
#[derive(Debug)]
pub(crate) struct GuestLog {
    plugin: Arc<str>,
    per_call: u32,
    lines: u32,
    pace: Pace,
    last_error: Option<String>,
}

impl GuestLog {
    pub fn new(plugin: Arc<str>, per_call: u32) -> Self {
        Self { plugin, per_call, lines: 0, pace: Pace::default(), last_error: None }
    }

    /// Begins a new call.
    pub fn begin(&mut self) {
        if self.lines > self.per_call {
            let (plugin, dropped) = (&self.plugin, self.lines - self.per_call);
            tracing::warn!(plugin = &**plugin, dropped, "log lines dropped: too many in one call");
        }
        self.lines = 0;
        self.last_error = None;
    }

    /// Logs a printed line. A line on stderr may be the reason of a following trap.
    pub(crate) fn printed(&mut self, stream: Stream, line: &str) {
        if line.is_empty() || !self.count_line() {
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

    /// Counts a line. Returns whether it may be logged.
    fn count_line(&mut self) -> bool {
        self.lines = self.lines.saturating_add(1);
        if self.lines > self.per_call {
            return false;
        }
        let (may_log, dropped) = self.pace.line(Instant::now());
        if dropped > 0 {
            tracing::warn!(plugin = &*self.plugin, dropped, "log lines dropped: too many in one second");
        }
        may_log
    }

    /// Returns the last error of this call; after a panic, this is its message.
    pub fn last_error(&mut self) -> Option<String> {
        self.last_error.take()
    }
}

/// Limits lines per second.
#[derive(Debug, Default)]
struct Pace {
    /// The start of the current second.
    began: Option<Instant>,
    lines: u32,
}

impl Pace {
    /// Counts a line. Returns whether it may be logged and, for the first line of a second, the number of lines that
    /// were dropped in the last one.
    fn line(&mut self, now: Instant) -> (bool, u32) {
        let mut dropped = 0;
        if self.began.is_none_or(|began| now.saturating_duration_since(began) >= Duration::from_secs(1)) {
            dropped = self.lines.saturating_sub(PER_SECOND);
            (self.began, self.lines) = (Some(now), 0);
        }
        self.lines = self.lines.saturating_add(1);
        (self.lines <= PER_SECOND, dropped)
    }
}

impl old::Host for GuestLog {
    fn write(&mut self, level: old::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            old::Level::Error => Level::Error,
            old::Level::Warn => Level::Warn,
            old::Level::Info => Level::Info,
            old::Level::Debug => Level::Debug,
        };
        Host::write(self, level, message)
    }
}

impl Host for GuestLog {
    fn write(&mut self, level: Level, mut message: String) -> wasmtime::Result<()> {
        if !self.count_line() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_per_second_are_limited_over_all_calls() {
        let mut pace = Pace::default();
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let kept = (0..1_000).filter(|line| pace.line(at(*line % 900)).0).count();
        assert_eq!(kept, PER_SECOND as usize);
        assert_eq!(pace.line(at(1_000)), (true, 1_000 - PER_SECOND), "the next second says what was dropped");
        assert_eq!(pace.line(at(1_001)), (true, 0));
    }

    #[test]
    fn lines_per_call_are_limited() {
        let mut log = GuestLog::new("Chatty".into(), 32);
        log.begin();
        assert_eq!((0..100).filter(|_| log.count_line()).count(), 32);
        log.begin();
        assert!(log.count_line());
    }
}
