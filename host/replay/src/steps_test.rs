//! Tests the order of the steps of a capture from outside.

use std::num::NonZeroU64;
use std::sync::Arc;

use berth_capture::{CaptureWriter, EventToWrite, PolicyRecord, StepToWrite};
use berth_core::Event;
use berth_core::model::Node;

use super::*;

/// Returns a step that reports a node, named after the number of its change.
fn node(at: u64, change: u64) -> StepToWrite {
    let node = Node { name: change.to_string().into(), ..Node::default() };
    step(at, NonZeroU64::new(change), EventToWrite::Event(Event::NodeSet(Arc::new(node))))
}

fn policy(at: u64) -> StepToWrite {
    step(at, None, EventToWrite::Policy(PolicyRecord { profiles: Vec::new() }))
}

fn tick(at: u64) -> StepToWrite {
    step(at, None, EventToWrite::Event(Event::Tick))
}

fn step(at: u64, version: Option<NonZeroU64>, event: EventToWrite) -> StepToWrite {
    let at = Timestamp(at);
    StepToWrite { at, version, event, extenders: Vec::new(), failed_calls: Vec::new(), actions: Vec::new() }
}

/// Returns the names of the nodes of a capture with these steps, and the times at which they are read.
fn read(source: Source, steps: &[StepToWrite], complete: bool) -> (Vec<(String, u64)>, Result<(), CaptureError>) {
    let header = Header { version: berth_capture::record::VERSION, source, ..Header::default() };
    let mut writer = CaptureWriter::new(Vec::new(), &header).expect("a capture");
    steps.iter().for_each(|step| writer.step(step).expect("a step"));
    writer.flush().expect("written");
    let bytes = writer.end(0).expect("an end");
    // The last frame has the last line only.
    let size = if complete { bytes.len() } else { bytes.len() - 4 };
    let mut steps = Steps::new(CaptureReader::new(&bytes[..size]).expect("a capture"));
    let mut read = Vec::new();
    loop {
        match steps.next_step() {
            Ok(Some(Step { at, event: StepEvent::Event(event), .. })) => match event {
                Event::NodeSet(node) => read.push((node.name.to_string(), at.0)),
                _ => read.push(("tick".to_owned(), at.0)),
            },
            Ok(Some(_)) => read.push(("policy".to_owned(), 0)),
            Ok(None) => return (read, Ok(())),
            Err(error) => return (read, Err(error)),
        }
    }
}

fn names(source: Source, steps: &[StepToWrite]) -> Vec<String> {
    let (read, result) = read(source, steps, true);
    result.expect("a complete capture");
    assert!(read[1..].is_sorted_by_key(|(_, at)| at), "{read:?}");
    read.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn changes_have_the_order_of_their_versions() {
    let steps = [node(0, 20), node(0, 10), policy(1), node(2, 32), node(3, 31), tick(4), node(5, 30), node(6, 33)];
    assert_eq!(
        names(Source::Cluster, &steps),
        ["20", "10", "policy", "30", "31", "32", "tick", "33"],
        "the beginning stays as it is"
    );
    assert_eq!(names(Source::Scheduler, &steps), ["20", "10", "policy", "32", "31", "tick", "30", "33"]);
}

#[test]
fn a_change_has_at_most_the_time_of_a_later_change() {
    let (read, _) = read(Source::Cluster, &[policy(1), node(2, 32), node(3, 31), node(4, 33)], true);
    assert_eq!(read[1..], [("31".to_owned(), 2), ("32".to_owned(), 2), ("33".to_owned(), 4)]);
}

#[test]
fn a_change_that_is_reported_very_late_stays_late() {
    let late = PATIENCE + 10;
    let steps = [policy(1), node(2, 32), node(3, 33), node(late, 40), node(late, 30), node(late + 1, 41)];
    assert_eq!(names(Source::Cluster, &steps), ["policy", "32", "33", "30", "40", "41"]);
}

#[test]
fn a_truncated_capture_loses_no_step() {
    let (read, result) = read(Source::Cluster, &[policy(1), node(2, 32), node(3, 31)], false);
    assert_eq!(read.len(), 3);
    assert!(matches!(result, Err(CaptureError::Truncated(_))), "{result:?}");
}
