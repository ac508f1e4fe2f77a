//! The comparison of CapacityScheduling: its verdict about pods in PreFilter, and preemption, as tests/parity compares
//! them. Each pod is asked about alone, before the first change and after each change.
//!
//! Differences on purpose:
//!
//! | difference | reason | where |
//! |---|---|---|
//! | the reasons of PreFilter have no pod names | the reasons are in the pod's own event | `reason` |
//! | the original does not count pods that had a node before the quota was created | the answer is the same after a restart | the oracle gets all quotas first, in a new cluster for each change |
//! | the original has the first of several quotas that it saw | the answer is the same after a restart | cases have one quota in a namespace |
//! | a node fails with an error if both the filters and the quota refuse to restore a pod | the original removes the pod twice; the port evicts it | preemption is not compared after this error |
//! | pods of equal importance are victims in any order | repeatable answers | cases have pods of different start times |

pub mod draw;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use berth_core::Event;
use berth_tests::comparison::case::{Case, Change};
use berth_tests::comparison::preemption::{BerthResult, PreemptionResult};
use serde_json::{Value, json};

use crate::berth::{Berth, Effects, Port, START, read_pod};
use crate::calls::Status;
use crate::coverage::Coverage;
use crate::oracle::Oracle;

/// The name of the plugin.
pub const PLUGIN: &str = "CapacityScheduling";

/// The original's error after it removed a pod twice from a node.
const TWICE: &str = "no corresponding pod";

/// The outcomes that drawn cases must cover, as [`Coverage`] counts them.
pub const OUTCOMES: [&str; 6] = [
    "pre-filter: more than max",
    "pre-filter: more than min in total",
    "preemption finds a node",
    "preemption finds several nodes",
    "preemption finds no node",
    "a node fits",
];

/// Runs a case on both sides and returns the differences, one per element.
///
/// # Errors
/// Returns an error if a side refuses the case, or a call of the port fails.
pub fn compare(port: &Port, oracle: &mut Oracle, case: &Case, coverage: &mut Coverage) -> Result<Vec<String>> {
    let mut berth = port.start(&configuration())?;
    let mut objects: Vec<Value> = Vec::new();
    let first = case.objects.iter().map(|object| Change::Set(object.clone()));
    let changes: Vec<Change> = first.chain(case.changes.iter().cloned()).collect();
    for (at, change) in changes.iter().enumerate() {
        let (Change::Set(object) | Change::Remove(object)) = change;
        let is_same = |other: &Value| {
            other["kind"] == object["kind"]
                && ["name", "namespace"].iter().all(|field| other["metadata"][field] == object["metadata"][field])
        };
        objects.retain(|other| !is_same(other));
        match change {
            Change::Set(object) => {
                objects.push(object.clone());
                berth.set(object)?;
            }
            Change::Remove(object) => drop(berth.remove(object)?),
        }
        if at + 1 < case.objects.len() {
            continue;
        }
        fill(oracle, &objects)?;
        for pod in &case.pods {
            let (differences, clears_others) = compare_pod(&mut berth, oracle, pod, coverage)?;
            if clears_others {
                berth = port.start(&configuration())?;
                objects.iter().try_for_each(|object| berth.set(object).map(drop))?;
            }
            if !differences.is_empty() {
                let head = format!("pod {} after {} changes", pod["metadata"]["name"], at + 1 - case.objects.len());
                return Ok([head].into_iter().chain(differences).collect());
            }
        }
    }
    Ok(Vec::new())
}

/// Returns the KubeSchedulerConfiguration of Berth. The port is the only post-filter, as in the oracle.
fn configuration() -> Value {
    json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{
            "schedulerName": "default-scheduler",
            "plugins": {
                "preFilter": {"enabled": [{"name": PLUGIN}]},
                "postFilter": {"enabled": [{"name": PLUGIN}], "disabled": [{"name": "*"}]},
            },
        }],
    })
}

