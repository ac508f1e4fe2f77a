//! Captures of a scheduler, and their replays. The harness also plays back what the schedulers of every other test did.

use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use berth_capture::files;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, nodes, pod, pods, with};
use berth_tests::programs::Output;
use berth_tests::{Journal, Process, Session, Target, api, crafted, directory, programs, redacted, replayed};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::harness::standalone_trial;

crate::case::cases!(Both:
    an_altered_event_is_reported,
    a_killed_scheduler_leaves_a_capture,
    questions_are_answered_about_a_moment,
    a_cluster_is_recorded_from_outside,
    a_cluster_is_recorded_and_redacted,
    a_capture_with_all_fields_serves_further_plugins,
    a_local_build_is_asked_beside_the_recorded_one,
);

/// Returns the trials that need no cluster: one for each kept capture, and those of commands about files.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        standalone_trial("captures::mistakes_are_named", || Box::pin(mistakes_are_named())),
        standalone_trial("captures::a_redacted_file_is_played_back", || Box::pin(a_redacted_file_is_played_back())),
    ];
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
    redacted::check(&path, replayed::components(&path)?)
}

/// Returns the lines of a capture.
fn lines(path: &Path) -> Result<Vec<Value>> {
    let bytes = zstd::decode_all(std::fs::File::open(path)?)?;
    String::from_utf8(bytes)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Returns the text of the frames that are written so far, also if a frame after them is not complete.
fn text_so_far(path: &Path) -> Result<String> {
    let mut text = Vec::new();
    // An incomplete frame is an error after the complete ones.
    let _ = zstd::Decoder::new(std::fs::File::open(path)?)?.read_to_end(&mut text);
    Ok(String::from_utf8_lossy(&text).into_owned())
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
        Ok(text_so_far(&path)?.matches("{\"bind\":").count())
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

/// Returns the present time as `--at` takes it.
fn now() -> String {
    berth::scheduler::now().to_string()
}

async fn ask(arguments: &[&str]) -> Result<Output> {
    programs::run_berth(arguments).await
}

/// A pod does not fit, until a large node is added. Questions about the time before are answered as before.
async fn questions_are_answered_about_a_moment(target: &Target) -> Result<()> {
    let begin = now();
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.create(&pod("big", "9")).await?;
    session.journal.until_rejected("big", "0/2 nodes are available: 2 Insufficient cpu.").await?;
    let before = now();
    session.create(&node("large", 16)).await?;
    session.journal.until_pod_placed("big").await?;
    session.create(&pod("gone", "1")).await?;
    session.journal.until_pod_placed("gone").await?;
    session.end().await?;

    let directory = target.captures().display().to_string();
    let replay = ["--replay", &directory];
    let at_before = [&replay[..], &["--at", &before]].concat();
    let queue = ask(&[&["explain", "queue", "-o", "json"], &at_before[..]].concat()).await?;
    let listing: Value = serde_json::from_str(&queue.stdout).with_context(|| format!("{queue:?}"))?;
    ensure!(
        listing["pods"][0]["pod"]["name"] == "big" && listing["pods"].as_array().map(Vec::len) == Some(1),
        "{listing:#}"
    );
    ensure!(listing["at"] == *before, "the listing is about {}", listing["at"]);
    let none = ask(&[&["explain", "queue"], &replay[..]].concat()).await?;
    ensure!(none.stdout == "No pod is pending.\n", "{none:?}");

    let then = ask(&[&["explain", "pod", "big"], &at_before[..]].concat()).await?;
    for part in
        ["2 nodes lack only cpu", "Lower the request for cpu from 9", "0/2 nodes are available: 2 Insufficient cpu."]
    {
        ensure!(then.success && then.stdout.contains(part), "{part:?} is missing: {then:?}");
    }
    let later = ask(&[&["explain", "pod", "big", "-o", "json"], &replay[..]].concat()).await?;
    let answer: Value = serde_json::from_str(&later.stdout).with_context(|| format!("{later:?}"))?;
    ensure!(answer["explanation"]["current"]["node"] == "large", "{answer:#}");
    let why_not = ask(&[&["explain", "pod", "big", "--why-not", "n-0"], &replay[..]].concat()).await?;
    ensure!(why_not.stdout.contains("Computed on the recorded cluster at "), "{why_not:?}");

    let fits = ask(&[&["whatif", "-o", "json"], &at_before[..]].concat()).await?;
    let answer: Value = serde_json::from_str(&fits.stdout).with_context(|| format!("{fits:?}"))?;
    ensure!(fits.status == Some(1) && answer["fits"] == false, "{answer:#}");

    for (arguments, expected) in [
        (
            vec!["explain", "queue", "--replay", &directory, "--at", "2020-01-01T00:00:00Z"],
            "is before the capture, which begins at",
        ),
        (
            vec!["explain", "queue", "--replay", &directory, "--at", "2100-01-01T00:00:00Z"],
            "is after the capture, which ends at",
        ),
        (vec!["explain", "queue", "--replay", &directory, "--at", "yesterday"], "is no time; use a format such as"),
        (vec!["explain", "pod", "other", "--replay", &directory], "the pod default/other does not exist at"),
        (vec!["explain", "queue", "--at", &begin], "--replay <PATH>"),
    ] {
        let output = ask(&arguments).await?;
        ensure!(!output.success && output.stderr.contains(expected), "{arguments:?}: {output:?}");
    }
    Ok(())
}

/// Starts `berth capture` with these flags. Returns when the command records, with the path of the file.
async fn record_from_outside(target: &Target, flags: &[&str]) -> Result<(Process, PathBuf)> {
    let file = target.home().join(format!("outside.{}", files::EXTENSION));
    let mut command = tokio::process::Command::new(programs::berth()?);
    command.args(["capture", "--log=info", "--kubeconfig"]).arg(&target.kubeconfig).arg("-o").arg(&file).args(flags);
    let recording = Process::spawn(command)?;
    recording.until_logged("writing a capture").await?;
    Ok((recording, file))
}

/// Returns when all of these texts are in the file.
async fn until_recorded(file: &Path, parts: &[&str]) -> Result<()> {
    eventually("the pods and the plugins are in the file", || async {
        let text = text_so_far(file)?;
        let missing: Vec<&&str> = parts.iter().filter(|part| !text.contains(**part)).collect();
        Ok(Look::at(missing.is_empty(), || format!("{} bytes are in the file, without {missing:?}", text.len())))
    })
    .await
}

/// `berth capture` records what other clients do, and changes nothing.
async fn a_cluster_is_recorded_from_outside(target: &Target) -> Result<()> {
    api::create_all(&target.client, nodes("n", 2, 4)).await?;
    let (mut recording, file) = record_from_outside(target, &[]).await?;
    let placed = with(pod("placed", "1"), &json!({"spec": {"nodeName": "n-0"}}));
    for object in [&placed, &pod("pending", "1")] {
        api::create(&target.client, object).await?;
    }
    until_recorded(&file, &["\"name\":\"placed\"", "\"name\":\"pending\"", "\"pluginsSwapped\""]).await?;
    recording.stop().await?;
    let pods: Api<Pod> = Api::default_namespaced(target.client.clone());
    let pending = pods.get("pending").await?;
    let conditions = pending.status.as_ref().and_then(|status| status.conditions.as_ref());
    ensure!(conditions.is_none_or(Vec::is_empty), "the pod was changed: {pending:?}");
    let version = format!("\"version\":{}", pending.metadata.resource_version.as_deref().unwrap_or_default());
    let text = text_so_far(&file)?;
    let step = text.lines().find(|line| line.contains("\"podSet\"") && line.contains("\"name\":\"pending\""));
    ensure!(step.is_some_and(|step| step.contains(&version)), "{step:?} has not {version}");

    let file = file.display().to_string();
    let replayed = ask(&["replay", &file]).await?;
    ensure!(replayed.success, "{replayed:?}");
    let fits = ask(&["whatif", "--replay", &file, "-o", "json"]).await?;
    let answer: Value = serde_json::from_str(&fits.stdout).with_context(|| format!("{fits:?}"))?;
    ensure!(fits.success && answer["fits"] == true, "{answer:#}");
    let again = ask(&["capture", "--kubeconfig", &target.kubeconfig.display().to_string(), "-o", &file]).await?;
    ensure!(again.status == Some(1) && again.stderr.contains("exists already; choose another file"), "{again:?}");
    Ok(())
}

/// `berth capture --redact` records, and keeps only the redacted copy. If there can't be one, the recording stays.
async fn a_cluster_is_recorded_and_redacted(target: &Target) -> Result<()> {
    api::create_all(&target.client, nodes("secret", 1, 4)).await?;
    for is_taken in [false, true] {
        let (mut recording, file) = record_from_outside(target, &["--redact"]).await?;
        if is_taken {
            std::fs::write(&file, "another file")?;
        }
        let [original] = &recordings(target)?[..] else { bail!("{:?}", recordings(target)?) };
        until_recorded(original, &["secret-0", "\"pluginsSwapped\""]).await?;
        recording.signal("TERM").await?;
        let status = recording.until_ended().await?;
        let left = recordings(target)?;
        if !is_taken {
            ensure!(status.success() && left.is_empty(), "{status:?} {left:?} {}", recording.log());
            ensure!(!text_so_far(&file)?.contains("secret-0"), "the capture has the name of the node");
            std::fs::remove_file(&file)?;
            continue;
        }
        let [kept] = &left[..] else { bail!("{left:?}") };
        let hint = format!("berth capture --redact --from {} -o {}", kept.display(), file.display());
        ensure!(status.code() == Some(1) && recording.log().contains(&hint), "{status:?} {}", recording.log());
        ensure!(std::fs::read(&file)? == b"another file");
        ensure!(text_so_far(kept)?.contains("secret-0"), "the recording has the name of the node");
    }
    Ok(())
}

/// Returns the files of recordings that were to be redacted.
fn recordings(target: &Target) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(target.home())? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".berth-capture-")) {
            found.push(path.join(format!("recorded.{}", files::EXTENSION)));
        }
    }
    Ok(found)
}

