//! Captures of a scheduler, and their replays. The harness also plays back what the schedulers of every other test did.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use berth_capture::files;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, nodes, pods};
use berth_tests::{Journal, Process, Session, Target, api, programs, replayed};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::harness::standalone_trial;

crate::case::cases!(Both:
    an_altered_event_is_reported,
    a_killed_scheduler_leaves_a_capture,
);

/// Returns the trials that need no cluster: one for each kept capture, and one about mistakes.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![standalone_trial("captures::mistakes_are_named", || Box::pin(mistakes_are_named()))];
    // Without the folder there are no kept captures.
    for path in files::list(&kept()).unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("captures::kept::{}", name.trim_end_matches(&format!(".{}", files::EXTENSION)));
        trials.push(standalone_trial(&name, move || Box::pin(a_kept_capture(path))));
    }
    trials
}

/// Returns the folder of kept captures.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("captures")
}

/// The actions of a kept capture stay as they are, with the plugins of today.
async fn a_kept_capture(path: PathBuf) -> Result<()> {
    let outcome = replayed::replay(&path)?;
    ensure!(outcome.actions > 0, "the capture has no actions");
    ensure!(outcome.first_difference.is_none(), "the actions have changed: {:#?}", outcome.first_difference);
    Ok(())
}

/// Returns the lines of a capture.
fn lines(path: &Path) -> Result<Vec<Value>> {
    let bytes = zstd::decode_all(std::fs::File::open(path)?)?;
    String::from_utf8(bytes)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn write(path: &Path, lines: &[Value]) -> Result<()> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    Ok(std::fs::write(path, zstd::bulk::compress(text.as_bytes(), 1)?)?)
}

/// Returns the number of steps before this line.
fn steps_before(lines: &[Value], at: usize) -> u64 {
    lines[..at].iter().filter(|line| !line["step"].is_null()).count() as u64
}

/// The node to which the first pod was bound is taken out of the capture. The replay then binds the pod elsewhere, and
/// says so.
async fn an_altered_event_is_reported(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 4, 4)).await?;
    session.create_all(pods("p", 6, "100m")).await?;
    session.journal.until_placed("p-", 6).await?;
    session.end().await?;

    let path = files::list(&target.captures())?.into_iter().next().context("a capture")?;
    let mut lines = lines(&path)?;
    let bind = |line: &Value| {
        let action = line["step"]["actions"].as_array()?.iter().find(|action| !action["bind"].is_null())?;
        Some(action["bind"].clone())
    };
    let (at, bound) =
        lines.iter().enumerate().find_map(|(at, line)| Some((at, bind(line)?))).context("a binding is recorded")?;
    let is_node = |line: &Value| line["step"]["event"]["nodeSet"]["name"] == bound["node"];
    let nodes_before = lines[..at].iter().filter(|line| is_node(line)).count();
    ensure!(nodes_before > 0, "the node {} is not recorded", bound["node"]);
    lines.retain(|line| !is_node(line));
    let altered = target.home().join(format!("altered.{}", files::EXTENSION));
    write(&altered, &lines)?;

    let outcome = replayed::replay(&altered)?;
    let difference = outcome.first_difference.context("the replay found no difference")?;
    let expected = steps_before(&lines, at - nodes_before) + 1;
    ensure!(difference.step == expected, "the first difference is in step {expected}: {difference:#?}");
    ensure!(difference.event == "a scheduling cycle", "{difference:#?}");
    let replayed = difference.replayed.as_ref().map(|action| &action["bind"]["node"]);
    ensure!(replayed != Some(&bound["node"]), "the pod is bound to a node that does not exist: {difference:#?}");
    ensure!(difference.recorded.is_some_and(|action| action["bind"] == bound), "the recorded action is not shown");
    Ok(())
}

/// What was decided more than a second before the scheduler is killed is in the capture, and the command says that the
/// capture has no end.
async fn a_killed_scheduler_leaves_a_capture(target: &Target) -> Result<()> {
    let journal = Journal::start(&target.client).await?;
    api::create(&target.client, &node("n1", 4)).await?;
    let directory = target.home().join("killed");
    let flag = format!("--capture={}", directory.display());
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false", &flag])?;
    api::create_all(&target.client, pods("p", 5, "100m")).await?;
    journal.until_placed("p-", 5).await?;
    let bindings = || -> Result<usize> {
        let Some(path) = files::list(&directory)?.into_iter().next() else { return Ok(0) };
        // The frames that are written so far can be read, whatever follows.
        let mut text = Vec::new();
        let _ = std::io::Read::read_to_end(&mut zstd::Decoder::new(std::fs::File::open(path)?)?, &mut text);
        Ok(String::from_utf8_lossy(&text).matches("{\"bind\":").count())
    };
    eventually("all bindings are in the file", || async {
        let found = bindings()?;
        Ok(Look::at(found == 5, || format!("{found} bindings are in the file")))
    })
    .await?;
    berth.signal("KILL").await?;
    berth.until_ended().await?;

    let directory = directory.display().to_string();
    let output = programs::run_berth(&["replay", &directory]).await?;
    let text = format!("{}{}", output.stdout, output.stderr);
    ensure!(output.status == Some(1), "{text}");
    for part in ["Every action is the recorded one.", "Not complete: ", "the capture ends without its last line after "]
    {
        ensure!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    Ok(())
}

/// `berth replay` says what is wrong with a path.
async fn mistakes_are_named() -> Result<()> {
    let home = tempfile::tempdir()?;
    let path = |name: &str| home.path().join(name).display().to_string();
    std::fs::create_dir(path("empty"))?;
    std::fs::write(path("pods.yaml"), "kind: Pod\n")?;
    let newer = "{\"capture\":{\"version\":99,\"berth\":\"9.9.9\"}}\n";
    std::fs::write(path("newer"), zstd::bulk::compress(newer.as_bytes(), 1)?)?;
    std::fs::write(path("cut"), &zstd::bulk::compress(newer.as_bytes(), 1)?[..10])?;
    for (name, expected) in [
        ("none", "No such file or directory"),
        ("empty", "the directory has no capture (*.jsonl.zst)"),
        ("pods.yaml", "not a capture: the file is not compressed with zstd"),
        ("newer", "the capture has version 99 of the format, written by Berth 9.9.9; this Berth reads version 1"),
        ("cut", "the capture ends without its last line"),
    ] {
        let output = programs::run_berth(&["replay", &path(name)]).await?;
        ensure!(output.status == Some(1), "{name}: {output:?}");
        ensure!(output.stderr.contains(expected), "{name}: {expected:?} is missing in {}", output.stderr);
        ensure!(output.stderr.contains(&path(name)), "{name}: the path is missing in {}", output.stderr);
    }
    Ok(())
}
