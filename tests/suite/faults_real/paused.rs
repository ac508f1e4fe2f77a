//! Binds of a leader whose Lease has expired or is about to expire.

use anyhow::{Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::objects::{nodes, pod, pods};
use berth_tests::{Bind, Fault, Journal, Record, RequestSelector, Target, api, capacity};
use futures::future::try_join;

use super::candidates::Candidates;

crate::case::cases!(Both: paused_with_binds_under_way, a_bind_without_an_answer_is_given_up_within_the_lease);

/// The proxy holds the leader's binds. The leader is paused, and another candidate places the pods. The held binds
/// then arrive and must be refused. The resumed leader must not begin other binds.
async fn paused_with_binds_under_way(target: &Target) -> Result<()> {
    const PODS: usize = 150;
    // The scheduler's maximum number of concurrent binds, the default of `binds_at_once`. When the proxy holds this
    // many binds, the scheduler has no other bind that has passed the check of the Lease but is not yet sent.
    const AT_ONCE: usize = 64;
    api::create_all(&target.client, nodes("n", 10, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let candidates = Candidates::start(target, "paused-with-binds").await?;
    let mut leader = candidates.take_leader().await?;
    let proxy = &leader.candidate.proxy;
    proxy.begin_for(RequestSelector::Binds, Fault::Hold);
    let held = |record: &Record| {
        let open = record.binds.iter().filter(|bind| bind.is_open()).count();
        Look::at(open == AT_ONCE, || format!("{open} are"))
    };
    let holding = async {
        proxy.until(&format!("{AT_ONCE} binds are held"), held).await?;
        leader.candidate.process.pause().await
    };
    try_join(api::create_all(&target.client, pods("p", PODS, "100m")), holding).await?;
    let begun = proxy.record().binds.len();

    candidates.until_placed(&journal, "p-", PODS).await?;
    proxy.end();
    let over = |record: &Record| {
        let open = record.binds.iter().filter(|bind| bind.is_open()).count();
        Look::at(open == 0, || format!("{open} have no answer"))
    };
    proxy.until("the API server has answered the binds that were held", over).await?;
    leader.candidate.process.resume().await?;
    leader.until_ended_with_error().await?;
    let record = leader.candidate.proxy.record();
    let done = record.binds.iter().filter(|bind| bind.is_done()).count();
    ensure!(done == 0, "{done} pods were bound a second time");
    let more = record.binds.len() - begun;
    ensure!(more == 0, "the resumed leader, which had lost its Lease, sent {more} more binds");
    candidates.replace(leader).await?;
    capacity::check(&target.client).await?;
    candidates.end(&journal).await.map(drop)
}

/// The leader renews the Lease while the bind has no answer, so only the time limit of the bind ends the request.
async fn a_bind_without_an_answer_is_given_up_within_the_lease(target: &Target) -> Result<()> {
    // The leader sends eight renewals in the duration of a Lease. On a slow machine, the leader can send more before
    // the proxy notices the end of the bind.
    const RENEWALS: usize = 16;
    api::create_all(&target.client, nodes("n", 1, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let candidates = Candidates::start(target, "without-an-answer").await?;
    let leader = candidates.take_leader().await?;
    let proxy = &leader.candidate.proxy;
    proxy.begin_for(RequestSelector::Binds, Fault::Silence);
    api::create(&target.client, &pod("p", "1")).await?;
    let given_up = |record: &Record| match record.binds.first() {
        Some(bind @ Bind { end: Some(end), .. }) => Look::Yes((bind.arrived, end.at)),
        first => Look::NotYet(format!("{first:?}")),
    };
    let (begun, ended) = proxy.until("the bind is given up", given_up).await?;
    let renewed = proxy.record().leases.iter().filter(|write| write.arrived > begun && write.arrived < ended).count();
    ensure!(
        renewed <= RENEWALS,
        "the Lease was written {renewed} times, more than {RENEWALS}, before the bind was given up"
    );
    proxy.end();
    candidates.until_placed(&journal, "p", 1).await?;
    candidates.replace(leader).await?;
    candidates.end(&journal).await.map(drop)
}
