//! Collects the log lines of a plugin.

use std::sync::{Arc, Mutex, PoisonError};

use tracing::dispatcher::DefaultGuard;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

use super::report::LogLine;

/// The largest number of log lines that are kept.
const LINES: usize = 100;

/// The module that logs what happens to instances. Its lines are the host's, although they name a plugin.
const HOST: &str = "berth_plugin_host::guests";

/// Collects the lines that a plugin logs. These lines are not part of the log of the process.
pub(super) struct Log(Arc<Collector>);

impl Log {
    pub fn of(plugin: &str) -> Self {
        Self(Arc::new(Collector { plugin: plugin.into(), lines: Mutex::default() }))
    }

    /// Collects the lines of this thread until the guard is dropped.
    pub fn begin(&self) -> DefaultGuard {
        tracing::dispatcher::set_default(&Dispatch::new(Arc::clone(&self.0)))
    }

    /// Runs the function and collects the lines of this thread meanwhile.
    pub fn collect<T>(&self, run: impl FnOnce() -> T) -> T {
        let _collecting = self.begin();
        run()
    }

    /// Returns the lines so far.
    pub fn take(&self) -> Lines {
        std::mem::take(&mut *self.0.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The log lines of a plugin.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The first lines.
    pub kept: Vec<LogLine>,
    /// The number of further lines.
    pub left_out: usize,
}

struct Collector {
    plugin: Box<str>,
    lines: Mutex<Lines>,
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        if fields.plugin != *self.plugin || event.metadata().target().starts_with(HOST) {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.kept.len() < LINES {
            let level = event.metadata().level().as_str().to_lowercase();
            lines.kept.push(LogLine { level, message: fields.message + &fields.others });
        } else {
            lines.left_out += 1;
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The fields of an event.
#[derive(Default)]
struct Fields {
    plugin: String,
    message: String,
    others: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "plugin" => self.plugin = value.to_owned(),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => self.others.push_str(&format!(" {name}={value:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_plugin_are_collected() {
        let log = Log::of("Mine");
        log.collect(|| {
            tracing::debug!(plugin = "Mine", "about {}", "a pod");
            tracing::info!(plugin = "Other", "not mine");
            tracing::error!("of no plugin");
            tracing::warn!(plugin = "Mine", dropped = 3, "log lines dropped");
        });
        let lines = log.take();
        let line = |level: &str, message: &str| LogLine { level: level.into(), message: message.into() };
        assert_eq!(lines.kept, [line("debug", "about a pod"), line("warn", "log lines dropped dropped=3")]);
        assert_eq!(lines.left_out, 0);
    }

    #[test]
    fn the_number_of_lines_is_bounded() {
        let log = Log::of("Mine");
        log.collect(|| (0..LINES + 7).for_each(|number| tracing::info!(plugin = "Mine", "{number}")));
        let lines = log.take();
        assert_eq!((lines.kept.len(), lines.left_out), (LINES, 7));
        assert_eq!(lines.kept[LINES - 1].message, (LINES - 1).to_string());
    }
}
