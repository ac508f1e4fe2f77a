//! Tests of extended resources that a DeviceClass maps to devices.

use berth_guest::intents::Intent;
use berth_guest::post_filter::{PostFilter, PostFilterResult};
use berth_guest::testing::Rejections;
use berth_guest::types::ContainerKind::{self, Init, Main, RestartableInit};

use super::*;

const GPU: &str = "example.com/gpu";
const IMPLICIT: &str = "deviceclass.resource.kubernetes.io/gpu";

/// Returns the host with the GPUs, and a node `d` whose device plugin provides the resource.
fn offering() -> Host<Plugin> {
    let mut host = host();
    host.node(node("d").label("zone", "d").allocatable(GPU, "4"));
    offer(&mut host, "gpu", "2026-01-01T00:00:00Z");
    host
}

fn offer(host: &mut Host<Plugin>, class: &str, created: &str) {
    let class_spec = json!({
        "selectors": [{ "cel": { "expression": "device.driver == 'gpu.example.com'" } }], "extendedResourceName": GPU,
    });
    let object = json!({ "metadata": { "creationTimestamp": created }, "spec": class_spec });
    host.object("DeviceClass", "", class, &object.to_string());
}

/// A container's name, kind and requests.
type Container<'a> = (&'a str, ContainerKind, &'a [(&'a str, i64)]);

