//! A thousand nodes and two thousand pods.

use anyhow::{Result, ensure};
use berth_tests::objects::{node, pod, with};
use berth_tests::{Session, Target, capacity, events};
use serde_json::{Value, json};

crate::case::cases!(Both: two_thousand_pods);

const NODES: usize = 1000;
const PODS: usize = 2000;
const ZONES: usize = 10;

/// No pod is lost or bound twice, and no node exceeds its capacity, although the nodes are nearly full in the end.
async fn two_thousand_pods(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, (0..NODES).map(zoned_node)).await?;
    session.create_all((0..PODS).map(zoned_pod)).await?;
    let placed = session.journal.until_placed("p-", PODS).await?;
    for (name, node) in &placed {
        let zone = |name: &str| name.rsplit('-').next().and_then(|n| n.parse::<usize>().ok()).map(|n| n % ZONES);
        ensure!(zone(name) == zone(node), "pod {name} is on node {node}, in another zone");
    }
    capacity::check(&target.client).await?;
    let failed = events::all(&target.client).await?;
    let failed = failed.iter().find(|event| event.reason.as_deref() == Some("FailedScheduling"));
    ensure!(failed.is_none(), "a cycle failed: {failed:?}");
    session.end().await
}

/// Returns a node with room for two pods, but not for three.
fn zoned_node(n: usize) -> Value {
    let labels = json!({"topology.kubernetes.io/zone": format!("zone-{}", n % ZONES)});
    with(node(&format!("node-{n}"), 1), &json!({"metadata": {"labels": labels}}))
}

fn zoned_pod(n: usize) -> Value {
    let zone = json!({"topology.kubernetes.io/zone": format!("zone-{}", n % ZONES)});
    with(pod(&format!("p-{n}"), "450m"), &json!({"spec": {"nodeSelector": zone}}))
}
