//! Completes a configuration with defaults: the effective configuration, as `--write-config-to` writes it.
//!
//! The defaults are kube-scheduler's, except for [`DIFFERENCES`].

use std::collections::BTreeSet;

use super::merge::{DEFAULT_SCHEDULER, merged};
use super::v1::DEFAULT_BURST;
use super::v1::{
    ClientConnection, DefaultingType, Duration, Extender, KubeSchedulerConfiguration, Plugin, PluginArgs, PluginConfig,
    PluginSet, Plugins, Profile, ResourceSpec, ScoringStrategy,
};
use crate::leader_election::LeaderElection;

/// Defaults that differ from kube-scheduler's on purpose: the field and the reason.
pub const DIFFERENCES: [(&str, &str); 2] = [
    ("leaderElection.resourceName", "a Lease of its own, so that both can run side by side"),
    ("clientConnection.qps", "no limit: the API server's own priority and fairness is one"),
];

/// The value of `qps` that stands for no limit.
pub(super) const NO_LIMIT: f32 = -1.0;

/// The default `httpTimeout` of an extender.
const EXTENDER_TIMEOUT: Duration = Duration::from_secs(5);

/// The resources that NodeResourcesFit and NodeResourcesBalancedAllocation score by default.
const SCORED: [&str; 2] = ["cpu", "memory"];

/// Default backoff durations, in seconds.
pub(super) const POD_INITIAL_BACKOFF: i64 = 1;
pub(super) const POD_MAX_BACKOFF: i64 = 10;

/// Returns the configuration with every default filled in.
pub(super) fn completed(file: &KubeSchedulerConfiguration) -> KubeSchedulerConfiguration {
    let mut configuration = file.clone();
    complete(&mut configuration);
    configuration
}

fn complete(configuration: &mut KubeSchedulerConfiguration) {
    let profiles = &mut configuration.profiles;
    if profiles.is_empty() {
        profiles.push(Profile::default());
    }
    if let [profile] = &mut profiles[..] {
        profile.scheduler_name.get_or_insert_with(|| DEFAULT_SCHEDULER.to_owned());
    }
    profiles.iter_mut().for_each(complete_profile);
    leave_to_extenders(configuration);
    configuration.extenders.iter_mut().for_each(complete_extender);
    client_connection(&mut configuration.client_connection);
    leader_election(configuration);
    configuration.parallelism.get_or_insert(16);
    configuration.percentage_of_nodes_to_score.get_or_insert(0);
    configuration.pod_initial_backoff_seconds.get_or_insert(POD_INITIAL_BACKOFF);
    configuration.pod_max_backoff_seconds.get_or_insert(POD_MAX_BACKOFF);
    let profiling = *configuration.enable_profiling.get_or_insert(true);
    configuration.enable_contention_profiling.get_or_insert(profiling);
}

fn client_connection(connection: &mut ClientConnection) {
    connection.kubeconfig.get_or_insert_default();
    connection.accept_content_types.get_or_insert_default();
    set_text(&mut connection.content_type, "application/vnd.kubernetes.protobuf");
    connection.qps = Some(connection.qps.filter(|qps| *qps != 0.0).unwrap_or(NO_LIMIT));
    connection.burst = Some(connection.burst.filter(|burst| *burst != 0).unwrap_or(DEFAULT_BURST));
}

fn leader_election(configuration: &mut KubeSchedulerConfiguration) {
    let election = &mut configuration.leader_election;
    let default = LeaderElection::default();
    election.leader_elect.get_or_insert(default.enabled);
    set_text(&mut election.resource_lock, "leases");
    set_text(&mut election.resource_name, &default.name);
    set_text(&mut election.resource_namespace, &default.namespace);
    set_duration(&mut election.lease_duration, default.timing.lease_duration);
    set_duration(&mut election.renew_deadline, default.timing.renew_deadline);
    set_duration(&mut election.retry_period, default.timing.retry_period);
}

/// Sets the default if the text is absent or empty. Kubernetes treats an empty text as absent.
fn set_text(field: &mut Option<String>, default: &str) {
    let text = field.take().filter(|text| !text.is_empty());
    *field = Some(text.unwrap_or_else(|| default.to_owned()));
}

