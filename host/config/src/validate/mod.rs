//! Checks the values of a configuration's fields, alone and in combination. The bounds are kube-scheduler's.

mod args;
mod berth;
mod extenders;
mod names;
mod plugins;
mod resources;

pub(super) use self::berth::berth;
use super::complete::{POD_INITIAL_BACKOFF, POD_MAX_BACKOFF};
use super::convert::Version;
use super::election;
use super::path::Path;
use super::v1::{KubeSchedulerConfiguration, Profile};

/// Problems by field path.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<(Path, String)>);

impl Findings {
    fn note(&mut self, path: Path, message: impl Into<String>) {
        self.0.push((path, message.into()));
    }

    pub(super) fn into_inner(self) -> Vec<(Path, String)> {
        self.0
    }
}

/// Returns all problems of a configuration before defaults are applied. `version` is the version of the file.
pub(super) fn configuration(configuration: &KubeSchedulerConfiguration, version: Version) -> Findings {
    let mut findings = Findings::default();
    let top = Path::default();
    leader_election(configuration, &mut findings);
    backoffs(configuration, &mut findings);
    scheduler_names(&configuration.profiles, &mut findings);
    for (at, profile) in configuration.profiles.iter().enumerate() {
        let path = top.field("profiles").index(at);
        plugins::profile(profile, version, &path, &mut findings);
        args::plugin_config(profile, &path.field("pluginConfig"), &mut findings);
    }
    plugins::same_queue_sort(&configuration.profiles, &mut findings);
    extenders::extenders(&configuration.extenders, &top.field("extenders"), &mut findings);
    findings
}

fn leader_election(configuration: &KubeSchedulerConfiguration, findings: &mut Findings) {
    let path = Path::default().field("leaderElection");
    let election = election::of(&configuration.leader_election);
    if !election.enabled {
        return;
    }
    if let Some(lock) = configuration.leader_election.resource_lock.as_deref()
        && !matches!(lock, "" | "leases")
    {
        findings.note(path.field("resourceLock"), "must be leases, the only lock that Kubernetes supports");
    }
    if let Err(error) = election.check() {
        findings.note(path, error.to_string());
    }
}

fn backoffs(configuration: &KubeSchedulerConfiguration, findings: &mut Findings) {
    let least = configuration.pod_initial_backoff_seconds.unwrap_or(POD_INITIAL_BACKOFF);
    let most = configuration.pod_max_backoff_seconds.unwrap_or(POD_MAX_BACKOFF);
    if most >= least {
        return;
    }
    let top = Path::default();
    match configuration.pod_max_backoff_seconds {
        Some(_) => {
            let message = format!("is {most}, but must be at least podInitialBackoffSeconds, which is {least}");
            findings.note(top.field("podMaxBackoffSeconds"), message);
        }
        None => {
            let message = format!(
                "is {least}, but podMaxBackoffSeconds is {most} by default; set podMaxBackoffSeconds to {least} or more"
            );
            findings.note(top.field("podInitialBackoffSeconds"), message);
        }
    }
}

/// A single profile may omit its name. With several profiles, each needs a different name.
fn scheduler_names(profiles: &[Profile], findings: &mut Findings) {
    for (at, profile) in profiles.iter().enumerate() {
        let path = Path::default().field("profiles").index(at).field("schedulerName");
        let Some(name) = &profile.scheduler_name else {
            if profiles.len() > 1 {
                findings.note(path, "is required if there are several profiles");
            }
            continue;
        };
        let same = |other: &Profile| other.scheduler_name.as_ref() == Some(name);
        if name.is_empty() {
            findings.note(path, "is empty");
        } else if let Some(first) = profiles[..at].iter().position(same) {
            findings.note(path, format!("{name:?} is already the name of profiles[{first}]"));
        }
    }
}
