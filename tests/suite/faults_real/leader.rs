//! The leader is killed, or paused for longer than its Lease, while pods are being placed. No pod may be lost or
//! bound twice.

use anyhow::{Context, Result};
use berth_test_kit::wait::Look;
use berth_tests::objects::{NAMESPACE, nodes, pods};
use berth_tests::{Journal, Pods, Target, api, binds, capacity};
use futures::future::try_join;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, ListParams};

use super::candidates::{Candidates, Leader};
use super::rounds;

crate::case::cases!(Real: leaders_are_killed_and_paused);

/// The number of pods in a round.
const PODS: usize = 60;

/// The fault that a leader gets.
#[derive(Clone, Copy, Debug)]
enum LeaderFault {
    /// `kill -9`
    Kill,
    /// SIGSTOP until another candidate leads, then SIGCONT.
    Pause,
}

/// Runs each fault as often as [`rounds`] says, while pods are being placed.
async fn leaders_are_killed_and_paused(target: &Target) -> Result<()> {
    api::create_all(&target.client, nodes("n", 10, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let candidates = Candidates::start(target, "killed-and-paused").await?;
    let rounds = rounds()?;
    for round in 0..rounds {
        for fault in [LeaderFault::Kill, LeaderFault::Pause] {
            let name = format!("p-{round}-{fault:?}").to_lowercase();
            let running = run_round(target, &journal, &candidates, fault, &name);
            running.await.with_context(|| format!("{fault:?}, round {round} of {rounds}"))?;
        }
    }
    let late = candidates.end(&journal).await?;
    println!(
        "{rounds} leaders were killed and {rounds} were paused; {late} binds arrived after their sender's Lease had \
         expired"
    );
    Ok(())
}

async fn run_round(
    target: &Target,
    journal: &Journal,
    candidates: &Candidates<'_>,
    fault: LeaderFault,
    name: &str,
) -> Result<()> {
    let leader = candidates.take_leader().await?;
    let injecting = async {
        let some = |pods: &Pods| Look::at(pods.placed_count(name) >= 10, || format!("{} are", pods.placed_count(name)));
        journal.until("some of the round's pods are placed", some).await?;
        inject(candidates, leader, fault).await
    };
    try_join(api::create_all(&target.client, pods(name, PODS, "350m")), injecting).await?;
    candidates.until_placed(journal, name, PODS).await?;
    journal.check()?;
    let late: usize = candidates.records().await.iter().map(|record| binds::late_binds(record).len()).sum();
    if late == 0 {
        // A bind that arrives after its sender's Lease has expired may exceed a node's capacity: the API server does
        // not check the capacity, and another leader may have used it.
        capacity::check(&target.client).await?;
    }
    let all: Api<Pod> = Api::namespaced(target.client.clone(), NAMESPACE);
    all.delete_collection(&DeleteParams::default().grace_period(0), &ListParams::default()).await?;
    let none = |pods: &Pods| Look::at(pods.by_name.is_empty(), || format!("{} are there", pods.by_name.len()));
    journal.until("the round's pods are gone", none).await
}

async fn inject(candidates: &Candidates<'_>, mut leader: Leader, fault: LeaderFault) -> Result<()> {
    if let LeaderFault::Pause = fault {
        leader.candidate.process.pause().await?;
        candidates.until_one_leads(Some(&leader.holder)).await?;
        leader.candidate.process.resume().await?;
        leader.until_ended_with_error().await?;
    }
    candidates.replace(leader).await
}
