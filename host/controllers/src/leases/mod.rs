//! Node leases: renews the lease of each node, with renewals distributed evenly over the interval.

mod schedule;

use std::sync::Arc;
use std::time::Duration;

use berth_clock::Clock;
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, OwnerReference};
use kube::core::ObjectMeta;
use kube::core::params::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub use schedule::Schedule;

/// The namespace of the leases.
const NAMESPACE: &str = "kube-node-lease";
/// The maximum number of concurrent renewals.
const CONCURRENCY: usize = 8;
/// The duration of a lease in intervals. Three renewals may fail.
const INTERVALS: u32 = 4;

/// A change of the nodes, for the lease task.
#[derive(Debug)]
pub enum NodeNews {
    /// The node with this name and UID was added.
    Came(String, String),
    /// The node with this name was removed.
    Went(String),
}

/// Renews the leases of the nodes in `news`, at most `rate` a second. Ends when the sender is dropped.
pub async fn run(
    client: Client,
    clock: Arc<dyn Clock>,
    rate: u32,
    mut news: mpsc::UnboundedReceiver<NodeNews>,
) {
    let mut schedule = Schedule::new(rate);
    let mut writes = JoinSet::new();
    loop {
        while writes.len() < CONCURRENCY
            && let Some((node, uid)) = schedule.next(clock.instant())
        {
            writes.spawn(renew(client.clone(), node, uid, schedule.interval(), clock.timestamp()));
        }
        let now = clock.instant();
        let due = schedule.due(now).filter(|_| writes.len() < CONCURRENCY);
        let timer = clock.sleep_until(due.unwrap_or(now));
        tokio::select! {
            told = news.recv() => match told {
                Some(NodeNews::Came(node, uid)) => schedule.add(node, uid),
                Some(NodeNews::Went(node)) => {
                    schedule.remove(&node);
                    writes.spawn(release(client.clone(), node));
                }
                None => return,
            },
            Some(_) = writes.join_next() => {}
            () = timer, if due.is_some() => {}
        }
    }
}

/// Renews or creates a node's lease. The next renewal makes up for a failure.
async fn renew(client: Client, node: String, uid: String, interval: Duration, now: Timestamp) {
    let leases = Api::<Lease>::namespaced(client.clone(), NAMESPACE);
    let seconds = (interval * INTERVALS).as_secs();
    let spec = LeaseSpec {
        holder_identity: Some(node.clone()),
        lease_duration_seconds: i32::try_from(seconds).ok(),
        renew_time: Some(MicroTime(now)),
        ..LeaseSpec::default()
    };
    let patch = json!({ "spec": spec });
    let renewed = leases.patch(&node, &PatchParams::default(), &Patch::Merge(&patch)).await;
    let missing = matches!(&renewed, Err(kube::Error::Api(status)) if status.code == 404);
    if !missing {
        return report(&node, renewed.map(drop));
    }
    let owner = OwnerReference {
        api_version: "v1".to_owned(),
        kind: "Node".to_owned(),
        name: node.clone(),
        uid,
        ..OwnerReference::default()
    };
    let metadata =
        ObjectMeta { name: Some(node.clone()), owner_references: Some(vec![owner]), ..ObjectMeta::default() };
    let lease = Lease { metadata, spec: Some(spec) };
    let created = leases.create(&PostParams::default(), &lease).await;
    if matches!(&created, Err(kube::Error::Api(status)) if status.code == 404) {
        let metadata = ObjectMeta { name: Some(NAMESPACE.to_owned()), ..ObjectMeta::default() };
        let namespace = Namespace { metadata, ..Namespace::default() };
        return report(&node, Api::all(client).create(&PostParams::default(), &namespace).await.map(drop));
    }
    report(&node, created.map(drop));
}

/// Deletes the lease of a removed node.
async fn release(client: Client, node: String) {
    let deleted = Api::<Lease>::namespaced(client, NAMESPACE).delete(&node, &DeleteParams::default()).await;
    if !matches!(&deleted, Err(kube::Error::Api(status)) if status.code == 404) {
        report(&node, deleted.map(drop));
    }
}

fn report(node: &str, result: kube::Result<()>) {
    if let Err(error) = result {
        tracing::debug!(node, %error, "the node's lease wasn't written");
    }
}
