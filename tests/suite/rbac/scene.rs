//! A small cluster for one scheduler, with the actions in it and the checks on it.

use std::sync::OnceLock;

use anyhow::{Context, Result, bail, ensure};
use berth_test_kit::control_plane::ADMIN_TOKEN;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{NAMESPACE, node, pod, priority_class, service, with};
use berth_tests::{Process, Target, api};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use kube::{Api, Client};
use serde_json::{Value, json};

use super::devices::Devices;
use super::install::Manifest;
use super::volumes::Volumes;

/// The API version and the kind of each object whose selector the default topology spreading uses.
const OWNER_KINDS: [(&str, &str); 4] =
    [("v1", "Service"), ("v1", "ReplicationController"), ("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet")];

/// The maximum number of pods that the test creates for one owner. The test fails if node b has none of these pods.
const PODS_PER_OWNER: usize = 6;

/// The objects of one scheduler's cluster. [`Scene::create_environment`] and [`Scene::create_pods`] create most objects
/// of the cluster.
pub struct Scene {
    client: Client,
    /// The manifest's namespace. The name or the namespace of each object contains it, so that scenes do not conflict.
    name: String,
    scheduler_name: String,
    /// The scheduler's Lease, with its name and its namespace only.
    pub lease: Value,
    /// A pod that selects the node that [`Scene::create_pods`] creates.
    pub small: Value,
    /// A pod that requests more CPU than any node has.
    pub large: Value,
    /// The scheduler's own pod.
    pub own: Value,
    /// Pods with volume claims.
    pub volumes: Volumes,
    /// A pod with a device claim, and a pod that requests an extended resource.
    pub devices: Devices,
    /// The answer about a new pod that has a PriorityClass.
    answer: OnceLock<Value>,
}

impl Scene {
    /// Returns the scene for a scheduler of this manifest, and creates one object: the scheduler's own pod `own`.
    pub async fn new(target: &Target, manifest: &Manifest, own: &str) -> Result<Self> {
        let (name, scheduler_name) = (manifest.namespace.clone(), manifest.scheduler_name()?);
        let named_scheduler = json!({"spec": {"schedulerName": scheduler_name}});
        let on_late_node = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": name}}});
        let scene = Self {
            client: target.client.clone(),
            lease: manifest.lease()?,
            small: with(with(pod(&format!("small-{name}"), "100m"), &named_scheduler), &on_late_node),
            large: with(pod(&format!("large-{name}"), "1000"), &named_scheduler),
            own: manifest.pod(own)?,
            volumes: Volumes::new(&target.client, &name, &scheduler_name),
            devices: Devices::new(&target.client, &name, &scheduler_name),
            answer: OnceLock::new(),
            name,
            scheduler_name,
        };
        scene.create(&scene.own).await?;
        Ok(scene)
    }

    /// Creates the objects that affect placement, while the scheduler runs and before the pods to schedule. Returns
    /// the objects that the scheduler must know before [`Scene::create_pods`] is called.
    pub async fn create_environment(&self) -> Result<Vec<Value>> {
        for (class, priority) in [("priority-0", 0), ("priority-5", 5), ("important", 1000)] {
            self.create(&priority_class(&format!("{class}-{}", self.name), priority)).await?;
        }
        // The pod `busy` takes two of the eight CPUs of node b, so pods prefer node a, unless a constraint requires b.
        let busy = json!({"spec": {"nodeName": self.node_name('b')}});
        let mut all =
            vec![self.pair_node('a'), self.pair_node('b'), with(pod(&format!("busy-{}", self.name), "2"), &busy)];
        all.extend(OWNER_KINDS.map(|(version, kind)| self.owner(version, kind)));
        all.extend(self.namespace_with_pod());
        all.extend(self.volumes.objects());
        all.extend(self.devices.objects());
        all.extend(self.preemption_objects());
        for object in &all {
            self.create(object).await?;
        }
        self.volumes.mark_available().await?;
        all.push(self.devices.create_stale_claim().await?);
        Ok(all)
    }

    /// Creates the pods to schedule, and the node that the pod `small` selects.
    pub async fn create_pods(&self) -> Result<()> {
        self.create(&node(&self.name, 4)).await?;
        self.create(&self.small).await?;
        self.create(&self.large).await?;
        for (version, kind) in OWNER_KINDS {
            self.create_until_spread(version, kind).await?;
        }
        self.create(&self.affine_pod()).await?;
        self.volumes.create_pods().await?;
        self.devices.create_pods().await?;
        self.create(&self.preempting_pod()).await
    }

