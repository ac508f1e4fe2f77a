//! Tests leader election against the in-memory API server: two candidates on a simulated clock, and two processes on
//! the real clock.

use std::process::ExitStatus;
use std::time::Duration;

use berth::scheduler::{Options, Scheduler};
use berth_config::Timing;
use berth_core::queue::SubQueue;
use berth_kube::lease::{Answer, Election, Lock, Loss, Moment, Next, Record, Request};
use berth_test_kit::wait::{Look, PATIENCE, eventually};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use crate::cluster::{Cluster, node, pod};

/// A step of the simulated clock, in milliseconds.
const STEP: u64 = 500;

/// A candidate that acts by the simulated clock.
struct Candidate {
    election: Election,
    lock: Lock,
}

impl Candidate {
    fn new(cluster: &Cluster, identity: &str) -> Self {
        let lock = Lock::new(cluster.client.clone(), "kube-system", "berth");
        Self { election: Election::new(identity, Timing::default()), lock }
    }

    /// Does everything that is due. Returns the reason if the candidate stops.
    async fn act(&mut self, now: u64) -> Option<Loss> {
        loop {
            match self.election.next(moment(now), 0.5) {
                Next::Wait(_) => return None,
                Next::Stop(loss) => return Some(loss),
                // The simulated clock stands still during the request.
                Next::Send { request, .. } => {
                    let answer = self.lock.send(request, Duration::from_secs(60)).await;
                    self.election.answer(answer, moment(now));
                }
            }
        }
    }

    async fn release(&mut self, now: u64) {
        let patience = Duration::from_secs(60);
        let Answer::Found(found) = self.lock.send(Request::Read, patience).await else { panic!("no Lease") };
        let record = self.election.release(&found, moment(now)).expect("it is ours");
        assert_eq!(self.lock.send(Request::Update(record), patience).await, Answer::Written);
    }
}

fn moment(now: u64) -> Moment {
    let wall = Timestamp::from_millisecond(i64::try_from(now).expect("small")).expect("a time");
    Moment { own: Duration::from_millis(now), wall }
}

fn leases(cluster: &Cluster) -> Api<Lease> {
    Api::namespaced(cluster.client.clone(), "kube-system")
}

