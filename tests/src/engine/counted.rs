//! Counts what the core asks the guests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use berth_core::plugins::PluginError;
use berth_plugin_host::{CallObserver, Export, Guests, PluginAnswer, PluginCall, Usage};
use rustix::time::{ClockId, clock_gettime};

/// The number and the cost of the calls from the core, by plugin name.
#[derive(Clone, Debug, Default)]
pub struct CallCounts {
    /// The number of nodes in all filter and score calls.
    pub nodes: BTreeMap<Arc<str>, u64>,
    /// The CPU time of the plugin's answers, including the calls that bring its component up to date. Empty unless
    /// [`super::Setup::measures_time`] is set: reading the clock costs about as much as a call that does nothing.
    pub time: BTreeMap<Arc<str>, Duration>,
    /// The number of calls into the component, of any kind.
    pub calls: BTreeMap<Arc<str>, u64>,
    /// The approximate number of instructions of these calls, where [`super::Setup::counts_instructions`] is set.
    pub fuel: BTreeMap<Arc<str>, u64>,
    /// The number of bytes of their arguments and results, where [`super::Setup::counts_instructions`] is set.
    pub bytes: BTreeMap<Arc<str>, u64>,
    /// The values of the components' counters at the start of this count.
    before: BTreeMap<Arc<str>, Usage>,
}

impl CallCounts {
    /// Returns the number of nodes, for all plugins together.
    #[must_use]
    pub fn all_nodes(&self) -> u64 {
        self.nodes.values().sum()
    }

    /// Returns the number of calls into all components.
    #[must_use]
    pub fn all_calls(&self) -> u64 {
        self.calls.values().sum()
    }

    /// Returns the number of instructions in all components.
    #[must_use]
    pub fn all_fuel(&self) -> u64 {
        self.fuel.values().sum()
    }

    /// Returns the number of bytes into and out of all components.
    #[must_use]
    pub fn all_bytes(&self) -> u64 {
        self.bytes.values().sum()
    }

    /// Completes this count with the components' counters as of now. The count `next` starts from the same values.
    pub(super) fn count_up_to(&mut self, now: BTreeMap<Arc<str>, Usage>, next: &mut Self) {
        let since = |counter: fn(&Usage) -> u64| {
            let before = |name| self.before.get(name).map(counter).unwrap_or_default();
            now.iter().map(|(name, usage)| (Arc::clone(name), counter(usage).saturating_sub(before(name)))).collect()
        };
        let [calls, fuel, bytes] = [since(|usage| usage.calls), since(|usage| usage.fuel), since(|usage| usage.bytes)];
        (self.calls, self.fuel, self.bytes) = (calls, fuel, bytes);
        next.before = now;
    }
}

/// Counts every question to the guests.
pub(super) struct Counted<'a> {
    pub calls: &'a mut CallCounts,
    /// Whether to measure CPU time.
    pub times: bool,
}

/// Returns the CPU time of this thread so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

impl CallObserver for Counted<'_> {
    /// The CPU time at the start, if the call is timed.
    type Started = Option<Duration>;

    fn started(&mut self, call: &PluginCall<'_>) -> Option<Duration> {
        (self.times && is_timed(call.export)).then(cpu_time)
    }

    fn ended(
        &mut self,
        guests: &Guests,
        call: &PluginCall<'_>,
        started: Option<Duration>,
        answer: Result<PluginAnswer<'_>, &PluginError>,
    ) {
        let took = started.map(|started| cpu_time().saturating_sub(started));
        let nodes = match answer {
            Ok(PluginAnswer::Filter(verdicts) | PluginAnswer::FilterWhatIf(verdicts)) => Some(verdicts.nodes.len()),
            Ok(PluginAnswer::Score(scores)) => Some(scores.len()),
            _ => None,
        };
        if took.is_none() && nodes.is_none() {
            return;
        }
        let name = guests.name(call.plugin).unwrap_or_default();
        if let Some(took) = took {
            *self.calls.time.entry(Arc::clone(&name)).or_default() += took;
        }
        if let Some(nodes) = nodes {
            *self.calls.nodes.entry(name).or_default() += nodes as u64;
        }
    }
}

/// Returns whether a call is part of a cycle, and makes no calls to other plugins.
fn is_timed(export: Export) -> bool {
    !matches!(
        export,
        Export::PreEnqueue
            | Export::SortKey
            | Export::PostFilter
            | Export::Unreserve
            | Export::PostBind
            | Export::Hints
    )
}
