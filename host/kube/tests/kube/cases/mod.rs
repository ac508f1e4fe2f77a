//! Cases that must hold for [`Shell`] with any API server. Each case creates its own objects and deletes them.

mod intents;

use std::time::Duration;

use berth_core::action::PodEvent;
use berth_core::model::{Pod, PodKey};
use berth_core::{Action, Event};
use berth_kube::{ClusterEvent, Options, Shell, Undone};
use k8s_openapi::api::core::v1::{Node as ApiNode, Pod as ApiPod, ServiceAccount};
use k8s_openapi::api::events::v1::Event as ApiEvent;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const PATIENCE: Duration = Duration::from_secs(60);

/// A running shell and its events.
pub struct World {
    pub shell: Shell,
    pub events: UnboundedReceiver<ClusterEvent>,
    pub pods: Api<ApiPod>,
    pub nodes: Api<ApiNode>,
    client: Client,
}

impl World {
    /// Starts a shell and waits for its first lists.
    pub async fn start(client: &Client) -> Self {
        let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "default");
        let account = serde_json::from_value(json!({"metadata": {"name": "default"}})).expect("an account");
        // The API server refuses pods if this service account is missing. A server without controllers does not create
        // the account.
        let _ = accounts.create(&PostParams::default(), &account).await;
        let (sender, events) = unbounded_channel();
        let options = Options { host: "host-1".to_owned(), page_size: 7, ..Options::default() };
        let mut shell = Shell::start(client, &options, sender);
        shell.synced().await;
        let (pods, nodes) = (Api::default_namespaced(client.clone()), Api::all(client.clone()));
        Self { shell, events, pods, nodes, client: client.clone() }
    }

    /// Waits for an event for which `wanted` returns a value. Ignores all other events.
    pub async fn wait<T>(&mut self, what: &str, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
        let found = async {
            while let Some(ClusterEvent { event, .. }) = self.events.recv().await {
                if let Some(found) = wanted(&event) {
                    return found;
                }
            }
            panic!("the shell ended before: {what}")
        };
        tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("waited in vain for: {what}"))
    }

    pub async fn create_pod(&self, name: &str) -> PodKey {
        let created = self.pods.create(&PostParams::default(), &typed(&pod(name))).await.expect("created");
        let uid = created.metadata.uid.expect("a uid");
        PodKey { namespace: "default".into(), name: name.into(), uid: uid.into() }
    }

    pub async fn create_node(&self, name: &str) {
        self.nodes.create(&PostParams::default(), &typed(&node(name))).await.expect("created");
    }

    pub async fn delete_pod(&self, name: &str) {
        self.pods.delete(name, &DeleteParams::default().grace_period(0)).await.expect("deleted");
    }

    async fn pod_set(&mut self, name: &str, wanted: impl Fn(&Pod) -> bool) {
        self.wait(name, |event| match event {
            Event::PodSet(pod) if &*pod.key.name == name && wanted(pod) => Some(()),
            _ => None,
        })
        .await;
    }

    async fn pod_removed(&mut self, key: &PodKey) {
        self.wait("a removed pod", |event| matches!(event, Event::PodRemoved(gone) if gone == key).then_some(())).await;
    }

    /// Waits for the result of a binding: `Ok`, or the reason of the failure.
    async fn outcome(&mut self, key: &PodKey) -> Result<(), String> {
        self.wait("a binding's outcome", |event| match event {
            Event::Bound(pod) if pod == key => Some(Ok(())),
            Event::BindFailed(pod, reason) if pod == key => Some(Err(reason.clone())),
            _ => None,
        })
        .await
    }
}

pub fn typed<T: serde::de::DeserializeOwned>(json: &Value) -> T {
    serde_json::from_value(json.clone()).expect("an object")
}

pub fn pod(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"schedulerName": "case", "containers": [{"name": "c", "image": "registry.example/c:1"}]},
    })
}

