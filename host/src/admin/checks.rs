//! Whether the process lives, and whether it is ready.

use std::fmt;
use std::time::Duration;

use crate::scheduler::Vitals;

/// A core's thread that was not seen between two steps for so long is taken for stuck. A single call into a plugin is
/// limited to less, and so is a whole cycle in a cluster of any size that is known.
const STALLED: Duration = Duration::from_secs(90);

/// A list of checks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checks {
    name: &'static str,
    /// With what is wrong.
    checks: Vec<(&'static str, Result<(), String>)>,
}

impl Checks {
    /// `/livez`: a process that fails it is to be started anew.
    pub(super) fn live(vitals: &Vitals) -> Self {
        Self { name: "livez", checks: vec![("ping", Ok(())), ("core-thread", core_thread(vitals.since_beat()))] }
    }

    /// `/healthz`, which is the older name.
    pub(super) fn healthy(vitals: &Vitals) -> Self {
        Self { name: "healthz", ..Self::live(vitals) }
    }

    /// `/readyz`: the process does, or could at once do, its work. Who stands by for a leader is ready, too.
    pub(super) fn ready(vitals: &Vitals) -> Self {
        let Self { mut checks, .. } = Self::live(vitals);
        let unless = |good: bool, what: &str| if good { Ok(()) } else { Err(what.to_owned()) };
        let synced = unless(vitals.informers_synced(), "pods and nodes are still being listed");
        checks.push(("informer-sync", synced));
        checks.push(("plugins", vitals.plugins_missing().map_or(Ok(()), Err)));
        checks.push(("shutdown", unless(!vitals.stopping(), "the process is ending")));
        Self { name: "readyz", checks }
    }

    pub(super) fn passed(&self) -> bool {
        self.checks.iter().all(|(_, result)| result.is_ok())
    }
}

fn core_thread(since_beat: Option<Duration>) -> Result<(), String> {
    match since_beat {
        Some(since) if since > STALLED => Err(format!("not seen for {} s", since.as_secs())),
        _ => Ok(()),
    }
}

/// As the API server shows its own.
impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, result) in &self.checks {
            match result {
                Ok(()) => writeln!(f, "[+]{name} ok")?,
                Err(why) => writeln!(f, "[-]{name} failed: {why}")?,
            }
        }
        writeln!(f, "{} check {}", self.name, if self.passed() { "passed" } else { "failed" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_from_the_first_plugins_to_the_beginning_of_the_end() {
        let vitals = Vitals::default();
        let look = |step: &str, ready: bool| {
            assert_eq!(Checks::ready(&vitals).passed(), ready, "{step}");
            assert!(Checks::live(&vitals).passed(), "{step}");
        };
        look("at first", false);
        vitals.set_informers_synced();
        look("informers synced", false);
        vitals.set_plugins_missing(Some("a plugin is not there".to_owned()));
        look("plugins missing", false);
        vitals.set_plugins_missing(None);
        look("plugins loaded", true);
        vitals.beat();
        look("the core's thread runs", true);
        vitals.set_stopping();
        look("stopping", false);
    }

    #[test]
    fn a_core_that_is_not_seen_any_more_is_stuck_and_one_that_was_never_seen_is_starting() {
        let table = [(None, true), (Some(0), true), (Some(90), true), (Some(91), false)];
        for (seconds, fine) in table {
            assert_eq!(core_thread(seconds.map(Duration::from_secs)).is_ok(), fine, "{seconds:?}");
        }
    }

    #[test]
    fn every_check_is_shown_with_what_is_wrong() {
        let checks = vec![("ping", Ok(())), ("plugins", Err("none".to_owned()))];
        let shown = Checks { name: "readyz", checks }.to_string();
        assert_eq!(shown, "[+]ping ok\n[-]plugins failed: none\nreadyz check failed\n");
    }
}