/// A plugin that was not there when the capture was made reads a field that no default plugin reads.
async fn a_capture_with_all_fields_serves_further_plugins(target: &Target) -> Result<()> {
    api::create_all(&target.client, nodes("n", 2, 4)).await?;
    api::create(&target.client, &pod("before", "1")).await?;
    let (mut recording, file) = record_from_outside(target, &["--all-fields"]).await?;
    let change = json!({"spec": {
        "subdomain": "web",
        "containers": [{"name": "c", "image": "i", "env": [{"name": "PASSWORD", "value": "hidden-from-captures"}]}],
    }});
    api::create(&target.client, &with(pod("having", "1"), &change)).await?;
    // The field as it is in a pod, and not its path in the list of wanted fields.
    until_recorded(&file, &["subdomain\\\":\\\"web", "\"name\":\"before\"", "\"pluginsSwapped\""]).await?;
    recording.stop().await?;
    ensure!(!text_so_far(&file)?.contains("hidden-from-captures"), "the capture has an environment variable");

    let directory = target.home().join("further");
    std::fs::create_dir(&directory)?;
    let plugin = crafted::rejecting_without_fields("Fields", &["spec.subdomain"]);
    std::fs::write(directory.join("fields.wasm"), plugin)?;
    let (file, directory) = (file.display().to_string(), directory.display().to_string());
    let output = ask(&["replay", &file, "--plugins", &directory, "-o", "json"]).await?;
    let report: Value = serde_json::from_str(&output.stdout).with_context(|| format!("{output:?}"))?;
    let new = &report["policies"][1];
    ensure!(new["bound"] == 1 && new["pendingAtEnd"] == 1, "{report:#}");
    ensure!(new["stillPending"][0]["name"] == "before", "{report:#}");

    // The scheduler of the test recorded what the default plugins read.
    let narrow = target.captures().display().to_string();
    target.stop(target.scheduler().await?).await?;
    let output = ask(&["replay", &narrow, "--plugins", &directory]).await?;
    let expected = "the plugin Fields reads the fields spec.subdomain of v1 Pod, which the capture lacks; record the \
                    cluster with berth capture --all-fields";
    ensure!(output.status == Some(1) && output.stderr.contains(expected), "{output:?}");
    Ok(())
}

