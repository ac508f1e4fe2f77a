use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use berth_analysis::preview::ChangedDecision;
use berth_analysis::{PendingPod, PodRef};
use futures::{FutureExt, StreamExt};
use tower_service::Service;

use super::*;
use crate::access::{Authorization, AuthorizationOptions, User};

/// Answers each question about the pod `ns/p`, and names a node and a pod of another namespace in each answer.
struct Fake;

impl Questions for Fake {
    fn explain(&self, question: PodQuestion) -> BoxFuture<'_, Result<PodAnswer, QuestionError>> {
        async move {
            if question.name == "busy" {
                return Err(QuestionError::Busy);
            }
            if question.name != "p" {
                return Err(QuestionError::NotFound(format!("pods \"{}\" not found", question.name)));
            }
            let pod = PodRef { namespace: question.namespace, name: question.name, uid: "u".into() };
            let asked = question.why_not.unwrap_or_default();
            let why = format!("asked about {asked}; node-7 has other/db");
            let decision = berth_core::decision::Decision { message: Some(why.into()), ..Default::default() };
            Ok(PodAnswer {
                pod,
                decisions: vec![decision],
                explanation: None,
                why_not: None,
                all_nodes: None,
                names_hidden: false,
            })
        }
        .boxed()
    }

    fn queue(&self, question: QueueQuestion) -> BoxFuture<'_, Result<QueueListing, QuestionError>> {
        let QueueQuestion { namespace, search: name, most } = question;
        let pod = PodRef { namespace: namespace.unwrap_or_else(|| "all".into()), name, ..PodRef::default() };
        let pods = vec![PendingPod { pod, reason: "node-7 is full".into(), ..PendingPod::default() }];
        async move { Ok(QueueListing { pods, left_out: most, ..QueueListing::default() }) }.boxed()
    }

    fn cluster(
        &self,
        follower: ClusterFollower,
    ) -> BoxFuture<'_, Result<(ClusterFollower, ClusterListing), QuestionError>> {
        async move { Ok((follower, ClusterListing { pods: 7, ..ClusterListing::default() })) }.boxed()
    }

    fn node_pods(&self, node: String) -> BoxFuture<'_, Result<NodePods, QuestionError>> {
        async move {
            match &*node {
                "node-7" => Ok(NodePods::default()),
                _ => Err(QuestionError::NotFound(format!("nodes \"{node}\" not found"))),
            }
        }
        .boxed()
    }

    fn plugins(&self) -> BoxFuture<'_, Result<PluginListing, QuestionError>> {
        async { Ok(PluginListing { at: 5, ..PluginListing::default() }) }.boxed()
    }

    fn whatif(&self, question: whatif::Question) -> BoxFuture<'_, Result<whatif::Answer, QuestionError>> {
        async move {
            if question.compact.is_some() {
                return Err(QuestionError::Invalid("not now".into()));
            }
            Ok(whatif::Answer { caveat: format!("drains {:?}", question.drain), ..whatif::Answer::default() })
        }
        .boxed()
    }

    fn preview(&self, change: PolicyChange) -> BoxFuture<'_, Result<Preview, QuestionError>> {
        let different = vec![ChangedDecision { node: Some("node-7".into()), ..ChangedDecision::default() }];
        async move {
            match &*change.scheduler_name {
                "unknown" => Err(QuestionError::Invalid("no profile".into())),
                _ => Ok(Preview { judged: 1, different, ..Preview::default() }),
            }
        }
        .boxed()
    }

    fn history(&self, at: Option<Timestamp>) -> BoxFuture<'_, Result<HistoryRange, QuestionError>> {
        let next_decision = at.map(|at| at.0 + 1);
        async move { Ok(HistoryRange { from: Some(3), to: 9, previous_decision: None, next_decision }) }.boxed()
    }

    fn at(&self, at: Timestamp) -> BoxFuture<'_, Result<Arc<dyn Questions>, QuestionError>> {
        async move {
            match at {
                Timestamp(5) => Ok(Arc::new(Fake) as Arc<dyn Questions>),
                _ => Err(QuestionError::NotFound("the history begins later".into())),
            }
        }
        .boxed()
    }

    fn names(&self, _: String) -> BoxFuture<'_, Result<HiddenNames, QuestionError>> {
        let set = |name: &str| BTreeSet::from([name.to_owned()]);
        async move { Ok(HiddenNames { nodes: set("node-7"), pods: set("other/db"), namespaces: set("other") }) }.boxed()
    }
}

