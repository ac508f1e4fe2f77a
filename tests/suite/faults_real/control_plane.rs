//! etcd is killed, or the API server is paused, for longer than a Lease. Every pod must be placed in the end, and
//! none twice.

use anyhow::Result;
use berth_test_kit::ControlPlane;
use berth_test_kit::wait::Look;
use berth_tests::objects::{node, nodes, pod, pods, with};
use berth_tests::{Journal, Pods, Target, api, start_control_plane};
use futures::future::BoxFuture;
use libtest_mimic::Trial;
use serde_json::json;

use super::candidates::Candidates;
use crate::harness::standalone_trial;

const PODS: usize = 200;

/// Returns the trials. Each trial stops a part of a real control plane, so each trial starts its own control plane.
pub fn trials() -> Vec<Trial> {
    let trial = |name, run: fn() -> BoxFuture<'static, Result<()>>| {
        let name = format!("real::control_plane::{name}");
        standalone_trial(&name, run).with_ignored_flag(ControlPlane::assets().is_none())
    };
    vec![
        trial("etcd_is_killed_and_started_again", || Box::pin(part_stops_during_scheduling(Part::Etcd))),
        trial("the_api_server_is_paused", || Box::pin(part_stops_during_scheduling(Part::ApiServer))),
    ]
}

/// The part of the control plane that stops.
#[derive(Clone, Copy)]
enum Part {
    /// etcd, which is killed.
    Etcd,
    /// The API server, which is paused.
    ApiServer,
}

/// Stops the part while pods are being placed, until the leader has lost its Lease.
async fn part_stops_during_scheduling(part: Part) -> Result<()> {
    let mut plane = start_control_plane().await?;
    let target = Target::real(&plane).await?;
    api::create_all(&target.client, nodes("n", 20, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let candidates = Candidates::start(&target, "control-plane").await?;
    let mut leader = candidates.take_leader().await?;
    api::create_all(&target.client, pods("p", PODS, "350m")).await?;
    let some = |pods: &Pods| Look::at(pods.placed_count("p-") > 20, || format!("{} are", pods.placed_count("p-")));
    journal.until("some of the pods are placed", some).await?;
    match part {
        Part::Etcd => plane.kill_etcd()?,
        Part::ApiServer => plane.pause_apiserver()?,
    }
    leader.candidate.process.until_ended().await?;
    match part {
        Part::Etcd => plane.start_etcd().await?,
        Part::ApiServer => plane.resume_apiserver().await?,
    }
    candidates.replace(leader).await?;
    candidates.until_placed(&journal, "p-", PODS).await?;
    // The schedulers must also see new objects.
    api::create(&target.client, &node("late", 4)).await?;
    let on_late_node = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "late"}}});
    api::create(&target.client, &with(pod("late", "10m"), &on_late_node)).await?;
    candidates.until_placed(&journal, "late", 1).await?;
    let late = candidates.end(&journal).await?;
    println!("{late} binds arrived after their sender's Lease had expired");
    Ok(())
}
