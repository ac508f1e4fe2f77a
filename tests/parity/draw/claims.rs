//! Dynamic resource allocation: device classes, slices with devices, and claims with and without an allocation.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Objects;
use super::parts::{Part, any_of, field, keep_first_values, list, map, merged, object, optional};
use crate::case::Case;

const VERSION: &str = "resource.k8s.io/v1";
const CLASSES: [&str; 3] = ["gpu", "nic", "any"];
const CLAIMS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];
const SLICES: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];
const MODEL: &str = "gpu.example.com/model";

/// A placeholder for the name of a pool. `settle_own` replaces the placeholder with the name of the pool's slice.
const OWN: &str = "own";

const HAS_MODEL: &str = "has(device.attributes[device.driver].model)";

/// The CEL expressions of selectors. Some return an error for some devices.
const EXPRESSIONS: [&str; 14] = [
    "true",
    "device.driver == 'gpu.example.com'",
    "device.driver == 'nic.example.com'",
    "device.attributes['gpu.example.com'].model == 'a'",
    "has(device.attributes['gpu.example.com'].model) && device.attributes['gpu.example.com'].model == 'b'",
    "!has(device.attributes['none.example.com'].model)",
    "device.attributes[device.driver].?index.orValue(0) > 0",
    "has(device.attributes[device.driver].version) && \
     device.attributes[device.driver].version.isGreaterThan(semver('1.2.0'))",
    "has(device.capacity[device.driver].memory) && \
     device.capacity[device.driver].memory.compareTo(quantity('4Gi')) >= 0",
    "cel.bind(of, device.attributes[device.driver], has(of.healthy) && of.healthy)",
    "has(device.attributes[device.driver].model) && device.attributes[device.driver].model in ['a', 'c']",
    "has(device.attributes[device.driver].model) && device.attributes[device.driver].model.matches('^[ab]$')",
    "device.allowMultipleAllocations",
    "false",
];

fn selectors(most: usize) -> Part {
    list(any_of(&EXPRESSIONS).prop_map(|text| json!({"cel": {"expression": text}})).boxed(), 0..=most)
}

/// Draws DeviceClasses, ResourceSlices and ResourceClaims.
pub fn all() -> Vec<Objects> {
    let objects = |kind, names, namespaces, parts| Objects { api_version: VERSION, kind, names, namespaces, parts };
    let driver = prop_oneof![Just("gpu.example.com"), Just("nic.example.com")];
    let configuration =
        driver.prop_map(|driver| json!([{"opaque": {"driver": driver, "parameters": {"kind": "class"}}}]));
    vec![
        objects(
            "DeviceClass",
            &CLASSES,
            &[],
            vec![
                optional("spec.selectors", selectors(2)),
                optional("spec.config", configuration),
                // `settle` derives the resource's name from the class's name, so that no two classes have the same
                // extended resource.
                optional("spec.extendedResourceName", any_of(&["example.com/settled"])),
            ],
        ),
        objects("ResourceSlice", &SLICES, &[], vec![slice()]),
        objects(
            "ResourceClaim",
            &CLAIMS,
            &["default"],
            vec![
                field("spec.devices", device_requests()),
                prop_oneof![3 => Just(json!({})), 1 => field("status", status())].boxed(),
            ],
        ),
    ]
}

fn zone() -> Part {
    any_of(&["a", "b"])
        .prop_map(|zone| {
            json!({"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]},
            ]}]})
        })
        .boxed()
}

/// Draws the nodes of a slice or of a device.
fn node_selection() -> Part {
    prop_oneof![
        4 => any_of(&["n0", "n1", "n2", "n3"]).prop_map(|node| json!({"nodeName": node})),
        1 => Just(json!({"allNodes": true})),
        1 => zone().prop_map(|selector| json!({"nodeSelector": selector})),
    ]
    .boxed()
}

fn slice() -> Part {
    let pools =
        prop_oneof![Just(("gpu.example.com", "p0")), Just(("gpu.example.com", "p1")), Just(("nic.example.com", "q0"))];
    let pool = (pools, any_of(&[1, 1, 2]), any_of(&[1, 1, 2])).prop_map(|((driver, name), generation, count)| {
        let pool = json!({"name": name, "generation": generation, "resourceSliceCount": count});
        json!({"driver": driver, "pool": pool})
    });
    let devices = || vec(device(), 0..=3);
    let content = prop_oneof![
        4 => (node_selection(), devices())
            .prop_map(|(place, devices)| merged(place, json!({"devices": named(devices)}))),
        3 => vec((device(), node_selection()), 1..=6).prop_map(|devices| {
            let devices = devices.into_iter().map(|(device, place)| merged(device, place)).collect();
            json!({"perDeviceNodeSelection": true, "devices": named(devices)})
        }),
        1 => node_selection().prop_map(|place| {
            merged(place, json!({"sharedCounters": [{"name": "card", "counters": {"slots": {"value": "3"}}}]}))
        }),
    ];
    let shared = (pool, content).prop_map(|(pool, content)| json!({"spec": merged(pool, content)}));
    prop_oneof![1 => shared, 1 => pool_of_one_node()].boxed()
}