async fn get(rights: Rights, user: Option<User>, path: &str) -> (u16, String) {
    send(rights, user, Request::get(path).body(Body::empty()).expect("a request")).await
}

async fn ask(rights: Rights, user: Option<User>, question: &str) -> (u16, String) {
    let request = Request::post("/berth/v1/whatif").header("content-type", "application/json");
    send(rights, user, request.body(Body::from(question.to_owned())).expect("a request")).await
}

async fn send(rights: Rights, user: Option<User>, mut request: Request<Body>) -> (u16, String) {
    if let Some(user) = user {
        let options = AuthorizationOptions::default();
        let authorization = Arc::new(Authorization::with(&options, None));
        request.extensions_mut().insert(Caller { user, authorization });
    }
    let response = router(Arc::new(Fake), rights).call(request).await.expect("no error");
    let code = response.status().as_u16();
    let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    (code, String::from_utf8(body.to_vec()).expect("text"))
}

fn master() -> User {
    User { name: "root".into(), groups: vec!["system:masters".into()], ..User::default() }
}

#[tokio::test]
async fn questions_are_passed_on_and_errors_are_status_objects() {
    for (path, code, contained) in [
        ("/berth/v1/namespaces/ns/pods/p", 200, "node-7 has other/db"),
        ("/berth/v1/namespaces/ns/pods/p?whyNot=node-7", 200, "asked about node-7"),
        ("/berth/v1/namespaces/ns/pods/p?allNodes=maybe", 400, "/pods/p: allNodes: "),
        ("/berth/v1/namespaces/ns/pods/q", 404, "\"reason\":\"NotFound\""),
        ("/berth/v1/namespaces/ns/pods/busy", 429, "\"reason\":\"TooManyRequests\""),
        ("/berth/v1/namespaces/ns/queue", 200, "\"namespace\":\"ns\""),
        ("/berth/v1/queue", 200, "\"namespace\":\"all\""),
        ("/berth/v1/queue", 200, "\"leftOut\":10000"),
        ("/berth/v1/queue?limit=3", 200, "\"leftOut\":3"),
        ("/berth/v1/queue?limit=-1", 400, "wrong parameters of /berth/v1/queue: limit: invalid digit found in string"),
        ("/berth/v1/namespaces/ns/pods/p?whynot=n", 400, "unknown field `whynot`, expected one of `whyNot`"),
        ("/berth/v1/namespaces/ns/queue?search=a/b", 200, "\"name\":\"a/b\""),
        ("/berth/v1/cluster", 200, "\"pods\":7"),
        ("/berth/v1/cluster?watch=perhaps", 400, "wrong parameters of /berth/v1/cluster: watch: "),
        ("/berth/v1/nodes/node-7/pods", 200, "\"pods\":[]"),
        ("/berth/v1/plugins", 200, "\"at\":5"),
        ("/berth/v1/history", 200, "{\"from\":3,\"to\":9}"),
        ("/berth/v1/history?at=4", 200, "{\"from\":3,\"to\":9,\"nextDecision\":5}"),
        ("/berth/v1/cluster?at=5", 200, "\"pods\":7"),
        ("/berth/v1/cluster?at=4", 404, "the history begins later"),
        ("/berth/v1/cluster?at=5&watch=true", 400, "leave out `watch`"),
        ("/berth/v1/nodes/node-7/pods?at=5", 200, "\"pods\":[]"),
        ("/berth/v1/queue?at=4", 404, "the history begins later"),
        ("/berth/v1/namespaces/ns/queue?at=5", 200, "\"namespace\":\"ns\""),
        ("/berth/v1/namespaces/ns/pods/p?at=5", 200, "node-7 has other/db"),
        ("/berth/v1/namespaces/ns/pods/p?at=x", 400, "wrong parameters of /berth/v1/namespaces/ns/pods/p: at: "),
        ("/berth/v1/nodes/node-8/pods", 404, "\"reason\":\"NotFound\""),
    ] {
        let (found, body) = get(Rights::All, None, path).await;
        assert!(found == code && body.contains(contained), "{path}: {found} {body}");
        let (found, body) = get(Rights::OfCaller, Some(master()), path).await;
        assert!(found == code && body.contains(contained), "{path}: {found} {body}");
    }
}

