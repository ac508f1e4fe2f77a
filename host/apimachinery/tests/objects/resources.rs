//! Tests the limits and the quality of service class of a pod, by the rules of Kubernetes: `resource.PodLimits` of
//! `k8s.io/component-helpers` and `qos.ComputePodQOS`.

use berth_core::model::{ContainerKind, QosClass};
use serde_json::{Value, json};

use crate::pod;

fn pod_with(spec: Value) -> berth_core::model::Pod {
    let (pod, notes) = pod(&json!({"metadata": {"name": "p", "uid": "u"}, "spec": spec}));
    assert_eq!(notes, "");
    pod
}

/// Returns a container with these resources.
fn container(requests: Value, limits: Value) -> Value {
    json!({"name": "c", "resources": {"requests": requests, "limits": limits}})
}

/// Returns a restartable init container with these resources.
fn sidecar(requests: Value, limits: Value) -> Value {
    let mut container = container(requests, limits);
    container["restartPolicy"] = json!("Always");
    container
}

#[test]
fn classes_follow_the_rules_of_kubernetes() {
    let none = || json!({});
    let both = || json!({"cpu": "1", "memory": "1Gi"});
    let same = || container(both(), both());
    let main = |containers: &[Value]| json!({"containers": containers});
    let init = |init: Value, main: Value| json!({"initContainers": [init], "containers": [main]});
    let pod_level = |resources: Value, main: Value| json!({"resources": resources, "containers": [main]});
    for (what, spec, class) in [
        ("no container", json!({}), QosClass::BestEffort),
        ("nothing", main(&[container(none(), none())]), QosClass::BestEffort),
        ("other resources", main(&[container(json!({"x.y/gpu": 1}), json!({"x.y/gpu": 1}))]), QosClass::BestEffort),
        ("zero", main(&[container(json!({"cpu": "0"}), json!({"memory": 0}))]), QosClass::BestEffort),
        ("equal", main(&[same()]), QosClass::Guaranteed),
        (
            "equal in other notations",
            main(&[container(json!({"cpu": "1000m", "memory": "1024Mi"}), both())]),
            QosClass::Guaranteed,
        ),
        ("two that are equal", main(&[same(), same()]), QosClass::Guaranteed),
        ("one of two without resources", main(&[same(), container(none(), none())]), QosClass::Burstable),
        ("only requests", main(&[container(both(), none())]), QosClass::Burstable),
        ("only limits", main(&[container(none(), both())]), QosClass::Burstable),
        ("only cpu", main(&[container(json!({"cpu": 1}), json!({"cpu": 1}))]), QosClass::Burstable),
        ("less than the limit", main(&[container(json!({"cpu": "1", "memory": "1Mi"}), both())]), QosClass::Burstable),
        ("an init container without resources", init(container(none(), none()), same()), QosClass::Burstable),
        ("an equal init container", init(same(), same()), QosClass::Guaranteed),
        ("only an init container", init(same(), container(none(), none())), QosClass::Burstable),
        ("an equal sidecar", init(sidecar(both(), both()), same()), QosClass::Guaranteed),
        ("a sidecar with a request", init(sidecar(both(), none()), same()), QosClass::Burstable),
        // The class of a pod with pod-level resources depends on these alone.
        (
            "equal pod-level resources",
            pod_level(json!({"requests": both(), "limits": both()}), container(none(), none())),
            QosClass::Guaranteed,
        ),
        ("pod-level requests", pod_level(json!({"requests": both()}), same()), QosClass::Burstable),
        (
            "a pod-level limit of cpu",
            pod_level(json!({"requests": {"cpu": 1}, "limits": {"cpu": 1}}), same()),
            QosClass::Burstable,
        ),
        ("empty pod-level resources", pod_level(json!({}), same()), QosClass::BestEffort),
    ] {
        assert_eq!(pod_with(spec).spec.qos, class, "{what}");
    }
}

#[test]
fn limits_of_a_pod_are_summed() {
    let none = || json!({});
    let limit = |cpu: &str| container(none(), json!({"cpu": cpu}));
    for (what, spec, milli_cpu, memory) in [
        ("no limits", json!({"containers": [container(json!({"cpu": 1}), none())]}), 0, 0),
        ("containers add up", json!({"containers": [limit("1"), limit("500m")]}), 1500, 0),
        (
            "an init container counts with its maximum, over the sidecars before it",
            json!({
                "initContainers": [limit("3"), sidecar(none(), json!({"cpu": 1})), limit("4")],
                "containers": [limit("1")],
            }),
            5000,
            0,
        ),
        (
            "sidecars and containers add up",
            json!({"initContainers": [sidecar(none(), json!({"cpu": 2}))], "containers": [limit("1")]}),
            3000,
            0,
        ),
        (
            "pod-level limits take precedence, each for its resource",
            json!({"resources": {"limits": {"cpu": 8}}, "containers": [container(none(), json!({"cpu": 1, "memory": 5}))]}),
            8000,
            5,
        ),
        (
            "pod-level limits of unsupported resources are left out",
            json!({"resources": {"limits": {"ephemeral-storage": 8}}, "containers": [limit("1")]}),
            1000,
            0,
        ),
        (
            "the overhead is added to limits that are not 0",
            json!({"overhead": {"cpu": "250m", "memory": 7}, "containers": [limit("1")]}),
            1250,
            0,
        ),
        (
            "the overhead is not added to a limit of 0",
            json!({"overhead": {"cpu": "250m"}, "containers": [limit("0")]}),
            0,
            0,
        ),
    ] {
        let limits = pod_with(spec).spec.limits.clone();
        assert_eq!((limits.milli_cpu, limits.memory, limits.ephemeral_storage), (milli_cpu, memory, 0), "{what}");
    }
}

#[test]
fn limits_of_containers_and_the_scheduling_group_are_read() {
    let spec = json!({
        "schedulingGroup": {"podGroupName": "train"},
        "initContainers": [sidecar(json!({}), json!({"x.y/gpu": 2}))],
        "containers": [container(json!({"cpu": 1}), json!({"cpu": 2, "memory": "1Ki"}))],
    });
    let pod = pod_with(spec);
    assert_eq!(&*pod.spec.scheduling_group, "train");
    let [init, main] = &pod.spec.containers[..] else { panic!("{:?}", pod.spec.containers) };
    assert_eq!((init.kind, init.limits.scalar("x.y/gpu")), (ContainerKind::RestartableInit, 2));
    assert_eq!((main.requests.milli_cpu, main.limits.milli_cpu, main.limits.memory), (1000, 2000, 1024));
    assert_eq!(pod.spec.limits.scalar("x.y/gpu"), 2);
}