/// Starts a new cluster of the original with these objects, the quotas first.
fn fill(oracle: &mut Oracle, objects: &[Value]) -> Result<()> {
    oracle.reset(PLUGIN, &json!({}))?;
    let is_quota = |object: &&Value| object["kind"] == "ElasticQuota";
    for object in objects.iter().filter(is_quota).chain(objects.iter().filter(|object| !is_quota(object))) {
        oracle.ask(json!({"set": object}), START)?;
    }
    Ok(())
}

/// Compares the answers about a pod. Returns the differences, and whether Berth's preemption cleared the nomination of
/// another pod, which the case still has.
fn compare_pod(
    berth: &mut Berth,
    oracle: &mut Oracle,
    pod: &Value,
    coverage: &mut Coverage,
) -> Result<(Vec<String>, bool)> {
    let key = format!(
        "{}/{}",
        pod["metadata"]["namespace"].as_str().unwrap_or_default(),
        pod["metadata"]["name"].as_str().unwrap_or_default()
    );
    oracle.ask(json!({"set": pod}), START)?;
    let theirs = oracle.ask(json!({"cycle": {"pod": key}}), START)?;
    oracle.ask(json!({"remove": pod}), START)?;
    let message = berth.message(&read_pod(pod)?)?;
    berth.set(pod)?;
    let ours = berth.step(Event::Cycle)?;
    berth.remove(pod)?;
    let clears_others = ours.nominated.keys().any(|other| *other != key);
    let mut differences = Vec::new();
    let status = |status: &Status| {
        let reasons = status.reasons.iter().map(|text| text.replace(&format!("Pod {key} is"), "Pod is"));
        (status.code.clone(), reasons.filter(|reason| !reason.is_empty()).collect::<Vec<_>>())
    };
    let their_status = status(&theirs.pre_filter);
    let our_status = ours.calls.pre_filter.get(&key).map_or_else(|| ("Success".to_owned(), Vec::new()), status);
    if their_status != our_status {
        differences.push(format!("pre-filter: the original has {their_status:?}, the port {our_status:?}"));
    }
    let node = ours.bound.get(&key);
    if node.map_or(!theirs.feasible.is_empty(), |node| !theirs.feasible.contains(node)) {
        differences.push(format!("the nodes that fit are {:?}, and Berth chose {node:?}", theirs.feasible));
    }
    for (outcome, part) in [("max", "more than Max"), ("min", "more than min")] {
        let outcome = if outcome == "max" { OUTCOMES[0] } else { OUTCOMES[1] };
        coverage.add(outcome, their_status.1.iter().any(|reason| reason.contains(part)));
    }
    coverage.add("a node fits", !theirs.feasible.is_empty());
    let fails =
        theirs.post_filter.as_ref().is_some_and(|theirs| theirs.reasons.iter().any(|text| text.contains(TWICE)));
    if let (Some(theirs), None, false) = (theirs.post_filter, node, fails) {
        let candidates = theirs.preemption.candidate_count();
        let theirs = PreemptionResult::Upstream(theirs.preemption);
        coverage.add("preemption finds a node", theirs.found_node());
        coverage.add("preemption finds several nodes", candidates > 1);
        coverage.add("preemption finds no node", !theirs.found_node());
        let ours = PreemptionResult::Berth(preemption(&key, pod, &ours, message.as_deref().unwrap_or_default())?);
        differences.extend(PreemptionResult::differences(Some(&theirs), Some(&ours), false));
    }
    Ok((differences, clears_others))
}

/// Returns the result of Berth's preemption. `message` is the message without preemption.
fn preemption(key: &str, pod: &Value, effects: &Effects, message: &str) -> Result<BerthResult> {
    // An existing nomination is not repeated in the actions.
    let before = pod["status"]["nominatedNodeName"].as_str().unwrap_or_default();
    let mut node = effects.nominated.get(key).map_or(before, String::as_str).to_owned();
    let note = effects.failed.get(key).with_context(|| format!("pod {key} was not tried"))?;
    let more = note.strip_prefix(message);
    let more = more.with_context(|| format!("the event has the note {note:?}, expected {message:?} first"))?;
    if !more.trim_start().is_empty() {
        node.clear();
    }
    let evicted: BTreeSet<String> = effects.evicted.iter().cloned().collect();
    Ok(BerthResult { message: more.trim_start().to_owned(), node, evicted })
}
