//! Health checks: liveness and readiness of the process.

use std::fmt;
use std::time::Duration;

use crate::vitals::Vitals;

/// The scheduling thread counts as stuck if it was not seen between two steps for this long. A single plugin call and
/// a whole scheduling cycle take less, also in the largest supported clusters.
const STALLED: Duration = Duration::from_secs(90);

/// The checks of one endpoint, with their results.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checks {
    name: &'static str,
    checks: Vec<Check>,
    /// Names that the request excludes, but that no check of this endpoint has.
    unknown: Vec<String>,
}

/// The name of a check and the check's result, or `None` if the request excludes the check.
type Check = (&'static str, Option<Result<(), String>>);

impl Checks {
    /// Returns the checks of `/livez`. A process that fails them must be restarted.
    pub(super) fn live(vitals: &Vitals) -> Self {
        let core = core_thread(vitals.since_beat());
        Self { name: "livez", checks: vec![("ping", Some(Ok(()))), ("core-thread", Some(core))], unknown: Vec::new() }
    }

    /// Returns the checks of `/healthz`, the older name of `/livez`.
    pub(super) fn healthy(vitals: &Vitals) -> Self {
        Self { name: "healthz", ..Self::live(vitals) }
    }

    /// Returns the checks of `/readyz`: the process schedules, or can start at once. A standby of the leader election
    /// is ready, too.
    pub(super) fn ready(vitals: &Vitals) -> Self {
        let Self { mut checks, .. } = Self::live(vitals);
        let require = |passed: bool, failure: &str| if passed { Ok(()) } else { Err(failure.to_owned()) };
        let synced = require(vitals.informers_synced(), "pods and nodes are still being listed");
        checks.push(("informer-sync", Some(synced)));
        checks.push(("plugins", Some(vitals.plugins_missing().map_or(Ok(()), Err))));
        checks.push(("shutdown", Some(require(!vitals.stopping(), "the process is shutting down"))));
        Self { name: "readyz", checks, unknown: Vec::new() }
    }

    /// Excludes the checks with these names.
    pub(super) fn without(mut self, names: Vec<String>) -> Self {
        let excluded = |name: &str| names.iter().any(|excluded| excluded == name);
        self.checks.iter_mut().filter(|(name, _)| excluded(name)).for_each(|(_, result)| *result = None);
        self.unknown = names.into_iter().filter(|name| !self.checks.iter().any(|(known, _)| known == name)).collect();
        self
    }

    /// Returns the result of one check, or `None` if the check is unknown or excluded.
    pub(super) fn only(&self, name: &str) -> Option<Result<(), String>> {
        self.checks.iter().find(|(known, _)| *known == name)?.1.clone()
    }

    pub(super) fn passed(&self) -> bool {
        self.checks.iter().all(|(_, result)| !matches!(result, Some(Err(_))))
    }
}

fn core_thread(since_beat: Option<Duration>) -> Result<(), String> {
    match since_beat {
        Some(since) if since > STALLED => {
            Err(format!("the scheduling thread made no progress for {} s", since.as_secs()))
        }
        _ => Ok(()),
    }
}

/// Formats the results as the API server formats its own.
impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, result) in &self.checks {
            match result {
                None => writeln!(f, "[+]{name} excluded: ok")?,
                Some(Ok(())) => writeln!(f, "[+]{name} ok")?,
                Some(Err(why)) => writeln!(f, "[-]{name} failed: {why}")?,
            }
        }
        if !self.unknown.is_empty() {
            let names: Vec<_> = self.unknown.iter().map(|name| format!("{name:?}")).collect();
            writeln!(f, "warn: some health checks cannot be excluded: no matches for {}", names.join(","))?;
        }
        writeln!(f, "{} check {}", self.name, if self.passed() { "passed" } else { "failed" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_from_the_first_plugins_until_the_shutdown_begins() {
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
    fn a_core_thread_without_a_recent_beat_is_stuck_unless_it_never_started() {
        let table = [(None, true), (Some(0), true), (Some(90), true), (Some(91), false)];
        for (seconds, fine) in table {
            assert_eq!(core_thread(seconds.map(Duration::from_secs)).is_ok(), fine, "{seconds:?}");
        }
    }

    #[test]
    fn every_check_is_shown_with_its_failure() {
        let checks = vec![("ping", Some(Ok(()))), ("plugins", Some(Err("none".to_owned())))];
        let checks = Checks { name: "readyz", checks, unknown: Vec::new() };
        assert_eq!(checks.to_string(), "[+]ping ok\n[-]plugins failed: none\nreadyz check failed\n");
        assert_eq!(checks.only("plugins"), Some(Err("none".to_owned())));
        assert_eq!(checks.only("etcd"), None);
        let shown = checks.without(vec!["plugins".to_owned(), "etcd".to_owned()]).to_string();
        let warning = "warn: some health checks cannot be excluded: no matches for \"etcd\"";
        assert_eq!(shown, format!("[+]ping ok\n[+]plugins excluded: ok\n{warning}\nreadyz check passed\n"));
    }
}