    /// Asks the scheduler whether another preempting pod would fit.
    pub async fn ask_about_new_pod(&self, scheduler: &Process) -> Result<()> {
        let new = with(self.preempting_pod(), &json!({"metadata": {"name": format!("new-{}", self.name)}}));
        let question = json!({ "manifests": [new] });
        let (status, body) = scheduler.post_as("/berth/v1/whatif", Some(ADMIN_TOKEN), &question).await?;
        ensure!(status == 200, "{status} {body}");
        self.answer.get_or_init(|| serde_json::from_str(&body).unwrap_or_default());
        Ok(())
    }

    /// Creates pods of an owner until one of these pods is on node b, which pods prefer less than node a.
    async fn create_until_spread(&self, version: &str, kind: &str) -> Result<()> {
        let owner = self.read(&self.owner(version, kind)).await?;
        for number in 0..PODS_PER_OWNER {
            let pod = self.pod_of(&owner, number);
            self.create(&pod).await?;
            eventually(&format!("a pod of the {kind} has a node"), || async {
                Ok(Look::at(self.has_node(&pod).await?, || "the pod has none".into()))
            })
            .await?;
            if self.has_spread(kind).await? {
                return Ok(());
            }
        }
        bail!("{PODS_PER_OWNER} pods of a {kind} are on one node")
    }

    /// Returns a namespace with the label `team`, and a pod in this namespace with the same label, on node b.
    fn namespace_with_pod(&self) -> [Value; 2] {
        let (late, team) = (format!("{}-late", self.name), json!({"team": self.name}));
        let there = json!({"metadata": {"namespace": late, "labels": team}, "spec": {"nodeName": self.node_name('b')}});
        [
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": late, "labels": team}}),
            with(pod("anchor", "10m"), &there),
        ]
    }

    /// Returns a pod with a required affinity to pods with the label `team` in namespaces with the same label.
    fn affine_pod(&self) -> Value {
        let team = json!({"team": self.name});
        let term = json!({
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchLabels": team}, "namespaceSelector": {"matchLabels": team},
        });
        let affinity = json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
        with(self.pod_for_the_pair("affine"), &json!({"spec": {"affinity": affinity}}))
    }

