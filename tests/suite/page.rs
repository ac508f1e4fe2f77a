//! The web page of `berth sim`, and what it reads of the cluster.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::http::{Method, Request};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, nodes, pod, with};
use berth_tests::{Process, api, programs};
use futures::{AsyncBufReadExt, Stream, StreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::client::Body;
use kube::{Api, Client, Config};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::harness::standalone_trial;

/// Returns the trials that need no API server.
pub fn trials() -> Vec<Trial> {
    vec![
        standalone_trial("page::a_browser_follows_the_cluster", || Box::pin(a_browser_follows_the_cluster())),
        standalone_trial("page::a_change_of_weights_is_previewed_and_applied", || {
            Box::pin(a_change_of_weights_is_previewed_and_applied())
        }),
        standalone_trial("page::a_person_makes_single_decisions", || Box::pin(a_person_makes_single_decisions())),
        standalone_trial("page::a_browser_goes_back_in_time", || Box::pin(a_browser_goes_back_in_time())),
        standalone_trial("page::a_capture_has_a_page", || Box::pin(a_capture_has_a_page())),
        standalone_trial("page::a_cluster_is_exported_removed_and_imported", || {
            Box::pin(a_cluster_is_exported_removed_and_imported())
        }),
        standalone_trial("page::the_page_of_a_scheduler_is_read_only", || {
            Box::pin(the_page_of_a_scheduler_is_read_only())
        }),
    ]
}

/// Reads events of a watch until one has a listing as expected.
async fn until(
    lines: &mut (impl Stream<Item = std::io::Result<String>> + Unpin),
    expected: impl Fn(&Value) -> bool,
) -> Result<()> {
    let mut listings = Vec::new();
    loop {
        let line = tokio::time::timeout(PATIENCE, lines.next()).await;
        let line = line.with_context(|| format!("not seen: {listings:#?}"))?.context("the watch has ended")??;
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let listing: Value = serde_json::from_str(data)?;
        if expected(&listing) {
            return Ok(());
        }
        listings.push(listing);
    }
}

/// The longest time until a change is in the watch.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts `berth sim` with these arguments. Returns once it has written the kubeconfig.
async fn simulator(kubeconfig: &Path, arguments: &[&str]) -> Result<Process> {
    let mut command = Command::new(programs::berth()?);
    command.args(["sim", "--empty", "--kubeconfig"]).arg(kubeconfig).args(arguments);
    let sim = Process::spawn(command)?;
    eventually("the simulator is ready", || async { Ok(Look::at(kubeconfig.exists(), || sim.log())) }).await?;
    Ok(sim)
}

async fn a_browser_follows_the_cluster() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut sim = simulator(&kubeconfig, &[]).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    let text = |path: &str| client.request_text(Request::get(path).body(Vec::new()).unwrap_or_default());
    let page = text("/ui/").await?;
    ensure!(page.contains("<title>Berth</title>"), "{page}");

    let request = Request::get("/berth/v1/cluster?watch=true").body(Vec::new())?;
    let mut lines = Box::pin(client.request_stream(request).await?.lines());
    let named = |listing: &Value, name: &str| {
        let mut nodes = listing["nodes"].as_array().into_iter().flatten();
        nodes.find(|node| node["name"] == name).cloned().unwrap_or_default()
    };
    until(&mut lines, |listing| listing["complete"] == true && listing["nodes"] == json!([])).await?;
    api::create(&client, &node("n", 4)).await?;
    until(&mut lines, |listing| listing["complete"] == false && named(listing, "n")["ready"] == true).await?;
    api::create(&client, &pod("small", "1")).await?;
    let measured = |listing: &Value| listing["cyclesMicros"].as_u64() > Some(0);
    let is_placed = |listing: &Value| named(listing, "n")["requested"]["cpu"] == 1000 && listing["pods"] == 1;
    until(&mut lines, |listing| is_placed(listing) && measured(listing)).await?;
    api::create(&client, &pod("large", "9")).await?;
    until(&mut lines, |listing| listing["pending"]["unschedulable"] == 1).await?;
    let pods: Value = serde_json::from_str(&text("/berth/v1/nodes/n/pods").await?)?;
    ensure!(pods["pods"][0]["pod"]["name"] == "small" && pods["pods"][0]["requested"]["cpu"] == 1000, "{pods}");
    let plugins_before: Value = serde_json::from_str(&text("/berth/v1/plugins").await?)?;
    let mut listed = plugins_before["plugins"].as_array().into_iter().flatten();
    let fit = listed.find(|plugin| plugin["name"] == "NodeResourcesFit").context("NodeResourcesFit is not listed")?;
    let uses = json!([{"schedulerName": "default-scheduler", "extensionPoints": ["filter", "score"], "weight": 1}]);
    ensure!(fit["state"] == "loaded" && fit["uses"] == uses && fit["cost"]["calls"].as_u64() > Some(0), "{fit}");

    let reads = fit["grants"].as_array().is_some_and(|grants| grants.iter().all(Value::is_string));
    ensure!(reads, "{fit}");

    // A reloaded plugin begins to count its calls again, and serves.
    let calls = |listing: &Value| {
        let mut listed = listing["plugins"].as_array().into_iter().flatten();
        listed.find(|plugin| plugin["name"] == "NodeResourcesFit").and_then(|plugin| plugin["cost"]["calls"].as_u64())
    };
    let reload = async |plugin: &str| policy(&client, "/berth/v1/reload", &json!({ "plugin": plugin })).await;
    ensure!(reload("NodeResourcesFit").await? == (200, json!({"plugin": "NodeResourcesFit"})));
    let after: Value = serde_json::from_str(&text("/berth/v1/plugins").await?)?;
    ensure!(calls(&after) < calls(&plugins_before), "{after}");
    let (code, refused) = reload("Absent").await?;
    ensure!(code == 400 && refused["message"] == "no profile uses a plugin Absent", "{code} {refused}");
    api::create(&client, &pod("second", "1")).await?;
    until(&mut lines, |listing| named(listing, "n")["requested"]["cpu"] == 2000).await?;

    // `berth explain` tells ages by the clock of the cluster.
    let advance = Request::post("/berth/v1/clock").body(json!({"advance": "30m"}).to_string().into_bytes())?;
    client.request_text(advance).await?;
    let mut explain = Command::new(programs::berth()?);
    explain.args(["explain", "pod", "small", "--kubeconfig"]).arg(&kubeconfig);
    let told = programs::run(explain).await?;
    let age = told.stdout.split("of profile default-scheduler, ").nth(1).and_then(|rest| rest.split("m ago").next());
    ensure!(age.and_then(|minutes| minutes.parse().ok()).is_some_and(|minutes: u32| minutes >= 30), "{told:?}");

    Api::<Node>::all(client.clone()).delete("n", &DeleteParams::default()).await?;
    until(&mut lines, |listing| listing["removed"] == json!(["n"])).await?;
    // An open page does not keep the process.
    sim.stop().await
}

