//! Tests informers against a server with scripted faults.

use std::sync::Arc;
use std::time::Duration;

use crate::support::protobuf;
use crate::support::server::{
    ReceivedRequest, Reply, Script, Server, bookmark, event, events, events_now, expired, node, pod,
};
use berth_core::model::{NamedFields, ObjectKind, ObjectReads};
use berth_core::{Action, Event};
use berth_kube::{ClusterEvent, Options, Shell};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Starts a shell with this script and waits for the first list of pods and the first list of nodes.
async fn started(script: Script) -> (Server, Shell, UnboundedReceiver<ClusterEvent>) {
    let server = Server::scripted(script).await;
    let (sender, receiver) = unbounded_channel();
    let mut shell = Shell::start(&server.client, &Options { page_size: 2, ..Options::default() }, sender);
    shell.synced().await;
    (server, shell, receiver)
}

fn watches_pods(request: &ReceivedRequest) -> bool {
    request.path == "/api/v1/pods" && request.is_watch()
}

fn lists_pods(request: &ReceivedRequest) -> bool {
    request.path == "/api/v1/pods" && !request.is_watch()
}

#[tokio::test]
async fn a_complete_list_precedes_the_sync_signal_and_the_watch() {
    let script = Script::default()
        .pods(
            [Reply::list(10, &[pod("a", 1, 0), pod("b", 2, 0)], "more"), Reply::list(10, &[pod("c", 3, 0)], "")],
            [Reply::watch(&[event("ADDED", &pod("d", 11, 0))])],
        )
        .nodes(
            [Reply::list(10, &[node("n", 4, false)], "")],
            [Reply::watch(&[event("MODIFIED", &node("n", 12, true))])],
        );
    let (server, _shell, mut receiver) = started(script).await;
    let mut first = events(&mut receiver, 6).await;
    first.sort();
    assert_eq!(first, ["+a@0", "+b@0", "+c@0", "+d@0", "+node n", "+node n cordoned"]);
    let lists = server.requests(lists_pods);
    assert_eq!((lists.len(), lists[0].parameter("limit"), lists[1].parameter("continue")), (2, "2", "more"));
    assert_eq!(lists[0].parameter("fieldSelector"), "status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed");
    let watch = &server.wait_for_requests(1, watches_pods).await[0];
    assert_eq!(watch.parameter("resourceVersion"), "10");
}

#[tokio::test]
async fn a_watch_that_ends_within_a_line_continues_at_the_last_version() {
    let lines = [event("ADDED", &pod("a", 11, 1)), event("ADDED", &pod("b", 12, 1))];
    let script = Script::default().pods(
        [Reply::list(10, &[], "")],
        [
            Reply::watch(&lines).without_the_last(40).cut(),
            Reply::watch(&[event("ADDED", &pod("b", 12, 1)), bookmark(20)]).ended(),
            Reply::watch(&[event("DELETED", &pod("a", 21, 1))]),
        ],
    );
    let (server, _shell, mut receiver) = started(script).await;
    assert_eq!(events(&mut receiver, 3).await, ["+a@1", "+b@1", "-a"]);
    let watches = server.wait_for_requests(3, watches_pods).await;
    let versions: Vec<&str> = watches.iter().map(|watch| watch.parameter("resourceVersion")).collect();
    assert_eq!(versions, ["10", "11", "20"]);
    assert_eq!(server.requests(lists_pods).len(), 1, "no second list was requested");
}

#[tokio::test]
async fn deletions_between_watches_are_found_by_the_next_list() {
    for expiry in [Reply::watch(&[expired()]).ended(), Reply::status(410, "Expired", "too old resource version")] {
        let before = [pod("gone", 1, 0), pod("same", 2, 0), pod("changed", 3, 0)];
        let after = [pod("same", 2, 0), pod("changed", 30, 9), pod("new", 31, 0)];
        let script = Script::default()
            .pods([Reply::list(10, &before, ""), Reply::list(40, &after, "")], [expiry])
            .nodes([Reply::list(10, &[node("n", 1, false)], "")], []);
        let (_server, _shell, mut receiver) = started(script).await;
        let mut first = events(&mut receiver, 4).await;
        first.sort();
        assert_eq!(first, ["+changed@0", "+gone@0", "+node n", "+same@0"]);
        assert_eq!(events(&mut receiver, 3).await, ["+changed@9", "+new@0", "-gone"]);
        assert!(events_now(&mut receiver).is_empty(), "an unchanged object is not reported again");
    }
}