/// Draws a complete pool on one node. Some nodes have GPUs that fulfil a claim's preferred request, so that nodes
/// score differently.
fn pool_of_one_node() -> Part {
    let pool = json!({"name": OWN, "generation": 1, "resourceSliceCount": 1});
    vec(optional("attributes.model", any_of(&["a", "b"]).prop_map(|model| json!({"string": model}))), 1..=2)
        .prop_map(move |devices| {
            json!({"spec": {"driver": "gpu.example.com", "pool": pool, "nodeName": "n0", "devices": named(devices)}})
        })
        .boxed()
}

fn named(devices: Vec<Value>) -> Vec<Value> {
    let name = |(at, device)| merged(device, json!({"name": format!("d{at}")}));
    devices.into_iter().enumerate().map(name).collect()
}

fn device() -> Part {
    let attribute = |name: &'static str| match name {
        "index" => any_of(&[0, 1]).prop_map(|index| json!({"int": index})).boxed(),
        "healthy" => any_of(&[true, false]).prop_map(|healthy| json!({"bool": healthy})).boxed(),
        "version" => any_of(&["1.2.0", "1.10.0", "1.2.1-rc.1"]).prop_map(|version| json!({"version": version})).boxed(),
        _ => any_of(&["a", "b", "c"]).prop_map(|model| json!({"string": model})).boxed(),
    };
    let taint = (any_of(&["NoSchedule", "NoExecute", "None"]), any_of(&["x", "y"]))
        .prop_map(|(effect, value)| json!([{"key": "broken", "value": value, "effect": effect}]));
    let counters =
        any_of(&["1", "2"]).prop_map(|slots| json!([{"counterSet": "card", "counters": {"slots": {"value": slots}}}]));
    let conditions = Just(json!({"bindingConditions": ["Attached"], "bindingFailureConditions": ["Broken"]}));
    let rarely = |part: Part| prop_oneof![5 => Just(json!({})), 1 => part].boxed();
    object(vec![
        optional("attributes", map(&["model", "index", "healthy", "version"], attribute)),
        prop_oneof![Just(json!({})), capacity()].boxed(),
        rarely(field("taints", taint)),
        rarely(field("consumesCounters", counters)),
        rarely(conditions.boxed()),
    ])
}

/// Draws the capacity of a device: exclusive, shared under a request policy, or shared without a capacity.
fn capacity() -> Part {
    let shared = |policy: Value| {
        let memory = json!({"value": "8Gi", "requestPolicy": policy});
        json!({"allowMultipleAllocations": true, "capacity": {"memory": memory}})
    };
    let range = json!({"default": "1Gi", "validRange": {"min": "1Gi", "max": "6Gi", "step": "1Gi"}});
    let values = json!({"default": "2Gi", "validValues": ["2Gi", "4Gi"]});
    prop_oneof![
        any_of(&["2Gi", "8Gi", "8000M"]).prop_map(|memory| json!({"capacity": {"memory": {"value": memory}}})),
        Just(shared(range)),
        Just(shared(values)),
        Just(json!({"allowMultipleAllocations": true})),
    ]
    .boxed()
}

/// Draws `spec.devices` of a claim.
fn device_requests() -> Part {
    let request = prop_oneof![
        2 => device_request().prop_map(|request| json!({"exactly": request})),
        2 => vec(device_request(), 2..=3).prop_map(|asks| {
            let name = |(at, ask)| merged(ask, json!({"name": format!("a{at}")}));
            json!({"firstAvailable": asks.into_iter().enumerate().map(name).collect::<Vec<_>>()})
        }),
        // The first alternative matches devices on fewer nodes than the second.
        6 => any_of(&CLASSES).prop_map(|class| {
            let preferred = json!([{"cel": {"expression": HAS_MODEL}}]);
            let ask = json!({"deviceClassName": class, "allocationMode": "ExactCount", "count": 1});
            let asks = [merged(ask.clone(), json!({"name": "a0", "selectors": preferred})), merged(ask, json!({"name": "a1"}))];
            json!({ "firstAvailable": asks })
        }),
    ];
    let attribute = prop_oneof![Just(MODEL), Just("gpu.example.com/index"), Just("gpu.example.com/none")];
    let constraint = (any_of(&["matchAttribute", "distinctAttribute"]), attribute, any_of(&[true, false])).prop_map(
        |(kind, attribute, all)| {
            let kind = kind.as_str().unwrap_or_default().to_owned();
            let requests = if all == Value::Bool(true) { json!({}) } else { json!({"requests": ["r0"]}) };
            merged(json!({ kind: attribute }), requests)
        },
    );
    let constraints = prop_oneof![2 => Just(json!({})), 1 => field("constraints", list(constraint.boxed(), 1..=2))];
    (vec(request, 1..=2), constraints)
        .prop_map(|(requests, constraints)| {
            let name = |(at, request)| merged(json!({"name": format!("r{at}")}), request);
            let requests: Vec<Value> = requests.into_iter().enumerate().map(name).collect();
            merged(constraints, json!({"requests": requests}))
        })
        .boxed()
}

