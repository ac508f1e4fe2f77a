//! Compares the answers of two builds about an attempt.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use berth_conformance::Answer;
use berth_core::cache::{Cache, NodeId};
use berth_core::checkpoint::Checkpoint;
use berth_plugin_host::{Export, LoadedComponent};

use super::asked::{Asked, Call, Key};
use super::attempt::RecordedAttempt;
use super::cycle::{RepeatedCycle, Said, repeat};
use super::error::CallsError;
use super::log::Log;
use super::report::{AnswerRow, Build, CallCost, ComparedAttempt, NotServed};
use crate::error::ReplayError;

/// Asks both builds about an attempt. The result has the answers about at most `most_nodes` nodes.
///
/// # Errors
/// A build can't be asked.
pub(super) fn compared(
    attempt: &RecordedAttempt,
    checkpoint: Checkpoint,
    local: &Arc<LoadedComponent>,
    most_nodes: usize,
) -> Result<ComparedAttempt, CallsError> {
    let (name, components) = (&local.name, &attempt.components);
    let recorded = components.components().find(|component| component.name == *name);
    let not_served = || CallsError::NotServed { plugin: name.to_string(), not_served: NotServed::default() };
    let recorded = recorded.ok_or_else(not_served)?;
    let nodes: Vec<NodeId> = attempt.cache.nodes().map(|info| info.id).collect();
    // The lines of the recorded build are collected too, so that they are not taken for those of the local one.
    let (log_there, log_here) = (Log::of(name), Log::of(name));
    let asked = log_there.collect(|| {
        let mut asked = Asked::start(recorded, attempt)?;
        let accepted = asked.filter(&nodes);
        Ok::<_, CallsError>((asked, accepted))
    });
    let (mut there, accepted) = asked?;
    let asked = log_here.collect(|| {
        let mut asked = Asked::start(local, attempt)?;
        let here: BTreeSet<NodeId> = asked.filter(&nodes).into_iter().collect();
        let both: Vec<NodeId> = accepted.into_iter().filter(|node| here.contains(node)).collect();
        asked.score(&both);
        Ok::<_, CallsError>((asked, both))
    });
    let (here, both) = asked?;
    log_there.collect(|| there.score(&both));
    let cycle_there = repeat(attempt, checkpoint.clone(), components, name, &log_there)?;
    let cycle_here = match repeat(attempt, checkpoint, &components.with(Arc::clone(local)), name, &log_here) {
        Err(CallsError::Replay(ReplayError::Profiles(refusal))) => RepeatedCycle::refused(&refusal),
        other => other?,
    };
    let (mut answers, mut counts) = rows(&there.answers, &here.answers, &attempt.cache, most_nodes);
    answers.extend(rows_of_cycle(&cycle_there.said, &cycle_here.said, &mut counts));
    answers.sort_by_key(|row| !row.differs);
    let log = log_here.take();
    let pod = &attempt.pod;
    Ok(ComparedAttempt {
        at: attempt.at,
        number: attempt.number,
        uid: pod.key.uid.to_string(),
        node: attempt.node.clone(),
        message: attempt.message.clone(),
        local_node: cycle_here.node,
        local_message: cycle_here.message,
        failed_calls: attempt.failed_calls.iter().map(|call| call.error.message.clone()).collect(),
        recorded: Build::of(recorded),
        compared: counts.compared,
        different: counts.different,
        answers,
        nodes_left_out: counts.nodes_left_out,
        sync_milliseconds: milliseconds(here.sync),
        memory_bytes: here.memory(),
        calls: [costs(&there.calls, &here.calls), costs(&cycle_there.calls, &cycle_here.calls)].concat(),
        log: log.kept,
        log_lines_left_out: log.left_out,
    })
}

