//! Two scheduler processes, one of which leads. When the leader is killed or terminated, the other process leads and
//! schedules the remaining pods.

use anyhow::{Context, Result, ensure};
use berth_kube::lease::Record;
use berth_test_kit::wait::Look;
use berth_tests::objects::{nodes, pods};
use berth_tests::{Journal, Pods, Process, Target, api, capacity, events};
use k8s_openapi::api::events::v1::Event;
use kube::Api;
use kube::api::ListParams;
use serde_json::{Value, json};

crate::case::cases!(Both: the_leader_is_killed, the_leader_is_terminated);

const PODS: usize = 500;
const LATE: usize = 50;
/// The number of nodes. 22 of the pods fit on each node, so the capacity is exactly sufficient: a scheduler that counts
/// one pod wrongly has no node for another.
const NODES: usize = 25;

/// The Lease of the killed leader expires, and the other process takes the Lease.
async fn the_leader_is_killed(target: &Target) -> Result<()> {
    let pair = Pair::start(target, "killed", &MEDIUM).await?;
    let (first, mut second) = pair.leader_and_standby().await?;
    pair.end_during_scheduling(first.kill()).await?;
    pair.until_all_placed_by(&second).await?;
    ensure!(pair.lease().await?.transitions == 1, "the number of transitions of the Lease is not 1");
    second.stop().await?;
    pair.check(2, 1).await
}

/// The leader releases the Lease. The Lease is too long to expire during the test.
async fn the_leader_is_terminated(target: &Target) -> Result<()> {
    let pair = Pair::start(target, "terminated", &LONG).await?;
    let (mut first, mut second) = pair.leader_and_standby().await?;
    pair.end_during_scheduling(first.stop()).await?;
    let released = first.log().contains("the Lease is released");
    ensure!(released, "the first leader did not release the Lease; its log is:\n{}", first.log());
    pair.until_all_placed_by(&second).await?;
    second.stop().await?;
    ensure!(pair.lease().await?.holder.is_empty(), "the last leader did not release the Lease");
    pair.check(2, 2).await
}

/// Flags for leader election with a short Lease.
pub const SHORT: [&str; 3] =
    ["--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=200ms"];
/// The API server answers within this deadline, even on a busy machine: the second process must stay the leader.
const MEDIUM: [&str; 3] =
    ["--leader-elect-lease-duration=8s", "--leader-elect-renew-deadline=6s", "--leader-elect-retry-period=200ms"];
const LONG: [&str; 3] =
    ["--leader-elect-lease-duration=1h", "--leader-elect-renew-deadline=30m", "--leader-elect-retry-period=200ms"];

/// A cluster for two schedulers with the same Lease.
struct Pair<'a> {
    target: &'a Target,
    journal: Journal,
    lease: Value,
    flags: Vec<String>,
}

impl<'a> Pair<'a> {
    async fn start(target: &'a Target, lease: &str, election: &[&str]) -> Result<Self> {
        api::create_all(&target.client, nodes("n", NODES, 8)).await?;
        let journal = Journal::start(&target.client).await?;
        let mut flags: Vec<String> = election.iter().map(|&flag| flag.to_owned()).collect();
        flags.push(format!("--leader-elect-resource-name={lease}"));
        let metadata = json!({"name": lease, "namespace": "kube-system"});
        let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata});
        Ok(Self { target, journal, lease, flags })
    }

    async fn leader_and_standby(&self) -> Result<(Process, Process)> {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let first = Process::start(&self.target.kubeconfig, &flags)?;
        first.until_logged("scheduling pods").await?;
        let second = Process::start(&self.target.kubeconfig, &flags)?;
        second.until_logged("standing by for the Lease").await?;
        Ok((first, second))
    }

    /// Creates the pods `p-*`, ends the leader while these pods are being placed, and then creates the pods `late-*`.
    async fn end_during_scheduling(&self, end: impl Future<Output = Result<()>>) -> Result<()> {
        let ending = async {
            let condition = "some of the pods are placed";
            let placed =
                |pods: &Pods| Look::at(pods.placed_count("p-") > 20, || format!("{} are", pods.placed_count("p-")));
            self.journal.until(condition, placed).await?;
            end.await
        };
        futures::future::try_join(api::create_all(&self.target.client, pods("p", PODS, "350m")), ending).await?;
        api::create_all(&self.target.client, pods("late", LATE, "350m")).await
    }

    async fn until_all_placed_by(&self, leader: &Process) -> Result<()> {
        let placed = async {
            self.journal.until_placed("p-", PODS).await?;
            self.journal.until_placed("late-", LATE).await
        };
        placed.await.with_context(|| format!("the log of the second leader is:\n{}", leader.log())).map(drop)
    }

    async fn lease(&self) -> Result<Record> {
        let lease = api::get(&self.target.client, &self.lease).await?.context("the Lease does not exist")?;
        Ok(Record::of_lease(&lease))
    }

    /// Checks by the Lease's events how often processes began and stopped leading. Also checks the nodes' capacity, the
    /// events of pods, and that no pod was placed twice.
    async fn check(&self, began: usize, ceased: usize) -> Result<()> {
        let events: Api<Event> = Api::namespaced(self.target.client.clone(), "kube-system");
        let mut events = events.list(&ListParams::default()).await?.items;
        let name = self.lease["metadata"]["name"].as_str();
        events.retain(|event| event.regarding.as_ref().and_then(|lease| lease.name.as_deref()) == name);
        let count = |note: &str| events.iter().filter(|event| events::text(event).ends_with(note)).count();
        let counts = (count("became leader"), count("stopped leading"));
        ensure!(
            counts == (began, ceased),
            "the Lease has (\"became leader\", \"stopped leading\") events {counts:?}, not {:?}",
            (began, ceased)
        );
        capacity::check(&self.target.client).await?;
        events::check(&self.target.client).await?;
        self.journal.check()
    }
}
