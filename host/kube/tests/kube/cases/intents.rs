//! Cases about the intents of pre-bind plugins: order, waits, failures and cancellation.

use berth_core::intent::{Intent, ObjectReference, Patch as WantedPatch, PatchType, Wait};
use k8s_openapi::api::core::v1::ConfigMap;

use super::*;

/// Runs all cases.
pub async fn run_all(client: &Client) {
    intents_are_executed_in_order(client).await;
    a_wait_ends_when_another_client_changes_the_object(client).await;
    a_failed_intent_has_a_reason(client).await;
    an_object_can_be_created_patched_and_deleted(client).await;
    a_cancelled_step_has_no_result(client).await;
    a_plugin_binds_with_the_binding_subresource(client).await;
}

fn map(name: &str) -> ObjectReference {
    ObjectReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "default".into(),
        name: name.into(),
        uid: "".into(),
    }
}

fn patch(object: ObjectReference, patch: &Value) -> Intent {
    Intent::Patch(WantedPatch { object, patch: patch.to_string().into(), ..WantedPatch::default() })
}

fn until(object: ObjectReference, until: &str, timeout: Duration) -> Intent {
    Intent::WaitUntil(Wait { object, until: until.into(), timeout })
}

fn execute(step: u64, intents: Vec<Intent>) -> Action {
    Action::ExecuteIntents { pod: waiting(), step, intents }
}

/// Returns the pod that the intents belong to. It does not have to exist.
fn waiting() -> PodKey {
    PodKey { namespace: "default".into(), name: "waits-for-intents".into(), uid: "uid".into() }
}

impl World {
    fn maps(&self) -> Api<ConfigMap> {
        Api::default_namespaced(self.client.clone())
    }

    async fn create_map(&self, name: &str) -> ConfigMap {
        let map = typed(&json!({"metadata": {"name": name}, "data": {"by": "nobody"}}));
        self.maps().create(&PostParams::default(), &map).await.expect("created")
    }

    async fn write(&self, name: &str, data: Value) {
        let patch = Patch::Merge(json!({"data": data}));
        self.maps().patch(name, &PatchParams::default(), &patch).await.expect("patched");
    }

    async fn data(&self, name: &str) -> Value {
        json!(self.maps().get(name).await.expect("found").data)
    }

    async fn delete_map(&self, name: &str) {
        self.maps().delete(name, &DeleteParams::default()).await.expect("deleted");
    }

    /// Waits for the result of a step: `Ok`, or the reason of the failure.
    async fn result_of(&mut self, step: u64) -> Result<(), String> {
        self.wait("the result of the intents", |event| match event {
            Event::IntentsExecuted(pod, executed) if (pod, *executed) == (&waiting(), step) => Some(Ok(())),
            Event::IntentsFailed(pod, executed, why) if (pod, *executed) == (&waiting(), step) => {
                Some(Err(why.clone()))
            }
            _ => None,
        })
        .await
    }
}

async fn intents_are_executed_in_order(client: &Client) {
    let mut world = World::start(client).await;
    let object = world.create_map("in-order").await;
    let this = ObjectReference { uid: object.metadata.uid.expect("a uid").into(), ..map("in-order") };
    world.shell.perform(execute(
        1,
        vec![
            patch(this.clone(), &json!({"data": {"by": "first"}})),
            until(this.clone(), "object.data.by == 'first'", PATIENCE),
            patch(this, &json!({"data": {"by": "second", "then": "done"}})),
        ],
    ));
    assert_eq!(world.result_of(1).await, Ok(()));
    assert_eq!(world.data("in-order").await, json!({"by": "second", "then": "done"}));
    world.delete_map("in-order").await;
}

async fn a_wait_ends_when_another_client_changes_the_object(client: &Client) {
    let mut world = World::start(client).await;
    world.create_map("waited-for").await;
    let ready = "object.data.failed != '' ? object.data.failed : object.data.ready == 'yes'";
    let asked = patch(map("waited-for"), &json!({"data": {"asked": "yes", "failed": ""}}));
    world.shell.perform(execute(1, vec![asked, until(map("waited-for"), ready, PATIENCE)]));
    while world.data("waited-for").await["asked"] != "yes" {
        tokio::task::yield_now().await;
    }
    world.write("waited-for", json!({"ready": "not yet"})).await;
    world.write("waited-for", json!({"ready": "yes"})).await;
    assert_eq!(world.result_of(1).await, Ok(()));
    world.shell.perform(execute(2, vec![until(map("waited-for"), "object.data.ready == 'no'", PATIENCE)]));
    world.delete_map("waited-for").await;
    world.create_map("waited-for").await;
    world.write("waited-for", json!({"ready": "no"})).await;
    assert_eq!(world.result_of(2).await, Ok(()), "a reference without a uid matches a new object");
    world.write("waited-for", json!({"failed": "no disk left"})).await;
    world.shell.perform(execute(3, vec![until(map("waited-for"), ready, PATIENCE)]));
    assert_eq!(world.result_of(3).await, Err("waiting for ConfigMap default/waited-for: no disk left".into()));
    world.delete_map("waited-for").await;
}