async fn record(cluster: &Cluster) -> Record {
    let lease = leases(cluster).get("berth").await.expect("a Lease");
    Record::of_lease(&serde_json::to_value(lease).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_takes_over_when_the_first_stops_renewing() {
    let cluster = Cluster::start().await;
    let (mut first, mut second) = (Candidate::new(&cluster, "first"), Candidate::new(&cluster, "second"));
    let (mut now, frozen) = (0, 20_000);
    while !second.election.leads() {
        assert!(now <= frozen + 15_000 + 2 * 2_000, "nobody leads {} ms after the first froze", now - frozen);
        if now < frozen {
            assert_eq!(first.act(now).await, None);
            assert!(first.election.leads());
        }
        second.act(now).await;
        if now == 5_000 {
            // A change of the Lease by another client does not disturb the election.
            let label = json!({"metadata": {"labels": {"watched-by": "somebody"}}});
            leases(&cluster).patch("berth", &PatchParams::default(), &Patch::Merge(label)).await.expect("labelled");
        }
        now += STEP;
    }
    assert!(now > frozen + 13_000, "{now}: the second did not wait for the Lease to expire");
    assert!(
        matches!(first.act(now).await, Some(Loss::Expired(_))),
        "the first continues and still considers itself the leader"
    );
    assert!(!first.election.leads());
    let Record { holder, duration_seconds, transitions, .. } = record(&cluster).await;
    assert_eq!((holder.as_str(), duration_seconds, transitions), ("second", 15, 1));
    let labels = leases(&cluster).get("berth").await.expect("a Lease").metadata.labels.unwrap_or_default();
    assert_eq!(labels.get("watched-by").map(String::as_str), Some("somebody"), "labels of other clients stay");
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_released_lease_is_acquired_at_the_next_attempt() {
    let cluster = Cluster::start().await;
    let (mut first, mut second) = (Candidate::new(&cluster, "first"), Candidate::new(&cluster, "second"));
    first.act(0).await;
    second.act(0).await;
    assert_eq!((first.election.leads(), second.election.leads()), (true, false));
    first.release(1_000).await;
    let released = record(&cluster).await;
    assert_eq!((released.holder.as_str(), released.duration_seconds), ("", 1));
    second.act(5_000).await;
    assert!(second.election.leads());
    assert_eq!(record(&cluster).await.transitions, 1);
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_candidates_leads() {
    let cluster = Cluster::start().await;
    let mut candidates: Vec<Candidate> = (0..8).map(|n| Candidate::new(&cluster, &format!("c{n}"))).collect();
    futures::future::join_all(candidates.iter_mut().map(|candidate| candidate.act(0))).await;
    assert_eq!(candidates.iter().filter(|candidate| candidate.election.leads()).count(), 1);
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_knows_the_cluster_and_binds_nothing_until_it_leads() {
    let cluster = Cluster::start().await;
    cluster.create(&node("n")).await;
    let scheduler = Scheduler::prepare(&cluster.client, Options::default()).await.expect("prepared");
    scheduler.ready().await.expect("ready");
    cluster.create(&pod("p", "default-scheduler")).await;
    let warm =
        || scheduler.inspect(|core| (core.cache().node_count(), core.queue().len(SubQueue::Active), core.cycles()));
    eventually("the standby knows the node and the pod", || async {
        let (nodes, pods, cycles) = warm().await.expect("alive");
        assert_eq!(cycles, 0, "a standby scheduled a pod");
        Ok(Look::at((nodes, pods) == (1, 1), || format!("{nodes} nodes and {pods} pending pods")))
    })
    .await
    .expect("a warm standby");
    scheduler.begin().expect("alive");
    cluster.until_bound("p").await;
    scheduler.stop(Duration::from_secs(10)).await.expect("an orderly end");
    cluster.stop().await;
}

/// Starts `berth run` against the cluster, with short election timings.
fn berth(cluster: &Cluster) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_berth"));
    command.args(["run", "--secure-port=any", "--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s"]);
    command.args(["--leader-elect-retry-period=100ms", "--logging-format=json"]);
    command.arg("--kubeconfig").arg(&cluster.kubeconfig);
    command.env_remove("BERTH_LOG").kill_on_drop(true).stderr(std::process::Stdio::piped());
    command.spawn().expect("berth runs")
}

async fn ended(mut child: Child) -> (ExitStatus, String) {
    let mut text = String::new();
    let mut stderr = child.stderr.take().expect("piped");
    let status = async {
        stderr.read_to_string(&mut text).await.expect("text");
        child.wait().await.expect("ended")
    };
    let status = tokio::time::timeout(PATIENCE, status).await.expect("it ends");
    (status, text)
}

#[cfg(unix)]
fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_raw(child.id().expect("running").cast_signed()).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("signalled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_leads_when_the_leader_is_killed_and_releases_the_lease_at_sigterm() {
    let cluster = Cluster::start().await;
    cluster.create(&node("n")).await;
    let mut leader = berth(&cluster);
    let before = cluster.until_lease_is("held", |record| !record.holder.is_empty()).await;
    let standby = berth(&cluster);
    cluster.create(&pod("early", "default-scheduler")).await;
    cluster.until_bound("early").await;
    leader.kill().await.expect("killed");
    cluster.create(&pod("late", "default-scheduler")).await;
    cluster.until_bound("late").await;
    let after = record(&cluster).await;
    assert_ne!(after.holder, before.holder);
    assert_eq!(after.transitions, 1);
    terminate(&standby);
    let (status, log) = ended(standby).await;
    assert!(status.success(), "{status}: {log}");
    assert_eq!(record(&cluster).await.holder, "", "{log}");
    assert!(log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "not JSON: {log}");
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_loses_its_lease_ends_with_status_1_and_an_error() {
    let cluster = Cluster::start().await;
    let leader = berth(&cluster);
    cluster.until_lease_is("held", |record| !record.holder.is_empty()).await;
    let stolen = json!({"spec": {"holderIdentity": "thief"}});
    leases(&cluster).patch("berth", &PatchParams::default(), &Patch::Merge(stolen)).await.expect("stolen");
    let (status, log) = ended(leader).await;
    assert_eq!(status.code(), Some(1), "{log}");
    let sentence = "error: leadership is lost: Lease kube-system/berth: thief holds it now; ending, as another scheduler \
                    may place pods from now on";
    assert!(log.lines().any(|line| line == sentence), "{log}");
    assert_eq!(record(&cluster).await.holder, "thief", "a Lease of another holder is not released");
    cluster.stop().await;
}
