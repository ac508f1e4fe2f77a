//! Turns manifests into the pods that a cluster would create for them.

use serde_json::{Map, Value, json};

use super::WhatIfError;
use super::classes::Classes;

/// The pods and other objects of manifests.
#[derive(Debug, Default)]
pub(super) struct Created {
    /// The pods, in the order of the manifests.
    pub pods: Vec<CreatedPod>,
    /// The pods and workloads of the manifests, in order.
    pub workloads: Vec<Workload>,
    /// Objects of other kinds.
    pub objects: Vec<Value>,
    /// What is not considered, one sentence each.
    pub notes: Vec<String>,
}

/// A pod that would be created.
#[derive(Debug)]
pub(super) struct CreatedPod {
    /// The pod, as the API server would send it.
    pub object: Value,
    /// The index in [`Created::workloads`].
    pub workload: usize,
}

/// A workload, or a single pod.
#[derive(Debug)]
pub(super) struct Workload {
    /// `Kind/name`
    pub name: String,
    pub namespace: String,
    /// Each pod has claims of its own, so a further pod is not a copy of another.
    pub has_claims: bool,
}

/// Creates the objects of manifests.
pub(super) struct Creator<'a> {
    /// The namespace of manifests without a namespace.
    pub namespace: &'a str,
    pub classes: &'a Classes,
    /// The largest number of pods.
    pub most_pods: usize,
    pub created: Created,
}

