use berth_guest::testing::{Host, node, pod};

use super::*;

/// Returns a host with two nodes with a zone, one of them retiring, and a node without labels.
fn host(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    host.node(node("old").label("zone", "a").label("retiring", "2026-01-01"));
    host.node(node("new").label("zone", "b"));
    host.node(node("bare"));
    host
}

#[test]
fn required_labels_and_forbidden_labels_are_checked() {
    let cases: [(&str, &[&str]); 6] = [
        ("{}", &["old", "new", "bare"]),
        (r#"{"presentLabels": ["zone"]}"#, &["old", "new"]),
        (r#"{"presentLabels": ["zone", "retiring"]}"#, &["old"]),
        (r#"{"absentLabels": ["retiring"]}"#, &["new", "bare"]),
        (r#"{"presentLabels": ["zone"], "absentLabels": ["retiring"]}"#, &["new"]),
        (r#"{"presentLabels": ["rack"]}"#, &[]),
    ];
    for (args, fits) in cases {
        assert_eq!(host(args).fits(&pod()), fits, "{args}");
    }
    let verdict = host(r#"{"presentLabels": ["zone"]}"#).verdict(&pod(), "bare").unwrap();
    assert_eq!(verdict.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
    assert_eq!(verdict.reasons, ["node(s) didn't have the requested labels"]);
}

#[test]
fn preferences_have_equal_shares() {
    for (args, [old, new, bare]) in [
        ("{}", [0, 0, 0]),
        (r#"{"presentLabels": ["zone"]}"#, [0, 0, 0]),
        (r#"{"presentLabelsPreference": ["zone"]}"#, [100, 100, 0]),
        (r#"{"absentLabelsPreference": ["retiring"]}"#, [0, 100, 100]),
        (r#"{"presentLabelsPreference": ["zone"], "absentLabelsPreference": ["retiring"]}"#, [50, 100, 50]),
        (r#"{"presentLabelsPreference": ["zone", "rack", "disk"]}"#, [33, 33, 0]),
        (r#"{"presentLabelsPreference": ["zone", "zone", "retiring"]}"#, [100, 66, 0]),
    ] {
        let scores: Vec<i64> = host(args).scores(&pod()).into_values().collect();
        // The order is by node name.
        assert_eq!(scores, [bare, new, old], "{args}");
    }
}

#[test]
fn contradictions_are_refused() {
    for (args, message) in [
        (
            r#"{"presentLabels": ["zone"], "absentLabels": ["rack", "zone"]}"#,
            r#"NodeLabel: arguments: absentLabels[1]: Invalid value: "zone": the label is also required"#,
        ),
        (
            r#"{"presentLabelsPreference": ["zone"], "absentLabelsPreference": ["zone"]}"#,
            r#"NodeLabel: arguments: absentLabelsPreference[0]: Invalid value: "zone": the label is also required"#,
        ),
        (r#"{"labels": []}"#, "NodeLabel: arguments: unknown field `labels`"),
    ] {
        assert_eq!(Host::<Plugin>::with_args(args).err().unwrap(), message);
    }
}
