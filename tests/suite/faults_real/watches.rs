//! Kinds other than pods and nodes whose watches always expire.

use std::time::Instant;

use anyhow::{Result, ensure};
use axum::http::StatusCode;
use berth::scheduler::{Options, Scheduler};
use berth_test_kit::wait::Look;
use berth_tests::objects::{NAMESPACE, nodes, pod, pods, with};
use berth_tests::{Fault, Journal, Proxy, Record, RequestSelector, Target, api};
use serde_json::{Value, json};

crate::case::cases!(Both: watches_always_expire);

/// Kinds other than pods and nodes that default plugins read.
const KINDS: [&str; 4] = ["persistentvolumeclaims", "persistentvolumes", "storageclasses", "csinodes"];

/// Every watch of these kinds is answered with 410. The kinds must be listed repeatedly, but with pauses. Pods are
/// placed meanwhile. When watches work again, the scheduler must know all objects.
async fn watches_always_expire(target: &Target) -> Result<()> {
    const LISTS: usize = 4;
    let proxy = Proxy::start(target.client.clone()).await?;
    api::create_all(&target.client, nodes("n", 2, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let scheduler = Scheduler::start(proxy.client().await?, target.recorded(Options::default())).await?;
    let lists = |record: &Record| KINDS.map(|kind| record.lists.get(kind).copied().unwrap_or_default());
    let before = proxy.record();
    let began = Instant::now();
    KINDS.iter().for_each(|&kind| proxy.begin_for(RequestSelector::WatchesOf(kind), Fault::Refuse(StatusCode::GONE)));
    proxy.cut();
    api::create_all(&target.client, pods("p", 10, "100m")).await?;
    journal.until_placed("p-", 10).await?;
    let relisted = |record: &Record| {
        let [now, before] = [lists(record), lists(&before)];
        let enough = now.iter().zip(before).all(|(now, before)| *now >= before + LISTS);
        Look::at(enough, || format!("{KINDS:?} were listed {now:?} times, {before:?} of these before"))
    };
    proxy.until("every kind was listed several times more", relisted).await?;
    let after = lists(&proxy.record());
    let seconds = usize::try_from(began.elapsed().as_secs())?;
    for ((kind, after), before) in KINDS.iter().zip(after).zip(lists(&before)) {
        // At most one list per second is allowed. Two more are allowed, because the first list is due at once and
        // `seconds` is rounded down.
        let most = seconds + 2;
        ensure!(after - before <= most, "{kind} were listed {} times in {seconds} s, more than {most}", after - before);
    }
    proxy.end();
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": NAMESPACE},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": "data",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    });
    let with_claim = json!({"spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}});
    api::create(&target.client, &claim).await?;
    api::create(&target.client, &volume()).await?;
    api::patch_status(&target.client, &claim, json!({"phase": "Bound"})).await?;
    let bound = json!({"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}});
    api::patch(&target.client, &claim, bound).await?;
    api::create(&target.client, &with(pod("with-claim", "1"), &with_claim)).await?;
    journal.until_pod_placed("with-claim").await?;
    target.stop(scheduler).await?;
    journal.check()
}

fn volume() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "data"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "",
            "hostPath": {"path": "/data"},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": NAMESPACE, "name": "data"},
        },
    })
}