impl Creator<'_> {
    /// Creates the objects of a manifest, which can be a list.
    ///
    /// # Errors
    /// The manifest has no kind or name, or there are too many pods.
    pub fn add(&mut self, manifest: &Value) -> Result<(), WhatIfError> {
        let kind = manifest["kind"].as_str().unwrap_or_default();
        if let (true, Some(items)) = (kind.ends_with("List"), manifest["items"].as_array()) {
            return items.iter().try_for_each(|item| self.add(item));
        }
        let Some(name) = manifest["metadata"]["name"].as_str().filter(|name| !name.is_empty() && !kind.is_empty())
        else {
            let problem = "the object needs kind and metadata.name (generateName is not enough)";
            return Err(WhatIfError::Manifest(format!("{kind} without a name").trim().to_owned(), problem.to_owned()));
        };
        let spec = &manifest["spec"];
        let replicas =
            |field: &str| spec[field].as_u64().map_or(1, |number| usize::try_from(number).unwrap_or(usize::MAX));
        match kind {
            "Pod" => self.add_pods(manifest, name, manifest, 1),
            "Deployment" | "ReplicaSet" | "ReplicationController" | "StatefulSet" => {
                self.created.objects.push(self.controller(manifest));
                self.add_pods(manifest, name, &spec["template"], replicas("replicas"))
            }
            "Job" => {
                let most = spec["completions"].as_u64().map_or(usize::MAX, |_| replicas("completions"));
                self.add_pods(manifest, name, &spec["template"], replicas("parallelism").min(most))
            }
            "CronJob" => {
                let mut job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": manifest["metadata"]});
                job["spec"] = spec["jobTemplate"]["spec"].clone();
                self.add(&job)
            }
            "DaemonSet" => {
                let note = format!("DaemonSet {name} is not considered: each node gets a pod of it.");
                self.created.notes.push(note);
                Ok(())
            }
            _ => {
                let mut object = manifest.clone();
                self.set_namespace(&mut object);
                self.created.objects.push(object);
                Ok(())
            }
        }
    }

    /// Returns the object that owns the pods. A Deployment's pods belong to a ReplicaSet.
    fn controller(&self, manifest: &Value) -> Value {
        let mut object = manifest.clone();
        self.set_namespace(&mut object);
        if object["kind"] == "Deployment" {
            object["kind"] = "ReplicaSet".into();
        }
        object
    }

    fn set_namespace(&self, object: &mut Value) {
        // A cluster-scoped kind has no namespace, and its manifest has none either.
        const NAMESPACED: [&str; 9] = [
            "PersistentVolumeClaim",
            "Service",
            "ReplicaSet",
            "ReplicationController",
            "StatefulSet",
            "ResourceClaim",
            "ResourceClaimTemplate",
            "PodGroup",
            "PodDisruptionBudget",
        ];
        let kind = object["kind"].as_str().unwrap_or_default();
        if NAMESPACED.contains(&kind) && !object["metadata"]["namespace"].is_string() {
            object["metadata"]["namespace"] = self.namespace.into();
        }
        if object["kind"] == "PersistentVolumeClaim"
            && object["spec"]["storageClassName"].is_null()
            && let Some(class) = &self.classes.default_storage_class
        {
            object["spec"]["storageClassName"] = class.as_str().into();
        }
    }

    fn add_pods(&mut self, owner: &Value, name: &str, template: &Value, count: usize) -> Result<(), WhatIfError> {
        let kind = owner["kind"].as_str().unwrap_or_default();
        if !template["spec"].is_object() {
            let problem = "the object has no pod template with a spec".to_owned();
            return Err(WhatIfError::Manifest(format!("{kind} {name}"), problem));
        }
        if template["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty()) {
            let problem = "spec.nodeName is set, so no scheduler places the pod; remove the field".to_owned();
            return Err(WhatIfError::Manifest(format!("{kind} {name}"), problem));
        }
        if count > self.most_pods.saturating_sub(self.created.pods.len()) {
            return Err(WhatIfError::TooManyPods(self.most_pods));
        }
        let namespace = owner["metadata"]["namespace"].as_str().unwrap_or(self.namespace).to_owned();
        let claims: Vec<Value> = owner["spec"]["volumeClaimTemplates"].as_array().cloned().unwrap_or_default();
        let workload = self.created.workloads.len();
        let has_claims = !claims.is_empty();
        self.created.workloads.push(Workload {
            name: format!("{kind}/{name}"),
            namespace: namespace.clone(),
            has_claims,
        });
        let mut admitted = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": template["metadata"], "spec": template["spec"],
        });
        if !admitted["metadata"].is_object() {
            admitted["metadata"] = Value::Object(Map::new());
        }
        admitted["metadata"]["namespace"] = namespace.as_str().into();
        if kind != "Pod" {
            admitted["metadata"]["ownerReferences"] = json!([owner_reference(owner, name)]);
        }
        if let Some(note) = self.classes.admit(&mut admitted) {
            self.created.notes.push(format!("{kind} {name}: {note}"));
        }
        for number in 0..count {
            let mut object = admitted.clone();
            let pod = if kind == "Pod" { name.to_owned() } else { format!("{name}-{number}") };
            object["metadata"]["name"] = pod.as_str().into();
            object["metadata"]["uid"] = format!("whatif-{workload}-{number}").into();
            for claim in &claims {
                self.add_claim(&mut object, claim, &pod, &namespace);
            }
            self.created.pods.push(CreatedPod { object, workload });
        }
        Ok(())
    }

    /// Adds the claim that a StatefulSet creates for its pod, and the pod's volume.
    fn add_claim(&mut self, pod: &mut Value, template: &Value, pod_name: &str, namespace: &str) {
        let volume = template["metadata"]["name"].as_str().unwrap_or_default();
        let name = format!("{volume}-{pod_name}");
        let mut claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": template["spec"]});
        claim["metadata"] =
            json!({"namespace": namespace, "name": name, "uid": format!("whatif-claim-{namespace}-{name}")});
        claim["status"] = json!({"phase": "Pending"});
        self.set_namespace(&mut claim);
        self.created.objects.push(claim);
        let volume = json!({"name": volume, "persistentVolumeClaim": {"claimName": name}});
        match pod["spec"]["volumes"].as_array_mut() {
            Some(volumes) => {
                volumes.retain(|other| other["name"] != volume["name"]);
                volumes.push(volume);
            }
            None => pod["spec"]["volumes"] = json!([volume]),
        }
    }
}

