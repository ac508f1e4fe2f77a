//! For drawn clusters, the nodes of an answer are those that the scheduler chooses.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_analysis::Sandbox;
use berth_analysis::whatif::Question;
use berth_core::model::Pod;
use berth_core::{Action, Event};
use serde_json::{Value, json};

use super::ask;
use crate::stock::{NOW, components, copy, node_object, pod_object, specs};

const CASES: u64 = 60;

fn drawn_cluster(rng: &mut fastrand::Rng) -> Vec<Value> {
    let mut objects = Vec::new();
    for number in 0..rng.usize(1..8) {
        let cpu = rng.usize(1..6).to_string();
        let zone = ["x", "y"][rng.usize(0..2)];
        let mut changes = json!({"metadata": {"labels": {"zone": zone}}, "status": {"allocatable": {"cpu": cpu}}});
        if rng.u8(0..4) == 0 {
            changes["spec"] = json!({"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]});
        }
        objects.push(node_object(&format!("n-{number}"), changes));
        if rng.bool() {
            let on = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"nodeName": (format!("n-{number}"))}});
            objects.push(pod_object(&format!("running-{number}"), on));
        }
    }
    objects
}

fn drawn_pod(rng: &mut fastrand::Rng, number: usize) -> Value {
    let app = ["web", "api"][rng.usize(0..2)];
    let cpu = format!("{}m", 250 * rng.usize(1..9));
    let mut changes = json!({
        "metadata": {"labels": {"app": app}},
        "spec": {
            "priority": rng.i32(0..3),
            "containers": [{"name": "c", "image": "app:1", "resources": {"requests": {"cpu": cpu}}}],
        },
    });
    let terms = json!([{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": app}}}]);
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    match rng.u8(0..8) {
        0 => changes["spec"]["nodeSelector"] = json!({"zone": "x"}),
        1 => changes["spec"]["tolerations"] = json!([{"operator": "Exists"}]),
        2 => changes["spec"]["affinity"] = json!({"podAntiAffinity": {(required): terms}}),
        3 => changes["spec"]["affinity"] = json!({"podAffinity": {(required): terms}}),
        4 => {
            let selector = json!({"matchLabels": {"app": app}});
            let spread = json!([{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]);
            changes["spec"]["topologySpreadConstraints"] = spread;
        }
        _ => {}
    }
    pod_object(&format!("p-{number}"), changes)
}

/// Schedules the pods with a fresh engine, as the event loop does, and returns their nodes.
fn scheduled(objects: &[Value], pods: &[Value]) -> BTreeMap<String, String> {
    let mut specs = specs();
    specs[0].points.post_filter.clear();
    let mut sandbox = Sandbox::new(components(), specs, &copy(objects), NOW).expect("the default profile serves");
    let pods: Vec<Arc<Pod>> = pods.iter().map(|pod| sandbox.read_pod(pod).expect("a valid pod")).collect();
    let mut actions: Vec<Action> = Vec::new();
    pods.iter().for_each(|pod| actions.extend(sandbox.step(Event::PodSet(Arc::clone(pod)))));
    let mut placed = BTreeMap::new();
    loop {
        for action in std::mem::take(&mut actions) {
            let Action::Bind { pod: key, node } = action else { continue };
            let pod = pods.iter().find(|pod| pod.key == key).expect("a known pod");
            placed.insert(key.name.to_string(), node.to_string());
            actions.extend(sandbox.step(Event::Bound(key)));
            let bound = Pod { node_name: node, ..Pod::clone(pod) };
            actions.extend(sandbox.step(Event::PodSet(Arc::new(bound))));
        }
        if actions.is_empty() {
            if !sandbox.core().has_work() {
                return placed;
            }
            actions = sandbox.step(Event::Cycle);
        }
    }
}

#[test]
fn the_nodes_are_those_that_the_scheduler_chooses() {
    let (mut all, mut fitting) = (0, 0);
    for seed in 0..CASES {
        let mut rng = fastrand::Rng::with_seed(seed);
        let objects = drawn_cluster(&mut rng);
        let pods: Vec<Value> = (0..rng.usize(1..10)).map(|number| drawn_pod(&mut rng, number)).collect();
        let answer = ask(&objects, &Question { manifests: pods.clone(), ..Question::default() });
        let found: BTreeMap<String, String> =
            answer.pods.iter().filter_map(|pod| Some((pod.pod.name.clone(), pod.node.clone()?))).collect();
        assert_eq!(found, scheduled(&objects, &pods), "seed {seed}: {answer:?}");
        (all, fitting) = (all + pods.len(), fitting + found.len());
    }
    // The cases have both kinds of pods.
    assert!(fitting > all / 4 && fitting < all * 9 / 10, "{fitting} of {all} pods fit");
}
