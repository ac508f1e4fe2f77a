//! Probes and metrics of a scheduler at work on the embedded API server.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

#[path = "../cluster/mod.rs"]
mod cluster;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use berth::admin::{self, Subject};
use berth::kube::OwnPod;
use berth::scheduler::{Options, Scheduler};
use cluster::{Cluster, node, pod, until};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::ListParams;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Status line, headers, empty line, body.
async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let request = format!("GET {path} HTTP/1.1\r\nHost: berth\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("text");
    answer
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).expect("a status")
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").expect("a body").1
}

/// Values by series: name and labels.
fn samples(answer: &str) -> BTreeMap<&str, &str> {
    body(answer).lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(' ')).collect()
}

/// What `expected` wants and the scrape does not show.
fn missing(expected: &str, answer: &str) -> Vec<String> {
    let samples = samples(answer);
    let lines = expected.lines().filter(|line| !line.starts_with('#'));
    let differs = lines.filter_map(|line| {
        let (series, value) = line.rsplit_once(' ').expect("a series and a value");
        let found = samples.get(series).copied();
        let as_wanted = found.is_some_and(|found| value == "*" || found.parse::<f64>() == value.parse::<f64>());
        (!as_wanted).then(|| format!("{line}, found {found:?}"))
    });
    differs.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_follow_the_scheduler_from_its_start_to_its_end() {
    let cluster = Cluster::start().await;
    let options = Options::default();
    let subject = Arc::new(Subject::new(Arc::clone(&options.vitals), Arc::clone(&options.metrics)));
    let server =
        admin::Server::start("127.0.0.1:0".parse().expect("an address"), Arc::clone(&subject)).await.expect("served");
    let address = server.address();

    for (path, expected) in
        [("/livez", "200"), ("/healthz", "200"), ("/readyz", "500"), ("/metrics", "200"), ("/", "404")]
    {
        assert_eq!(status(&get(address, path).await), expected, "{path} before the scheduler");
    }
    assert!(body(&get(address, "/readyz").await).contains("[-]informer-sync failed"));
    let scheduler = Scheduler::prepare(&cluster.client, options).await.expect("prepared");
    subject.observe(scheduler.observer());
    scheduler.ready().await.expect("ready");
    assert_eq!(body(&get(address, "/readyz").await), "ok", "a standby is ready");
    assert!(body(&get(address, "/livez?verbose").await).ends_with("livez check passed\n"));
    scheduler.stop(Duration::from_secs(10)).await.expect("an orderly end");
    let answer = get(address, "/readyz").await;
    assert_eq!(status(&answer), "500");
    assert!(body(&answer).contains("[-]shutdown failed"), "{answer}");
    assert_eq!(status(&get(address, "/metrics").await), "200", "the last counts can be had to the end");
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_has_kube_schedulers_names_and_labels_and_ours() {
    let cluster = Cluster::start().await;
    for name in ["a", "b"] {
        cluster.create(&node(name)).await;
    }
    let bad = cluster.directory.path().join("bad.wasm");
    std::fs::write(&bad, b"no component").expect("written");
    let options = Options { plugins_dir: Some(cluster.directory.path().to_owned()), ..Options::default() };
    let metrics = Arc::clone(&options.metrics);
    let subject = Arc::new(Subject::new(Arc::clone(&options.vitals), Arc::clone(&metrics)));
    let server =
        admin::Server::start("127.0.0.1:0".parse().expect("an address"), Arc::clone(&subject)).await.expect("served");
    let scheduler = Scheduler::start(cluster.client.clone(), options).await.expect("started");
    subject.observe(scheduler.observer());
    metrics.set_leads("berth", true);
    // Not in a pod: refusals are counted, and told to nobody.
    let refusals =
        admin::report_refusals(cluster.client.clone(), None, scheduler.observer(), Arc::clone(&metrics), None);
    let refusals = tokio::spawn(refusals);

    cluster.create(&pod("small", "default-scheduler")).await;
    cluster.until_bound("small").await;
    let mut large = pod("large", "default-scheduler");
    large["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "64"}});
    cluster.create(&large).await;
    let refused = format!("berth_plugin_refused{{path=\"{}\"}} 1\n", bad.display());
    let expected = format!("{}{refused}", include_str!("series.txt"));
    let mut answer = String::new();
    let shown = async {
        while answer.is_empty() || !missing(&expected, &answer).is_empty() {
            answer = get(server.address(), "/metrics").await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(cluster::PATIENCE, shown).await.is_ok();
    assert!(in_time, "missing: {:#?}\nin {answer}", missing(&expected, &answer));
    assert!(answer.to_lowercase().contains("content-type: application/openmetrics-text; version=1.0.0"), "{answer}");
    assert!(answer.ends_with("# EOF\n"));
    let info =
        samples(&answer).into_keys().find(|series| series.contains("info{plugin=\"NodeResourcesFit\"")).expect("it");
    assert!(
        info.starts_with("berth_plugin_info") && info.contains(",digest=\"") && info.contains("(built in)"),
        "{info}"
    );
    refusals.abort();
    scheduler.stop(Duration::from_secs(10)).await.expect("an orderly end");
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_component_is_an_event_of_the_hosts_own_pod() {
    let cluster = Cluster::start().await;
    cluster.create(&pod("berth-0", "somebody-else")).await;
    let options = Options { plugins_dir: Some(cluster.directory.path().to_owned()), ..Options::default() };
    let metrics = Arc::clone(&options.metrics);
    let scheduler = Scheduler::start(cluster.client.clone(), options).await.expect("started");
    let own = Some(OwnPod::new("default", "berth-0"));
    let refusals = admin::report_refusals(cluster.client.clone(), own, scheduler.observer(), metrics, None);
    let refusals = tokio::spawn(refusals);
    std::fs::write(cluster.directory.path().join("bad.wasm"), b"no component").expect("written");

    let events: Api<Event> = Api::namespaced(cluster.client.clone(), "default");
    let event = until("there is an event", async || {
        let events = events.list(&ListParams::default()).await.expect("listed").items;
        events.into_iter().find(|event| event.reason.as_deref() == Some("PluginRefused"))
    })
    .await;
    let regarding = event.regarding.expect("an object");
    assert_eq!(regarding.name.as_deref(), Some("berth-0"));
    assert!(regarding.uid.is_some_and(|uid| !uid.is_empty()));
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    let note = event.note.expect("a note");
    assert!(note.ends_with("bad.wasm: is not WebAssembly: a component begins with the bytes `\\0asm`"), "{note}");
    refusals.abort();
    scheduler.stop(Duration::from_secs(10)).await.expect("an orderly end");
    cluster.stop().await;
}
