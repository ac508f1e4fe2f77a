//! Cases that the controllers must pass on any API server. Each case gets a client and its own namespace. The
//! controllers run at the same time. No scheduler runs.

use std::future::Future;
use std::pin::Pin;

use kube::Client;

use crate::cluster::Cluster;
use crate::{claims, collection, namespaces, nodes, pods, quotas, volumes, workloads};

/// A case with its name.
pub type Case = (&'static str, fn(Cluster) -> Pin<Box<dyn Future<Output = ()> + Send>>);

macro_rules! cases {
    ($($module:ident :: $case:ident,)*) => {
        vec![$((stringify!($case), |cluster| Box::pin($module::$case(cluster))),)*]
    };
}

/// All cases.
pub fn all() -> Vec<Case> {
    cases![
        pods::bound_pods_run_and_end,
        pods::containers_restart,
        pods::deleted_pods_are_removed,
        pods::pods_of_a_deleted_node_are_removed,
        nodes::nodes_are_ready_leased_and_tainted,
        nodes::a_no_execute_taint_evicts_pods,
        workloads::a_deployment_rolls_out,
        workloads::a_large_replica_set_is_created_and_removed,
        workloads::a_stateful_set_scales_in_order,
        workloads::a_daemon_set_covers_the_nodes,
        workloads::jobs_complete_and_fail,
        workloads::a_disruption_budget_counts_its_pods,
        collection::deletions_cascade,
        collection::orphans_are_kept,
        collection::custom_resources_can_be_owners,
        volumes::claims_are_bound_and_volumes_released,
        volumes::claims_wait_for_the_scheduler,
        claims::resource_claims_are_created_and_released_with_pods,
        namespaces::a_namespace_gets_a_service_account_and_is_emptied,
        quotas::a_quota_counts_pods_and_frees_them,
    ]
}

/// Runs all cases concurrently against the API server. Returns the names of the failed cases.
pub async fn run_all(client: Client) -> Vec<&'static str> {
    let cases = all().into_iter().map(|(name, case)| {
        let client = client.clone();
        (name, tokio::spawn(async move { case(Cluster::with_namespace(client, &name.replace('_', "-")).await).await }))
    });
    let mut failed = Vec::new();
    for (name, case) in cases.collect::<Vec<_>>() {
        if case.await.is_err() {
            failed.push(name);
        }
    }
    failed
}
