//! Answers about changed copies of a cluster.

mod compacting;
mod drawn;
mod nodes;
mod pods;

use std::collections::BTreeMap;

use berth_analysis::ClusterCopy;
use berth_analysis::whatif::{
    Answer, PodAnswer, PodRole, PodState, Policy, Question, WhatIfError, WhatIfInputs, WhatIfLimits, rules_wanted,
    whatif,
};
use berth_core::profile_spec::ProfileSpec;
use serde_json::{Value, json};

use crate::stock::{NOW, components, copy, pod_object, specs};

/// Asks with the default profile, or with `changed` in its place.
fn try_ask(
    objects: &[Value],
    question: &Question,
    changed: Option<&[ProfileSpec]>,
    limits: WhatIfLimits,
    most_attempts: usize,
) -> Result<Answer, WhatIfError> {
    let (copy, specs) = (copy(objects), specs());
    let (rules, _) = ClusterCopy::read(objects, &rules_wanted()).expect("valid objects");
    let policy = |specs| Policy { components: components(), specs };
    let object_of = |uid: &str| objects.iter().find(|object| object["metadata"]["uid"] == uid).cloned();
    let inputs = WhatIfInputs {
        copy: &copy,
        rules: &rules,
        policy: policy(changed.unwrap_or(&specs)),
        policy_before: changed.map(|_| policy(&specs)),
        now: NOW,
        limits,
        object_of: &object_of,
    };
    whatif(question, &inputs, &mut |attempts| attempts < most_attempts)
}

fn ask(objects: &[Value], question: &Question) -> Answer {
    try_ask(objects, question, None, WhatIfLimits::default(), usize::MAX).expect("an answer")
}

/// Returns a pod on a node, which a controller owns.
fn owned(name: &str, node: &str, kind: &str, changes: Value) -> Value {
    let mut pod = pod_object(name, changes);
    let owner = json!({"apiVersion": "apps/v1", "kind": kind, "name": "w", "uid": "w", "controller": true});
    pod["metadata"]["ownerReferences"] = json!([owner]);
    if !node.is_empty() {
        pod["spec"]["nodeName"] = node.into();
    }
    pod
}

/// Returns a Deployment whose pods request 1 CPU, with these changes of the pod's spec.
fn deployment(name: &str, replicas: usize, changes: Value) -> Value {
    let mut spec = json!({"containers": [{"name": "c", "image": "app:1", "resources": {"requests": {"cpu": "1"}}}]});
    json_patch::merge(&mut spec, &changes);
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    })
}

/// Returns the pods of the answer by name, each with its state and node.
fn states(answer: &Answer) -> BTreeMap<&str, (PodState, Option<&str>)> {
    answer.pods.iter().map(|pod| (pod.pod.name.as_str(), (pod.state, pod.node.as_deref()))).collect()
}

fn of_role(answer: &Answer, role: PodRole) -> Vec<&PodAnswer> {
    answer.pods.iter().filter(|pod| pod.role == role).collect()
}
