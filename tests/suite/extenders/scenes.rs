//! The scenes: extenders, their answers, and the expected results.

use berth_tests::extender::Reply;
use serde_json::{Value, json};

/// A pod to schedule, and the extenders that are configured.
pub struct Scene {
    pub name: &'static str,
    /// `extenders[]` of the configuration. The test sets each `urlPrefix` to end with the extender's index.
    pub extenders: Vec<Value>,
    /// Returns the answer to a path, such as `/0/filter`, and a request body.
    pub script: fn(&str, &Value) -> Reply,
    /// True if each node has a pod that takes most of the node's CPU: a pod with priority 0 on `a`, and 100 on `b`.
    pub full: bool,
    /// The resources that the pod requests in addition to three CPUs.
    pub requests: Value,
    pub expected: Outcome,
}

/// The expected result for the pod. In messages, URL stands for the address of the test's extender server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The pod is placed on this node.
    On(&'static str),
    /// The pod's condition has the reason `Unschedulable` and this message.
    Unschedulable(&'static str),
    /// The pod's condition has the reason `SchedulerError` and this message.
    Error(&'static str),
    /// The pod's condition has the reason `SchedulerError`. Berth's message starts with this text; the message of
    /// kube-scheduler is different.
    ErrorOf(&'static str),
}

fn scene(name: &'static str, extenders: Vec<Value>, script: fn(&str, &Value) -> Reply, expected: Outcome) -> Scene {
    Scene { name, extenders, script, full: false, requests: json!({}), expected }
}

fn filtering() -> Value {
    json!({"filterVerb": "filter", "nodeCacheCapable": true})
}

fn preempting(capable: bool) -> Value {
    json!({"preemptVerb": "preempt", "nodeCacheCapable": capable})
}

fn with(mut extender: Value, more: Value) -> Value {
    json_patch::merge(&mut extender, &more);
    extender
}

/// Returns a filter result that keeps only this node: as a complete object if the request has complete nodes,
/// otherwise by name.
fn keep(node: &str, args: &Value) -> Value {
    let all: Vec<&Value> = args["Nodes"]["items"].as_array().into_iter().flatten().collect();
    match all.into_iter().find(|item| item["metadata"]["name"] == node) {
        Some(item) => json!({"Nodes": {"metadata": {}, "items": [item]}}),
        None => json!({"NodeNames": [node]}),
    }
}

/// Returns a preemption result that keeps only this node and the victims that the request has for the node. The
/// result gives victims by uid, even if the request has complete pods.
fn keep_victims_of(node: &str, args: &Value) -> Value {
    let complete = &args["NodeNameToVictims"][node]["Pods"];
    let uid = |pod: &Value| json!({"UID": pod["metadata"]["uid"]});
    let pods = match complete.as_array() {
        Some(pods) => pods.iter().map(uid).collect(),
        None => args["NodeNameToMetaVictims"][node]["Pods"].clone(),
    };
    json!({"NodeNameToMetaVictims": {node: {"Pods": pods, "NumPDBViolations": 0}}})
}

const IGNORABLE: fn() -> Value = || json!({"ignorable": true});

/// Returns all scenes. The nodes are `a`, `b` and `c`; in scenes with full nodes, `a` and `b` only.
pub fn all() -> Vec<Scene> {
    let mut scenes = filtering_scenes();
    scenes.extend(failing_scenes());
    scenes.extend(scoring_and_binding_scenes());
    scenes.extend(preempting_scenes());
    scenes
}

fn filtering_scenes() -> Vec<Scene> {
    let complete = json!({"filterVerb": "filter"});
    vec![
        scene("names", vec![filtering()], |_, args| Reply::Json(keep("b", args)), Outcome::On("b")),
        scene("complete nodes", vec![complete], |_, args| Reply::Json(keep("c", args)), Outcome::On("c")),
        scene(
            "in order, with ignorable extenders last",
            vec![with(filtering(), IGNORABLE()), filtering()],
            |path, args| {
                Reply::Json(match path {
                    "/1/filter" => json!({"nodeNames": ["a", "b"], "failedNodes": {"c": "not c"}}),
                    _ => keep("a", args),
                })
            },
            Outcome::On("a"),
        ),
        scene(
            "reasons",
            vec![filtering()],
            |_, _| {
                Reply::Json(json!({
                    "NodeNames": [],
                    "FailedNodes": {"a": "busy", "b": "busy", "c": "not this"},
                    "FailedAndUnresolvableNodes": {"c": "never"},
                }))
            },
            Outcome::Unschedulable(
                "0/3 nodes are available: 1 never, 2 busy. no new claims to deallocate, preemption: 0/3 nodes are available: \
                 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
            ),
        ),
        scene(
            "no reasons",
            vec![filtering()],
            |_, _| Reply::Json(json!({})),
            Outcome::Unschedulable(
                "0/3 nodes are available: no new claims to deallocate, preemption: 0/3 nodes are available: \
                 3 Preemption is not helpful for scheduling.",
            ),
        ),
        Scene {
            requests: json!({"example.com/chip": "1"}),
            ..scene(
                "managed resources that the scheduler ignores",
                vec![with(
                    filtering(),
                    json!({"managedResources": [{"name": "example.com/chip", "ignoredByScheduler": true}]}),
                )],
                |_, args| Reply::Json(keep("b", args)),
                Outcome::On("b"),
            )
        },
        scene(
            "managed resources that the pod does not request",
            vec![
                with(filtering(), json!({"managedResources": [{"name": "example.com/chip"}]})),
                json!({"prioritizeVerb": "score", "weight": 1, "nodeCacheCapable": true}),
            ],
            |path, _| match path {
                "/1/score" => Reply::Json(json!([{"Host": "c", "Score": 10}])),
                _ => Reply::Status(500),
            },
            Outcome::On("c"),
        ),
    ]
}

fn failing_scenes() -> Vec<Scene> {
    let slow = || with(filtering(), json!({"httpTimeout": "300ms"}));
    vec![
        scene(
            "a status",
            vec![filtering()],
            |_, _| Reply::Status(503),
            Outcome::Error("failed filter with extender at URL URL/0/filter, code 503"),
        ),
        scene(
            "an error of its own",
            vec![filtering()],
            |_, _| Reply::Json(json!({"Error": "out of order"})),
            Outcome::Error("out of order"),
        ),
        scene(
            "a node that was not in the request",
            vec![filtering()],
            |_, args| Reply::Json(keep("elsewhere", args)),
            Outcome::Error(
                "extender \"URL/0/\" claims a filtered node \"elsewhere\" which is not found in the input node list",
            ),
        ),
        scene(
            "no answer",
            vec![slow()],
            |_, _| Reply::Never,
            Outcome::ErrorOf("Post \"URL/0/filter\": no answer within"),
        ),
        scene(
            "no JSON",
            vec![filtering()],
            |_, _| Reply::Text("hello"),
            Outcome::ErrorOf("Post \"URL/0/filter\": the answer can't be read: "),
        ),
        scene(
            "a field of another type",
            vec![filtering()],
            |_, _| Reply::Json(json!({"NodeNames": "a"})),
            Outcome::ErrorOf("Post \"URL/0/filter\": the answer can't be read: "),
        ),
        scene(
            "failures of ignorable extenders",
            vec![
                with(slow(), IGNORABLE()),
                with(filtering(), IGNORABLE()),
                with(filtering(), IGNORABLE()),
                with(filtering(), IGNORABLE()),
            ],
            |path, args| match path {
                "/0/filter" => Reply::Never,
                "/1/filter" => Reply::Status(500),
                "/2/filter" => Reply::Text("["),
                _ => Reply::Json(keep("b", args)),
            },
            Outcome::On("b"),
        ),
    ]
}

fn scoring_and_binding_scenes() -> Vec<Scene> {
    let scoring = |weight: i64| json!({"prioritizeVerb": "score", "weight": weight, "nodeCacheCapable": true});
    vec![
        scene(
            "scores",
            vec![scoring(1), with(scoring(9), json!({"nodeCacheCapable": false})), scoring(1), scoring(1)],
            |path, _| match path {
                "/0/score" => Reply::Json(json!([{"Host": "a", "Score": 10}, {"Host": "b", "Score": 1}])),
                "/1/score" => Reply::Json(json!([{"host": "c", "score": 10}, {"host": "elsewhere", "score": 10}])),
                "/2/score" => Reply::Status(500),
                _ => Reply::Text("nonsense"),
            },
            Outcome::On("c"),
        ),
        scene(
            "a binding",
            vec![with(filtering(), json!({"bindVerb": "bind"}))],
            |path, args| match path {
                "/0/bind" => Reply::Bind,
                _ => Reply::Json(keep("b", args)),
            },
            Outcome::On("b"),
        ),
        scene(
            "a failed binding",
            vec![with(filtering(), json!({"bindVerb": "bind"}))],
            |path, args| match path {
                "/0/bind" => Reply::Json(json!({"Error": "binding failed"})),
                _ => Reply::Json(keep("b", args)),
            },
            Outcome::Error("binding failed"),
        ),
        scene(
            "a failed binding of an ignorable extender",
            vec![with(filtering(), json!({"bindVerb": "bind", "ignorable": true}))],
            |path, args| match path {
                "/0/bind" => Reply::Status(404),
                _ => Reply::Json(keep("b", args)),
            },
            Outcome::On("b"),
        ),
    ]
}

fn preempting_scenes() -> Vec<Scene> {
    let full = |scene| Scene { full: true, ..scene };
    vec![
        full(scene(
            "victims",
            vec![preempting(true)],
            |_, args| Reply::Json(keep_victims_of("b", args)),
            Outcome::On("b"),
        )),
        full(scene(
            "victims as complete pods",
            vec![preempting(false)],
            |_, args| Reply::Json(keep_victims_of("b", args)),
            Outcome::On("b"),
        )),
        full(scene(
            "no victims",
            vec![preempting(true)],
            |_, _| Reply::Json(json!({})),
            Outcome::Unschedulable(
                "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, \
                 preemption: no candidate node for preemption",
            ),
        )),
        full(scene(
            "an empty list of victims",
            vec![preempting(true)],
            |_, _| Reply::Json(json!({"NodeNameToMetaVictims": {"b": {"Pods": []}}})),
            Outcome::Unschedulable(
                "0/2 nodes are available: 2 Insufficient cpu. \
                 preemption: expected at least one victim pod on node \"b\"",
            ),
        )),
        full(scene(
            "a failed preemption",
            vec![preempting(true)],
            |_, _| Reply::Status(500),
            Outcome::Unschedulable(
                "0/2 nodes are available: 2 Insufficient cpu. \
                 preemption: failed preempt with extender at URL URL/0/preempt, code 500",
            ),
        )),
        full(scene(
            "a failed preemption of an ignorable extender",
            vec![with(preempting(true), IGNORABLE())],
            |_, _| Reply::Status(500),
            Outcome::On("a"),
        )),
    ]
}