/// A plugin rejects a pod. A local build of it gives another reason, and the same build gives the same answers.
async fn a_local_build_is_asked_beside_the_recorded_one(target: &Target) -> Result<()> {
    let served = crafted::rejecting("it served");
    directory::install(&target.plugins_dir(), "crafted.wasm", &served)?;
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    session.until_loaded("crafted.wasm").await?;
    session.create(&pod("rejected", "1")).await?;
    session.journal.until_rejected("rejected", "0/2 nodes are available: 2 it served.").await?;
    session.end().await?;

    let captures = target.captures().display().to_string();
    let write = |name: &str, bytes: &[u8]| -> Result<String> {
        let path = target.home().join(name);
        std::fs::write(&path, bytes)?;
        Ok(path.display().to_string())
    };
    let replay = async |pod: &str, module: &str, more: &[&str]| {
        let arguments = ["plugin", "replay", &captures, "--pod", pod, "--module", module];
        ask(&[&arguments[..], more].concat()).await
    };
    let same = write("same.wasm", &served)?;
    let output = replay("rejected", &same, &[]).await?;
    ensure!(output.status == Some(0) && output.stdout.contains("it served"), "{output:?}");

    let local = write("local.wasm", &crafted::rejecting("it is local"))?;
    let output = replay("default/rejected", &local, &[]).await?;
    for part in ["it served", "it is local", "With the local build: 0/2 nodes are available: 2 it is local."] {
        ensure!(output.status == Some(1) && output.stdout.contains(part), "{part:?} is missing: {output:?}");
    }
    let output = replay("rejected", &local, &["-o", "json"]).await?;
    serde_json::from_str::<Value>(&output.stdout).with_context(|| format!("{output:?}"))?;

    let other = write("other.wasm", &crafted::accepting("Unknown"))?;
    let broken = write("broken.wasm", b"not a component")?;
    for (pod, module, expected) in
        [("rejectd", &local, "rejected"), ("rejected", &other, "Crafted"), ("rejected", &broken, "broken.wasm")]
    {
        let output = replay(pod, module, &[]).await?;
        ensure!(output.status == Some(1) && output.stderr.contains(expected), "{pod}, {module}: {output:?}");
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

/// `berth capture --redact --from` writes a file that plays back identically, and replaces no file.
async fn a_redacted_file_is_played_back() -> Result<()> {
    let home = tempfile::tempdir()?;
    let kept = files::list(&kept())?.first().context("there is no kept capture")?.display().to_string();
    let file = home.path().join("redacted.jsonl.zst").display().to_string();
    let redact = ["capture", "--redact", "--from", &kept, "-o", &file];
    let output = programs::run_berth(&redact).await?;
    ensure!(output.status == Some(0) && output.stdout.contains("decides as the capture does"), "{output:?}");
    ensure!(std::fs::metadata(&file)?.permissions().mode() & 0o077 == 0, "others can read the file");
    ensure!(std::fs::read_dir(home.path())?.count() == 1, "a temporary file is left");
    let output = programs::run_berth(&["replay", &file]).await?;
    ensure!(output.status == Some(0), "{output:?}");
    let output = programs::run_berth(&redact).await?;
    ensure!(output.status == Some(1) && output.stderr.contains("exists already"), "{output:?}");
    Ok(())
}
