//! Configuration files: what good ones come to, and what is said of bad ones.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

use std::path::Path;
use std::time::Duration;

use berth::config::{self, Configuration};
use berth::kube::lease::{LeaderElection, Timing};
use berth::wasm::{Enabled, NamedBy, ProfileSpec};
use serde_json::json;

const HEAD: &str = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

fn good(text: &str) -> Configuration {
    config::parse(&format!("{HEAD}{text}"), "f.yaml").unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// `name`, or `name*weight` where it is not 1.
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
fn without_a_file_the_default_profile_and_all_others_run() {
    let configuration = Configuration::default_profile(Some("mine"));
    let [profile] = &configuration.profiles[..] else { panic!("one profile") };
    assert_eq!((&*profile.scheduler_name, profile.others), ("mine", true));
    assert_eq!(shown(&profile.points.score), DEFAULTS);
    assert_eq!(configuration.pod_initial_backoff, Duration::from_secs(1));
    assert_eq!(configuration.pod_max_backoff, Duration::from_secs(10));
    assert_eq!(&*Configuration::default().profiles[0].scheduler_name, "default-scheduler");
}

#[test]
fn a_file_that_says_nothing_is_the_default_profile_alone() {
    for text in
        ["", "profiles: []", "profiles: [{}]", "profiles: [{plugins: null}]", "leaderElection: {leaderElect: false}"]
    {
        let configuration = good(text);
        let expected = ProfileSpec { others: false, ..ProfileSpec::default_profile("default-scheduler") };
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
fn how_many_nodes_are_enough() {
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
fn who_named_a_plugin_is_kept() {
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config");
    let yaml = config::load(&path.join("two-profiles.yaml")).expect("a good file");
    let json = config::load(&path.join("two-profiles.json")).expect("a good file");
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

/// The whole message for a file.
fn refused(text: &str) -> String {
    match config::parse(text, "f.yaml") {
        Ok(configuration) => panic!("accepted:\n{text}\n{configuration:?}"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn what_is_said_of_files_that_are_none() {
    let accepted = "accepted is apiVersion: kubescheduler.config.k8s.io/v1 with kind: KubeSchedulerConfiguration";
    for (text, message) in [
        ("", format!("f.yaml:1:1: the file is empty; {accepted}")),
        ("- a", "f.yaml:1:1: is a list, where an object belongs".into()),
        ("{}", "f.yaml:1:1: apiVersion: is required\nf.yaml:1:1: kind: is required".into()),
        (
            "apiVersion: v1\nkind: ConfigMap\nzzz: 1",
            format!(
                "f.yaml:1:13: apiVersion: \"v1\" is not known; {accepted}\nf.yaml:2:7: kind: \"ConfigMap\" is not known; {accepted}"
            ),
        ),
        (
            "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration",
            format!("f.yaml:1:13: apiVersion: \"kubescheduler.config.k8s.io/v1beta3\" is not known; {accepted}"),
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
    for text in ["a: [", "a: 1\na: 2", "a: &x [*x]", "a: 1\n---\nb: 2", "\u{0}"] {
        let message = refused(text);
        assert!(message.starts_with("f.yaml:") && message.contains("not YAML: "), "{text:?}: {message}");
    }
}

#[test]
fn what_is_said_of_bad_fields() {
    for (text, message) in [
        ("profles: []", "f.yaml:3:1: profles: unknown field; did you mean profiles?"),
        ("extenders: [{urlPrefix: x}]", "f.yaml:3:12: extenders: not supported yet; leave it out"),
        (
            "leaderElection: {leaderElect: 1}",
            "f.yaml:3:31: leaderElection.leaderElect: is a number, where true or false belongs",
        ),
        (
            "leaderElection: {leaseDuration: 5s}",
            "f.yaml:3:17: leaderElection: the lease duration (5s) has to be longer than the renew deadline (10s)",
        ),
        (
            "leaderElection: {retryPeriod: '2'}",
            "f.yaml:3:31: leaderElection.retryPeriod: \"2\" is no duration; write it as in 15s, 1m30s or 500ms",
        ),
        (
            "leaderElection: {resourceLock: endpoints}",
            "f.yaml:3:32: leaderElection.resourceLock: Kubernetes knows no other lock than leases any more",
        ),
        ("parallelism: 8", "f.yaml:3:14: parallelism: not supported yet; leave it out"),
        ("percentageOfNodesToScore: 101", "f.yaml:3:27: percentageOfNodesToScore: 101: a percentage is 0 to 100"),
        ("podInitialBackoffSeconds: 0", "f.yaml:3:27: podInitialBackoffSeconds: must be greater than 0"),
        (
            "podInitialBackoffSeconds: 60",
            "f.yaml:3:27: podMaxBackoffSeconds: is 10, and must be at least podInitialBackoffSeconds, which is 60",
        ),
        ("podMaxBackoffSeconds: ten", "f.yaml:3:23: podMaxBackoffSeconds: is a string, where an integer belongs"),
        ("profiles: {}", "f.yaml:3:11: profiles: is an object, where a list belongs"),
        (
            "profiles: [{schedulerName: a}, {}]",
            "f.yaml:3:32: profiles[1].schedulerName: is required where there are several profiles",
        ),
        (
            "profiles: [{schedulerName: a}, {schedulerName: a}]",
            "f.yaml:3:48: profiles[1].schedulerName: \"a\" is the name of profiles[0] already",
        ),
        ("profiles: [{schedulerName: ''}]", "f.yaml:3:28: profiles[0].schedulerName: is empty"),
        (
            "profiles: [{schedulerName: 7}]",
            "f.yaml:3:28: profiles[0].schedulerName: is a number, where a string belongs",
        ),
    ] {
        assert_eq!(refused(&format!("{HEAD}{text}")), message, "{text}");
    }
}

#[test]
fn what_is_said_of_bad_plugins() {
    for (plugins, message) in [
        ("filtr: {}", "f.yaml:5:5: profiles[0].plugins.filtr: unknown field; did you mean filter?"),
        (
            "filter: {enable: []}",
            "f.yaml:5:14: profiles[0].plugins.filter.enable: unknown field; did you mean enabled?",
        ),
        (
            "filter: {enabled: [{nome: x}]}",
            "f.yaml:5:24: profiles[0].plugins.filter.enabled[0].name: is required\n\
             f.yaml:5:25: profiles[0].plugins.filter.enabled[0].nome: unknown field; did you mean name?",
        ),
        (
            "score: {enabled: [{name: a, weight: 0}]}",
            "f.yaml:5:41: profiles[0].plugins.score.enabled[0].weight: 0: weights are 1 to 2147483647, and a plugin is \
             disabled by disabling it",
        ),
        (
            "score: {enabled: [{name: a, weight: 2147483648}]}",
            "f.yaml:5:41: profiles[0].plugins.score.enabled[0].weight: 2147483648: weights are 1 to 2147483647, and a \
             plugin is disabled by disabling it",
        ),
        (
            "score: {enabled: [{name: a}, {name: b}, {name: a}]}",
            "f.yaml:5:52: profiles[0].plugins.score.enabled[2]: plugin \"a\" is enabled already, by enabled[0]",
        ),
        (
            "score: {enabled: [{name: '*'}]}",
            "f.yaml:5:30: profiles[0].plugins.score.enabled[0]: \"*\" stands for all plugins under disabled only",
        ),
        (
            "bind: {disabled: [{name: DefaultBinder}]}",
            "f.yaml:5:30: profiles[0].plugins.bind.disabled[0]: DefaultBinder can be disabled only where another \
             plugin is enabled at bind",
        ),
        (
            "placementScore: {enabled: []}",
            "f.yaml:5:21: profiles[0].plugins.placementScore: not supported yet; leave it out",
        ),
    ] {
        assert_eq!(refused(&format!("{HEAD}profiles:\n- plugins:\n    {plugins}")), message, "{plugins}");
    }
}

#[test]
fn what_is_said_of_bad_arguments() {
    for (list, message) in [
        (
            "[{name: a, args: {}}, {name: a, args: {}}]",
            "f.yaml:4:46: profiles[0].pluginConfig[1]: profiles[0].pluginConfig[0] is for plugin \"a\" already",
        ),
        ("[{name: a, args: [1]}]", "f.yaml:4:34: profiles[0].pluginConfig[0].args: is a list, where an object belongs"),
        ("[{name: DefaultBinder}]", "f.yaml:4:25: profiles[0].pluginConfig[0]: DefaultBinder takes no arguments"),
        (
            "[{name: NodeAffinity, args: {apiVersion: kubescheduler.config.k8s.io/v1, kind: NodeResourcesFitArgs}}]",
            "f.yaml:4:45: profiles[0].pluginConfig[0].args: kind \"NodeResourcesFitArgs\" belongs to another plugin; \
             NodeAffinity takes NodeAffinityArgs",
        ),
        ("[{args: {}}]", "f.yaml:4:18: profiles[0].pluginConfig[0].name: is required"),
    ] {
        assert_eq!(refused(&format!("{HEAD}profiles:\n- pluginConfig: {list}")), message, "{list}");
    }
}

#[test]
fn files_that_cant_be_read_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.yaml");
    let message = config::load(&missing).expect_err("no file").to_string();
    assert!(message.starts_with(&format!("configuration {}: ", missing.display())), "{message}");
    let large = folder.path().join("large.yaml");
    std::fs::write(&large, " ".repeat((1 << 20) + 1)).expect("written");
    let message = config::load(&large).expect_err("too large").to_string();
    assert!(message.contains("is larger than 1048576 bytes"), "{message}");
}
