//! Tests of queueing hints that plugins export.

use std::time::Duration;

use crate::Event;
use crate::extenders::NoExtenders;
use crate::plugins::{Code, Hint};
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, node};

#[test]
fn a_plugin_with_hints_is_asked_about_those_that_it_rejected() {
    for (code, hint, part) in [
        (Code::Unschedulable, Some(Hint::Skip), SubQueue::Unschedulable),
        (Code::Unschedulable, Some(Hint::Queue), SubQueue::Backoff),
        (Code::Unschedulable, None, SubQueue::Backoff),
        (Code::Pending, Some(Hint::Skip), SubQueue::Unschedulable),
        (Code::Pending, Some(Hint::Queue), SubQueue::Active),
    ] {
        let mut bench = Bench::new(&[("B filter p", Answer::No(code, "no"))]);
        bench.add("p");
        bench.calls();
        bench.plugins.hint = hint;
        bench.core.step(Event::NodeSet(node("changed")), bench.now, &mut bench.plugins, &mut NoExtenders);
        assert_eq!(bench.calls(), ["B hints p EventActions(UPDATE_LABELS)"]);
        assert_eq!(bench.core.queue().len(part), 1, "{code:?} {hint:?}");
    }
}

#[test]
fn pods_of_an_instance_that_is_gone_are_tried_again() {
    let mut bench = Bench::new(&[("B filter p", Answer::No(Code::Unschedulable, "no"))]);
    bench.plugins.hint = Some(Hint::Skip);
    bench.add("p");
    bench.plugins.answers.clear();
    bench.now = bench.now.after(Duration::from_secs(60));
    assert_eq!(bench.swap(1, &["A", "C"]), ["bind p"]);
}