/// Sends a request about all objects. Returns the status code and the response.
async fn objects(client: &Client, method: Method, file: Vec<u8>) -> Result<(u16, Vec<u8>)> {
    let request = Request::builder().method(method).uri("/berth/v1/objects").body(Body::from(file))?;
    let response = client.send(request).await?;
    Ok((response.status().as_u16(), response.into_body().collect_bytes().await?.to_vec()))
}

/// Waits until so many pods exist and each has a node. Returns names, UIDs and nodes.
async fn placed(client: &Client, count: usize) -> Result<BTreeSet<[String; 3]>> {
    let pods = Api::<Pod>::default_namespaced(client.clone());
    eventually(&format!("{count} pods have a node"), || async {
        let found = pods.list(&ListParams::default()).await?.items.into_iter().map(|pod| {
            let node = pod.spec.and_then(|spec| spec.node_name);
            [pod.metadata.name, pod.metadata.uid, node].map(Option::unwrap_or_default)
        });
        let found: BTreeSet<_> = found.collect();
        let all = found.len() == count && found.iter().all(|[.., node]| !node.is_empty());
        Ok(if all { Look::Yes(found) } else { Look::NotYet(format!("{found:?}")) })
    })
    .await
}

async fn a_cluster_is_exported_removed_and_imported() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut sim = simulator(&kubeconfig, &[]).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    api::create_all(&client, nodes("n", 3, 4)).await?;
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": pod("", "1")["spec"]});
    let spec = json!({"replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": template});
    let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec});
    api::create(&client, &with(web, &json!({"metadata": {"namespace": "default"}}))).await?;
    let before = placed(&client, 5).await?;

    let (code, file) = objects(&client, Method::GET, Vec::new()).await?;
    ensure!(code == 200, "{code}");
    let (code, answer) = objects(&client, Method::PUT, b"{\"kind\": ".to_vec()).await?;
    ensure!(code == 400, "{code} {}", String::from_utf8_lossy(&answer));
    ensure!(placed(&client, 5).await? == before, "a file that can't be read changes nothing");
    let (code, answer) = objects(&client, Method::DELETE, Vec::new()).await?;
    ensure!(code == 200, "{code} {}", String::from_utf8_lossy(&answer));
    ensure!(Api::<Node>::all(client.clone()).list(&ListParams::default()).await?.items.is_empty(), "nodes are left");
    placed(&client, 0).await?;

    // The import replaces what is there. Its pods keep their nodes, and no controller has made others meanwhile.
    api::create(&client, &node("other", 64)).await?;
    let (code, answer) = objects(&client, Method::PUT, file).await?;
    let answer = String::from_utf8(answer)?;
    ensure!(code == 200 && answer.contains("3 Node, 5 Pod"), "{code} {answer}");
    ensure!(placed(&client, 5).await? == before);
    // Controllers and scheduler go on with the imported objects.
    let deployments = Api::<Deployment>::default_namespaced(client.clone());
    let scale = json!({"spec": {"replicas": 6}});
    deployments.patch("web", &PatchParams::default(), &Patch::Merge(scale)).await?;
    let after = placed(&client, 6).await?;
    ensure!(before.is_subset(&after), "{before:?} {after:?}");
    ensure!(after.iter().all(|[.., node]| node != "other"), "{after:?}");
    sim.stop().await
}