fn asking(containers: &[Container<'_>]) -> PodBuilder {
    let pod = pod().name("p").uid("p-uid").namespace("default");
    containers.iter().fold(pod, |pod, (name, kind, requests)| pod.container(name, *kind, requests))
}

#[test]
fn a_class_provides_an_extended_resource_without_device_plugin() {
    for (resource, number, fits) in [
        (GPU, 1, &["a", "b", "d"] as &[&str]),
        (GPU, 3, &["d"]),
        (IMPLICIT, 2, &["a", "b"]),
        ("example.com/other", 1, &["a", "b", "c", "d"]),
        ("deviceclass.resource.kubernetes.io/other", 1, &["a", "b", "c", "d"]),
        ("hugepages-2Mi", 1, &["a", "b", "c", "d"]),
    ] {
        let pod = asking(&[("main", Main, &[(resource, number)])]);
        assert_eq!(offering().fits(&pod), fits, "{resource} {number}");
    }
    let mut host = offering();
    let both = asking(&[("main", Main, &[(GPU, 1), ("example.com/other", 1)])]);
    let nobody_has_it = (Code::UnschedulableAndUnresolvable, "cannot fit resource".to_owned());
    assert_eq!(code_and_reasons(&mut host, &both, "a"), nobody_has_it);
    host.remove_object("DeviceClass", "", "gpu");
    assert_eq!(host.fits(&both), ["a", "b", "c", "d"], "the plugin does not handle the resource");
}

#[test]
fn claims_and_extended_resources_take_devices_together() {
    let mut host = offering();
    claim(&mut host, "c", &[one("r", "true")]);
    let pod = asking(&[("main", Main, &[(GPU, 1)])]).resource_claim("c", "c", "");
    assert_eq!(host.fits(&pod), ["a", "b"]);
    assert_eq!(devices(&mut host, &pod, "b"), ["b-0", "b-1"]);
    let more = asking(&[("main", Main, &[(GPU, 2)])]).resource_claim("c", "c", "");
    assert_eq!(host.fits(&more), [""; 0]);
}

#[test]
fn containers_share_requests() {
    type Asked<'a> = (&'a str, ContainerKind, &'a [(&'a str, i64)]);
    type Said<'a, T> = Vec<(&'a str, T)>;
    let cases: [(&[Asked<'_>], Said<'_, i64>, Said<'_, &str>); 4] = [
        (
            &[("x", Main, &[(GPU, 1)]), ("y", Main, &[("example.com/a", 1), (GPU, 2)])],
            vec![("container-0-request-0", 1), ("container-1-request-1", 2)],
            vec![("x", "container-0-request-0"), ("y", "container-1-request-1")],
        ),
        (
            &[("i", Init, &[(GPU, 2)]), ("x", Main, &[(GPU, 1)]), ("y", Main, &[(GPU, 1)])],
            vec![("container-1-request-0", 1), ("container-2-request-0", 1)],
            vec![
                ("x", "container-1-request-0"),
                ("y", "container-2-request-0"),
                ("i", "container-1-request-0"),
                ("i", "container-2-request-0"),
            ],
        ),
        (
            &[("i", Init, &[(GPU, 3)]), ("j", Init, &[(GPU, 4)]), ("x", Main, &[(GPU, 1)])],
            vec![("container-1-request-0", 3), ("container-2-request-0", 1)],
            vec![
                ("x", "container-2-request-0"),
                ("i", "container-2-request-0"),
                ("i", "container-1-request-0"),
                ("j", "container-2-request-0"),
                ("j", "container-1-request-0"),
            ],
        ),
        (
            &[("s", RestartableInit, &[(GPU, 1)]), ("i", Init, &[(GPU, 1)])],
            vec![("container-0-request-0", 1), ("container-1-request-0", 1)],
            vec![("s", "container-0-request-0"), ("i", "container-1-request-0")],
        ),
    ];
    for (containers, requests, mappings) in cases {
        let pod = asking(containers);
        let (requests_made, used) = crate::extended::requests(&pod.0.containers, &[(GPU, "gpu")]);
        let requests_made: Vec<_> = requests_made
            .iter()
            .map(|request| (request.name.as_str(), request.exactly.as_ref().unwrap().count))
            .collect();
        let used: Vec<_> = used.iter().map(|one| (one.container_name.as_str(), one.request_name.as_str())).collect();
        assert_eq!((requests_made, used), (requests, mappings));
    }
}

#[test]
fn the_latest_class_of_a_resource_is_used() {
    let mut host = offering();
    offer(&mut host, "newer", "2026-01-02T00:00:00Z");
    offer(&mut host, "same-age", "2026-01-02T00:00:00Z");
    let pod = asking(&[("main", Main, &[(GPU, 1)])]);
    let class = |host: &mut Host<Plugin>| {
        let reservation = host.reserve(&pod, "a").unwrap();
        let state: Value = serde_json::from_slice(&reservation.state).unwrap();
        state["extended"]["requests"][0]["exactly"]["deviceClassName"].as_str().map(str::to_owned)
    };
    assert_eq!(class(&mut host).as_deref(), Some("newer"));
    host.remove_object("DeviceClass", "", "newer");
    assert_eq!(class(&mut host).as_deref(), Some("same-age"));
}

#[test]
fn an_extended_resource_claim_is_created_and_deleted_without_binding() {
    let mut host = offering();
    let pod = asking(&[("main", Main, &[(GPU, 2)])]);
    assert_eq!(host.reserve(&pod, "d").unwrap(), Default::default(), "a device plugin provides the resource");
    let reservation = host.reserve(&pod, "a").unwrap();
    let [Intent::Assume((object, fields))] = reservation.intents.as_slice() else { panic!("{reservation:?}") };
    let name = object.name.clone();
    assert!(name.starts_with("p-extended-resources-") && name.len() == "p-extended-resources-".len() + 5, "{name}");
    host.assumed_object("ResourceClaim", "default", &name, fields);
    assert_eq!(host.fits(&asking(&[("x", Main, &[(GPU, 1)])])), ["b", "d"], "the devices are in use");

    let intents = host.pre_bind(&pod, "a", &reservation.state);
    let [Intent::Create((made, json)), Intent::Patch(status), Intent::Patch(of_pod)] = intents.as_slice() else {
        panic!("{intents:?}")
    };
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!((made.kind.as_str(), &made.name, &status.object), ("ResourceClaim", &name, made));
    assert_eq!(json["metadata"]["ownerReferences"][0]["uid"], "p-uid");
    assert_eq!(json["spec"]["devices"]["requests"][0]["exactly"]["count"], 2);
    let patch: Value = serde_json::from_str(&status.patch).unwrap();
    assert_eq!(patch["status"]["allocation"]["devices"]["results"].as_array().map(Vec::len), Some(2));
    assert_eq!(patch["status"]["reservedFor"], json!([{ "resource": "pods", "name": "p", "uid": "p-uid" }]));
    let mapping = json!({ "containerName": "main", "resourceName": GPU, "requestName": "container-0-request-0" });
    let named = json!({ "requestMappings": [mapping], "resourceClaimName": name });
    let patch: Value = serde_json::from_str(&of_pod.patch).unwrap();
    assert_eq!(
        (of_pod.object.kind.as_str(), &patch),
        ("Pod", &json!({ "status": { "extendedResourceClaimStatus": named } }))
    );

    let undo = host.unreserve(&pod, "a", &reservation.state).intents;
    let [Intent::Patch(finalizers), Intent::Delete(gone)] = undo.as_slice() else { panic!("{undo:?}") };
    assert_eq!((&finalizers.object, gone), (made, made));
}

#[test]
fn an_earlier_claim_is_deleted_before_a_new_claim_is_created() {
    let mut host = offering();
    let earlier = json!({
        "metadata": {
            "annotations": { "resource.kubernetes.io/extended-resource-claim": "true" },
            "ownerReferences": [{ "uid": "p-uid", "controller": true }],
        },
        "spec": { "devices": { "requests": [one("r", "true")] } },
        "status": allocated("a-0"),
    });
    host.object("ResourceClaim", "default", "earlier", &earlier.to_string());
    let pod = asking(&[("main", Main, &[(GPU, 1)])]);
    let rejection = (Code::UnschedulableAndUnresolvable, "cannot schedule extended resource claim".to_owned());
    assert_eq!(code_and_reasons(&mut host, &pod, "b"), rejection);
    let answer = host.post_filter(&pod, Rejections::default(), |_, _| None);
    let Ok(PostFilter { result: PostFilterResult::Unschedulable { reasons, .. }, intents, .. }) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!((reasons.join(""), intents.len()), ("deletion of ResourceClaim completed".to_owned(), 2));
    host.remove_object("ResourceClaim", "default", "earlier");
    assert_eq!(host.fits(&pod), ["a", "b", "d"]);
}

#[test]
fn generated_names_have_the_form_of_the_api_server() {
    for (base, name) in [("p-", "p-bbbbb"), (&"x".repeat(70), &format!("{}bbbbb", "x".repeat(58)))] {
        assert_eq!(crate::extended::generated(base, 0), name);
    }
    assert_ne!(crate::extended::generated("p-", 1), crate::extended::generated("p-", 2));
}
