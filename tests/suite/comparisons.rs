//! Policies are compared on recorded clusters.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_capture::files;
use berth_capture::record::Source;
use berth_core::{Action, Event};
use berth_replay::{Column, Decider, History, compare};
use berth_tests::objects::{node, pod, with};
use berth_tests::programs::{self, Output};
use berth_tests::recording::{Recording, default_plugins, key};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::harness::standalone_trial;

/// Returns the trials. They need no cluster.
pub fn trials() -> Vec<Trial> {
    macro_rules! trials {
        ($($name:ident),* $(,)?) => {
            vec![$(standalone_trial(concat!("comparisons::", stringify!($name)), || Box::pin($name()))),*]
        };
    }
    trials!(
        a_pod_runs_as_long_as_it_did,
        preempted_pods_and_their_replacements_are_of_the_replay,
        a_job_starts_over_after_a_preemption,
        pods_of_a_deleted_node_are_replaced,
        pods_of_other_schedulers_are_placed_as_recorded,
        what_happened_before_the_plugins_served_is_the_beginning,
        a_scheduler_that_starts_again_forgets_what_is_gone,
        a_plugin_that_reads_what_the_capture_lacks_is_named,
        two_replays_agree,
        conditions_decide_about_the_exit_status,
        mistakes_are_named,
    )
}

/// Plays the capture with its own policy. Returns the base and the policy.
fn compared(capture: Recording) -> Result<(Column, Column)> {
    let bytes = capture.end()?;
    columns(&[bytes])
}

fn columns(files: &[Vec<u8>]) -> Result<(Column, Column)> {
    let files = files.iter().enumerate().map(|(number, bytes)| (format!("{number}").into(), &bytes[..]));
    let history = History::read(files)?;
    let plugins = Decider::CapturePolicy(default_plugins()?);
    let deciders = vec![("recorded".to_owned(), Decider::Recorded), ("berth".to_owned(), plugins)];
    let comparison = compare(&history, deciders, &mut |_, _| {}, &mut |_, _, _| None)?;
    let [recorded, berth] = <[Column; 2]>::try_from(comparison.columns).ok().context("two columns")?;
    Ok((recorded, berth))
}

/// Returns a pod of a ReplicaSet.
fn replica(name: &str, cpu: &str) -> Value {
    owned(name, cpu, "ReplicaSet")
}

fn owned(name: &str, cpu: &str, kind: &str) -> Value {
    let owner = json!({"apiVersion": "apps/v1", "kind": kind, "name": "owner", "uid": "owner", "controller": true});
    with(pod(name, cpu), &json!({"metadata": {"ownerReferences": [owner]}}))
}

/// The recorded scheduler was slow. With the same run times, everything is earlier.
async fn a_pod_runs_as_long_as_it_did() -> Result<()> {
    let mut capture = Recording::new(Source::Cluster)?;
    let (a, b) = (pod("a", "1"), pod("b", "1"));
    capture.set(&node("n", 1))?.default_policy()?;
    capture.at(10).set(&a)?.at(12).pod(&a, |pod| pod.node_name = "n".into())?;
    capture.at(20).set(&b)?;
    capture.at(72).pod(&a, |pod| pod.finished = true)?.at(75).pod(&b, |pod| pod.node_name = "n".into())?;
    capture.at(105).delete_pod("b")?.at(200).event(Event::Tick)?;
    let (recorded, berth) = compared(capture)?;
    ensure!((recorded.measures.bound, berth.measures.bound) == (2, 2), "{recorded:#?} {berth:#?}");
    // The recorded pods waited 2 and 55 seconds. The pod `a` takes the node for 60 seconds from 10 on.
    ensure!(recorded.measures.pending.max == 55.0, "{:?}", recorded.measures.pending);
    ensure!(berth.measures.pending.max == 50.0 && berth.measures.pending.median == 0.0, "{:?}", berth.measures.pending);
    ensure!(berth.placed_elsewhere == 0, "{:?}", berth.moved);
    // The node is used from 10 to 100 of 200 seconds, and from 12 to 72 and 75 to 105.
    ensure!((berth.measures.nodes_used.mean - 0.45).abs() < 0.011, "{:?}", berth.measures.nodes_used);
    ensure!((recorded.measures.nodes_used.mean - 0.45).abs() < 0.011, "{:?}", recorded.measures.nodes_used);
    let last = berth.samples.last().context("samples")?;
    ensure!((last.running, last.pending, last.nodes) == (0, 0, 1), "{last:?}");
    Ok(())
}