/// A capture from outside orders the changes of all kinds by these versions.
#[tokio::test]
async fn each_change_has_its_resource_version() {
    let script = Script::default()
        .pods(
            [Reply::list(10, &[pod("gone", 1, 0), pod("ends", 2, 0)], ""), Reply::list(40, &[], "")],
            [Reply::watch(&[event("MODIFIED", &pod("gone", 11, 1)), event("DELETED", &pod("ends", 13, 0)), expired()])
                .ended()],
        )
        .nodes([Reply::list(10, &[node("n", 4, false)], "")], [Reply::watch(&[event("ADDED", &node("m", 12, true))])]);
    let (_server, _shell, mut receiver) = started(script).await;
    let mut seen = Vec::new();
    while seen.len() < 7 {
        let received = tokio::time::timeout(Duration::from_secs(30), receiver.recv()).await;
        let ClusterEvent { event, version } = received.expect("an event in time").expect("a running shell");
        let name = match event {
            Event::PodSet(pod) => format!("+{}@{}", pod.key.name, pod.spec.priority),
            Event::PodRemoved(key) => format!("-{}", key.name),
            Event::NodeSet(node) => format!("+node {}", node.name),
            other => panic!("{other:?}"),
        };
        seen.push((version.map(u64::from), name));
    }
    seen.sort();
    let expected = [(1, "+gone@0"), (2, "+ends@0"), (4, "+node n"), (11, "+gone@1"), (12, "+node m"), (13, "-ends")];
    let expected: Vec<_> = expected.into_iter().chain([(40, "-gone")]).collect();
    assert_eq!(seen, expected.into_iter().map(|(version, name)| (Some(version), name.to_owned())).collect::<Vec<_>>());
}

#[tokio::test]
async fn missing_nodes_and_replaced_pods_are_reported_as_removed() {
    let mut again = pod("a", 30, 0);
    again["metadata"]["uid"] = "another".into();
    let script = Script::default()
        .pods(
            [Reply::list(10, &[pod("a", 1, 0)], ""), Reply::list(40, &[again], "")],
            [Reply::watch(&[expired()]).ended()],
        )
        .nodes(
            [
                Reply::list(10, &[node("n", 1, false), node("m", 1, false)], ""),
                Reply::list(40, &[node("m", 1, false)], ""),
            ],
            [Reply::watch(&[expired()]).ended()],
        );
    let (_server, _shell, mut receiver) = started(script).await;
    let mut seen = events(&mut receiver, 6).await;
    seen.sort();
    assert_eq!(seen, ["+a@0", "+a@0", "+node m", "+node n", "-a", "-node n"]);
}

#[tokio::test]
async fn an_unreadable_object_does_not_stop_the_informer() {
    let broken = |name: &str, version: u32| {
        let mut pod = pod(name, version, 0);
        pod["spec"]["containers"] = json!("none");
        pod
    };
    let script = Script::default().pods(
        [
            Reply::list(10, &[broken("x", 1), pod("a", 2, 0)], ""),
            Reply::list(40, &[broken("a", 30), pod("b", 31, 0)], ""),
        ],
        [
            Reply::watch(&[event("MODIFIED", &broken("a", 11)), event("MODIFIED", &pod("c", 12, 0)), expired()])
                .ended(),
            Reply::watch(&[event("DELETED", &broken("a", 41))]),
        ],
    );
    let (_server, _shell, mut receiver) = started(script).await;
    // The unreadable version of pod `a` is ignored, so the known state of `a` stays until `a` is deleted. Pod `c` is
    // not on the second list.
    assert_eq!(events(&mut receiver, 5).await, ["+a@0", "+c@0", "+b@0", "-c", "-a"]);
}

#[tokio::test]
async fn a_garbled_line_causes_a_new_list() {
    let garbled = json!("an error page of a proxy");
    let script = Script::default().pods(
        [Reply::list(10, &[pod("a", 1, 0)], ""), Reply::list(12, &[pod("b", 11, 0)], "")],
        [Reply::watch(&[garbled])],
    );
    let (_server, _shell, mut receiver) = started(script).await;
    assert_eq!(events(&mut receiver, 3).await, ["+a@0", "+b@0", "-a"]);
}