#[tokio::test]
async fn a_question_about_a_change_is_checked_and_bounded() {
    let large = format!(r#"{{"namespace": "{}"}}"#, "x".repeat(MOST_QUESTION));
    for (question, code, contained) in [
        (r#"{"drain": ["node-7"]}"#, 200, "drains"),
        ("{}", 200, "drains []"),
        (r#"{"drains": []}"#, 422, "unknown field"),
        ("{", 400, "BadRequest"),
        (r#"{"compact": {}}"#, 400, "not now"),
        (&large, 413, "BadRequest"),
    ] {
        let (found, body) = ask(Rights::All, None, question).await;
        assert!(found == code && body.contains(contained), "{question:.40}: {found} {body}");
    }
    for (headers, code) in
        [(&[][..], 200), (&[("origin", "https://elsewhere.example")], 415), (&[("content-type", "text/plain")], 415)]
    {
        let request = headers
            .iter()
            .fold(Request::post("/berth/v1/whatif"), |request, (name, value)| request.header(*name, *value));
        let (found, body) = send(Rights::All, None, request.body(Body::from("{}")).expect("a request")).await;
        assert_eq!(found, code, "{headers:?}: {body}");
    }
    assert_eq!(ask(Rights::OfCaller, None, "{}").await.0, 401);
    assert_eq!(ask(Rights::OfCaller, Some(User::anonymous()), "{}").await.0, 403);
    assert_eq!(ask(Rights::OfCaller, Some(master()), "{}").await.0, 200);
}

#[tokio::test]
async fn a_preview_is_checked_as_a_question_is() {
    let preview = async |rights, user, change: &str| {
        let request = Request::post("/berth/v1/preview").header("content-type", "application/json");
        send(rights, user, request.body(Body::from(change.to_owned())).expect("a request")).await
    };
    let change = r#"{"schedulerName": "default-scheduler"}"#;
    for (change, code, contained) in [
        (change, 200, "\"node\":\"node-7\""),
        (r#"{"schedulerName": "unknown"}"#, 400, "no profile"),
        (r#"{"schedulerName": "a", "weight": {}}"#, 422, "unknown field"),
        ("{}", 422, "schedulerName"),
    ] {
        let (found, body) = preview(Rights::All, None, change).await;
        assert!(found == code && body.contains(contained), "{change}: {found} {body}");
    }
    assert_eq!(preview(Rights::OfCaller, None, change).await.0, 401);
    assert_eq!(preview(Rights::OfCaller, Some(User::anonymous()), change).await.0, 403);
    assert_eq!(preview(Rights::OfCaller, Some(master()), change).await.0, 200);
}

#[tokio::test]
async fn nothing_is_changed() {
    for (method, path) in [("POST", "/berth/v1/policy"), ("PUT", "/berth/v1/plugins/a.wasm")] {
        let request = Request::builder().method(method).uri(path).body(Body::from("{}")).expect("a request");
        assert_eq!(send(Rights::All, None, request).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn a_caller_without_rights_sees_nothing() {
    for path in [
        "/berth/v1/namespaces/ns/pods/p",
        "/berth/v1/namespaces/ns/queue",
        "/berth/v1/queue",
        "/berth/v1/cluster?watch=true",
        "/berth/v1/nodes/node-7/pods",
        "/berth/v1/plugins",
        "/berth/v1/history",
        "/berth/v1/cluster?at=5",
        "/berth/v1/queue?at=5",
    ] {
        let (code, body) = get(Rights::OfCaller, None, path).await;
        assert!(code == 401 && !body.contains("node-7"), "{path}: {code} {body}");
        let (code, body) = get(Rights::OfCaller, Some(User::anonymous()), path).await;
        assert!(code == 403 && !body.contains("node-7"), "{path}: {code} {body}");
    }
}

#[tokio::test]
async fn a_watch_begins_with_the_cluster_and_watches_are_bounded() {
    let mut router = router(Arc::new(Fake), Rights::All);
    let mut watches = Vec::new();
    for _ in 0..cluster::MOST_WATCHES {
        let request = Request::get("/berth/v1/cluster?watch=true").body(Body::empty()).expect("a request");
        let mut body = router.call(request).await.expect("no error").into_body().into_data_stream();
        let first = body.next().await.expect("an event").expect("no error");
        let first = String::from_utf8(first.to_vec()).expect("text");
        assert!(first.starts_with("event: cluster\ndata: {") && first.contains("\"pods\":7"), "{first}");
        watches.push(body);
    }
    let request = || Request::get("/berth/v1/cluster?watch=true").body(Body::empty()).expect("a request");
    assert_eq!(router.call(request()).await.expect("no error").status(), 429);
    watches.pop();
    assert_eq!(router.call(request()).await.expect("no error").status(), 200);
}