pub fn node(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

/// Runs all cases.
pub async fn run_all(client: &Client) {
    pods_are_created_changed_and_deleted(client).await;
    a_pod_is_bound_once(client).await;
    a_pod_without_a_node_has_a_condition(client).await;
    events_are_written_and_counted(client).await;
    intents::run_all(client).await;
}

async fn pods_are_created_changed_and_deleted(client: &Client) {
    let mut world = World::start(client).await;
    let key = world.create_pod("comes-and-goes").await;
    world.pod_set("comes-and-goes", |pod| pod.key == key && pod.labels.is_empty()).await;
    let labels = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
    world.pods.patch("comes-and-goes", &PatchParams::default(), &labels).await.expect("patched");
    world.pod_set("comes-and-goes", |pod| pod.labels.get("a") == Some("b")).await;
    let ended = Patch::Merge(json!({"status": {"phase": "Succeeded"}}));
    world.pods.patch_status("comes-and-goes", &PatchParams::default(), &ended).await.expect("patched");
    world.pod_removed(&key).await;
    world.delete_pod("comes-and-goes").await;
    let again = world.create_pod("comes-and-goes").await;
    world.pod_set("comes-and-goes", |pod| pod.key == again).await;
    world.delete_pod("comes-and-goes").await;
    world.pod_removed(&again).await;
    assert_ne!(key, again);
}

async fn a_pod_is_bound_once(client: &Client) {
    let mut world = World::start(client).await;
    world.create_node("bind-1").await;
    world.create_node("bind-2").await;
    let key = world.create_pod("is-bound").await;
    let bind = |key: &PodKey, node: &str| Action::Bind { pod: key.clone(), node: node.into() };
    let other = PodKey { uid: "6e1f6f0e-0000-4000-8000-000000000000".into(), ..key.clone() };
    world.shell.perform(bind(&other, "bind-1"));
    let refused = world.outcome(&other).await.expect_err("another uid");
    assert!(refused.to_lowercase().contains("uid"), "{refused}");
    world.shell.perform(bind(&key, "bind-1"));
    assert_eq!(world.outcome(&key).await, Ok(()));
    world.shell.perform(bind(&key, "bind-2"));
    let refused = world.outcome(&key).await.expect_err("bound already");
    assert!(refused.contains("already assigned to node \"bind-1\""), "{refused}");
    let missing = PodKey { name: "is-not-there".into(), ..key.clone() };
    world.shell.perform(bind(&missing, "bind-1"));
    let refused = world.outcome(&missing).await.expect_err("no such pod");
    assert!(refused.contains("not found"), "{refused}");
    let found = world.pods.get("is-bound").await.expect("found");
    assert_eq!(found.spec.and_then(|spec| spec.node_name).as_deref(), Some("bind-1"));
    world.delete_pod("is-bound").await;
    for name in ["bind-1", "bind-2"] {
        world.nodes.delete(name, &DeleteParams::default()).await.expect("deleted");
    }
}

async fn a_pod_without_a_node_has_a_condition(client: &Client) {
    let mut world = World::start(client).await;
    let key = world.create_pod("has-no-node").await;
    world.pod_set("has-no-node", |_| true).await;
    let set =
        |message: &str| Action::SetUnscheduled { pod: key.clone(), reason: "Unschedulable", message: message.into() };
    let mut times = Vec::new();
    for message in ["0/1 nodes are available", "0/2 nodes are available"] {
        world.shell.perform(set(message));
        let condition = loop {
            let found = world.pods.get("has-no-node").await.expect("found");
            let conditions = found.status.and_then(|status| status.conditions).unwrap_or_default();
            let condition = conditions.into_iter().find(|condition| condition.type_ == "PodScheduled");
            if let Some(condition) = condition.filter(|condition| condition.message.as_deref() == Some(message)) {
                break condition;
            }
        };
        assert_eq!((&*condition.status, condition.reason.as_deref()), ("False", Some("Unschedulable")));
        assert_eq!(condition.observed_generation, Some(1));
        times.push(condition.last_transition_time);
    }
    assert_eq!(times[0], times[1]);
    world.delete_pod("has-no-node").await;
    world.shell.perform(set("too late"));
    assert_eq!(world.shell.shutdown(PATIENCE).await, Undone::default());
}

async fn events_are_written_and_counted(client: &Client) {
    let mut world = World::start(client).await;
    let key = world.create_pod("has-events").await;
    world.pod_set("has-events", |_| true).await;
    let event = PodEvent {
        pod: key.clone(),
        scheduler_name: "case".into(),
        kind: "Warning",
        reason: "FailedScheduling",
        action: "Scheduling",
        note: "0/1 nodes are available".into(),
    };
    let scheduled =
        PodEvent { kind: "Normal", reason: "Scheduled", action: "Binding", note: "assigned".into(), ..event.clone() };
    for event in [event.clone(), event.clone(), event, scheduled] {
        world.shell.perform(Action::Emit(event));
    }
    let dropped = world.shell.events_dropped();
    world.delete_pod("has-events").await;
    assert_eq!((world.shell.shutdown(PATIENCE).await, dropped), (Undone::default(), 0));
    let events: Api<ApiEvent> = Api::default_namespaced(world.client.clone());
    let found = events.list(&ListParams::default()).await.expect("listed").items;
    let of_pod = |event: &&ApiEvent| event.regarding.as_ref().is_some_and(|pod| pod.uid.as_deref() == Some(&key.uid));
    let mut found: Vec<&ApiEvent> = found.iter().filter(of_pod).collect();
    found.sort_by_key(|event| event.reason.clone());
    let [failed, scheduled] = found[..] else { panic!("two events, not {found:#?}") };
    assert_eq!(failed.series.as_ref().map(|series| series.count), Some(3));
    assert_eq!((failed.type_.as_deref(), scheduled.type_.as_deref()), (Some("Warning"), Some("Normal")));
    assert_eq!(scheduled.series, None);
    assert_eq!(scheduled.reporting_controller.as_deref(), Some("case"));
    assert_eq!(scheduled.reporting_instance.as_deref(), Some("case-host-1"));
    assert_eq!((scheduled.action.as_deref(), scheduled.note.as_deref()), (Some("Binding"), Some("assigned")));
    events.delete_collection(&DeleteParams::default(), &ListParams::default()).await.expect("deleted");
}
