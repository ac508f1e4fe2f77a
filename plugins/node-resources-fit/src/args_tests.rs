use berth_guest::testing::Host;

use crate::Plugin;

fn refused(args: &str) -> String {
    Host::<Plugin>::with_args(args).err().unwrap_or_else(|| panic!("{args} was accepted"))
}

#[test]
fn arguments_have_defaults() {
    for args in [
        "{}",
        r#"{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesFitArgs"}"#,
        r#"{"scoringStrategy": {"type": "MostAllocated"}}"#,
        r#"{"ignoredResources": ["example.com/gpu"], "ignoredResourceGroups": ["example.com"]}"#,
    ] {
        assert!(Host::<Plugin>::with_args(args).is_ok(), "{args}");
    }
}

#[test]
fn all_problems_are_reported_with_kube_schedulers_messages() {
    let strategy = |strategy: &str| format!(r#"{{"scoringStrategy": {strategy}}}"#);
    let ratio = |shape: &str| {
        let kind = r#""type": "RequestedToCapacityRatio""#;
        strategy(&format!(r#"{{{kind}, "requestedToCapacityRatio": {{"shape": [{shape}]}}}}"#))
    };
    for (args, problem) in [
        (
            strategy(r#"{"type": "Best"}"#),
            "scoringStrategy.type: Unsupported value: \"Best\": supported values: \"LeastAllocated\", \"MostAllocated\", \
             \"RequestedToCapacityRatio\"",
        ),
        (
            strategy(r#"{"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 101}]}"#),
            "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]",
        ),
        (
            strategy(
                r#"{"type": "MostAllocated", "resources": [{"name": "cpu", "weight": -1}, {"name": "x", "weight": -2}]}"#,
            ),
            "[scoringStrategy.resources[0].weight: Invalid value: -1: resource weight of cpu not in valid range (0, 100], \
             scoringStrategy.resources[1].weight: Invalid value: -2: resource weight of x not in valid range (0, 100]]",
        ),
        (
            strategy(r#"{"type": "RequestedToCapacityRatio"}"#),
            "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is \
             RequestedToCapacityRatio",
        ),
        (
            strategy(r#"{"type": "LeastAllocated", "requestedToCapacityRatio": {"shape": []}}"#),
            "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio",
        ),
        (
            ratio(""),
            "scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified",
        ),
        (
            ratio(r#"{"utilization": 50}, {"utilization": 50}"#),
            "scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: values must be sorted in \
             increasing order",
        ),
        (
            ratio(r#"{"utilization": 101, "score": 11}"#),
            "[scoringStrategy.requestedToCapacityRatio.shape[0].utilization: Invalid value: 101: not in valid range \
             [0, 100], scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range \
             [0, 10]]",
        ),
        (
            r#"{"ignoredResources": ["/a"]}"#.into(),
            "ignoredResources[0]: Invalid value: \"/a\": prefix part must be non-empty",
        ),
        (
            r#"{"ignoredResourceGroups": ["example.com/a"]}"#.into(),
            "ignoredResourceGroups[0]: Invalid value: \"example.com/a\": resource group name can't contain '/'",
        ),
    ] {
        assert_eq!(refused(&args), format!("NodeResourcesFit: arguments: {problem}"));
    }
}

#[test]
fn malformed_arguments_are_named() {
    for (args, problem) in [
        (r#"{"ignored": []}"#, "unknown field `ignored`"),
        (r#"{"scoringStrategy": {"typo": "x"}}"#, "unknown field `scoringStrategy.typo`"),
        (
            r#"{"scoringStrategy": {"resources": [{"weight": "x"}]}}"#,
            "scoringStrategy.resources[0].weight: invalid type: string \"x\", expected i64",
        ),
    ] {
        assert_eq!(refused(args), format!("NodeResourcesFit: arguments: {problem}"));
    }
}
