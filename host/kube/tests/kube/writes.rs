//! Tests writes of the shell (bindings, conditions, events): the requests, and the handling of the answers.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use crate::support::server::{ReceivedRequest, Reply, Script, Server, event, events, pod};
use berth_core::Action;
use berth_core::action::PodEvent;
use berth_core::intent::{Intent, ObjectReference};
use berth_core::model::PodKey;
use berth_kube::{ClusterEvent, Options, Shell, Undone};
use berth_supervisor::Supervisor;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Starts a shell that knows pod `a`. The server answers writes with these answers in order, and then with success.
async fn started(answers: impl IntoIterator<Item = Reply>) -> (Server, Shell, UnboundedReceiver<ClusterEvent>) {
    let script = Script::default().pods([Reply::list(10, &[pod("a", 7, 0)], "")], []);
    with_script(script, answers).await
}

async fn with_script(
    script: Script,
    answers: impl IntoIterator<Item = Reply>,
) -> (Server, Shell, UnboundedReceiver<ClusterEvent>) {
    supervised(script, answers, Supervisor::default()).await
}

async fn supervised(
    script: Script,
    answers: impl IntoIterator<Item = Reply>,
    supervisor: Supervisor,
) -> (Server, Shell, UnboundedReceiver<ClusterEvent>) {
    let state = Mutex::new((script, answers.into_iter().collect::<VecDeque<Reply>>()));
    let server = Server::start(move |request| {
        let (script, answers) = &mut *state.lock().expect("no panic");
        if informs(request) {
            return script.next(request);
        }
        answers.pop_front().unwrap_or_else(|| Reply::status(201, "", "done"))
    })
    .await;
    let (sender, mut receiver) = unbounded_channel();
    let options = Options { host: "host-1".to_owned(), supervisor, ..Options::default() };
    let mut shell = Shell::start(&server.client, &options, sender);
    shell.synced().await;
    assert_eq!(events(&mut receiver, 1).await, ["+a@0"]);
    (server, shell, receiver)
}

fn informs(request: &ReceivedRequest) -> bool {
    matches!(request.path.as_str(), "/api/v1/pods" | "/api/v1/nodes")
}

fn writes(request: &ReceivedRequest) -> bool {
    !informs(request)
}

fn key(name: &str) -> PodKey {
    PodKey { namespace: "default".into(), name: name.into(), uid: format!("uid-{name}").into() }
}

fn bind(node: &str) -> Action {
    Action::Bind { pod: key("a"), node: node.into() }
}

fn pod_on(node: &str, uid: &str) -> Reply {
    Reply::json(200, &json!({"metadata": {"name": "a", "uid": uid}, "spec": {"nodeName": node}}))
}

#[tokio::test]
async fn a_binding_names_pod_uid_and_node() {
    let (server, shell, mut receiver) = started([]).await;
    shell.perform(bind("n-1"));
    assert_eq!(events(&mut receiver, 1).await, ["bound a"]);
    let [request] = &server.requests(writes)[..] else { panic!("one request") };
    assert_eq!((&*request.method, &*request.path), ("POST", "/api/v1/namespaces/default/pods/a/binding"));
    assert_eq!(request.content_type, "application/json");
    let expected = json!({
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"name": "a", "namespace": "default", "uid": "uid-a"},
        "target": {"kind": "Node", "name": "n-1"},
    });
    assert_eq!(request.json(), expected);
}

