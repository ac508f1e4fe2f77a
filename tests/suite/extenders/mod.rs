//! Extenders with Berth and with kube-scheduler: both must send the same requests and reach the same result.
//!
//! `PARITY_SCHEDULER` is the path of kube-scheduler.

mod scenes;

use anyhow::{Context, Result, ensure};
use berth::scheduler::{self, Scheduler};
use berth_test_kit::wait::Look;
use berth_tests::extender::{Extender, ReceivedRequest};
use berth_tests::objects::{node, pod, priority_class, with};
use berth_tests::{Journal, Target, api};
use serde_json::{Value, json};

use self::scenes::{Outcome, Scene};
use crate::kube_scheduler::KubeScheduler;

crate::case::cases!(Both: answers_take_effect);

/// Returns the comparison, which needs kube-scheduler.
pub fn compared() -> Vec<crate::case::Case> {
    let (module, name, on) = ("extenders", "requests_match_kube_scheduler", crate::case::On::Real);
    vec![crate::case::Case { module, name, on, run: |target| Box::pin(requests_match_kube_scheduler(target)) }]
}

/// The requests and the result of a scene.
#[derive(Debug, PartialEq)]
struct Observation {
    /// The requests, without repetitions, in the order of their first occurrence.
    requests: Vec<ReceivedRequest>,
    /// The pod's node, or the reason and the message of the condition `PodScheduled`.
    result: Result<String, (String, String)>,
}

async fn answers_take_effect(target: &Target) -> Result<()> {
    for scene in scenes::all() {
        let observation = by_berth(target, &scene).await.with_context(|| scene.name)?;
        check(&scene, &observation.result)
            .with_context(|| format!("{}: the extender received {:#?}", scene.name, observation.requests))?;
        target.clean_up().await?;
    }
    Ok(())
}

async fn requests_match_kube_scheduler(target: &Target) -> Result<()> {
    for scene in scenes::all() {
        let theirs =
            by_kube_scheduler(target, &scene).await.with_context(|| format!("{}: kube-scheduler", scene.name))?;
        target.clean_up().await?;
        let ours = by_berth(target, &scene).await.with_context(|| format!("{}: Berth", scene.name))?;
        target.clean_up().await?;
        ensure!(
            ours.requests == theirs.requests,
            "{}: {}",
            scene.name,
            first_difference(&theirs.requests, &ours.requests)
        );
        match (&scene.expected, theirs.result, ours.result) {
            (Outcome::ErrorOf(_), Err((theirs, _)), Err((ours, _))) if theirs == ours => {}
            (_, theirs, ours) => ensure!(
                theirs == ours,
                "{}: the result with kube-scheduler is {theirs:?}, with Berth {ours:?}",
                scene.name
            ),
        }
    }
    Ok(())
}

fn first_difference(theirs: &[ReceivedRequest], ours: &[ReceivedRequest]) -> String {
    let at = theirs.iter().zip(ours).take_while(|(theirs, ours)| theirs == ours).count();
    let show = |request: Option<&ReceivedRequest>| {
        request.map_or("no request".into(), |request| format!("{} {:#}", request.endpoint, request.body))
    };
    format!("request {at}: kube-scheduler sends {}\nBerth sends {}", show(theirs.get(at)), show(ours.get(at)))
}

fn check(scene: &Scene, result: &Result<String, (String, String)>) -> Result<()> {
    let outcome = result.as_ref().map(String::as_str).map_err(|(reason, message)| (reason.as_str(), message.as_str()));
    let matches = match (&scene.expected, outcome) {
        (Outcome::On(node), Ok(placed)) => *node == placed,
        (Outcome::Unschedulable(expected), Err(("Unschedulable", message))) => *expected == message,
        (Outcome::Error(expected), Err(("SchedulerError", message))) => *expected == message,
        (Outcome::ErrorOf(expected), Err(("SchedulerError", message))) => message.starts_with(expected),
        _ => false,
    };
    ensure!(matches, "the result is {result:?}, expected {:?}", scene.expected);
    Ok(())
}

async fn by_berth(target: &Target, scene: &Scene) -> Result<Observation> {
    let extender = prepare(target, scene).await?;
    let file = json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": false},
        "extenders": extender_configuration(scene, &extender),
    });
    let configuration = berth_config::parse(&file.to_string(), "scheduler.yaml")?;
    let options = scheduler::Options { configuration, ..scheduler::Options::default() };
    let scheduler = Scheduler::start(target.client.clone(), target.recorded(options)).await?;
    let observation = observe(target, scene, &extender).await;
    target.stop(scheduler).await?;
    observation
}