/// Sends a change of the policy to this path. Returns the status code and the response.
async fn policy(client: &Client, path: &str, change: &Value) -> Result<(u16, Value)> {
    let request = Request::post(path).header("content-type", "application/json");
    let response = client.send(request.body(Body::from(change.to_string().into_bytes()))?).await?;
    let code = response.status().as_u16();
    Ok((code, serde_json::from_slice(&response.into_body().collect_bytes().await?)?))
}

/// A pod that prefers the node `left` goes there by default. With a large weight of NodeResourcesFit, it goes to the
/// emptier node.
fn preferring(name: &str) -> Value {
    let requirement = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": ["left"]});
    let preferred = json!([{"weight": 100, "preference": {"matchExpressions": [requirement]}}]);
    let affinity = json!({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}});
    with(pod(name, "500m"), &json!({"spec": {"affinity": affinity}}))
}

async fn a_change_of_weights_is_previewed_and_applied() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut sim = simulator(&kubeconfig, &[]).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    let pods = Api::<Pod>::default_namespaced(client.clone());
    let node_of = async |name: &str| {
        let what = format!("{name} has a node");
        let found = eventually(&what, || async {
            let node = pods.get(name).await?.spec.and_then(|spec| spec.node_name);
            Ok(node.map_or_else(|| Look::NotYet("it has none".to_owned()), Look::Yes))
        });
        found.await
    };
    for name in ["left", "right"] {
        api::create(&client, &node(name, 4)).await?;
    }
    // The first one finds equal nodes; the second one finds `left` fuller.
    for name in ["first", "second"] {
        api::create(&client, &preferring(name)).await?;
        ensure!(node_of(name).await? == "left");
    }
    api::create(&client, &pod("large", "9")).await?;

    let change = |weights: Value| json!({"schedulerName": "default-scheduler", "weights": weights});
    let preview = async |weights| policy(&client, "/berth/v1/preview", &change(weights)).await;
    // The recorder writes twice a second.
    eventually("all decisions are recorded", || async {
        let (code, answer) = preview(json!({})).await?;
        ensure!(code == 200 && answer["different"] == json!([]) && answer["notes"] == json!([]), "{code} {answer}");
        Ok(Look::at(answer["judged"] == 3, || answer.to_string()))
    })
    .await?;
    let (code, answer) = preview(json!({"NodeResourcesFit": 1000})).await?;
    let different = answer["different"].as_array().context("a list")?;
    ensure!(code == 200 && answer["judged"] == 3 && different.len() == 1, "{answer}");
    let second = &different[0];
    ensure!(
        second["name"] == "second" && second["node"] == "left" && second["newNode"] == "right" && second["ties"] == 1,
        "{answer}"
    );
    ensure!(second["newScore"].as_i64() > second["score"].as_i64(), "{answer}");
    for (weights, message) in [
        (json!({"NodeResourceFit": 2}), "did you mean NodeResourcesFit?"),
        (json!({"NodeResourcesFit": 0}), "is not between 1 and 10000"),
    ] {
        let (code, answer) = preview(weights.clone()).await?;
        let told = answer["message"].as_str().unwrap_or_default();
        ensure!(code == 400 && told.contains(message), "{weights}: {code} {answer}");
        ensure!(policy(&client, "/berth/v1/policy", &change(weights)).await?.0 == 400);
    }
    let mut wrong = change(json!({}));
    wrong["arguments"] = json!({"NodeResourcesFit": {"scoringStrategy": 7}});
    let (code, answer) = policy(&client, "/berth/v1/policy", &wrong).await?;
    let told = answer["message"].as_str().unwrap_or_default();
    ensure!(code == 400 && told.contains("/scoringStrategy"), "{code} {answer}");

    let (code, answer) = policy(&client, "/berth/v1/policy", &change(json!({"NodeResourcesFit": 1000}))).await?;
    ensure!(code == 200, "{code} {answer}");
    api::create(&client, &preferring("third")).await?;
    ensure!(node_of("third").await? == "right", "the new weight decides");
    sim.stop().await
}