#[tokio::test]
async fn results_of_bindings_are_reported() {
    let conflict = || Reply::status(409, "Conflict", "pod a is already assigned to node \"n-2\"");
    let lost = || Reply::json(201, &json!({})).without_the_last(1).cut();
    let broken = || Reply::status(500, "InternalError", "etcd is away");
    for (case, answers, outcome) in [
        ("refused", vec![conflict()], "not bound a: pod a is already assigned to node \"n-2\""),
        ("gone", vec![Reply::status(404, "NotFound", "pods \"a\" not found")], "not bound a: pods \"a\" not found"),
        ("busy, then well", vec![Reply::status(429, "TooManyRequests", "later").header("retry-after", "0")], "bound a"),
        ("an error, then well", vec![broken()], "bound a"),
        (
            "an answer that is no Status",
            vec![Reply::json(400, &json!([]))],
            "not bound a: the API server answered 400 Bad Request",
        ),
        (
            "the answer was lost, and the second attempt finds it done",
            vec![lost(), conflict(), pod_on("n-1", "uid-a")],
            "bound a",
        ),
        (
            "the answer was lost, and another was faster",
            vec![lost(), conflict(), pod_on("n-2", "uid-a")],
            "not bound a: pod default/a is already assigned to node \"n-2\"",
        ),
        (
            "three errors, and not done",
            vec![broken(), broken(), broken(), pod_on("", "uid-a")],
            "not bound a: etcd is away",
        ),
        ("three errors, and done", vec![broken(), broken(), broken(), pod_on("n-1", "uid-a")], "bound a"),
        (
            "another pod has its name",
            vec![broken(), broken(), broken(), pod_on("n-1", "uid-b")],
            "not bound a: the pod is gone, and another pod has its name",
        ),
        (
            "the pod was deleted",
            vec![lost(), conflict(), Reply::status(404, "NotFound", "pods \"a\" not found")],
            "not bound a: the pod is gone",
        ),
    ] {
        let (_server, shell, mut receiver) = started(answers).await;
        shell.perform(bind("n-1"));
        assert_eq!(events(&mut receiver, 1).await, [outcome], "{case}");
    }
}

fn unscheduled(reason: &'static str, message: &str) -> Action {
    Action::SetUnscheduled { pod: key("a"), reason, message: message.into() }
}

/// Returns the condition in a patch without `lastTransitionTime`, and that time.
fn condition(request: &ReceivedRequest) -> (Value, String) {
    assert_eq!((&*request.method, &*request.path), ("PATCH", "/api/v1/namespaces/default/pods/a/status"));
    assert_eq!(request.content_type, "application/strategic-merge-patch+json");
    let mut patch = request.json();
    assert_eq!(patch["metadata"], json!({"uid": "uid-a"}));
    let mut condition = patch["status"]["conditions"][0].take();
    let time = condition.as_object_mut().and_then(|fields| fields.remove("lastTransitionTime"));
    (condition, time.and_then(|time| time.as_str().map(str::to_owned)).expect("a time"))
}

#[tokio::test]
async fn a_condition_is_written_once_and_keeps_its_time() {
    let (server, shell, _receiver) = started([]).await;
    shell.perform(unscheduled("Unschedulable", "0/1 nodes"));
    server.wait_for_requests(1, writes).await;
    shell.perform(unscheduled("Unschedulable", "0/1 nodes"));
    shell.perform(unscheduled("SchedulerError", "trap"));
    assert_eq!(shell.shutdown(Duration::from_secs(30)).await, Undone::default());
    let [first, second] = &server.requests(writes)[..] else { panic!("two patches: {:#?}", server.requests(writes)) };
    let expected = |reason: &str, message: &str| json!({"type": "PodScheduled", "status": "False", "observedGeneration": 1, "reason": reason, "message": message});
    let ((first, first_time), (second, second_time)) = (condition(first), condition(second));
    assert_eq!((first, second), (expected("Unschedulable", "0/1 nodes"), expected("SchedulerError", "trap")));
    assert_eq!(first_time, second_time, "the status did not change");
    assert_eq!(first_time.len(), "2026-01-02T03:04:05Z".len(), "{first_time}");
}

#[tokio::test]
async fn changes_of_a_pod_in_one_step_are_one_patch() {
    let nominate = |node: &str| Action::Nominate { pod: key("a"), node: node.into() };
    for (node, nominated) in [("n-1", json!("n-1")), ("", Value::Null)] {
        let (server, shell, _receiver) = started([]).await;
        shell.perform_all(vec![nominate(node), unscheduled("Unschedulable", "0/1 nodes")]);
        assert_eq!(shell.shutdown(Duration::from_secs(30)).await, Undone::default());
        let [request] = &server.requests(writes)[..] else { panic!("one patch: {:#?}", server.requests(writes)) };
        assert_eq!(request.json()["status"].get("nominatedNodeName"), Some(&nominated));
        assert_eq!(condition(request).0["message"], json!("0/1 nodes"));
    }
    let (server, shell, _receiver) = started([]).await;
    shell.perform_all(vec![nominate("n-1")]);
    assert_eq!(shell.shutdown(Duration::from_secs(30)).await, Undone::default());
    let [request] = &server.requests(writes)[..] else { panic!("one patch") };
    assert_eq!(request.json()["status"], json!({"nominatedNodeName": "n-1"}));
}

