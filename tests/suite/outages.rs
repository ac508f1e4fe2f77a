//! The API server is stopped for a while, or answers with errors only. Every pod must be placed in the end, and
//! none twice.

use anyhow::{Context, Result, ensure};
use axum::http::StatusCode;
use berth::scheduler::{Options, Scheduler};
use berth_test_kit::ControlPlane;
use berth_test_kit::wait::Look;
use berth_tests::objects::{node, nodes, pod, pods, with};
use berth_tests::{Fault, Journal, Process, Proxy, Target, api, capacity, events, start_control_plane};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::failover::SHORT;
use crate::harness::standalone_trial;

crate::case::cases!(Both: all_requests_fail_for_a_while);

/// Returns the trials that stop a real API server. Each trial starts its own control plane.
pub fn trials() -> Vec<Trial> {
    let no_server = ControlPlane::assets().is_none();
    let alone = "real::outages::the_api_server_is_restarted";
    let two = "real::outages::the_api_server_is_restarted_and_the_leader_lost_its_lease";
    vec![
        standalone_trial(alone, || Box::pin(the_api_server_is_restarted())).with_ignored_flag(no_server),
        standalone_trial(two, || Box::pin(the_api_server_is_restarted_and_the_leader_lost_its_lease()))
            .with_ignored_flag(no_server),
    ]
}

/// Every request, including watches, has the same fault until many requests have had the fault. Then requests succeed
/// until the next fault begins.
async fn all_requests_fail_for_a_while(target: &Target) -> Result<()> {
    const PODS: usize = 30;
    const HITS: usize = 40;
    let proxy = Proxy::start(target.client.clone()).await?;
    api::create_all(&target.client, nodes("n", 5, 16)).await?;
    let journal = Journal::start(&target.client).await?;
    let scheduler = Scheduler::start(proxy.client().await?, target.recorded(Options::default())).await?;
    let refuse = Fault::Refuse;
    let faults = [
        refuse(StatusCode::TOO_MANY_REQUESTS),
        Fault::LoseAnswer,
        refuse(StatusCode::INTERNAL_SERVER_ERROR),
        Fault::LoseAnswer,
        refuse(StatusCode::SERVICE_UNAVAILABLE),
        refuse(StatusCode::GONE),
    ];
    for (round, fault) in faults.into_iter().enumerate() {
        let check = async {
            proxy.begin(fault);
            api::create_all(&target.client, pods(&format!("p-{round}"), PODS, "10m")).await?;
            // When this many requests have had the fault, some of them are bindings, so the scheduler has seen the
            // pods. After the cut, the scheduler sees the next objects only when it watches again.
            proxy.until_hit(HITS).await?;
            proxy.cut();
            let late = format!("late-{round}");
            api::create(&target.client, &node(&late, 4)).await?;
            api::create(&target.client, &pod_for_node(&late)).await?;
            proxy.until_hit(2).await?;
            proxy.end();
            journal.until_placed(&format!("p-{round}"), PODS).await?;
            journal.until_pod_placed(&format!("to-{late}")).await
        };
        check.await.with_context(|| format!("round {round}: {fault:?}"))?;
    }
    target.stop(scheduler).await?;
    check_placements(target, &journal).await
}

const PODS: usize = 300;

async fn the_api_server_is_restarted() -> Result<()> {
    let mut plane = start_control_plane().await?;
    let target = Target::real(&plane).await?;
    let journal = create_nodes(&target).await?;
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false"])?;
    until_some_pods_placed(&target, &journal).await?;
    plane.kill_apiserver()?;
    berth.until_logged("trying again").await?;
    plane.start_apiserver().await?;
    check_recovery(&target, &journal).await?;
    berth.stop().await?;
    check_placements(&target, &journal).await
}

/// The leader must end when it can't renew its Lease. The other scheduler leads once the API server runs again.
async fn the_api_server_is_restarted_and_the_leader_lost_its_lease() -> Result<()> {
    let mut plane = start_control_plane().await?;
    let target = Target::real(&plane).await?;
    let journal = create_nodes(&target).await?;
    let mut leader = Process::start(&target.kubeconfig, &SHORT)?;
    leader.until_logged("scheduling pods").await?;
    let mut other = Process::start(&target.kubeconfig, &SHORT)?;
    other.until_logged("standing by for the Lease").await?;
    until_some_pods_placed(&target, &journal).await?;
    plane.kill_apiserver()?;
    let status = leader.until_ended().await?;
    ensure!(status.code() == Some(1), "the leader ended with {status}:\n{}", leader.log());
    plane.start_apiserver().await?;
    check_recovery(&target, &journal).await?;
    other.stop().await?;
    check_placements(&target, &journal).await
}

async fn create_nodes(target: &Target) -> Result<Journal> {
    api::create_all(&target.client, nodes("n", 20, 8)).await?;
    Journal::start(&target.client).await
}

async fn until_some_pods_placed(target: &Target, journal: &Journal) -> Result<()> {
    api::create_all(&target.client, pods("p", PODS, "350m")).await?;
    let condition = "some of the pods are placed";
    journal
        .until(condition, |pods| Look::at(pods.placed_count("p-") > 20, || format!("{} are", pods.placed_count("p-"))))
        .await
}

/// Checks that pending pods are placed, and that the scheduler sees a new node and a new pod.
async fn check_recovery(target: &Target, journal: &Journal) -> Result<()> {
    journal.until_placed("p-", PODS).await?;
    api::create(&target.client, &node("late", 4)).await?;
    api::create(&target.client, &pod_for_node("late")).await?;
    journal.until_pod_placed("to-late").await.map(drop)
}

fn pod_for_node(node: &str) -> Value {
    let selector = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": node}}});
    with(pod(&format!("to-{node}"), "10m"), &selector)
}

async fn check_placements(target: &Target, journal: &Journal) -> Result<()> {
    capacity::check(&target.client).await?;
    events::check(&target.client).await?;
    journal.check()
}