async fn a_failed_intent_has_a_reason(client: &Client) {
    let mut world = World::start(client).await;
    world.create_map("stays").await;
    let other = ObjectReference { uid: "6e1f6f0e-0000-4000-8000-000000000000".into(), ..map("stays") };
    let kind = ObjectReference { kind: "Ghost".into(), ..map("stays") };
    let outside = map("../../namespaces/default");
    let touch = json!({"data": {"by": "whom"}});
    let millisecond = Duration::from_millis(1);
    for (step, (intent, reason)) in (0..).zip([
        (patch(map("is-not-there"), &touch), "not found"),
        (patch(other.clone(), &touch), "ConfigMap default/stays: "),
        (patch(kind, &touch), "the API server serves no v1 Ghost"),
        (patch(outside, &touch), "can't be part of an API path"),
        (patch(map("stays"), &json!([])), "the intent's body is not a JSON object"),
        (until(map("stays"), "object.data.", PATIENCE), "is no CEL expression"),
        (until(map("stays"), "false", millisecond), "the condition is not met after 0.001 s: false"),
        (until(other, "false", PATIENCE), "waiting for ConfigMap default/stays: the object is gone"),
        (Intent::Evict(map("stays"), "room".into()), "it is not a pod"),
    ]) {
        let never = patch(map("stays"), &json!({"data": {"by": "the next one"}}));
        world.shell.perform(execute(step, vec![intent, never]));
        let failed = world.result_of(step).await.expect_err(reason);
        assert!(failed.contains(reason), "{failed}");
    }
    assert_eq!(world.data("stays").await, json!({"by": "nobody"}));
    world.delete_map("stays").await;
}

async fn an_object_can_be_created_patched_and_deleted(client: &Client) {
    let mut world = World::start(client).await;
    let create = || Intent::Create(map("made"), json!({"data": {"by": "a plugin", "old": "x"}}).to_string().into());
    let strategic = WantedPatch {
        object: map("made"),
        patch: json!({"data": {"old": null}, "metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}})
            .to_string()
            .into(),
        patch_type: PatchType::StrategicMerge,
        ..WantedPatch::default()
    };
    world.shell.perform(execute(1, vec![create(), Intent::Patch(strategic)]));
    assert_eq!(world.result_of(1).await, Ok(()));
    assert_eq!(world.data("made").await, json!({"by": "a plugin"}));
    world.shell.perform(execute(2, vec![create()]));
    let failed = world.result_of(2).await.expect_err("the object exists");
    assert!(failed.contains("already exists"), "{failed}");
    let other = ObjectReference { uid: "6e1f6f0e-0000-4000-8000-000000000000".into(), ..map("made") };
    world.shell.perform(execute(3, vec![Intent::Delete(other)]));
    assert_eq!(world.result_of(3).await, Ok(()), "no object has this uid");
    assert_eq!(world.data("made").await, json!({"by": "a plugin"}));
    world.shell.perform(Action::Change(vec![
        patch(map("is-not-there"), &json!({"data": {"by": "whom"}})),
        Intent::Delete(map("made")),
    ]));
    while world.maps().get_opt("made").await.expect("asked").is_some() {
        tokio::task::yield_now().await;
    }
    world.shell.perform(execute(4, vec![Intent::Delete(map("made"))]));
    assert_eq!(world.result_of(4).await, Ok(()));
}

async fn a_cancelled_step_has_no_result(client: &Client) {
    let mut world = World::start(client).await;
    world.create_map("stopped").await;
    for step in [1, 2] {
        world.shell.perform(execute(step, vec![until(map("stopped"), "object.data.by == 'somebody'", PATIENCE)]));
    }
    let undone = vec![patch(map("stopped"), &json!({"data": {"undone": "yes"}}))];
    world.shell.perform(Action::CancelIntents { pod: waiting(), step: 1, undo: undone });
    while world.data("stopped").await["undone"] != "yes" {
        tokio::task::yield_now().await;
    }
    world.write("stopped", json!({"by": "somebody"})).await;
    assert_eq!(world.result_of(2).await, Ok(()));
    world.shell.perform(execute(3, vec![until(map("stopped"), "false", PATIENCE)]));
    world.shell.end_waits();
    let first_of = |event: &Event| match event {
        Event::IntentsExecuted(_, step) | Event::IntentsFailed(_, step, _) => Some(*step),
        _ => None,
    };
    assert_eq!(world.wait("the last step's end", first_of).await, 3, "the first was stopped");
    world.delete_map("stopped").await;
}

async fn a_plugin_binds_with_the_binding_subresource(client: &Client) {
    let mut world = World::start(client).await;
    world.create_node("bound-by-plugin").await;
    let PodKey { namespace, name, uid } = world.create_pod("plugin-bound").await;
    let object = ObjectReference { api_version: "v1".into(), kind: "Pod".into(), namespace, name, uid };
    let target = json!({"target": {"kind": "Node", "name": "bound-by-plugin"}});
    let binding = WantedPatch {
        object,
        subresource: "binding".into(),
        patch: target.to_string().into(),
        ..WantedPatch::default()
    };
    world.shell.perform(execute(1, vec![Intent::Patch(binding)]));
    assert_eq!(world.result_of(1).await, Ok(()));
    let found = world.pods.get("plugin-bound").await.expect("found");
    assert_eq!(found.spec.and_then(|spec| spec.node_name).as_deref(), Some("bound-by-plugin"));
    world.delete_pod("plugin-bound").await;
    world.nodes.delete("bound-by-plugin", &DeleteParams::default()).await.expect("deleted");
}
