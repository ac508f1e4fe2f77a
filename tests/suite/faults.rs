//! Faults of the API server in watches and bindings. No pod may be lost.

use std::time::Duration;

use anyhow::{Result, ensure};
use berth_sim::{BindFault, WatchFault};
use berth_test_kit::wait::Look;
use berth_tests::objects::{node, nodes, pod, pods, with};
use berth_tests::{Session, Target, api, capacity, events};
use serde_json::json;

crate::case::cases!(Embedded:
    watches_that_break,
    watches_that_fail_to_open,
    history_is_compacted,
    bindings_that_fail,
    bindings_without_an_answer,
    slow_bindings,
);

/// Creates pods and nodes in twelve rounds. Each round breaks the open watches of both kinds with one of the faults.
async fn watches_that_break(target: &Target) -> Result<()> {
    let server = target.embedded_server()?;
    let session = Session::with_nodes(target, nodes("n", 5, 8)).await?;
    let faults = [WatchFault::CutMidLine, WatchFault::End, WatchFault::Gone];
    for round in 0..12 {
        let fault = faults[round % faults.len()];
        session.create_all(pods(&format!("p-{round}"), 10, "10m")).await?;
        server.faults().open_watches("pods", fault);
        server.faults().open_watches("nodes", fault);
        session.create(&node(&format!("late-{round}"), 8)).await?;
    }
    session.journal.until_placed("p-", 120).await?;
    // The scheduler must also know the nodes that were added while the watches were broken.
    for round in 0..12 {
        let late = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": format!("late-{round}")}}});
        session.create(&with(pod(&format!("to-late-{round}"), "10m"), &late)).await?;
    }
    session.journal.until_placed("to-late-", 12).await?;
    session.end().await
}

/// New watches get an empty response, an HTTP status 410, or an ERROR event with 410.
async fn watches_that_fail_to_open(target: &Target) -> Result<()> {
    let server = target.embedded_server()?;
    let session = Session::with_nodes(target, nodes("n", 5, 8)).await?;
    for (round, fault) in [WatchFault::Empty, WatchFault::GoneStatus, WatchFault::Gone].into_iter().enumerate() {
        for plural in ["pods", "nodes"] {
            server.faults().next_watch(plural, fault);
            server.faults().next_watch(plural, fault);
            server.faults().open_watches(plural, WatchFault::End);
        }
        session.create_all(pods(&format!("p-{round}"), 10, "10m")).await?;
    }
    session.journal.until_placed("p-", 30).await?;
    session.end().await
}

/// Objects are deleted after the watches have ended, and the history is compacted. The scheduler must list the objects
/// again to learn of the deletions.
async fn history_is_compacted(target: &Target) -> Result<()> {
    let server = target.embedded_server()?;
    let session = Session::with_nodes(target, [node("n", 4), node("going", 4)]).await?;
    let resident = with(pod("resident", "4"), &json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "n"}}}));
    session.create(&resident).await?;
    session.journal.until_pod_placed("resident").await?;
    session.create_all(pods("p", 2, "3")).await?;
    session
        .journal
        .until("one of the pods has the other node", |pods| {
            let placed = pods.placed_count("p-");
            Look::at(placed == 1, || format!("{placed} are placed"))
        })
        .await?;

    for plural in ["pods", "nodes"] {
        server.faults().open_watches(plural, WatchFault::End);
    }
    api::delete(&target.client, &resident).await?;
    api::delete(&target.client, &node("going", 4)).await?;
    server.compact();
    session.journal.until_placed("p-", 2).await?;
    // A scheduler that knows this later node has also seen the removal of the earlier node.
    session.create(&node("after", 1)).await?;
    let on = |name: &str, node: &str| {
        with(pod(name, "1"), &json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": node}}}))
    };
    session.create(&on("on-after", "after")).await?;
    session.journal.until_pod_placed("on-after").await?;
    session.create(&on("late", "going")).await?;
    let message = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
    session.journal.until_rejected("late", message).await?;
    session.end().await
}

async fn bindings_that_fail(target: &Target) -> Result<()> {
    let server = target.embedded_server()?;
    let session = Session::with_nodes(target, nodes("n", 3, 4)).await?;
    for fault in [BindFault::Fail, BindFault::Conflict, BindFault::Fail] {
        server.faults().next_binding(fault);
    }
    // The pods need all CPU of the nodes, so a pod whose binding has failed must not keep any CPU.
    session.create_all(pods("p", 3, "4")).await?;
    session.journal.until_placed("p-", 3).await?;
    let all = events::all(&target.client).await?;
    let reported = all.iter().filter(|event| events::text(event).starts_with("binding rejected: ")).count();
    ensure!(reported > 0, "no event reports a failed binding: {:?}", all.iter().map(events::text).collect::<Vec<_>>());
    capacity::check(&target.client).await?;
    session.end().await
}

/// The API server performs the binding, and the scheduler gets no answer.
async fn bindings_without_an_answer(target: &Target) -> Result<()> {
    let server = target.embedded_server()?;
    let session = Session::with_nodes(target, nodes("n", 3, 4)).await?;
    for _ in 0..3 {
        server.faults().next_binding(BindFault::LoseAnswer);
    }
    session.create_all(pods("p", 12, "1")).await?;
    session.journal.until_placed("p-", 12).await?;
    capacity::check(&target.client).await?;
    session.create(&pod("one-more", "1")).await?;
    session.journal.until_rejected("one-more", "0/3 nodes are available: 3 Insufficient cpu.").await?;
    session.end().await
}

/// While some bindings are slow, other pods are placed, and the resources of the assumed pods are not given away.
async fn slow_bindings(target: &Target) -> Result<()> {
    let server = target.embedded_server()?;
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    for _ in 0..4 {
        server.faults().next_binding(BindFault::Slow(Duration::from_secs(2)));
    }
    session.create_all(pods("slow", 4, "1")).await?;
    session.create_all(pods("p", 4, "1")).await?;
    session.create(&pod("one-more", "1")).await?;
    session.journal.until_rejected("one-more", "0/2 nodes are available: 2 Insufficient cpu.").await?;
    session.journal.until_placed("slow-", 4).await?;
    session.journal.until_placed("p-", 4).await?;
    capacity::check(&target.client).await?;
    session.end().await
}