/// Sends a request about the scheduling, and returns the state.
async fn scheduling(client: &Client, change: Option<Value>) -> Result<Value> {
    let path = "/berth/v1/scheduling";
    let request = match change {
        Some(change) => Request::post(path).body(change.to_string().into_bytes())?,
        None => Request::get(path).body(Vec::new())?,
    };
    Ok(client.request(request).await?)
}

async fn a_person_makes_single_decisions() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut sim = simulator(&kubeconfig, &[]).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    api::create(&client, &node("n", 4)).await?;
    let refused = scheduling(&client, Some(json!({"decide": true}))).await.err().context("decides while it runs")?;
    ensure!(refused.to_string().contains("pause the scheduling"), "{refused}");
    let state = scheduling(&client, Some(json!({"paused": true}))).await?;
    ensure!(state == json!({"paused": true, "hasWork": false}), "{state}");
    let state = scheduling(&client, Some(json!({"decide": true}))).await?;
    ensure!(state["decided"].is_null(), "{state}");

    for name in ["a", "b"] {
        api::create(&client, &pod(name, "1")).await?;
    }
    eventually("both pods are in the queue", || async {
        let queue: Value = client.request(Request::get("/berth/v1/queue").body(Vec::new())?).await?;
        let pods = queue["pods"].as_array().map_or(0, Vec::len);
        Ok(Look::at(pods == 2, || queue.to_string()))
    })
    .await?;
    let state = scheduling(&client, None).await?;
    ensure!(state == json!({"paused": true, "hasWork": true}), "{state}");
    let state = scheduling(&client, Some(json!({"decide": true}))).await?;
    let decided = state["decided"]["name"].as_str().context("no pod was decided")?;
    ensure!(decided == "a" && state["hasWork"] == true, "{state}");
    let pods = Api::<Pod>::default_namespaced(client.clone());
    let node_of = async |name: &str| anyhow::Ok(pods.get(name).await?.spec.and_then(|spec| spec.node_name));
    eventually("the pod has a node", || async {
        let node = node_of("a").await?;
        Ok(Look::at(node.as_deref() == Some("n"), || format!("{node:?}")))
    })
    .await?;
    ensure!(node_of("b").await?.is_none(), "the scheduling was paused");
    scheduling(&client, Some(json!({"paused": false}))).await?;
    placed(&client, 2).await?;
    sim.stop().await
}