#[tokio::test]
async fn an_unchanged_status_is_not_written() {
    let mut with_condition = pod("a", 7, 0);
    with_condition["status"]["conditions"] = json!([
        {"type": "Other", "status": "True"},
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes",
         "lastTransitionTime": "2026-01-02T03:04:05Z", "lastProbeTime": null},
    ]);
    let script = Script::default().pods([Reply::list(10, &[with_condition], "")], []);
    let (server, shell, _receiver) = with_script(script, []).await;
    shell.perform(unscheduled("Unschedulable", "0/1 nodes"));
    shell.perform(Action::SetUnscheduled { pod: key("unknown"), reason: "Unschedulable", message: "x".into() });
    shell.perform(unscheduled("Unschedulable", "0/2 nodes"));
    shell.shutdown(Duration::from_secs(30)).await;
    let [request] = &server.requests(writes)[..] else { panic!("one patch") };
    let (condition, time) = condition(request);
    assert_eq!((&condition["message"], &*time), (&json!("0/2 nodes"), "2026-01-02T03:04:05Z"));
}

#[tokio::test]
async fn a_missing_pod_gets_no_condition_and_a_refused_patch_is_repeated() {
    for (answers, times) in [
        (vec![Reply::status(404, "NotFound", "gone")], 1),
        (vec![Reply::status(409, "Conflict", "Precondition failed: UID")], 1),
        (vec![Reply::status(503, "ServiceUnavailable", "starting")], 2),
    ] {
        let (server, shell, _receiver) = started(answers).await;
        shell.perform(unscheduled("Unschedulable", "0/1 nodes"));
        assert_eq!(shell.shutdown(Duration::from_secs(30)).await, Undone::default());
        assert_eq!(server.requests(writes).len(), times);
    }
}

#[tokio::test]
async fn a_pod_that_has_a_node_gets_no_condition() {
    let bound = {
        let mut pod = pod("a", 11, 0);
        pod["spec"]["nodeName"] = "n-1".into();
        pod
    };
    let script =
        Script::default().pods([Reply::list(10, &[pod("a", 7, 0)], "")], [Reply::watch(&[event("MODIFIED", &bound)])]);
    let (server, shell, mut receiver) = with_script(script, []).await;
    assert_eq!(events(&mut receiver, 1).await, ["+a@0 on n-1"]);
    shell.perform(unscheduled("Unschedulable", "0/1 nodes"));
    shell.shutdown(Duration::from_secs(30)).await;
    assert!(server.requests(writes).is_empty());
}

#[tokio::test]
async fn a_binding_waits_for_the_patch_in_progress_and_drops_the_next_one() {
    // The first patch fails once, so the patch is in progress until the second attempt is answered.
    let (server, shell, mut receiver) = started([Reply::status(500, "InternalError", "slow")]).await;
    shell.perform(unscheduled("Unschedulable", "0/1 nodes"));
    server.wait_for_requests(1, writes).await;
    shell.perform(unscheduled("Unschedulable", "0/2 nodes"));
    shell.perform(bind("n-1"));
    assert_eq!(events(&mut receiver, 1).await, ["bound a"]);
    let methods: Vec<String> = server.requests(writes).into_iter().map(|request| request.method).collect();
    assert_eq!(methods, ["PATCH", "PATCH", "POST"]);
}

fn failed(note: &str) -> Action {
    Action::Emit(PodEvent {
        pod: key("a"),
        scheduler_name: "berth".into(),
        kind: "Warning",
        reason: "FailedScheduling",
        action: "Scheduling",
        note: note.into(),
    })
}

