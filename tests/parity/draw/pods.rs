//! The parts of pods that are not in their containers.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::nodes::{EFFECTS, IMAGES, TAINTS};
use super::parts::{Part, any_of, field, list, map, object, optional};
use super::quantities::quantity;

/// Draws `spec.nodeName` of a pod to schedule.
pub fn node_name() -> Part {
    optional("spec.nodeName", any_of(&["n0", "n1", "n9"]))
}

/// Draws `spec.tolerations`.
pub fn tolerations() -> Part {
    let keyed = (select(TAINTS.to_vec()), any_of(&["a", "b", ""])).prop_flat_map(|(key, value)| {
        prop_oneof![
            Just(json!({"key": key, "value": value})),
            Just(json!({"key": key, "operator": "Equal", "value": value})),
            Just(json!({"key": key, "operator": "Exists"})),
        ]
    });
    let toleration = prop_oneof![5 => keyed.boxed(), 1 => Just(json!({"operator": "Exists"}))];
    let toleration =
        object(vec![toleration.boxed(), optional("effect", any_of(&EFFECTS))]).prop_flat_map(|toleration| {
            // `tolerationSeconds` is valid only with the effect NoExecute.
            let seconds = if toleration["effect"] == "NoExecute" {
                optional("tolerationSeconds", any_of(&[0, 60]))
            } else {
                Just(json!({})).boxed()
            };
            object(vec![Just(toleration).boxed(), seconds])
        });
    optional("spec.tolerations", list(toleration.boxed(), 1..=3))
}

/// Draws `spec.overhead`.
pub fn overhead() -> Part {
    optional("spec.overhead", map(&["cpu", "memory"], |resource| quantity(resource, 1)))
}

/// Draws `spec.resources`, which must be no less than the containers' total requests.
pub fn resources() -> Part {
    let enough = |resource: &str| match resource {
        "cpu" => any_of(&["20", "16500m", "18.5"]),
        "memory" => any_of(&["20Gi", "33G", "22222M"]),
        _ => any_of(&["12Mi", "20Mi"]),
    };
    // Huge pages require requests for CPU or memory.
    let others = prop_oneof![Just(vec!["cpu"]), Just(vec!["memory"]), Just(vec!["cpu", "memory"])];
    let requests = (others, any_of(&[false, true])).prop_flat_map(move |(names, huge_pages)| {
        let all = names.into_iter().chain((huge_pages == true).then_some("hugepages-2Mi"));
        object(all.map(|name| enough(name).prop_map(move |value| json!({ name: value })).boxed()).collect())
    });
    let resources = requests.prop_map(|requests| {
        let limits = requests.get("hugepages-2Mi").map_or_else(|| json!({}), |size| json!({"hugepages-2Mi": size}));
        json!({"requests": requests, "limits": limits})
    });
    prop_oneof![2 => Just(json!({})), 1 => field("spec.resources", resources)].boxed()
}

/// Draws image volumes.
pub fn image_volumes() -> Part {
    let volume = field("image.reference", any_of(&IMAGES));
    let named = |list: Value| {
        let mut list = list;
        for (at, volume) in list.as_array_mut().into_iter().flatten().enumerate() {
            volume["name"] = format!("v{at}").into();
        }
        list
    };
    optional("spec.volumes", list(volume, 1..=2).prop_map(named))
}

/// Draws the status that a kubelet reports during a resize.
pub fn resize() -> Vec<Part> {
    let amounts = || map(&["cpu", "memory"], |resource| quantity(resource, 4));
    let status = |names: &'static [&'static str]| {
        let of = |name: &str| {
            let name = json!({ "name": name });
            object(vec![
                Just(name).boxed(),
                optional("allocatedResources", amounts()),
                optional("resources.requests", amounts()),
            ])
        };
        names.iter().map(|name| of(name)).collect::<Vec<Part>>().prop_map(Value::Array)
    };
    let pending = |reason: Value| json!([{"type": "PodResizePending", "status": "True", "reason": reason}]);
    vec![
        optional("status.containerStatuses", status(&["c0", "c1"])),
        optional("status.initContainerStatuses", status(&["i0", "i1", "i2"])),
        optional("status.resources.requests", amounts()),
        optional("status.allocatedResources", amounts()),
        optional("status.conditions", any_of(&["Infeasible", "Deferred"]).prop_map(pending)),
    ]
}

/// Draws `status.phase`, or the fields of a pod that is being deleted.
pub fn ending() -> Part {
    prop_oneof![
        4 => field("status.phase", any_of(&["Running", "Pending"])),
        1 => Just(json!({"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["example.com/wait"]}})),
    ]
    .boxed()
}

/// Draws `spec.schedulingGates`.
pub fn scheduling_gates() -> Part {
    let gates = proptest::sample::subsequence(vec!["example.com/b", "example.com/a", "quota"], 1..=3);
    optional(
        "spec.schedulingGates",
        gates.prop_map(|names| names.into_iter().map(|name| json!({"name": name})).collect()),
    )
}

/// Returns a part that removes the scheduling gates, because a running pod has none.
pub fn without_gates() -> Part {
    Just(json!({"spec": {"schedulingGates": []}})).boxed()
}

/// Draws `spec.hostNetwork` and `spec.hostUsers`. A pod on its node's network also uses the node's user namespace,
/// as the API server requires in v1.36.
pub fn host() -> Part {
    let of = |host: &[Value]| any_of(host).prop_map(|spec| json!({"spec": spec})).boxed();
    of(&[
        json!({}),
        json!({"hostNetwork": true}),
        json!({"hostUsers": false}),
        json!({"hostNetwork": true, "hostUsers": true}),
    ])
}

/// Draws `spec.priority`.
pub fn priority() -> Part {
    optional("spec.priority", any_of(&[0, 1, 1000, -1, i32::MAX, i32::MIN]))
}