fn device_request() -> Part {
    let count = prop_oneof![
        3 => any_of(&[1, 1, 2]).prop_map(|count| json!({"allocationMode": "ExactCount", "count": count})),
        1 => Just(json!({"allocationMode": "All"})),
    ];
    let toleration = prop_oneof![
        Just(json!([{"key": "broken", "operator": "Exists"}])),
        Just(json!([{"key": "broken", "operator": "Equal", "value": "x", "effect": "NoSchedule"}])),
    ];
    let amount = any_of(&["500Mi", "1500Mi", "3Gi", "7Gi"]);
    object(vec![
        field("deviceClassName", any_of(&CLASSES)),
        count.boxed(),
        optional("selectors", selectors(1)),
        optional("tolerations", toleration),
        prop_oneof![3 => Just(json!({})), 1 => field("capacity.requests.memory", amount)].boxed(),
    ])
}

/// Draws the status of an allocated claim: the node selector and the conditions. `settle` derives the devices from
/// the claim's name.
fn status() -> Part {
    let selector = optional("nodeSelector", zone());
    let devices = any_of(&["Attached", "Broken", "Other"]).prop_map(|kind| json!([{"type": kind, "status": "True"}]));
    (selector, optional("conditions", devices))
        .prop_map(|(selector, devices)| json!({"allocation": merged(selector, json!({})), "devices": [devices]}))
        .boxed()
}

/// Draws `spec.resourceClaims` of pods.
pub fn of_pod() -> Part {
    let some = vec(any_of(&CLAIMS), 1..=2).prop_map(|claims| {
        let entry = |(at, claim)| json!({"name": format!("of{at}"), "resourceClaimName": claim});
        json!({"spec": {"resourceClaims": claims.into_iter().enumerate().map(entry).collect::<Vec<_>>()}})
    });
    prop_oneof![1 => Just(json!({})), 5 => some].boxed()
}

/// Draws containers that request extended resources: resources of device classes, and resources that no node has.
pub fn extended() -> Part {
    let resource = any_of(&[
        "example.com/gpu",
        "example.com/gpu",
        "example.com/nic",
        "deviceclass.resource.kubernetes.io/any",
        "example.com/none",
    ]);
    let amounts = vec((resource, any_of(&["1", "1", "2", "0"])), 0..=2).prop_map(|requests| {
        let name = |(resource, amount): (Value, Value)| Some((resource.as_str()?.to_owned(), amount));
        Value::Object(requests.into_iter().filter_map(name).collect())
    });
    let container = amounts
        .prop_map(|amounts| json!({"image": "app:1", "resources": {"requests": amounts, "limits": amounts}}))
        .boxed();
    let sidecar = optional("restartPolicy", any_of(&["Always"]));
    let init = object(vec![container.clone(), sidecar]);
    let lists = (vec(container, 1..=2), vec(init, 0..=2)).prop_map(|(containers, init)| {
        let named = |letter: &str, list: Vec<Value>| -> Vec<Value> {
            let name = |(at, container)| merged(container, json!({"name": format!("{letter}{at}")}));
            list.into_iter().enumerate().map(name).collect()
        };
        json!({"spec": {"containers": named("c", containers), "initContainers": named("i", init)}})
    });
    prop_oneof![1 => Just(json!({})), 1 => lists].boxed()
}

/// Draws, for some nodes, a device plugin's capacity of an extended resource that a class also provides.
pub fn of_device_plugin() -> Part {
    let has =
        any_of(&["0", "1", "4"]).prop_map(|number| json!({"status": {"allocatable": {"example.com/gpu": number}}}));
    prop_oneof![2 => Just(json!({})), 1 => has].boxed()
}

