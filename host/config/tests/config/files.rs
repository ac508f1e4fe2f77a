//! Tests valid configuration files: the configuration that each results in.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use berth_config::Configuration;
use berth_config::{LeaderElection, Timing};
use berth_core::profile::FailurePolicy;
use berth_core::profile_spec::{Enabled, NamedBy, ProfileSpec};
use serde_json::json;

const HEAD: &str = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

fn good(text: &str) -> Configuration {
    berth_config::parse(&format!("{HEAD}{text}"), "f.yaml").unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// Returns each plugin as `name`, or as `name*weight` if the weight is not 1.
fn shown(plugins: &[Enabled]) -> String {
    let shown = plugins.iter().map(|plugin| match plugin.weight {
        1 => plugin.name.to_string(),
        weight => format!("{}*{weight}", plugin.name),
    });
    shown.collect::<Vec<_>>().join(" ")
}

const DEFAULTS: &str = "SchedulingGates PrioritySort NodeUnschedulable NodeName TaintToleration*3 NodeAffinity*2 \
                        NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone \
                        PodTopologySpread*2 InterPodAffinity*2 DynamicResources*2 DefaultPreemption \
                        NodeResourcesBalancedAllocation ImageLocality NodeDeclaredFeatures";

#[test]
fn without_a_file_the_default_profile_and_all_other_plugins_run() {
    let configuration = Configuration::default_profile(Some("mine"));
    let [profile] = &configuration.profiles[..] else { panic!("one profile") };
    assert_eq!((&*profile.scheduler_name, profile.others), ("mine", true));
    assert_eq!(shown(&profile.points.score), DEFAULTS);
    assert_eq!(configuration.pod_initial_backoff, Duration::from_secs(1));
    assert_eq!(configuration.pod_max_backoff, Duration::from_secs(10));
    assert_eq!(&*Configuration::default().profiles[0].scheduler_name, "default-scheduler");
}

#[test]
fn an_empty_configuration_is_the_default_profile_without_other_plugins() {
    for text in
        ["", "profiles: []", "profiles: [{}]", "profiles: [{plugins: null}]", "leaderElection: {leaderElect: false}"]
    {
        let configuration = good(text);
        let expected = ProfileSpec { others: false, ..berth_config::default_profile("default-scheduler") };
        assert_eq!(configuration.profiles, [expected], "{text}");
    }
}

#[test]
fn the_election_is_as_kube_scheduler_has_it() {
    let election = good("").leader_election;
    assert_eq!(election, LeaderElection::default());
    assert_eq!((election.enabled, &*election.namespace, &*election.name), (true, "kube-system", "berth"));
    let file = "leaderElection: {leaderElect: false, leaseDuration: 1m30s, renewDeadline: 60s, retryPeriod: 0s, \
                resourceLock: leases, resourceName: kube-scheduler, resourceNamespace: ''}";
    let election = good(file).leader_election;
    let timing = Timing {
        lease_duration: Duration::from_secs(90),
        renew_deadline: Duration::from_secs(60),
        retry_period: Duration::from_secs(2),
    };
    let name = "kube-scheduler".to_owned();
    assert_eq!(election, LeaderElection { enabled: false, timing, name, ..LeaderElection::default() });
}

#[test]
fn plugins_are_merged_as_kube_scheduler_does() {
    for (why, plugins, filter, score) in [
        (
            "a plugin of one's own stands last",
            "multiPoint: {enabled: [{name: mine, weight: 5}]}",
            format!("{DEFAULTS} mine*5"),
            format!("{DEFAULTS} mine*5"),
        ),
        (
            "a default with another weight keeps its place",
            "multiPoint: {enabled: [{name: mine}, {name: NodeAffinity, weight: 7}]}",
            format!("{} mine", DEFAULTS.replace("NodeAffinity*2", "NodeAffinity*7")),
            format!("{} mine", DEFAULTS.replace("NodeAffinity*2", "NodeAffinity*7")),
        ),
        (
            "a default enabled without a weight counts 1",
            "multiPoint: {enabled: [{name: TaintToleration}]}",
            DEFAULTS.replace("TaintToleration*3", "TaintToleration"),
            DEFAULTS.replace("TaintToleration*3", "TaintToleration"),
        ),
        (
            "a default can be disabled everywhere",
            "multiPoint: {disabled: [{name: NodePorts}]}",
            DEFAULTS.replace("NodePorts ", ""),
            DEFAULTS.replace("NodePorts ", ""),
        ),
        (
            "all can",
            "multiPoint: {disabled: [{name: '*'}], enabled: [{name: NodeName}]}",
            "NodeName".into(),
            "NodeName".into(),
        ),
        (
            "or at one extension point",
            "score: {disabled: [{name: ImageLocality}]}",
            DEFAULTS.into(),
            DEFAULTS.replace(" ImageLocality", ""),
        ),
        (
            "where only what is named there is left",
            "score: {disabled: [{name: '*'}], enabled: [{name: mine, weight: 2}]}",
            DEFAULTS.into(),
            "mine*2".into(),
        ),
        (
            "what is enabled in both ways comes first, with its weight from there",
            "score: {enabled: [{name: mine}, {name: ImageLocality, weight: 9}, {name: NodeName}]}",
            DEFAULTS.into(),
            "ImageLocality*9 NodeName SchedulingGates PrioritySort NodeUnschedulable TaintToleration*3 NodeAffinity*2 \
             NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone \
             PodTopologySpread*2 InterPodAffinity*2 DynamicResources*2 DefaultPreemption \
             NodeResourcesBalancedAllocation NodeDeclaredFeatures mine"
                .into(),
        ),
        (
            "what is disabled and enabled again comes last",
            "filter: {disabled: [{name: NodeName}], enabled: [{name: NodeName}]}",
            format!("{} NodeName", DEFAULTS.replace(" NodeName", "")),
            DEFAULTS.into(),
        ),
        (
            "what the core does may be named, and what is a default at one point be disabled there",
            "{queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]}, \
              postFilter: {disabled: [{name: DefaultPreemption}]}}",
            DEFAULTS.into(),
            DEFAULTS.into(),
        ),
    ] {
        let configuration = good(&format!("profiles:\n- plugins:\n    {plugins}\n"));
        let points = &configuration.profiles[0].points;
        assert_eq!(shown(&points.filter), filter, "{why}: filter");
        assert_eq!(shown(&points.score), score, "{why}: score");
    }
}

#[test]
fn the_percentage_of_a_profile_overrides_that_of_the_file() {
    for (text, expected) in [
        ("profiles: [{}]", None),
        ("percentageOfNodesToScore: 30\nprofiles: [{}]", Some(30)),
        ("percentageOfNodesToScore: 30\nprofiles: [{percentageOfNodesToScore: 0}]", Some(0)),
        ("profiles: [{percentageOfNodesToScore: 5}]", Some(5)),
    ] {
        assert_eq!(good(text).profiles[0].percentage_of_nodes_to_score, expected, "{text}");
    }
}

#[test]
fn each_plugin_records_which_field_named_it() {
    let configuration = good(
        "profiles: [{plugins: {multiPoint: {enabled: [{name: a}]}, filter: {enabled: [{name: b}, {name: NodeName}]}}}]",
    );
    let filter = &configuration.profiles[0].points.filter;
    let named_by = |name: &str| filter.iter().find(|p| &*p.name == name).map(|p| p.named_by);
    assert_eq!(named_by("NodePorts"), Some(NamedBy::Default));
    assert_eq!(named_by("a"), Some(NamedBy::MultiPoint));
    assert_eq!(named_by("b"), Some(NamedBy::Point));
    assert_eq!(named_by("NodeName"), Some(NamedBy::Point));
}

#[test]
fn profiles_arguments_and_backoffs_are_read_from_yaml_and_json() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/cases");
    let yaml = berth_config::load(&path.join("two-profiles.yaml")).expect("a good file");
    let json = berth_config::load(&path.join("two-profiles.json")).expect("a good file");
    assert_eq!(yaml, json);
    let names: Vec<&str> = yaml.profiles.iter().map(|profile| &*profile.scheduler_name).collect();
    assert_eq!(names, ["default-scheduler", "packing"]);
    let fit = &yaml.profiles[1].arguments["NodeResourcesFit"];
    assert_eq!(
        *fit,
        json!({"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}})
    );
    assert_eq!(yaml.profiles[1].arguments["gpu-packing"], json!({"kind": "tight", "factor": 1.5}));
    assert_eq!((yaml.pod_initial_backoff, yaml.pod_max_backoff), (Duration::from_secs(2), Duration::from_secs(30)));
}

/// A BerthConfiguration may stand before or after the KubeSchedulerConfiguration, or alone.
#[test]
fn a_berth_configuration_is_a_second_document() {
    let own = "apiVersion: berth.dev/v1alpha1\nkind: BerthConfiguration\npluginDirectory: /plugins\nseed: 7\n\
               failurePolicy: IgnoreScores\nlimits: {memory: 128Mi, callTimeout: 50ms}\n\
               plugins:\n- {name: slow, failurePolicy: Fail, limits: {callTimeout: 2s}}\n";
    let scheduler = format!("{HEAD}profiles: [{{schedulerName: mine}}]\n");
    for (text, name, others) in [
        (format!("{scheduler}---\n{own}"), "mine", false),
        (format!("---\n{own}---\n{scheduler}"), "mine", false),
        (own.to_owned(), "default-scheduler", true),
    ] {
        let configuration = berth_config::parse(&text, "f.yaml").unwrap_or_else(|e| panic!("{text}\n{e}"));
        let [profile] = &configuration.profiles[..] else { panic!("one profile") };
        assert_eq!((&*profile.scheduler_name, profile.others), (name, others), "{text}");
        assert_eq!(profile.failure_policy, FailurePolicy::IgnoreScores);
        assert_eq!(profile.failure_policies.get("slow"), Some(&FailurePolicy::Fail));
        let limits = Arc::new(configuration.berth.limits());
        assert_eq!((limits.memory, limits.call), (128 << 20, Duration::from_millis(50)));
        assert_eq!(limits.of("another").call, Duration::from_millis(50));
        let slow = limits.of("slow");
        assert_eq!((slow.memory, slow.call, slow.wall), (128 << 20, Duration::from_secs(2), Duration::from_secs(60)));
        assert_eq!(configuration.berth.plugin_directory.as_deref(), Some(Path::new("/plugins")));
        assert_eq!(configuration.berth.seed, Some(7));
    }
}

#[test]
fn a_berth_configuration_alone_can_name_the_scheduler() {
    let text = "apiVersion: berth.dev/v1alpha1\nkind: BerthConfiguration\nschedulerName: mine\n";
    let configuration = berth_config::parse(text, "f.yaml").unwrap_or_else(|error| panic!("{error}"));
    let [profile] = &configuration.profiles[..] else { panic!("one profile") };
    assert_eq!((&*profile.scheduler_name, profile.others), ("mine", true));
}

#[test]
fn the_configured_request_rate_is_kept() {
    for (text, rate) in [
        ("", None),
        ("clientConnection: {burst: 5}", None),
        ("clientConnection: {qps: 0}", None),
        ("clientConnection: {qps: -1}", None),
        ("clientConnection: {qps: 2.5}", Some((2.5, 100))),
        ("clientConnection: {qps: 2.5, burst: 7}", Some((2.5, 7))),
    ] {
        assert_eq!(good(text).client_connection.rate(), rate, "{text}");
    }
}

#[test]
fn weight_0_means_1() {
    let configuration = good("profiles: [{plugins: {score: {enabled: [{name: ImageLocality, weight: 0}]}}}]");
    let score = &configuration.profiles[0].points.score;
    assert_eq!(score.first().map(|plugin| (&*plugin.name, plugin.weight)), Some(("ImageLocality", 1)));
}

#[test]
fn files_that_cant_be_read_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.yaml");
    let message = berth_config::load(&missing).expect_err("no file").to_string();
    assert!(message.starts_with(&format!("can't read the configuration {}: ", missing.display())), "{message}");
    let large = folder.path().join("large.yaml");
    std::fs::write(&large, " ".repeat((1 << 20) + 1)).expect("written");
    let message = berth_config::load(&large).expect_err("too large").to_string();
    assert!(message.contains("is larger than 1048576 bytes"), "{message}");
}