/// Returns the capture of a pod that preempts another one, whose controller creates it again.
fn preemption(kind: &str) -> Result<Recording> {
    let mut capture = Recording::new(Source::Scheduler)?;
    let (low, again) = (owned("low", "1", kind), owned("again", "1", kind));
    let high = with(pod("high", "1"), &json!({"spec": {"priority": 100}}));
    capture.set(&node("n", 1))?.default_policy()?;
    capture.at(10).set(&low)?.event(Event::Bound(key("low")))?.pod(&low, |pod| pod.node_name = "n".into())?;
    let evict = Action::Evict {
        pod: key("low"),
        reason: "".into(),
        note: "".into(),
        scheduler_name: "default-scheduler".into(),
    };
    capture.at(20).set(&high)?.cycle(vec![Action::Nominate { pod: key("high"), node: "n".into() }, evict])?;
    capture.at(21).delete_pod("low")?.set(&again)?;
    capture.at(22).pod(&high, |pod| pod.node_name = "n".into())?.at(52).delete_pod("high")?;
    capture.at(53).pod(&again, |pod| pod.node_name = "n".into())?.at(103).delete_pod("again")?;
    capture.at(200).event(Event::Tick)?;
    Ok(capture)
}

/// A policy that preempts makes its own replacements, and one that does not has none. The pod `low` needs 60 seconds in
/// all.
async fn preempted_pods_and_their_replacements_are_of_the_replay() -> Result<()> {
    let bytes = preemption("ReplicaSet")?.end()?;
    let (recorded, preempting) = columns(std::slice::from_ref(&bytes))?;
    ensure!(recorded.measures.evictions == 1 && recorded.measures.bound == 3, "{:#?}", recorded.measures);
    ensure!(preempting.measures.evictions == 1, "{:#?}", preempting.measures);
    ensure!(preempting.measures.bound == 3 && preempting.measures.pending_at_end == 0, "{:#?}", preempting.measures);
    // The replacement waits from 20 on, while `high` runs its 30 seconds.
    let longest = preempting.measures.pending.max;
    ensure!((30.0..35.0).contains(&longest), "the replacement waited {longest} s");
    ensure!(preempting.placed_elsewhere == 0, "{:?}", preempting.moved);

    let home = tempfile::tempdir()?;
    let file = write(home.path(), &bytes)?;
    let config = without_preemption(home.path())?;
    let output = programs::run_berth(&["replay", &file, "--config", &config, "-o", "json"]).await?;
    let report: Value = serde_json::from_str(&output.stdout).with_context(|| format!("{output:?}"))?;
    let (base, new) = (&report["policies"][0], &report["policies"][1]);
    ensure!(base["evictions"] == 1 && new["evictions"] == 0, "{report:#}");
    ensure!(new["bound"] == 2, "{report:#}");
    // `low` runs from 10 to 70, and `high` waits from 20 on.
    ensure!(new["pending"]["max"] == 50.0 && new["pendingAtEnd"] == 0, "{report:#}");
    Ok(())
}

/// The run time of a Job's pod is the one of its replacement: 50 seconds.
async fn a_job_starts_over_after_a_preemption() -> Result<()> {
    let home = tempfile::tempdir()?;
    let file = write(home.path(), &preemption("Job")?.end()?)?;
    let config = without_preemption(home.path())?;
    let output = programs::run_berth(&["replay", &file, "--config", &config, "-o", "json"]).await?;
    let report: Value = serde_json::from_str(&output.stdout).with_context(|| format!("{output:?}"))?;
    // `low` runs from 10 to 60, and `high` waits from 20 on.
    ensure!(report["policies"][1]["pending"]["max"] == 40.0, "{report:#}");
    Ok(())
}

/// The recorded scheduler used the other node. Here the pod is on the node that is deleted.
async fn pods_of_a_deleted_node_are_replaced() -> Result<()> {
    let mut capture = Recording::new(Source::Cluster)?;
    let (replica, alone) = (replica("replica", "1"), pod("alone", "1"));
    capture
        .set(&node("gone", 2))?
        .default_policy()?
        .at(10)
        .set(&replica)?
        .set(&alone)?
        .at(12)
        .set(&node("stays", 2))?;
    for pod in [&replica, &alone] {
        capture.at(15).pod(pod, |pod| pod.node_name = "stays".into())?;
    }
    capture.at(30).event(Event::NodeRemoved("gone".into()))?.at(200).event(Event::Tick)?;
    let (recorded, berth) = compared(capture)?;
    ensure!(recorded.measures.lost_with_nodes == 0, "{:#?}", recorded.measures);
    ensure!(berth.measures.lost_with_nodes == 2 && berth.measures.evictions == 0, "{:#?}", berth.measures);
    ensure!(berth.measures.bound == 3 && berth.placed_elsewhere == 2, "{berth:#?}");
    let running =
        |at: u64| berth.samples.iter().find(|sample| sample.at.0 >= berth_tests::recording::BEGIN.0 + at * 1000);
    let counts: Vec<u64> = [60, 80, 199].into_iter().filter_map(running).map(|sample| sample.running).collect();
    ensure!(counts == [2, 1, 1], "the pods are lost 40 seconds after their node: {counts:?}");
    Ok(())
}