async fn a_browser_goes_back_in_time() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut sim = simulator(&kubeconfig, &[]).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    let get = async |path: &str| -> Result<(u16, Value)> {
        let response = client.send(Request::get(path).body(Body::empty())?).await?;
        let code = response.status().as_u16();
        Ok((code, serde_json::from_slice(&response.into_body().collect_bytes().await?)?))
    };
    api::create(&client, &node("small", 4)).await?;
    api::create(&client, &pod("placed", "1")).await?;
    api::create(&client, &pod("large", "9")).await?;
    eventually("one pod is placed, and one is pending", || async {
        let (_, listing) = get("/berth/v1/cluster").await?;
        let settled = listing["pods"] == 1 && listing["pending"]["unschedulable"] == 1;
        Ok(Look::at(settled, || listing.to_string()))
    })
    .await?;
    // The recorder writes twice a second.
    let range = eventually("something is recorded", || async {
        let (code, range) = get("/berth/v1/history").await?;
        ensure!(code == 200, "{code} {range}");
        Ok(if range["from"].is_null() { Look::NotYet(range.to_string()) } else { Look::Yes(range) })
    });
    let range = range.await?;
    let (from, then) = (range["from"].as_u64().context("a beginning")?, range["to"].as_u64().context("the present")?);
    ensure!(from < then, "{range}");
    api::create(&client, &node("big", 16)).await?;
    eventually("the large pod is placed", || async {
        let (_, listing) = get("/berth/v1/cluster").await?;
        Ok(Look::at(listing["pods"] == 2, || listing.to_string()))
    })
    .await?;
    Api::<Node>::all(client.clone()).delete("small", &DeleteParams::default()).await?;

    eventually("the past is as it was", || async {
        let (code, past) = get(&format!("/berth/v1/cluster?at={then}")).await?;
        ensure!(code == 200 && past["at"] == then && past["complete"] == true, "{code} {past}");
        let same = past["pods"] == 1 && past["pending"]["unschedulable"] == 1 && past["nodes"][0]["name"] == "small";
        Ok(Look::at(same && past["nodes"].as_array().is_some_and(|nodes| nodes.len() == 1), || past.to_string()))
    })
    .await?;
    eventually("the decisions around the moment are known", || async {
        let (code, range) = get(&format!("/berth/v1/history?at={then}")).await?;
        ensure!(code == 200, "{code} {range}");
        let [before, after] = [&range["previousDecision"], &range["nextDecision"]].map(Value::as_u64);
        let known = before.is_some_and(|before| before < then) && after.is_some_and(|after| after > then);
        Ok(Look::at(known, || range.to_string()))
    })
    .await?;
    let (_, range) = get(&format!("/berth/v1/history?at={from}")).await?;
    ensure!(range.get("previousDecision").is_none() && range["nextDecision"].as_u64() > Some(from), "{range}");
    let (code, pods) = get(&format!("/berth/v1/nodes/small/pods?at={then}")).await?;
    ensure!(code == 200 && pods["pods"][0]["pod"]["name"] == "placed", "{code} {pods}");
    let (code, queue) = get(&format!("/berth/v1/queue?at={then}")).await?;
    ensure!(code == 200 && queue["pods"][0]["pod"]["name"] == "large", "{code} {queue}");
    let path = format!("/berth/v1/namespaces/default/pods/large?whyNot=small&at={then}");
    let (code, answer) = get(&path).await?;
    ensure!(code == 200 && answer["explanation"]["state"] == "noNodeFits", "{code} {answer}");
    ensure!(answer["explanation"]["computedAt"] == then && !answer["whyNot"].is_null(), "{answer}");
    for (path, expected) in [
        (format!("/berth/v1/nodes/big/pods?at={then}"), 404),
        (format!("/berth/v1/cluster?at={}", from - 1), 404),
        (format!("/berth/v1/cluster?watch=true&at={then}"), 400),
    ] {
        let (code, answer) = get(&path).await?;
        ensure!(code == expected, "{path}: {code} {answer}");
    }
    let (_, present) = get("/berth/v1/cluster").await?;
    ensure!(present["nodes"][0]["name"] == "big", "{present}");
    sim.stop().await
}

