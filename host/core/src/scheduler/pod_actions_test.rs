//! Tests of what plugins do with other pods.

use std::sync::Arc;
use std::time::Duration;

use crate::Event;
use crate::extenders::NoExtenders;
use crate::model::{Pod, PodSpec};
use crate::plugins::{Code, Hint};
use crate::profile::Profile;
use crate::queue::SubQueue;
use crate::scheduler::scripted::{Answer, Bench, pod};

const WAITS: Answer = Answer::Waits(5000);
const NO: Answer = Answer::No(Code::Unschedulable, "no");

/// Returns a bench in which no event helps a rejected pod.
fn bench(answers: &[(&'static str, Answer)]) -> Bench {
    let mut bench = Bench::new(answers);
    bench.plugins.hint = Some(Hint::Skip);
    bench
}

fn add_all(bench: &mut Bench, names: &[&str]) {
    names.iter().for_each(|name| drop(bench.add(name)));
}

fn unreserved(bench: &mut Bench, plugin: &str) -> Vec<String> {
    let mut calls = bench.calls();
    calls.retain(|call| call.starts_with(&format!("{plugin} unreserve")));
    calls
}

#[test]
fn a_rejection_has_its_reason_in_the_message() {
    let mut bench = bench(&[("A permit p", WAITS), ("B permit q", Answer::Rejects(&["p"], "its gang has no space"))]);
    bench.add("p");
    let why = "p: 0/1 nodes are available: 1 its gang has no space.";
    assert_eq!(bench.add("q"), ["bind q", "nominate \"\" for p", why]);
    let rejectors = bench.core.queue().get("p").map(|entry| entry.rejectors().to_vec()).unwrap_or_default();
    assert_eq!(rejectors.iter().map(|by| &*by.declaration.name).collect::<Vec<_>>(), ["B"]);
}

#[test]
fn unreserve_acts_on_other_pods() {
    let mut bench = bench(&[
        ("A permit p", WAITS),
        ("A permit q", WAITS),
        ("A permit r", Answer::Waits(1000)),
        ("A unreserve r", Answer::Approves(&["p"])),
        ("B unreserve r", Answer::Rejects(&["q"], "r is gone")),
    ]);
    add_all(&mut bench, &["p", "q", "r"]);
    let reported = bench.after(1000);
    let expected = [
        "nominate \"\" for r",
        "r: 0/1 nodes are available: 1 rejected due to timeout after waiting 1s at plugin A.",
        "nominate \"\" for q",
        "q: 0/1 nodes are available: 1 r is gone.",
        "bind p",
    ];
    assert_eq!(reported, expected);
}

#[test]
fn rejections_in_a_circle_end() {
    let mut bench = bench(&[
        ("A permit p", WAITS),
        ("A permit q", WAITS),
        ("A permit r", WAITS),
        ("A unreserve p", Answer::Rejects(&["p", "q", "r"], "")),
        ("B unreserve q", Answer::Rejects(&["p", "q", "r"], "")),
        ("C unreserve r", Answer::Rejects(&["p", "q", "r"], "")),
        ("A permit s", Answer::Rejects(&["p"], "")),
    ]);
    add_all(&mut bench, &["p", "q", "r"]);
    bench.calls();
    bench.add("s");
    assert_eq!(
        unreserved(&mut bench, "A"),
        ["A unreserve p [A's]", "A unreserve q [A's]", "A unreserve r [A's]"],
        "each pod is unreserved once"
    );
    assert_eq!((bench.core.waiting(), bench.core.queue().len(SubQueue::Unschedulable)), (0, 3));
}

/// Each pod's unreserve rejects the next pod. The actions of one step must not use the stack for each other.
#[test]
fn a_long_chain_of_rejections_ends() {
    const PODS: usize = 300;
    const STACK: usize = 192 << 10;
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let chain = move || {
        let mut bench = bench(&[]);
        for n in 0..PODS {
            let next: &'static [&'static str] = Box::leak(Box::new([leaked(format!("p{}", n + 1))]));
            bench.plugins.answers.insert(leaked(format!("A permit p{n}")), WAITS);
            bench.plugins.answers.insert(leaked(format!("A unreserve p{n}")), Answer::Rejects(next, ""));
            bench.add(&format!("p{n}"));
        }
        assert_eq!(bench.core.waiting(), PODS);
        bench.plugins.answers.insert("A permit q", Answer::Rejects(&["p0"], ""));
        bench.add("q");
        assert_eq!((bench.core.waiting(), bench.core.queue().len(SubQueue::Unschedulable)), (0, PODS));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(chain).expect("a thread");
    thread.join().expect("the chain ends");
}

#[test]
fn each_kind_of_answer_activates_pods() {
    for question in ["A permit q", "A post-filter q", "A unreserve q"] {
        let mut bench = bench(&[("A filter p", NO), (question, Answer::Activates(&["p", "unknown"]))]);
        if question == "A post-filter q" {
            bench.plugins.answers.insert("A filter q", NO);
        }
        if question == "A unreserve q" {
            bench.plugins.answers.insert("B permit q", NO);
        }
        bench.add("p");
        assert_eq!(bench.core.queue().len(SubQueue::Unschedulable), 1);
        let reported = bench.add("q");
        let again = "p: 0/1 nodes are available: 1 no.";
        assert_eq!(reported.last().map(String::as_str), Some(again), "{question}: {reported:?}");
    }
}

#[test]
fn a_pod_of_another_profile_is_left_alone() {
    let answers = [("B permit p", WAITS), ("A filter r", NO), ("A permit q", Answer::Rejects(&["p"], ""))];
    let mut bench = bench(&answers);
    let mut profiles = bench.core.profiles().to_vec();
    profiles.push(Profile { scheduler_name: "other".into(), ..profiles[0].clone() });
    bench.step(Event::PluginsSwapped(profiles));
    add_all(&mut bench, &["p", "r"]);
    let spec = Arc::new(PodSpec { scheduler_name: "other".into(), ..PodSpec::default() });
    let other = |name: &str| Event::PodSet(Arc::new(Pod { spec: Arc::clone(&spec), ..pod(name) }));
    assert_eq!(bench.step(other("q")), ["bind q"]);
    bench.plugins.answers.insert("A permit s", Answer::Activates(&["p", "r"]));
    assert_eq!(bench.step(other("s")), ["bind s"]);
    assert_eq!((bench.core.waiting(), bench.core.queue().len(SubQueue::Unschedulable)), (1, 1));
}

#[test]
fn the_activation_of_a_waiting_pod_is_remembered() {
    for (activates, sub_queue) in [(true, SubQueue::Backoff), (false, SubQueue::Unschedulable)] {
        let mut bench = bench(&[("A permit p", WAITS)]);
        if activates {
            bench.plugins.answers.insert("A permit q", Answer::Activates(&["p"]));
        }
        add_all(&mut bench, &["p", "q"]);
        assert_eq!(bench.core.waiting(), 1, "the pod waits on");
        bench.now = bench.now.after(Duration::from_secs(5));
        bench.core.step(Event::Tick, bench.now, &mut bench.plugins, &mut NoExtenders);
        assert_eq!(bench.core.queue().len(sub_queue), 1, "{sub_queue:?}");
    }
}

#[test]
fn a_pod_that_activates_itself_waits_for_its_backoff() {
    for (question, ends) in [
        ("A post-filter p", ("B filter p", NO)),
        ("A unreserve p", ("B permit p", NO)),
        ("A unreserve p", ("B permit p", Answer::Fails)),
    ] {
        let mut bench = bench(&[(question, Answer::Activates(&["p"])), ends]);
        let step = |bench: &mut Bench, event| {
            bench.core.step(event, bench.now, &mut bench.plugins, &mut NoExtenders);
        };
        step(&mut bench, Event::PodSet(Arc::new(pod("p"))));
        step(&mut bench, Event::Cycle);
        assert_eq!(bench.core.queue().len(SubQueue::Backoff), 1, "{question}");
    }
}
