//! Tests probes and metrics of a running scheduler against the in-memory API server.

mod client;
mod gate;
mod reviews;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use berth::scheduler::{Options, Scheduler};
use berth_admin::Subject;
use berth_kube::OwnPod;
use berth_test_kit::wait::{Look, PATIENCE, eventually, until_some};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::ListParams;
use serde_json::json;

use self::client::{Answer, Client};
use crate::cluster::{Cluster, node, pod};

/// Starts a server on a free port, with all paths open to all clients.
async fn serve(subject: &Arc<Subject>) -> berth_admin::Server {
    let mut options = berth_admin::Options::at("127.0.0.1:0".parse().expect("an address"));
    options.authorization.always_allow = vec!["/*".to_owned()];
    berth_admin::Server::start(&options, Arc::clone(subject)).await.expect("served")
}

/// Returns the values of a scrape by series (name and labels).
fn samples(body: &str) -> BTreeMap<&str, &str> {
    body.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(' ')).collect()
}

/// Returns the series of `expected` that the scrape lacks or shows with another value.
fn missing(expected: &str, body: &str) -> Vec<String> {
    let samples = samples(body);
    let lines = expected.lines().filter(|line| !line.starts_with('#'));
    let differs = lines.filter_map(|line| {
        let (series, value) = line.rsplit_once(' ').expect("a series and a value");
        let found = samples.get(series).copied();
        let matches = found.is_some_and(|found| value == "*" || found.parse::<f64>() == value.parse::<f64>());
        (!matches).then(|| format!("{line}, found {found:?}"))
    });
    differs.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_follow_the_scheduler_from_its_start_to_its_end() {
    let cluster = Cluster::start().await;
    let options = Options::default();
    let subject = Arc::new(Subject::new(Arc::clone(&options.vitals), Arc::clone(&options.metrics)));
    let server = serve(&subject).await;
    let client = Client::anonymous(server.address());

    for (path, expected) in
        [("/livez", 200), ("/healthz", 200), ("/readyz", 500), ("/readyz/ping", 200), ("/metrics", 200), ("/", 404)]
    {
        assert_eq!(client.get(path).await.status, expected, "{path} before the scheduler");
    }
    assert!(client.get("/readyz").await.body.contains("[-]informer-sync failed"));
    let scheduler = Scheduler::prepare(&cluster.client, options).await.expect("prepared");
    subject.observe(scheduler.observer());
    scheduler.ready().await.expect("ready");
    assert_eq!(client.get("/readyz").await.body, "ok", "a standby is ready");
    assert!(client.get("/livez?verbose").await.body.ends_with("livez check passed\n"));
    scheduler.stop(Duration::from_secs(10)).await.expect("an orderly end");
    let answer = client.get("/readyz").await;
    assert_eq!(answer.status, 500);
    assert!(answer.body.contains("[-]shutdown failed"), "{answer:?}");
    assert_eq!(client.get("/readyz?exclude=shutdown").await.status, 200);
    assert_eq!(client.get("/readyz/shutdown").await.status, 500);
    assert_eq!(client.get("/metrics").await.status, 200, "metrics are served until the end");
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_has_the_series_of_kube_scheduler_and_berth() {
    let cluster = Cluster::start().await;
    for name in ["a", "b"] {
        cluster.create(&node(name)).await;
    }
    let bad = cluster.directory.path().join("bad.wasm");
    std::fs::write(&bad, b"no component").expect("written");
    let options = Options { plugins_dir: Some(cluster.directory.path().to_owned()), ..Options::default() };
    let metrics = Arc::clone(&options.metrics);
    let subject = Arc::new(Subject::new(Arc::clone(&options.vitals), Arc::clone(&metrics)));
    let server = serve(&subject).await;
    let scheduler = Scheduler::start(cluster.client.clone(), options).await.expect("started");
    subject.observe(scheduler.observer());
    metrics.set_leads("berth", true);
    // Without a pod of its own, the process counts refusals but writes no events.
    let refusals =
        berth_admin::report_refusals(cluster.client.clone(), None, scheduler.observer(), Arc::clone(&metrics), || None);
    let refusals = tokio::spawn(refusals);

    cluster.create(&pod("small", "default-scheduler")).await;
    cluster.until_bound("small").await;
    let mut large = pod("large", "default-scheduler");
    large["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "64"}});
    cluster.create(&large).await;
    let refused = format!("berth_plugin_refused{{path=\"{}\"}} 1\n", bad.display());
    let expected = format!("{}{refused}", include_str!("series.txt"));
    let client = Client::anonymous(server.address());
    let answer: Answer = eventually("a scrape has all expected series", || async {
        let answer = client.get("/metrics").await;
        let missing = missing(&expected, &answer.body);
        let found = || Look::NotYet(format!("missing: {missing:#?}\nin {}", answer.body));
        Ok(if missing.is_empty() { Look::Yes(answer) } else { found() })
    })
    .await
    .expect("all expected series");
    assert_eq!(answer.content_type, "text/plain; version=0.0.4; charset=utf-8");
    let answer = client.get_as("/metrics", "application/openmetrics-text").await;
    assert_eq!(answer.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert!(answer.body.ends_with("# EOF\n"));
    let info = samples(&answer.body)
        .into_keys()
        .find(|series| series.contains("info{plugin=\"NodeResourcesFit\""))
        .expect("it");
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
    let refusals = berth_admin::report_refusals(cluster.client.clone(), own, scheduler.observer(), metrics, || None);
    let refusals = tokio::spawn(refusals);
    std::fs::write(cluster.directory.path().join("bad.wasm"), b"no component").expect("written");

    let events: Api<Event> = Api::namespaced(cluster.client.clone(), "default");
    let event = until_some("there is an event", async || {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_do_not_block_probes() {
    let scheduler = Options::default();
    let subject = Arc::new(Subject::new(Arc::clone(&scheduler.vitals), Arc::clone(&scheduler.metrics)));
    let mut options = berth_admin::Options::at("127.0.0.1:0".parse().expect("an address"));
    options.authorization.always_allow = vec!["/*".to_owned()];
    options.connections = 4;
    let server = berth_admin::Server::start(&options, subject).await.expect("served");
    // These connections have not begun their handshakes.
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(tokio::net::TcpStream::connect(server.address()).await.expect("connected"));
    }
    // Each of these clients keeps its connection open.
    let clients: Vec<Client> = (0..20).map(|_| Client::anonymous(server.address())).collect();
    for client in &clients {
        let probe = tokio::time::timeout(PATIENCE, client.get("/livez"));
        assert_eq!(probe.await.expect("the probe is answered").status, 200);
    }
    // A client whose connection was closed connects again.
    assert_eq!(clients[0].get("/livez").await.status, 200);
}
