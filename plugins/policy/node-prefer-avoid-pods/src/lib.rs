//! NodePreferAvoidPods: gives score 0 instead of 100 to nodes whose annotation asks to avoid the pods of the pod's
//! controller.
//!
//! Reads the pod's owners and the node's annotation `scheduler.alpha.kubernetes.io/preferAvoidPods`, as
//! kube-scheduler v1.22 does, the last version with this plugin. Only ReplicationControllers and ReplicaSets count.
//! An invalid annotation has no effect.

use berth_guest::prelude::*;
use serde::Deserialize;

const ANNOTATION: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";
const CONTROLLERS: [&str; 2] = ["ReplicationController", "ReplicaSet"];

/// Kind and uid of the pod's controller, if it is a ReplicationController or ReplicaSet.
pub struct Controller(Option<(String, String)>);

/// `v1.AvoidPods`, reduced to the fields that the plugin reads.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AvoidPods {
    prefer_avoid_pods: Vec<AvoidPodsEntry>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AvoidPodsEntry {
    pod_signature: PodSignature,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodSignature {
    pod_controller: Owner,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Owner {
    kind: String,
    uid: String,
}

fn prepare(owners: &pod::Owners) -> Controller {
    let controller = owners.iter().find(|owner| owner.controller);
    let controller = controller.filter(|owner| CONTROLLERS.contains(&owner.kind.as_str()));
    Controller(controller.map(|owner| (owner.kind.clone(), owner.uid.clone())))
}

fn score(pod: &Controller, annotations: &node::Annotations) -> i64 {
    let (Some((kind, uid)), Some(annotation)) = (&pod.0, annotations.get(ANNOTATION)) else { return 100 };
    let avoids: AvoidPods = serde_json::from_str(annotation).unwrap_or_default();
    let named = |entry: &AvoidPodsEntry| {
        let controller = &entry.pod_signature.pod_controller;
        controller.kind == *kind && controller.uid == *uid
    };
    if avoids.prefer_avoid_pods.iter().any(named) { 0 } else { 100 }
}

berth_guest::plugin!(name: "NodePreferAvoidPods", prepare: prepare => Controller, score: score);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, NodeBuilder, node, pod};

    use super::*;

    fn avoiding(name: &str, kind: &str, uid: &str) -> NodeBuilder {
        let controller = format!(r#"{{"apiVersion": "v1", "kind": "{kind}", "name": "any", "uid": "{uid}"}}"#);
        let other = r#"{"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "other"}}}"#;
        let entry =
            format!(r#"{{"podSignature": {{"podController": {controller}}}, "reason": "some", "message": "-"}}"#);
        node(name).annotation(ANNOTATION, &format!(r#"{{"preferAvoidPods": [{other}, {entry}]}}"#))
    }

    #[test]
    fn nodes_avoid_pods_of_the_annotated_controllers() {
        let mut host = Host::<Plugin>::new();
        host.node(node("a-any"));
        host.node(avoiding("b-set", "ReplicaSet", "web-uid"));
        host.node(avoiding("c-controller", "ReplicationController", "web-uid"));
        host.node(avoiding("d-stateful", "StatefulSet", "web-uid"));
        host.node(node("e-nonsense").annotation(ANNOTATION, "{"));
        for (pod, scores) in [
            (pod(), [100, 100, 100, 100, 100]),
            (pod().controlled_by("apps/v1", "ReplicaSet", "web"), [100, 0, 100, 100, 100]),
            (pod().controlled_by("v1", "ReplicationController", "web"), [100, 100, 0, 100, 100]),
            (pod().controlled_by("apps/v1", "StatefulSet", "web"), [100, 100, 100, 100, 100]),
            (pod().controlled_by("apps/v1", "ReplicaSet", "api"), [100, 100, 100, 100, 100]),
        ] {
            assert_eq!(host.scores(&pod).into_values().collect::<Vec<_>>(), scores, "{:?}", pod.0.owners);
        }
    }
}