/// Returns the reference to the controller of the pods.
fn owner_reference(owner: &Value, name: &str) -> Value {
    let (api_version, kind) = match owner["kind"].as_str().unwrap_or_default() {
        "Deployment" => ("apps/v1", "ReplicaSet"),
        kind => (owner["apiVersion"].as_str().unwrap_or_default(), kind),
    };
    json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": format!("whatif-{kind}-{name}"), "controller": true})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(manifests: &[Value], most_pods: usize) -> Result<Created, WhatIfError> {
        let classes = Classes::with_default_storage_class("fast");
        let mut creator = Creator { namespace: "team", classes: &classes, most_pods, created: Created::default() };
        manifests.iter().try_for_each(|manifest| creator.add(manifest))?;
        Ok(creator.created)
    }

    fn workload(kind: &str, changes: Value) -> Value {
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w"},
            "spec": {"template": {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [{"name": "c"}]}}},
        });
        json_patch::merge(&mut object, &changes);
        object
    }

    #[test]
    fn a_workload_is_as_many_pods_as_its_controller_creates() {
        for (kind, changes, pods) in [
            ("Pod", json!({"spec": {"template": null, "containers": [{"name": "c"}]}}), 1),
            ("Deployment", json!({"spec": {"replicas": 3}}), 3),
            ("Deployment", json!({}), 1),
            ("ReplicaSet", json!({"spec": {"replicas": 0}}), 0),
            ("Job", json!({"spec": {"parallelism": 4, "completions": 2}}), 2),
            ("Job", json!({"spec": {"parallelism": 4}}), 4),
            ("CronJob", json!({"spec": {"jobTemplate": {"spec": workload("Job", json!({}))["spec"]}}}), 1),
            ("DaemonSet", json!({}), 0),
        ] {
            let created = created(&[workload(kind, changes)], 10).expect("valid");
            assert_eq!(created.pods.len(), pods, "{kind}");
            assert_eq!(created.notes.len(), usize::from(kind == "DaemonSet"), "{kind}");
            for pod in created.pods {
                assert_eq!(pod.object["metadata"]["namespace"], "team");
                let labels = if kind == "Pod" { Value::Null } else { json!({"app": "w"}) };
                assert_eq!(pod.object["metadata"]["labels"], labels, "{kind}");
            }
        }
    }

    #[test]
    fn a_stateful_set_creates_a_claim_for_each_pod() {
        let templates = json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]);
        let set = workload("StatefulSet", json!({"spec": {"replicas": 2, "volumeClaimTemplates": templates}}));
        let created = created(&[set], 10).expect("valid");
        let names: Vec<&str> = created.pods.iter().filter_map(|pod| pod.object["metadata"]["name"].as_str()).collect();
        assert_eq!(names, ["w-0", "w-1"]);
        assert_eq!(created.pods[1].object["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], "data-w-1");
        assert_eq!(created.pods[1].object["metadata"]["ownerReferences"][0]["kind"], "StatefulSet");
        let claims: Vec<&Value> =
            created.objects.iter().filter(|object| object["kind"] == "PersistentVolumeClaim").collect();
        assert_eq!(claims.len(), 2);
        assert_eq!(claims[0]["spec"]["storageClassName"], "fast");
        assert!(created.workloads[0].has_claims);
    }

    #[test]
    fn invalid_manifests_and_too_many_pods_are_errors() {
        for (manifest, message) in [
            (json!({"kind": "Pod", "spec": {}}), "manifest Pod without a name"),
            (json!({"metadata": {"name": "x"}}), "without a name"),
            (json!({"kind": "Job", "metadata": {"name": "x"}}), "no pod template"),
            (json!({"kind": "Pod", "metadata": {"name": "x"}, "spec": {"nodeName": "n"}}), "spec.nodeName is set"),
            (workload("Deployment", json!({"spec": {"replicas": 11}})), "more than 10 pods"),
        ] {
            let error = created(&[manifest], 10).expect_err("invalid").to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