/// No profile is responsible for the pod, so that its recorded binding counts.
async fn pods_of_other_schedulers_are_placed_as_recorded() -> Result<()> {
    let mut capture = Recording::new(Source::Cluster)?;
    let other = with(pod("other", "1"), &json!({"spec": {"schedulerName": "other"}}));
    let ours = pod("ours", "1");
    capture.set(&node("a", 2))?.set(&node("b", 1))?.default_policy()?;
    capture.at(10).set(&other)?.at(11).pod(&other, |pod| pod.node_name = "b".into())?;
    capture.at(20).set(&ours)?.at(21).pod(&ours, |pod| pod.node_name = "a".into())?;
    capture.at(60).event(Event::Tick)?;
    let (recorded, berth) = compared(capture)?;
    ensure!(berth.measures.bound == 2 && berth.placed_elsewhere == 0, "{recorded:#?} {berth:#?}");
    ensure!(berth.measures.pending.max == 1.0, "{:?}", berth.measures.pending);
    Ok(())
}

/// Pods changed, and were bound, between the first list and the moment at which the plugins served.
async fn what_happened_before_the_plugins_served_is_the_beginning() -> Result<()> {
    let mut capture = Recording::new(Source::Cluster)?;
    let (runs, gated) = (pod("runs", "2"), pod("gated", "2"));
    let closed = with(gated.clone(), &json!({"spec": {"schedulingGates": [{"name": "closed"}]}}));
    capture.set(&node("n", 2))?.set(&node("m", 2))?.set(&runs)?.set(&closed)?;
    capture.at(1).pod(&runs, |pod| pod.node_name = "m".into())?.set(&gated)?;
    capture.at(2).default_policy()?.at(60).event(Event::Tick)?;
    let (_, berth) = compared(capture)?;
    ensure!(berth.measures.bound == 1 && berth.measures.pending_at_end == 0, "{berth:#?}");
    ensure!(berth.moved.len() == 1 && berth.moved[0].new.as_deref() == Some("n"), "{:?}", berth.moved);
    Ok(())
}

/// The second file begins with a list. What is not in the list is gone, and what is there is not created again.
async fn a_scheduler_that_starts_again_forgets_what_is_gone() -> Result<()> {
    let (stays, goes) = (pod("stays", "1"), pod("goes", "1"));
    let place = |pod: &mut berth_core::model::Pod| pod.node_name = "n".into();
    let mut first = Recording::new(Source::Cluster)?;
    first.set(&node("n", 4))?.set(&node("m", 4))?.default_policy()?;
    first.at(1).set(&stays)?.pod(&stays, place)?.set(&goes)?.pod(&goes, place)?;
    let mut second = Recording::new(Source::Cluster)?;
    second.at(50).set(&node("n", 4))?.pod(&stays, place)?.default_policy()?.at(100).event(Event::Tick)?;
    let (recorded, berth) = columns(&[first.end()?, second.end()?])?;
    for column in [&recorded, &berth] {
        ensure!(column.measures.bound == 2, "{column:#?}");
        let before = &column.samples[40];
        ensure!((before.nodes, before.running) == (2, 2), "{}: {before:?}", column.name);
    }
    let last = recorded.samples.last().context("samples")?;
    ensure!((last.nodes, last.running) == (1, 1), "{last:?}");
    Ok(())
}

async fn a_plugin_that_reads_what_the_capture_lacks_is_named() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut capture = Recording::new(Source::Cluster)?;
    capture.set(&node("n", 1))?.at(5).set(&pod("p", "1"))?;
    let file = write(home.path(), &capture.end()?)?;
    let config = without_preemption(home.path())?;
    let output = programs::run_berth(&["replay", &file, "--config", &config]).await?;
    for part in
        ["nopreemption.yaml: the plugin ", " reads objects of ", "which the capture lacks; record the cluster with"]
    {
        ensure!(output.status == Some(1) && output.stderr.contains(part), "{part:?} is missing: {output:?}");
    }
    let output = programs::run_berth(&["replay", &file]).await?;
    ensure!(output.stderr.contains("the capture has no plugins and profiles"), "{output:?}");
    Ok(())
}