/// Sets the default if the duration is absent or zero. Kubernetes treats zero as absent.
fn set_duration(field: &mut Option<Duration>, default: std::time::Duration) {
    *field = Some(field.filter(|duration| !duration.0.is_zero()).unwrap_or(Duration(default)));
}

fn complete_extender(extender: &mut Extender) {
    if extender.http_timeout == Duration::default() {
        extender.http_timeout = EXTENDER_TIMEOUT;
    }
}

/// Overwrites `ignoredResources` of NodeResourcesFit with the resources that an extender manages and the scheduler
/// ignores.
fn leave_to_extenders(configuration: &mut KubeSchedulerConfiguration) {
    let managed = configuration.extenders.iter().flat_map(|extender| &extender.managed_resources);
    let ignored: Vec<String> =
        managed.filter(|resource| resource.ignored_by_scheduler).map(|resource| resource.name.clone()).collect();
    if ignored.is_empty() {
        return;
    }
    for config in configuration.profiles.iter_mut().flat_map(|profile| &mut profile.plugin_config) {
        if let Some(PluginArgs::NodeResourcesFit(args)) = &mut config.args {
            args.ignored_resources.clone_from(&ignored);
        }
    }
}

fn complete_profile(profile: &mut Profile) {
    let plugins = profile.plugins.get_or_insert_default();
    plugins.multi_point.enabled = merged(&plugins.multi_point).into_iter().map(|(plugin, _)| plugin).collect();
    plugins.named_mut().into_iter().for_each(|(_, set)| weigh(set));
    let wanted = wanted(plugins);
    let configs = &mut profile.plugin_config;
    configs.retain(|config| config.args.is_some() && wanted.contains(&config.name));
    for name in wanted {
        if configs.iter().all(|config| config.name != name)
            && let Some(args) = PluginArgs::empty(&name)
        {
            configs.push(PluginConfig { name, args: Some(args) });
        }
    }
    configs.iter_mut().filter_map(|config| config.args.as_mut()).for_each(complete_args);
    configs.sort_by(|one, other| one.name.cmp(&other.name));
}

/// Sets the weight of each disabled plugin, and of each enabled plugin without a weight, to 0, as kube-scheduler does.
fn weigh(set: &mut PluginSet) {
    for plugin in set.enabled.iter_mut().chain(&mut set.disabled) {
        plugin.weight.get_or_insert(0);
    }
    for plugin in &mut set.disabled {
        plugin.weight = Some(0);
    }
}

/// Returns the names of all plugins that any extension point or `multiPoint` enables.
fn wanted(plugins: &Plugins) -> BTreeSet<String> {
    plugins.sets().flat_map(|(_, set)| &set.enabled).map(|plugin: &Plugin| plugin.name.clone()).collect()
}

fn complete_args(args: &mut PluginArgs) {
    match args {
        PluginArgs::DefaultPreemption(args) => {
            args.min_candidate_nodes_percentage.get_or_insert(10);
            args.min_candidate_nodes_absolute.get_or_insert(100);
        }
        PluginArgs::DynamicResources(args) => {
            args.filter_timeout.get_or_insert(Duration::from_secs(10));
            args.binding_timeout.get_or_insert(Duration::from_secs(600));
        }
        PluginArgs::InterPodAffinity(args) => {
            args.hard_pod_affinity_weight.get_or_insert(1);
        }
        PluginArgs::NodeResourcesBalancedAllocation(args) => resources(&mut args.resources),
        PluginArgs::NodeResourcesFit(args) => {
            resources(&mut args.scoring_strategy.get_or_insert_with(ScoringStrategy::default).resources);
        }
        PluginArgs::PodTopologySpread(args) => {
            args.defaulting_type.get_or_insert(DefaultingType::System);
        }
        PluginArgs::VolumeBinding(args) => {
            args.bind_timeout_seconds.get_or_insert(600);
        }
        PluginArgs::NodeAffinity(_) | PluginArgs::Other(_) => {}
    }
}

fn resources(resources: &mut Vec<ResourceSpec>) {
    if resources.is_empty() {
        resources.extend(SCORED.map(|name| ResourceSpec { name: name.to_owned(), weight: None }));
    }
    for resource in resources {
        resource.weight = Some(resource.weight.filter(|weight| *weight != 0).unwrap_or(1));
    }
}