#[tokio::test]
async fn an_event_is_created_and_its_repetition_counted() {
    let (server, shell, _receiver) = started([]).await;
    for _ in 0..4 {
        shell.perform(failed("0/1 nodes"));
    }
    assert_eq!(shell.events_dropped(), 0);
    shell.shutdown(Duration::from_secs(30)).await;
    let [created, second, last] = &server.requests(writes)[..] else { panic!("three: {:#?}", server.requests(writes)) };
    let event = created.json();
    assert_eq!((&*created.method, &*created.path), ("POST", "/apis/events.k8s.io/v1/namespaces/default/events"));
    assert_eq!(event["regarding"]["resourceVersion"], "7");
    assert_eq!(event["reportingInstance"], "berth-host-1");
    let name = event["metadata"]["name"].as_str().expect("a name");
    for (patch, count) in [(second, 2), (last, 4)] {
        assert_eq!((&*patch.method, &*patch.path), ("PATCH", &*format!("{}/{name}", created.path)));
        assert_eq!(patch.json()["series"]["count"], count);
    }
}

#[tokio::test]
async fn an_event_that_the_server_forgot_is_created_again() {
    let gone = Reply::status(404, "NotFound", "no such event");
    let (server, shell, _receiver) = started([Reply::status(201, "", ""), gone]).await;
    shell.perform(failed("0/1 nodes"));
    server.wait_for_requests(1, writes).await;
    shell.perform(failed("0/1 nodes"));
    shell.shutdown(Duration::from_secs(30)).await;
    let requests = server.requests(writes);
    let methods: Vec<&str> = requests.iter().map(|request| &*request.method).collect();
    assert_eq!(methods, ["POST", "PATCH", "POST"]);
    assert_eq!(requests[2].json()["series"]["count"], 2);
}

#[tokio::test]
async fn a_refused_event_is_dropped_and_counted() {
    let (server, shell, _receiver) = started([Reply::status(422, "Invalid", "bad event")]).await;
    shell.perform(failed("0/1 nodes"));
    server.wait_for_requests(1, writes).await;
    shell.perform(failed("0/2 nodes"));
    server.wait_for_requests(2, writes).await;
    assert_eq!(shell.events_dropped(), 1);
}

#[tokio::test]
async fn shutdown_ends_within_its_time_limit() {
    let silence = || Reply::watch(&[]);
    let (server, shell, _receiver) = started([silence(), silence(), silence()]).await;
    shell.perform(bind("n-1"));
    shell.perform(failed("0/1 nodes"));
    server.wait_for_requests(2, writes).await;
    let undone = shell.shutdown(Duration::from_millis(50)).await;
    assert_eq!(undone, Undone { bindings: 1, conditions: 0, events: 1 });
}

/// If a task that executes an action panics, the supervisor reports the name of the task.
#[tokio::test]
async fn the_supervisor_names_a_task_that_panics() {
    let object = ObjectReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "default".into(),
        name: "m".into(),
        uid: "".into(),
    };
    let delete = vec![Intent::Delete(object)];
    let evict = Action::Evict {
        pod: key("a"),
        reason: "room is needed".into(),
        note: "".into(),
        scheduler_name: "berth".into(),
    };
    for (task, actions) in [
        ("a binding", vec![bind("n-1")]),
        ("an eviction", vec![evict]),
        ("an eviction", vec![Action::Change(delete.clone())]),
        ("the execution of intents", vec![Action::ExecuteIntents { pod: key("a"), step: 1, intents: delete.clone() }]),
        ("the execution of undo intents", vec![Action::CancelIntents { pod: key("a"), step: 1, undo: delete.clone() }]),
    ] {
        let supervisor = Supervisor::default();
        supervisor.fail(task);
        let script = Script::default().pods([Reply::list(10, &[pod("a", 7, 0)], "")], []);
        let (_server, shell, _receiver) = supervised(script, [], supervisor.clone()).await;
        shell.perform_all(actions);
        let ended = tokio::time::timeout(Duration::from_secs(30), supervisor.first_end()).await.expect(task);
        assert!(ended.to_string().starts_with(&format!("{task} has ended: it panicked")), "{ended}");
    }
}
