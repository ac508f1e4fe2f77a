//! The intended differences from kube-scheduler that apply to a configuration.

use berth_config::Configuration;
use berth_config::v1::Profile;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::LineUp;

/// kube-scheduler's name for the binding that the core does itself.
pub(super) const DEFAULT_BINDER: &str = "DefaultBinder";

/// Returns the differences from kube-scheduler that apply to this configuration.
pub(super) fn differences(configuration: &Configuration, profiles: &[LineUp]) -> Vec<String> {
    let mut lines = refused_by_kube_scheduler(configuration, profiles);
    let all = |spec: &ProfileSpec| matches!(spec.percentage_of_nodes_to_score, None | Some(0));
    let everywhere: Vec<&str> =
        configuration.profiles.iter().filter(|spec| all(spec)).map(|spec| &*spec.scheduler_name).collect();
    if !everywhere.is_empty() {
        lines.push(format!(
            "{}: filters and scores all nodes; kube-scheduler stops at a part of them (percentageOfNodesToScore)",
            everywhere.join(", ")
        ));
    }
    if configuration.client_connection.qps.is_none_or(|qps| qps == 0.0) {
        lines.push("no limit of requests; kube-scheduler's limit is 50 per second (clientConnection.qps)".to_owned());
    }
    if configuration.leader_election.enabled && configuration.leader_election.name != "kube-scheduler" {
        lines.push(format!(
            "the Lease has the name {}; kube-scheduler's has the name kube-scheduler (leaderElection.resourceName)",
            configuration.leader_election.name
        ));
    }
    lines
}

/// Returns the parts of the configuration that kube-scheduler would refuse.
fn refused_by_kube_scheduler(configuration: &Configuration, profiles: &[LineUp]) -> Vec<String> {
    let is_empty_at =
        |point: &str, line: &LineUp| line.points.iter().any(|(name, standing)| *name == point && standing.is_empty());
    let unsorted = profiles.iter().filter(|line| is_empty_at("queueSort", line)).map(|line| {
        format!("{}: no plugin is enabled at queueSort, which kube-scheduler refuses", line.scheduler_name)
    });
    let whole = configuration.in_force();
    let binds = |profile: &Profile| {
        let plugins = profile.plugins.as_ref();
        plugins.is_some_and(|plugins| !plugins.bind.enabled.is_empty() || plugins.multi_point.enables(DEFAULT_BINDER))
    };
    let unbound =
        whole.profiles.iter().zip(profiles).filter(|(profile, line)| !binds(profile) && is_empty_at("bind", line));
    let unbound = unbound.map(|(_, line)| {
        format!("{}: no plugin is enabled at bind, which kube-scheduler refuses", line.scheduler_name)
    });
    unsorted.chain(unbound).collect()
}
