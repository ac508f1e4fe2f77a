//! When a thread or task of the scheduler ends, the scheduler reports the name of the thread or task.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth::scheduler::{Options, Scheduler};
use berth_config::v1alpha1::BerthConfiguration;
use berth_plugin_host::{Loader, LoaderOptions, Outbox};
use berth_supervisor::Supervisor;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, pod};
use berth_tests::{Journal, Process, Target, api};

crate::case::cases!(Embedded: each_task_that_panics_is_named, a_panic_of_the_core_is_named, a_panic_of_the_loader_is_named,
    the_process_ends_with_the_name_of_the_task);

/// Tasks that run as long as the scheduler. Other tasks do a single piece of work, such as a binding or an
/// eviction.
const PERMANENT_TASKS: [&str; 6] = [
    "the informer of pods",
    "the informer of nodes",
    "an informer of a kind that plugins read",
    "a writer of conditions",
    "a writer of events",
    "the review of event series",
];

/// Threads that live as long as the scheduler.
const THREADS: [&str; 3] = ["the core's thread", "the loader's thread", "the thread that rebuilds plugins"];

/// The scheduler's supervisor says which task ended.
async fn each_task_that_panics_is_named(target: &Target) -> Result<()> {
    for task in PERMANENT_TASKS {
        let scheduler = Scheduler::start(target.client.clone(), Options::default()).await?;
        let supervisor = scheduler.supervisor().clone();
        // The informers of kinds other than pods and nodes start when the plugins serve.
        eventually(&format!("{task} is started"), || async {
            Ok(Look::at(supervisor.parts().contains(task), || format!("{:?}", supervisor.parts())))
        })
        .await?;
        supervisor.fail(task);
        let ended = supervisor.first_end().await.to_string();
        ensure!(ended.starts_with(&format!("{task} has ended: it panicked")), "the supervisor reports {ended:?}");
        target.stop(scheduler).await.err().context("stopping the scheduler does not report the task that ended")?;
    }
    Ok(())
}

/// `berth run` names the task that ended, and ends by itself with status 1.
async fn the_process_ends_with_the_name_of_the_task(target: &Target) -> Result<()> {
    for task in PERMANENT_TASKS.into_iter().chain(["the server of health and metrics"]) {
        let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false", &format!("--end-task={task}")])?;
        let status = berth.until_ended().await?;
        let log = berth.log();
        ensure!(status.code() == Some(1), "{task}: berth ended with {status}:\n{log}");
        let last = format!("error: {task} has ended: it panicked: {task} is made to fail");
        ensure!(log.contains(&last), "not logged: {last:?}\n{log}");
    }
    Ok(())
}

/// The core's thread ends, while the rest of the scheduler continues.
async fn a_panic_of_the_core_is_named(target: &Target) -> Result<()> {
    let journal = Journal::start(&target.client).await?;
    api::create(&target.client, &node("n", 4)).await?;
    let scheduler = Scheduler::start(target.client.clone(), Options::default()).await?;
    api::create(&target.client, &pod("p", "1")).await?;
    journal.until_pod_placed("p").await?;
    eventually("all threads are supervised", || async {
        let parts = scheduler.supervisor().parts();
        Ok(Look::at(THREADS.iter().all(|thread| parts.contains(thread)), || format!("{parts:?}")))
    })
    .await?;
    let inspected = scheduler.inspect(|_| -> () { std::panic::resume_unwind(Box::new("index out of bounds")) }).await;
    ensure!(inspected.is_err(), "the core's thread still answers");
    let ended = scheduler.supervisor().first_end().await.to_string();
    ensure!(
        ended.starts_with("the core's thread has ended: it panicked: index out of bounds"),
        "the supervisor reports {ended:?}"
    );
    Ok(())
}

/// The loader's thread panics while it delivers plugins.
async fn a_panic_of_the_loader_is_named(_: &Target) -> Result<()> {
    let supervisor = Supervisor::default();
    let options = LoaderOptions {
        supervisor: supervisor.clone(),
        built_in: berth::default_plugins().to_vec(),
        grants: berth::grant_policy(&BerthConfiguration::default())?,
        ..LoaderOptions::default()
    };
    let outbox: Outbox = Arc::new(|_| std::panic::resume_unwind(Box::new("no such plugin")));
    let _loader = Loader::start(options, vec![berth_config::default_profile("default-scheduler")], outbox)?;
    let ended = supervisor.first_end().await.to_string();
    ensure!(
        ended.starts_with("the loader's thread has ended: it panicked: no such plugin"),
        "the supervisor reports {ended:?}"
    );
    Ok(())
}