async fn by_kube_scheduler(target: &Target, scene: &Scene) -> Result<Observation> {
    let extender = prepare(target, scene).await?;
    let scheduler = KubeScheduler::start_with(target, &json!({"extenders": extender_configuration(scene, &extender)}))?;
    let observation = observe(target, scene, &extender).await;
    scheduler.stop().await?;
    observation
}

/// Returns `extenders[]` of the configuration, with the URL of the test's extender server.
fn extender_configuration(scene: &Scene, extender: &Extender) -> Vec<Value> {
    let url = |at: usize| json!({"urlPrefix": format!("{}/{at}/", extender.url())});
    scene.extenders.iter().enumerate().map(|(at, extender)| with(extender.clone(), &url(at))).collect()
}

/// Creates the cluster, and starts the extender, before the scheduler starts.
async fn prepare(target: &Target, scene: &Scene) -> Result<Extender> {
    let nodes: &[&str] = if scene.full { &["a", "b"] } else { &["a", "b", "c"] };
    let nodes: Vec<Value> = nodes.iter().map(|name| node(name, 4)).collect();
    api::create_all(&target.client, nodes).await?;
    if scene.full {
        for (class, priority) in [("low", 0), ("middle", 100), ("high", 1000)] {
            api::create(&target.client, &priority_class(class, priority)).await?;
        }
        for (node, class) in [("a", "low"), ("b", "middle")] {
            let spec = json!({"nodeName": node, "priorityClassName": class, "terminationGracePeriodSeconds": 0});
            api::create(&target.client, &with(pod(class, "3"), &json!({"spec": spec}))).await?;
        }
    }
    Extender::start(&target.client, scene.script).await
}

async fn observe(target: &Target, scene: &Scene, extender: &Extender) -> Result<Observation> {
    let journal = Journal::start(&target.client).await?;
    let residents = journal.now(|pods| uids(pods.by_name.iter().map(|(name, seen)| (name.as_str(), &*seen.uid))));
    let mut pending = pod("p", "3");
    let resources = &mut pending["spec"]["containers"][0]["resources"];
    json_patch::merge(resources, &json!({"requests": scene.requests, "limits": scene.requests}));
    if scene.full {
        pending["spec"]["priorityClassName"] = "high".into();
    }
    api::create(&target.client, &pending).await?;
    let expects_node = matches!(scene.expected, Outcome::On(_));
    let (uid, result) = journal
        .until(&format!("the pod of {:?} is placed or has a message", scene.name), |pods| {
            let Some(seen) = pods.by_name.get("p") else { return Look::NotYet("the pod does not exist".to_owned()) };
            match (&seen.node, &seen.scheduled) {
                (Some(node), _) => Look::Yes((seen.uid.clone(), Ok(node.clone()))),
                // A condition is the result only if no node is expected: a pod that preempts others has a condition
                // until the victims are gone.
                (None, Some((_, reason, message))) if !expects_node => {
                    Look::Yes((seen.uid.clone(), Err((reason.clone(), message.clone()))))
                }
                _ => Look::NotYet(format!("{seen:?}")),
            }
        })
        .await?;
    let names: Vec<(String, String)> = residents.into_iter().chain(uids([("p", &*uid)])).collect();
    let readable = |text: &str| {
        let text = text.replace(&extender.url(), "URL");
        names.iter().fold(text, |text, (uid, name)| text.replace(uid, name))
    };
    let mut requests: Vec<ReceivedRequest> = Vec::new();
    for request in extender.requests() {
        let mut body: Value = serde_json::from_str(&readable(&request.body.to_string()))?;
        normalize(&mut body);
        let request = ReceivedRequest { endpoint: request.endpoint, body };
        if !requests.contains(&request) {
            requests.push(request);
        }
    }
    // Extenders that score are called concurrently, so their requests are sorted.
    requests.sort_by_key(
        |request| if request.endpoint.contains("/score") { request.endpoint.clone() } else { String::new() },
    );
    Ok(Observation { requests, result: result.map_err(|(reason, message)| (reason, readable(&message))) })
}

/// Returns the uid of each pod with a readable replacement. The argument has names and uids.
fn uids<'a>(pods: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    pods.into_iter().map(|(name, uid)| (uid.to_owned(), format!("uid of {name}"))).collect()
}

/// Removes values that differ from run to run: uids, versions, times, managed fields, and conditions of earlier
/// attempts. Sorts lists, such as the list of nodes, by name.
fn normalize(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
                for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
                    metadata.remove(field);
                }
            }
            if fields.contains_key("spec")
                && let Some(Value::Object(status)) = fields.get_mut("status")
            {
                status.remove("conditions");
            }
            fields.values_mut().for_each(normalize);
        }
        Value::Array(items) => {
            items.iter_mut().for_each(normalize);
            items.sort_by_key(|item| item["metadata"]["name"].as_str().or(item.as_str()).map(str::to_owned));
        }
        _ => {}
    }
}
