use berth_guest::testing::{Host, NodeBuilder, node, pod};
use berth_guest::types::ConditionStatus::{False, True, Unknown};
use berth_guest::types::{Code, Container, ContainerKind};

use super::*;

fn all(node: NodeBuilder) -> Host<Plugin> {
    let checks =
        r#"["CheckNodeCondition", "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure"]"#;
    host(checks, node)
}

fn host(checks: &str, node: NodeBuilder) -> Host<Plugin> {
    let mut host = Host::with_args(&format!(r#"{{"checks": {checks}}}"#)).unwrap();
    host.node(node);
    host
}

fn container(requests: Resources) -> Container {
    Container {
        name: "main".into(),
        kind: ContainerKind::Main,
        image: String::new(),
        requests,
        limits: Resources::default(),
        host_ports: Vec::new(),
    }
}

#[test]
fn each_condition_has_its_reason() {
    for (kind, status, reason) in [
        ("Ready", True, None),
        ("Ready", False, Some("node(s) were not ready")),
        ("Ready", Unknown, Some("node(s) were not ready")),
        ("NetworkUnavailable", False, None),
        ("NetworkUnavailable", True, Some("node(s) had unavailable network")),
        ("NetworkUnavailable", Unknown, Some("node(s) had unavailable network")),
        ("MemoryPressure", True, Some("node(s) had memory pressure")),
        ("MemoryPressure", Unknown, None),
        ("DiskPressure", True, Some("node(s) had disk pressure")),
        ("DiskPressure", False, None),
        ("PIDPressure", True, Some("node(s) had pid pressure")),
        ("PIDPressure", Unknown, None),
        ("Other", True, None),
    ] {
        let mut host = all(node("n").condition(kind, status));
        assert_eq!(host.reasons(&pod(), "n"), Vec::from_iter(reason), "{kind} {status:?}");
    }
}

#[test]
fn all_reasons_are_unresolvable() {
    let bad = node("n").condition("Ready", False).condition("DiskPressure", True).unschedulable();
    let verdict = all(bad).verdict(&pod(), "n").unwrap();
    assert_eq!(verdict.code, Code::UnschedulableAndUnresolvable);
    assert_eq!(verdict.reasons, ["node(s) were not ready", "node(s) had disk pressure", "node(s) were unschedulable"]);
}

#[test]
fn only_configured_checks_run() {
    let bad = || {
        let pressed = node("n").condition("MemoryPressure", True).condition("DiskPressure", True);
        pressed.condition("PIDPressure", True).condition("Ready", False)
    };
    for (checks, reasons) in [
        ("[]", [].as_slice()),
        (r#"["CheckNodeCondition"]"#, &["node(s) were not ready"]),
        (r#"["CheckNodeMemoryPressure"]"#, &["node(s) had memory pressure"]),
        (r#"["CheckNodeDiskPressure"]"#, &["node(s) had disk pressure"]),
        (r#"["CheckNodePIDPressure"]"#, &["node(s) had pid pressure"]),
    ] {
        assert_eq!(host(checks, bad()).reasons(&pod(), "n"), reasons, "{checks}");
    }
}

#[test]
fn memory_pressure_allows_pods_with_memory_requests() {
    let mut host = all(node("n").condition("MemoryPressure", True));
    for (milli_cpu, memory, fits) in [(0, 0, false), (1, 0, true), (0, 1, true)] {
        let requests = Resources { milli_cpu, memory, ephemeral_storage: 1, pods: 0, scalars: Vec::new() };
        let mut pod = pod();
        pod.0.containers.push(container(requests));
        assert_eq!(host.fits(&pod).len() == 1, fits, "{milli_cpu} {memory}");
    }
}

#[test]
fn unknown_checks_are_refused() {
    let refused = Host::<Plugin>::with_args(r#"{"checks": ["CheckNodes"]}"#).err().unwrap();
    assert!(refused.starts_with("NodeConditions: arguments: checks[0]: unknown variant `CheckNodes`"), "{refused}");
}