impl Build {
    /// Returns the version and the digest of a component.
    #[must_use]
    pub fn of(component: &LoadedComponent) -> Self {
        Self { version: component.version.to_string(), digest: component.digest.to_string() }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Counts {
    compared: usize,
    different: usize,
    nodes_left_out: usize,
}

/// Sets the answers side by side: first those that differ, then the others, in the order of the calls. The nodes with
/// answers that differ come before other nodes, by name.
fn rows(
    recorded: &[(Key, Answer)],
    local: &[(Key, Answer)],
    cache: &Cache,
    most_nodes: usize,
) -> (Vec<AnswerRow>, Counts) {
    let there: HashMap<Key, &Answer> = recorded.iter().map(|(key, answer)| (*key, answer)).collect();
    let here: HashMap<Key, &Answer> = local.iter().map(|(key, answer)| (*key, answer)).collect();
    let only_local = local.iter().map(|(key, _)| *key).filter(|key| !there.contains_key(key));
    let keys: Vec<Key> = recorded.iter().map(|(key, _)| *key).chain(only_local).collect();
    let differs = |key: &Key| there.get(key) != here.get(key);
    let name = |node: NodeId| cache.node(node).map_or("", |info| &*info.node.name);
    let differing: BTreeSet<NodeId> = keys.iter().filter(|key| differs(key)).filter_map(|(_, node)| *node).collect();
    let mut nodes: Vec<NodeId> = keys.iter().filter_map(|(_, node)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.sort_by_key(|node| (!differing.contains(node), name(*node)));
    let places: HashMap<NodeId, usize> = nodes.iter().take(most_nodes).zip(0..).map(|(node, at)| (*node, at)).collect();
    let mut shown: Vec<Key> =
        keys.iter().copied().filter(|(_, node)| node.is_none_or(|node| places.contains_key(&node))).collect();
    shown.sort_by_key(|key| {
        let place = key.1.and_then(|node| places.get(&node));
        (Reverse(differs(key)), place.map(|place| place + 1))
    });
    let text = |answers: &HashMap<Key, &Answer>, key: &Key| answers.get(key).map(ToString::to_string);
    let row = |key: Key| AnswerRow {
        function: key.0.to_string(),
        node: key.1.map(|node| name(node).to_owned()),
        recorded: text(&there, &key),
        local: text(&here, &key),
        differs: differs(&key),
    };
    let counts = Counts {
        compared: keys.len(),
        different: keys.iter().filter(|key| differs(key)).count(),
        nodes_left_out: nodes.len() - places.len(),
    };
    (shown.into_iter().map(row).collect(), counts)
}

/// Sets the answers of the repeated cycles side by side. A function is called once in a cycle.
fn rows_of_cycle(recorded: &[Said], local: &[Said], counts: &mut Counts) -> Vec<AnswerRow> {
    let of = |all: &[Said], export: Export| all.iter().find(|said| said.export == export).cloned();
    let only_local = local.iter().filter(|said| of(recorded, said.export).is_none());
    let exports = recorded.iter().chain(only_local).map(|said| said.export);
    let row = |export: Export| {
        let (there, here) = (of(recorded, export), of(local, export));
        let differs = there != here;
        let text = |said: Option<Said>| said.map(|said| said.text);
        let function = if export == Export::Start { "start".to_owned() } else { export.to_string() };
        AnswerRow { function, node: None, recorded: text(there), local: text(here), differs }
    };
    let rows: Vec<AnswerRow> = exports.map(row).collect();
    counts.compared += rows.len();
    counts.different += rows.iter().filter(|row| row.differs).count();
    rows
}

/// Sets the calls of both builds side by side.
fn costs(recorded: &[Call], local: &[Call]) -> Vec<CallCost> {
    let time =
        |calls: &[Call], export: Export| calls.iter().find(|call| call.0 == export).map(|call| milliseconds(call.2));
    let only_recorded = recorded.iter().filter(|call| !local.iter().any(|other| other.0 == call.0));
    let cost = |call: &Call| CallCost {
        function: call.0.to_string(),
        nodes: call.1,
        recorded_milliseconds: time(recorded, call.0),
        local_milliseconds: time(local, call.0),
    };
    local.iter().chain(only_recorded).map(cost).collect()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[cfg(test)]
mod tests {
    use berth_core::model::Node;
    use berth_core::plugins::{Code, Status};

    use super::*;

    fn cache(names: &[&str]) -> Cache {
        let mut cache = Cache::default();
        for name in names {
            cache.set_node(Arc::new(Node { name: (*name).into(), ..Node::default() }));
        }
        cache
    }

    fn verdict(reason: Option<&str>) -> Answer {
        Answer::Verdict(reason.map(|reason| Status { code: Code::Unschedulable, reasons: vec![reason.into()] }))
    }

    #[test]
    fn answers_that_differ_come_first_and_the_nodes_are_bounded() {
        let cache = cache(&["c", "b", "a"]);
        let node = |name: &str| cache.node_id(name);
        let key = |export, name: &str| (export, node(name));
        let recorded = [
            ((Export::Skip, None), Answer::Skip(false)),
            (key(Export::Filter, "c"), verdict(None)),
            (key(Export::Filter, "b"), verdict(None)),
            (key(Export::Filter, "a"), verdict(None)),
            (key(Export::Score, "c"), Answer::Score(7)),
        ];
        let local = [
            ((Export::Skip, None), Answer::Skip(false)),
            (key(Export::Filter, "c"), verdict(Some("full"))),
            (key(Export::Filter, "b"), verdict(None)),
            (key(Export::Filter, "a"), verdict(None)),
            (key(Export::Score, "b"), Answer::Score(8)),
        ];
        let (rows, counts) = rows(&recorded, &local, &cache, 2);
        assert_eq!(counts, Counts { compared: 6, different: 3, nodes_left_out: 1 });
        let texts: Vec<String> = rows
            .iter()
            .map(|row| {
                let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                let node = text(&row.node);
                format!("{} {node}: {} {} {}", row.function, text(&row.recorded), text(&row.local), row.differs)
            })
            .collect();
        assert_eq!(
            texts,
            [
                "score b: - 8 true",
                "filter c: fits Unschedulable (full) true",
                "score c: 7 - true",
                "skip -: don't skip don't skip false",
                "filter b: fits fits false",
            ]
        );
    }

    #[test]
    fn calls_that_one_build_makes_have_one_cost() {
        let call = |export, millis| (export, Some(3), Duration::from_millis(millis));
        let costs = costs(
            &[call(Export::Filter, 2), call(Export::PreScore, 5)],
            &[call(Export::Filter, 4), call(Export::Score, 6)],
        );
        let of: Vec<(&str, Option<f64>, Option<f64>)> = costs
            .iter()
            .map(|cost| (cost.function.as_str(), cost.recorded_milliseconds, cost.local_milliseconds))
            .collect();
        assert_eq!(of, [("filter", Some(2.0), Some(4.0)), ("score", None, Some(6.0)), ("pre-score", Some(5.0), None)]);
    }
}