/// Makes the drawn objects consistent. A claim always has the devices that belong to its name: allocations do not
/// change, and two claims have the same device only if they share it. The slices of a pool and generation agree on
/// `resourceSliceCount`; otherwise, the result would depend on which slice is seen first.
pub fn settle(case: &mut Case) {
    add_missing(case);
    let mut seen = BTreeMap::new();
    for (version, object) in (1..).zip(case.set_mut()) {
        if object["kind"] == "ResourceClaim" {
            // kube-scheduler ignores an update of a claim whose resource version is not newer.
            object["metadata"]["resourceVersion"] = json!(u64::to_string(&version));
        }
        if object["spec"].get("extendedResourceName").is_some() {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            object["spec"]["extendedResourceName"] = format!("example.com/{name}").into();
        }
        match object["kind"].as_str() {
            // A pod's requests for extended resources never change.
            Some("Pod") => {
                let name = object["metadata"]["name"].to_string();
                keep_first_values(&mut seen, name, &mut object["spec"], &["containers", "initContainers"]);
            }
            Some("ResourceClaim") if object.get("status").is_some() => settle_status(object),
            Some("ResourceSlice") if object["spec"]["pool"]["name"] == OWN => settle_own(object),
            Some("ResourceSlice") => {
                let spec = &mut object["spec"];
                // A change keeps the fields of the earlier slice with the same name. Only one of the fields that
                // select nodes may remain.
                let placed =
                    ["allNodes", "nodeSelector", "perDeviceNodeSelection"].map(|place| spec.get(place).is_some());
                if placed.contains(&true) {
                    spec.as_object_mut().map(|spec| spec.remove("nodeName"));
                }
                let generation = spec["pool"]["generation"].as_i64().unwrap_or(1);
                // The pool and the generation determine whether the pool is complete.
                let is_complete = spec["pool"]["name"] != "p1" || generation == 1;
                spec["pool"]["resourceSliceCount"] = json!(if is_complete { 1 } else { 2 });
            }
            _ => {}
        }
    }
}

/// Makes the slice of one node consistent. The slice's name determines the node. A change keeps the fields of the
/// earlier slice with the same name, so other fields that select nodes are removed.
fn settle_own(slice: &mut Value) {
    let name = slice["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let spec = &mut slice["spec"];
    let others = ["allNodes", "nodeSelector", "perDeviceNodeSelection", "sharedCounters"];
    if let Some(spec) = spec.as_object_mut() {
        spec.retain(|field, _| !others.contains(&field.as_str()));
    }
    spec["pool"]["name"] = name.as_str().into();
    spec["nodeName"] = name.replace('s', "n").into();
}

/// Adds most of the objects that pods refer to: all classes except one, and all claims except one. Otherwise,
/// missing objects would hide everything else.
fn add_missing(case: &mut Case) {
    let class = |name| json!({"apiVersion": VERSION, "kind": "DeviceClass", "metadata": {"name": name}, "spec": {}});
    let claim = |name| {
        let exactly = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1});
        json!({
            "apiVersion": VERSION, "kind": "ResourceClaim",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"devices": {"requests": [{"name": "r0", "exactly": exactly}]}},
        })
    };
    let required = CLASSES[..2].iter().map(class).chain(CLAIMS[..4].iter().map(claim));
    for mut object in required {
        let (kind, name) = (object["kind"].clone(), object["metadata"]["name"].clone());
        let is_same = |other: &Value| other["kind"] == kind && other["metadata"]["name"] == name;
        if !case.objects.iter().any(is_same) {
            let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
            let uid =
                format!("{}-{namespace}-{}", kind.as_str().unwrap_or_default(), name.as_str().unwrap_or_default());
            object["metadata"]["uid"] = uid.into();
            case.objects.push(object);
        }
    }
}

/// Sets the allocated device of a claim. The claim's name determines the device.
fn settle_status(claim: &mut Value) {
    let name = claim["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let device = |driver: &str, pool: &str, device: &str| json!({"driver": driver, "pool": pool, "device": device});
    let (device, more) = match name.as_str() {
        "c0" => (device("gpu.example.com", "p0", "d0"), json!({})),
        "c1" => (device("gpu.example.com", "p1", "d1"), json!({"adminAccess": true})),
        "c2" => (
            device("nic.example.com", "q0", "d0"),
            json!({"bindingConditions": ["Attached"], "bindingFailureConditions": ["Broken"]}),
        ),
        name => {
            let id = if name == "c3" {
                "11111111-1111-4111-8111-111111111111"
            } else {
                "22222222-2222-4222-8222-222222222222"
            };
            (device("gpu.example.com", "p0", "d1"), json!({"shareID": id, "consumedCapacity": {"memory": "3Gi"}}))
        }
    };
    let result = merged(merged(device.clone(), more), json!({"request": "r0"}));
    claim["status"]["allocation"]["devices"] = json!({"results": [result]});
    claim["status"]["devices"][0] = merged(claim["status"]["devices"][0].clone(), device);
}