async fn a_capture_has_a_page() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let capture = directory.path().join("capture");
    let mut demo = Command::new(programs::berth()?);
    demo.args(["demo", "--capture"]).arg(&capture);
    ensure!(programs::run(demo).await?.status == Some(0), "the demo failed");
    let mut page = programs::spawn_berth(&["replay", &capture.display().to_string(), "--ui"])?;
    let mut printed = BufReader::new(page.stdout.take().context("no output")?).lines();
    let address = loop {
        let line = tokio::time::timeout(PATIENCE, printed.next_line()).await??.context("the command has ended")?;
        if let Some((_, rest)) = line.split_once("http://") {
            break rest.trim_end_matches("/ui/").to_owned();
        }
    };
    let read = async |path: &str| -> Result<Value> {
        let (status, body) = http(&address, "GET", path, None).await?;
        ensure!(status == 200, "{path}: {status} {body}");
        Ok(serde_json::from_str(&body)?)
    };
    let mode = read("/ui/mode.json").await?;
    ensure!(mode == json!({"readOnly": true, "replay": true}), "{mode}");
    let cluster = read("/berth/v1/cluster").await?;
    ensure!(cluster["nodes"].as_array().is_some_and(|nodes| nodes.len() == 50), "{cluster}");
    let history = read("/berth/v1/history").await?;
    let points = read("/berth/v1/history/points").await?;
    let points = points.as_array().context("no points")?;
    let (first, last) = (points.first().context("no point")?, points.last().context("no point")?);
    ensure!((&first["at"], &last["at"]) == (&history["from"], &history["to"]), "{first} {last} {history}");
    ensure!(first["pods"] == 0 && last["pods"] == cluster["pods"], "{first} {last}");
    ensure!(last["pending"]["unschedulable"] == 5 && last["utilization"]["cpu"].as_f64() > Some(0.1), "{last}");
    let then = read(&format!("/berth/v1/cluster?at={}", history["from"])).await?;
    ensure!(then["pods"] == 0, "{then}");
    let plugins = read("/berth/v1/plugins").await?;
    let mut plugins = plugins["plugins"].as_array().into_iter().flatten();
    ensure!(plugins.any(|plugin| plugin["state"] == "loaded" && plugin["cost"]["calls"] == 0), "no plugin serves");
    let queue = read("/berth/v1/queue").await?;
    let pod = queue["pods"][0]["pod"]["name"].as_str().context("no pending pod")?.to_owned();
    for (query, listed, left) in [("limit=2".to_owned(), 2, 3), (format!("search=default/{pod}&limit=9"), 1, 0)] {
        let part = read(&format!("/berth/v1/queue?{query}")).await?;
        let pods = part["pods"].as_array().context("a list")?;
        ensure!(pods[..] == queue["pods"].as_array().context("a list")?[..listed] && part["leftOut"] == left, "{part}");
    }
    let told = read(&format!("/berth/v1/namespaces/default/pods/{pod}?allNodes=true")).await?;
    ensure!(told["allNodes"]["nodes"].as_array().is_some_and(|nodes| nodes.len() == 50), "{told}");
    for (method, path, expected) in [
        ("GET", "/berth/v1/namespaces/default/pods/none", 404),
        ("DELETE", "/berth/v1/plugins/a.wasm", 404),
        ("POST", "/berth/v1/policy", 404),
        ("PUT", "/berth/v1/objects", 404),
        ("POST", "/berth/v1/scheduling", 404),
    ] {
        let (status, body) = http(&address, method, path, None).await?;
        ensure!(status == expected, "{method} {path}: {status} {body}");
    }
    ensure!(http(&address, "GET", "/berth/v1/cluster", Some("https://example.com")).await?.0 == 403);
    ensure!(programs::terminate(&mut page).await?.success(), "the page does not end in order");
    Ok(())
}