    /// Returns the nodes c and d, each with a pod that takes three of four CPUs, and a PodDisruptionBudget. The budget
    /// protects the pod on node c, although this pod has the lower priority.
    fn preemption_objects(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for (which, priority, labels) in [('c', 0, json!({"protected": self.name})), ('d', 5, json!({}))] {
            let name = self.node_name(which);
            let class = format!("priority-{priority}-{}", self.name);
            let there = json!({
                "metadata": {"labels": labels},
                "spec": {"nodeName": name, "priorityClassName": class, "terminationGracePeriodSeconds": 0},
            });
            all.push(with(node(&name, 4), &json!({"metadata": {"labels": {"contended": self.name}}})));
            all.push(with(pod(&format!("on-{name}"), "3"), &there));
        }
        all.push(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": self.name, "namespace": NAMESPACE},
            "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"protected": self.name}}},
        }));
        all
    }

    /// Returns a pod that fits only if the pod on node c or the pod on node d is evicted.
    fn preempting_pod(&self) -> Value {
        let spec = json!({
            "schedulerName": self.scheduler_name, "nodeSelector": {"contended": self.name},
            "priorityClassName": format!("important-{}", self.name),
        });
        with(pod(&format!("important-{}", self.name), "3"), &json!({ "spec": spec }))
    }

    fn node_name(&self, which: char) -> String {
        format!("{}-{which}", self.name)
    }

    fn pair_node(&self, which: char) -> Value {
        with(node(&self.node_name(which), 8), &json!({"metadata": {"labels": {"pair": self.name}}}))
    }

    fn pod_for_the_pair(&self, name: &str) -> Value {
        let spec = json!({"schedulerName": self.scheduler_name, "nodeSelector": {"pair": self.name}});
        with(pod(&format!("{name}-{}", self.name), "10m"), &json!({ "spec": spec }))
    }

    fn app(&self, kind: &str) -> String {
        format!("{}-{}", kind.to_lowercase(), self.name)
    }

    fn owner(&self, version: &str, kind: &str) -> Value {
        if kind == "Service" {
            return service(&self.app(kind));
        }
        let labels = json!({"app": self.app(kind)});
        let template = json!({"metadata": {"labels": labels}, "spec": pod("of-it", "10m")["spec"]});
        let spec = match kind {
            "ReplicationController" => json!({"replicas": 0, "selector": labels, "template": template}),
            "ReplicaSet" => json!({"replicas": 0, "selector": {"matchLabels": labels}, "template": template}),
            _ => {
                let selector = json!({ "matchLabels": labels });
                json!({"replicas": 0, "serviceName": "none", "selector": selector, "template": template})
            }
        };
        let metadata = json!({"name": self.app(kind), "namespace": NAMESPACE});
        json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec})
    }

    fn pod_of(&self, owner: &Value, number: usize) -> Value {
        let (kind, metadata) = (owner["kind"].as_str().unwrap_or_default(), &owner["metadata"]);
        let mut change = json!({"metadata": {"labels": {"app": self.app(kind)}}});
        if kind != "Service" {
            change["metadata"]["ownerReferences"] = json!([{
                "apiVersion": owner["apiVersion"], "kind": kind, "name": metadata["name"], "uid": metadata["uid"],
                "controller": true,
            }]);
        }
        with(self.pod_for_the_pair(&format!("{}-{number}", kind.to_lowercase())), &change)
    }

    async fn create(&self, object: &Value) -> Result<()> {
        api::create(&self.client, object).await
    }

    /// Reads the object. Returns null if it does not exist.
    async fn read(&self, object: &Value) -> Result<Value> {
        Ok(api::get(&self.client, object).await?.unwrap_or_default())
    }

    /// Returns whether a scheduler has ever held the Lease.
    pub async fn has_led(&self) -> Result<bool> {
        Ok(self.read(&self.lease).await?["spec"]["acquireTime"].is_string())
    }

    /// Returns whether the Lease exists and has no holder.
    pub async fn is_lease_released(&self) -> Result<bool> {
        let lease = self.read(&self.lease).await?;
        Ok(lease.is_object() && lease["spec"]["holderIdentity"].as_str().unwrap_or_default().is_empty())
    }

    /// Returns whether the pod has a node.
    pub async fn has_node(&self, pod: &Value) -> Result<bool> {
        Ok(self.read(pod).await?["spec"]["nodeName"].is_string())
    }

    /// Returns whether the pod's condition `PodScheduled` has the reason `Unschedulable`.
    pub async fn is_unschedulable(&self, pod: &Value) -> Result<bool> {
        let pod = self.read(pod).await?;
        let mut conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
        let scheduled = conditions.find(|condition| condition["type"] == "PodScheduled");
        Ok(scheduled.is_some_and(|condition| condition["reason"] == "Unschedulable"))
    }

    /// Returns whether one of the owner's pods is on node b. Pods that are not spread go to node a.
    pub async fn has_spread(&self, kind: &str) -> Result<bool> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), NAMESPACE);
        let pods = pods.list(&ListParams::default().labels(&format!("app={}", self.app(kind)))).await?;
        let node = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
        Ok(pods.iter().any(|pod| node(pod) == Some(self.node_name('b'))))
    }

    /// Returns whether the pod with an affinity is on node b, which has the pod that the affinity requires.
    pub async fn is_affine_pod_placed(&self) -> Result<bool> {
        let affine_pod = self.read(&self.affine_pod()).await?;
        Ok(affine_pod["spec"]["nodeName"] == json!(self.node_name('b')))
    }

    /// Returns whether the preempting pod is on node d, whose pod the PodDisruptionBudget does not protect.
    pub async fn has_preempted(&self) -> Result<bool> {
        let pod = self.read(&self.preempting_pod()).await?;
        Ok(pod["spec"]["nodeName"] == json!(self.node_name('d')))
    }

    /// Returns whether the answer about the new pod lacks nothing of the cluster.
    pub async fn knows_priority(&self) -> Result<bool> {
        Ok(self.answer.get().is_some_and(|answer| answer["notes"] == json!([])))
    }

    /// Returns whether there is an event with this reason about the object.
    pub async fn has_event(&self, object: &Value, reason: &str) -> Result<bool> {
        Ok(!self.events(object, reason).await?.is_empty())
    }

    /// Returns true if an event with this reason about the object counts repetitions.
    pub async fn has_counted_event(&self, object: &Value, reason: &str) -> Result<bool> {
        Ok(self.events(object, reason).await?.iter().any(|event| event.series.is_some()))
    }

    /// Returns how many refusals of plugins the events about the scheduler's own pod report.
    pub async fn refusals(&self) -> Result<usize> {
        let events = self.events(&self.own, "PluginRefused").await?;
        let count = |event: &Event| event.series.as_ref().map_or(1, |series| series.count);
        Ok(events.iter().map(count).sum::<i32>().try_into()?)
    }

    async fn events(&self, object: &Value, reason: &str) -> Result<Vec<Event>> {
        let [name, namespace] = ["name", "namespace"].map(|field| object["metadata"][field].as_str());
        let events: Api<Event> =
            Api::namespaced(self.client.clone(), namespace.context("the object has no namespace")?);
        let mut events = events.list(&ListParams::default()).await?.items;
        events.retain(|event| {
            let about = event.regarding.as_ref().and_then(|object| object.name.as_deref());
            about == name && event.reason.as_deref() == Some(reason)
        });
        Ok(events)
    }
}