#[tokio::test]
async fn a_refused_request_is_repeated() {
    let script = Script::default().pods(
        [
            Reply::status(500, "InternalError", "not now"),
            Reply::list(10, &[pod("a", 1, 0)], "").cut(),
            Reply::list(10, &[pod("a", 1, 0)], ""),
        ],
        [Reply::status(403, "Forbidden", "pods is forbidden"), Reply::watch(&[event("ADDED", &pod("b", 11, 0))])],
    );
    let (server, _shell, mut receiver) = started(script).await;
    assert_eq!(events(&mut receiver, 2).await, ["+a@0", "+b@0"]);
    assert_eq!(server.requests(lists_pods).len(), 3);
}

#[tokio::test]
async fn changes_that_scheduling_does_not_read_are_not_reported() {
    let mut heartbeat = node("n", 11, false);
    heartbeat["status"] = json!({"daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}});
    let mut started_running = pod("a", 11, 0);
    started_running["status"]["containerStatuses"] = json!([{"name": "c", "ready": true}]);
    let script = Script::default()
        .pods(
            [Reply::list(10, &[pod("a", 1, 0)], "")],
            [Reply::watch(&[event("MODIFIED", &started_running), event("MODIFIED", &pod("a", 12, 5))])],
        )
        .nodes(
            [Reply::list(10, &[node("n", 1, false)], "")],
            [Reply::watch(&[event("MODIFIED", &heartbeat), event("MODIFIED", &node("n", 12, true))])],
        );
    let (_server, _shell, mut receiver) = started(script).await;
    let mut seen = events(&mut receiver, 4).await;
    seen.sort();
    assert_eq!(seen, ["+a@0", "+a@5", "+node n", "+node n cordoned"]);
}

#[tokio::test]
async fn lists_are_read_as_protobuf_if_the_server_supports_it() {
    let script = Script::default().pods(
        [
            protobuf::list(10, &[protobuf::pod("a", 1), protobuf::broken_pod("x", 1)], "more"),
            protobuf::list(10, &[protobuf::pod("b", 2)], ""),
            Reply::list(40, &[pod("b", 2, 0)], ""),
        ],
        [Reply::watch(&[event("MODIFIED", &pod("a", 11, 0)), event("ADDED", &pod("c", 12, 0)), expired()])],
    );
    let (server, _shell, mut receiver) = started(script).await;
    // A pod is the same in protobuf and JSON, so the watch reports only pod `c` as new. Pods `a` and `c` are missing
    // from the next list.
    let mut seen = events(&mut receiver, 5).await;
    seen[3..].sort();
    assert_eq!(seen, ["+a@0", "+b@0", "+c@0", "-a", "-c"]);
    let lists = server.requests(lists_pods);
    let versions: Vec<&str> = lists.iter().map(|list| list.parameter("resourceVersion")).collect();
    assert_eq!(versions, ["0", "", ""], "only the first list may come from the cache");
    assert!(lists.iter().all(|list| list.accept.starts_with("application/vnd.kubernetes.protobuf,")));
    assert_eq!(server.wait_for_requests(2, watches_pods).await[0].parameter("resourceVersion"), "10");
}

#[tokio::test]
async fn an_incomplete_protobuf_list_is_listed_again() {
    let pods = [protobuf::pod("a", 1), protobuf::pod("b", 2)];
    let script = Script::default().pods(
        [
            protobuf::status(403, "Forbidden", "pods is forbidden"),
            protobuf::list(10, &pods, "").without_the_last(20).cut(),
            protobuf::list(11, &pods[..1], ""),
        ],
        [],
    );
    let (server, _shell, mut receiver) = started(script).await;
    // Pod `b` was on the list that broke off, so the informer may have reported `b` before the next list.
    let mut seen = events(&mut receiver, 1).await;
    seen.extend(events_now(&mut receiver));
    assert!(seen == ["+a@0"] || seen == ["+a@0", "+b@0", "-b"], "{seen:?}");
    assert_eq!(server.requests(lists_pods).len(), 3);
    assert_eq!(server.wait_for_requests(1, watches_pods).await[0].parameter("resourceVersion"), "11");
}

#[tokio::test]
async fn kinds_without_protobuf_are_listed_as_json() {
    let script = Script::default()
        .pods([Reply::protobuf(200, b"not at all".to_vec()), Reply::list(10, &[pod("a", 1, 0)], "")], []);
    let (server, _shell, mut receiver) = started(script).await;
    assert_eq!(events(&mut receiver, 1).await, ["+a@0"]);
    let accepted: Vec<String> = server.requests(lists_pods).into_iter().map(|list| list.accept).collect();
    assert_eq!(accepted[1..], ["application/json"]);
}

#[tokio::test]
async fn an_expired_continue_token_causes_a_list_without_pages() {
    let script = Script::default().pods(
        [
            protobuf::list(10, &[protobuf::pod("a", 1)], "more"),
            protobuf::status(410, "Expired", "the provided continue parameter is too old"),
            protobuf::list(20, &[protobuf::pod("a", 1), protobuf::pod("b", 2)], ""),
        ],
        [Reply::watch(&[expired()])],
    );
    let (server, _shell, mut receiver) = started(script).await;
    assert_eq!(events(&mut receiver, 2).await, ["+a@0", "+b@0"]);
    let lists = server.wait_for_requests(4, lists_pods).await;
    let limits: Vec<&str> = lists.iter().map(|list| list.parameter("limit")).collect();
    assert_eq!(limits, ["2", "2", "", "2"], "and later there are pages again");
}

/// Answers as a server with one Service.
fn with_a_service(request: &ReceivedRequest) -> Reply {
    let resource = json!({"name": "services", "singularName": "service", "namespaced": true, "kind": "Service",
        "verbs": ["list", "watch"]});
    let service = json!({"metadata": {"namespace": "ns", "name": "web", "uid": "1", "resourceVersion": "5"}});
    match request.path.as_str() {
        _ if request.is_watch() => Reply::watch(&[]),
        "/api/v1" => {
            Reply::json(200, &json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [resource]}))
        }
        "/api/v1/services" => Reply::list(10, &[service], ""),
        _ => Reply::list(10, &[], ""),
    }
}