async fn the_page_of_a_scheduler_is_read_only() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut sim = simulator(&kubeconfig, &["--no-scheduler"]).await?;
    let client = berth_kube::connect_to(&std::fs::read_to_string(&kubeconfig)?).await?;
    api::create(&client, &node("n", 4)).await?;
    api::create(&client, &pod("large", "9")).await?;
    let mut process = Process::start(&kubeconfig, &["--leader-elect=false", "--ui=any"])?;
    let line = process.until_line(|line| line.contains("serving the web page")).await;
    let line = line.with_context(|| process.log())?;
    let address = line.split("http://").nth(1).and_then(|rest| rest.split("/ui/").next()).context("an address")?;
    let get = async |path: &str, origin: Option<&str>| http(address, "GET", path, origin).await;
    ensure!(get("/ui/mode.json", None).await? == (200, r#"{"readOnly":true}"#.to_owned()));
    eventually("the pod is pending", || async {
        let (code, body) = get("/berth/v1/queue", None).await?;
        Ok(Look::at(code == 200 && body.contains("\"large\"") && body.contains("Insufficient cpu"), || body.clone()))
    })
    .await?;
    let own = format!("http://{address}");
    for (origin, expected) in [(own.as_str(), 200), ("http://127.0.0.1:1", 403), ("https://example.com", 403)] {
        let (code, body) = get("/berth/v1/cluster", Some(origin)).await?;
        ensure!(code == expected, "{origin}: {code} {body}");
    }
    // There is no API of the cluster, no clock, and no change of the policy.
    for (method, path) in [
        ("POST", "/api/v1/nodes"),
        ("DELETE", "/api/v1/nodes/n"),
        ("POST", "/berth/v1/clock"),
        ("POST", "/berth/v1/policy"),
    ] {
        let (code, _) = http(address, method, path, None).await?;
        ensure!(code == 404, "{method} {path}: {code}");
    }
    process.stop().await?;
    sim.stop().await
}

/// Sends a request without a body over plain HTTP. Returns status and body.
async fn http(address: &str, method: &str, path: &str, origin: Option<&str>) -> Result<(u16, String)> {
    let client = Client::try_from(Config::new(format!("http://{address}").parse()?))?;
    let mut request = Request::builder().method(method).uri(path);
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    let answer = client.send(request.body(Body::empty())?).await?;
    let code = answer.status().as_u16();
    let body = answer.into_body().collect_bytes().await?;
    Ok((code, String::from_utf8_lossy(&body).into_owned()))
}