/// Pods that fit on many nodes are placed at random. Two replays use the same seed.
async fn two_replays_agree() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut capture = Recording::new(Source::Cluster)?;
    for number in 0..20 {
        capture.set(&node(&format!("n-{number}"), 4))?;
    }
    capture.default_policy()?;
    for number in 0..100 {
        let pod = replica(&format!("p-{number}"), "1");
        capture.at(number).set(&pod)?;
        if number % 3 == 0 {
            capture.pod(&pod, |pod| pod.node_name = format!("n-{}", number % 20).into())?;
        }
        if number % 7 == 0 && number > 10 {
            capture.delete_pod(&format!("p-{}", number - 10))?;
        }
    }
    let file = write(home.path(), &capture.end()?)?;
    let run = async || programs::run_berth(&["replay", &file, "-o", "json"]).await;
    let (one, other) = (run().await?, run().await?);
    ensure!(one.success && one.stdout == other.stdout, "{one:?} {other:?}");
    let report: Value = serde_json::from_str(&one.stdout)?;
    ensure!(report["policies"][1]["placedElsewhere"].as_u64() > Some(10), "{report:#}");
    Ok(())
}

async fn conditions_decide_about_the_exit_status() -> Result<()> {
    let home = tempfile::tempdir()?;
    let file = write(home.path(), &preemption("ReplicaSet")?.end()?)?;
    let config = without_preemption(home.path())?;
    let chart = home.path().join("chart.svg").display().to_string();
    let replay = ["replay", &file, "--config", &config];
    let run = async |more: &[&str]| programs::run_berth(&[&replay[..], more].concat()).await;
    let output = run(&["--fail-if", "new.evictions > base.evictions", "--plot", &chart]).await?;
    ensure!(output.status == Some(0) && output.stdout.contains("evictions"), "{output:?}");
    ensure!(std::fs::read_to_string(&chart)?.starts_with("<svg"), "{chart} is no chart");
    let expression = "new.pending.max > 1.1 * base.pending.max";
    let output = run(&["--fail-if", "new.bound > 100", "--fail-if", expression]).await?;
    let expected = format!("The condition is true for {config}: {expression}\n");
    ensure!(output.status == Some(1) && output.stdout.ends_with(&expected), "{output:?}");
    Ok(())
}

async fn mistakes_are_named() -> Result<()> {
    let home = tempfile::tempdir()?;
    let file = write(home.path(), &preemption("ReplicaSet")?.end()?)?;
    let config = without_preemption(home.path())?;
    let nowhere = home.path().join("none").display().to_string();
    let check = |output: &Output, expected: &str| {
        ensure!(!output.success && output.stderr.contains(expected), "{expected:?} is missing: {output:?}");
        Ok(())
    };
    for (arguments, expected) in [
        (
            vec!["--fail-if", "new.evictions > 1"],
            "--fail-if is about a comparison; name another policy with --plugins or",
        ),
        (vec!["--plot", "chart.svg"], "--plot is about a comparison"),
        (
            vec!["--config", &config, "--fail-if", "new.evicted > 1"],
            "--fail-if: \"new.evicted > 1\" can't be evaluated",
        ),
        (vec!["--config", &config, "--fail-if", "new.evictions >"], "is no CEL expression"),
        (vec!["--config", &nowhere], "No such file or directory"),
        (vec!["--plugins", &nowhere], "none is not a directory"),
        (vec!["--modules", &nowhere], "none is not a directory"),
        (vec!["--config", &config, "--keep", "name"], "--keep keeps the actions of a scheduler"),
    ] {
        let output = programs::run_berth(&[&["replay", &file], &arguments[..]].concat()).await?;
        check(&output, expected)?;
    }
    Ok(())
}

fn write(home: &Path, capture: &[u8]) -> Result<String> {
    let path = home.join(format!("capture.{}", files::EXTENSION));
    std::fs::write(&path, capture)?;
    Ok(path.display().to_string())
}

/// Writes a configuration that preempts no pods.
fn without_preemption(home: &Path) -> Result<String> {
    let path = home.join("nopreemption.yaml");
    let text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n\
                - schedulerName: default-scheduler\n  plugins:\n    postFilter:\n      disabled:\n      - name: '*'\n";
    std::fs::write(&path, text)?;
    Ok(path.display().to_string())
}