/// Returns the next events as text. Panics at an event that is not about a kind beyond pods and nodes.
async fn of_objects<const EVENTS: usize>(receiver: &mut UnboundedReceiver<ClusterEvent>) -> [String; EVENTS] {
    let mut shown = std::array::from_fn(|_| String::new());
    for text in &mut shown {
        let event = tokio::time::timeout(Duration::from_secs(30), receiver.recv()).await;
        *text = match event.expect("an event in time").expect("a running shell").event {
            Event::ObjectSet(object) => format!("set {}", object.key.name),
            Event::ObjectRemoved(key) => format!("removed {}", key.name),
            Event::ObjectsListed(reads) => format!("listed {}", reads.kind),
            Event::WatchStopped(kind) => format!("stopped {kind}"),
            other => panic!("{other:?}"),
        };
    }
    shown
}

#[tokio::test]
async fn a_kind_is_not_watched_while_no_plugin_reads_it() {
    let server = Server::start(with_a_service).await;
    let (sender, mut receiver) = unbounded_channel();
    let mut shell = Shell::start(&server.client, &Options::default(), sender);
    shell.synced().await;
    let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "Service".into() });
    let watch = || Action::Watch(ObjectReads { kind: Arc::clone(&kind), ..ObjectReads::default() });
    let lists_services = |request: &ReceivedRequest| request.path == "/api/v1/services" && !request.is_watch();

    shell.perform(watch());
    assert_eq!(of_objects(&mut receiver).await, ["set web", "listed v1 Service"]);
    shell.perform(Action::StopWatching(Arc::clone(&kind)));
    assert_eq!(of_objects(&mut receiver).await, ["stopped v1 Service"]);
    assert_eq!(server.requests(lists_services).len(), 1);

    // The events of the second list follow the end of the first watch, and report the same object again.
    shell.perform(watch());
    assert_eq!(of_objects(&mut receiver).await, ["set web", "listed v1 Service"]);
    assert_eq!(server.requests(lists_services).len(), 2);

    // Stop and watch may both be ordered before the informer handles the first order.
    shell.perform(Action::StopWatching(Arc::clone(&kind)));
    shell.perform(watch());
    assert_eq!(of_objects(&mut receiver).await, ["stopped v1 Service", "set web", "listed v1 Service"]);
}

/// Returns the order to list and watch pods or nodes with these fields.
fn naming(kind: ObjectKind, fields: &[&str]) -> Action {
    Action::Watch(ObjectReads { kind: Arc::new(kind), fields: fields.iter().map(|field| (*field).into()).collect() })
}

fn with_deadline(mut pod: Value, seconds: u32) -> Value {
    pod["spec"]["activeDeadlineSeconds"] = json!(seconds);
    pod
}

