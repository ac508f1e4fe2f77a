//! The test cases of `plugins/examples/README.md`.

use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
use berth_guest::types::{Code, Status};

use super::*;

const SPARE: &str = r#"{"label": "pool", "minFreeCpu": "500m"}"#;
const VALUE: &str = r#"{"label": "pool", "value": "a"}"#;

fn no_label() -> Option<Status> {
    let reasons = vec!["node(s) didn't have label pool".into()];
    Some(Status { code: Code::UnschedulableAndUnresolvable, reasons })
}

fn no_cpu() -> Option<Status> {
    Some(Status { code: Code::Unschedulable, reasons: vec!["Insufficient free cpu".into()] })
}

fn one_cpu() -> PodBuilder {
    pod().request("cpu", "1")
}

fn in_pool(pool: &str) -> NodeBuilder {
    node("node").label("pool", pool).cpu("2")
}

#[test]
fn cases() {
    for (what, args, pod, node, answer) in [
        ("more free cpu than requested", SPARE, one_cpu(), in_pool("a").used("cpu", "500m"), None),
        ("a millicore short", SPARE, one_cpu(), in_pool("a").used("cpu", "501m"), no_cpu()),
        ("no label and too little free cpu", SPARE, one_cpu(), node("node").cpu("1"), no_label()),
        ("the pod's own value", SPARE, pod().label("pool", "a"), in_pool("a"), None),
        ("another value than the pod's", SPARE, pod().label("pool", "a"), in_pool("b"), no_label()),
        ("the pod's value is empty", SPARE, pod().label("pool", ""), in_pool("a"), no_label()),
        ("a pod that requests nothing", SPARE, pod(), in_pool("b").cpu("400m"), no_cpu()),
        ("the arguments' value", VALUE, pod(), in_pool("a"), None),
        ("another value than the arguments'", VALUE, pod(), in_pool("b"), no_label()),
        ("the pod's value before the arguments'", VALUE, pod().label("pool", "b"), in_pool("b"), None),
        (
            "another value than the pod's, that of the arguments",
            VALUE,
            pod().label("pool", "b"),
            in_pool("a"),
            no_label(),
        ),
    ] {
        let mut host = Host::<Plugin>::with_args(args).unwrap();
        host.node(node);
        assert_eq!(host.verdict(&pod, "node"), answer, "{what}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let wrong_cpu = [r#""lots""#, r#""-1""#, r#""1.5""#, r#""1Gi""#, "1.5", "-1", "null"];
    let wrong_cpu = wrong_cpu.map(|cpu| (format!(r#"{{"label": "pool", "minFreeCpu": {cpu}}}"#), "minFreeCpu"));
    let others = [("{}", "label"), (r#"{"label": ""}"#, "label"), (r#"{"label": "pool", "lable": "x"}"#, "lable")];
    for (args, field) in others.map(|(args, field)| (args.to_owned(), field)).into_iter().chain(wrong_cpu) {
        let error = Host::<Plugin>::with_args(&args).err().unwrap_or_default();
        assert!(error.contains(field), "{args}: {error}");
    }
}