/// Returns the next events as text. Pods and nodes come with their named fields.
async fn with_fields<const EVENTS: usize>(receiver: &mut UnboundedReceiver<ClusterEvent>) -> [String; EVENTS] {
    let mut shown = std::array::from_fn(|_| String::new());
    for text in &mut shown {
        let event = tokio::time::timeout(Duration::from_secs(30), receiver.recv()).await;
        let values = |fields: &NamedFields| fields.all().iter().map(|field| field.json.to_string()).collect::<String>();
        *text = match event.expect("an event in time").expect("a running shell").event {
            Event::PodSet(pod) => format!("+{} {}", pod.key.name, values(&pod.fields)),
            Event::NodeSet(node) => format!("+node {} {}", node.name, values(&node.fields)),
            Event::PodRemoved(key) => format!("-{}", key.name),
            Event::ObjectsListed(reads) => format!("listed {} {:?}", reads.kind, reads.fields),
            Event::ObjectsRefused(kind, why) => format!("refused {kind}: {why}"),
            Event::WatchStopped(kind) => format!("stopped {kind}"),
            other => panic!("{other:?}"),
        };
    }
    shown
}

#[tokio::test]
async fn pods_are_listed_as_json_when_a_plugin_names_a_field() {
    let named = || with_deadline(pod("a", 1, 0), 60);
    let script = Script::default().pods(
        [
            Reply::list(10, &[named(), pod("gone", 2, 0)], ""),
            Reply::list(20, &[named()], "more"),
            Reply::list(20, &[pod("new", 11, 0)], ""),
            Reply::list(30, &[named(), pod("new", 11, 0)], ""),
        ],
        [
            Reply::watch(&[]),
            Reply::watch(&[
                event("MODIFIED", &with_deadline(pod("a", 21, 0), 90)),
                event("DELETED", &pod("new", 22, 0)),
            ]),
        ],
    );
    let (server, shell, mut receiver) = started(script).await;
    assert_eq!(with_fields(&mut receiver).await, ["+a ", "+gone "]);
    server.wait_for_requests(1, watches_pods).await;

    shell.perform(naming(ObjectKind::pod(), &["spec.activeDeadlineSeconds"]));
    let field = |seconds: u32| format!(r#"{{"spec":{{"activeDeadlineSeconds":{seconds}}}}}"#);
    let listed = r#"listed v1 Pod {"spec.activeDeadlineSeconds"}"#;
    let expected = [format!("+a {}", field(60)), "+new ".into(), "-gone".into(), listed.into()];
    assert_eq!(with_fields(&mut receiver).await, expected, "no pod is removed that is still there");
    assert_eq!(with_fields(&mut receiver).await, [format!("+a {}", field(90)), "-new".into()]);
    let lists = server.requests(lists_pods);
    assert!(lists[0].accept.contains("protobuf") && lists[0].parameter("resourceVersion") == "0");
    for list in &lists[1..] {
        assert_eq!((&*list.accept, list.parameter("resourceVersion")), ("application/json", ""), "{}", list.query);
        assert_eq!(list.parameter("fieldSelector"), lists[0].parameter("fieldSelector"));
    }

    // Without a plugin that names a field, no field is kept.
    shell.perform(Action::StopWatching(Arc::new(ObjectKind::pod())));
    assert_eq!(with_fields(&mut receiver).await, ["stopped v1 Pod", "+a ", "+new "]);
}

#[tokio::test]
async fn fields_may_be_named_before_the_first_list() {
    let script = Script::default().nodes([Reply::list(10, &[node("n", 1, true)], "")], []);
    let server = Server::scripted(script).await;
    let (sender, mut receiver) = unbounded_channel();
    let mut shell = Shell::start(&server.client, &Options::default(), sender);
    let synced = shell.synced();
    shell.perform(naming(ObjectKind::node(), &["spec.unschedulable", "spec.podCIDR"]));
    tokio::time::timeout(Duration::from_secs(30), synced).await.expect("the first lists");
    let listed = r#"listed v1 Node {"spec.podCIDR", "spec.unschedulable"}"#;
    assert_eq!(with_fields(&mut receiver).await, [r#"+node n {"spec":{"unschedulable":true}}"#, listed]);
}

#[tokio::test]
async fn a_refused_list_with_named_fields_is_reported() {
    let refusal = Reply::status(403, "Forbidden", "pods is forbidden");
    let script = Script::default().pods([Reply::list(10, &[pod("a", 1, 0)], ""), refusal], []);
    let (server, shell, mut receiver) = started(script).await;
    assert_eq!(with_fields(&mut receiver).await, ["+a "]);
    server.wait_for_requests(1, watches_pods).await;
    shell.perform(naming(ObjectKind::pod(), &["spec.a"]));
    let refused = "refused v1 Pod: pods is forbidden. Give the scheduler's role `list` and `watch` on it";
    assert_eq!(with_fields(&mut receiver).await, [refused]);
}
