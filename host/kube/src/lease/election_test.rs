//! Tests the election with tables of answers and expected requests.

use std::collections::VecDeque;

use super::*;

const ME: &str = "me";

fn at(millis: u64) -> Moment {
    // The wall clock must have no influence, so this wall clock goes backwards.
    let wall = Timestamp::from_millisecond(1_000_000_000_000 - i64::try_from(millis).expect("small")).expect("a time");
    Moment { own: Duration::from_millis(millis), wall }
}

/// Returns the answer for a Lease that `holder` holds. `renewed` is in seconds; a different `renewed` makes a different
/// record.
fn held_by(holder: &str, transitions: i32, renewed: i64) -> Answer {
    let renewed = Timestamp::from_second(renewed).ok();
    Answer::Found(Record { holder: holder.into(), duration_seconds: 15, acquired: None, renewed, transitions })
}

fn no_answer() -> Answer {
    Answer::Failed("no answer".into())
}

/// Runs the election at a time, gives these answers in order, and returns the actions as text.
fn run_at(election: &mut Election, millis: u64, answers: Vec<Answer>) -> String {
    let mut answers = VecDeque::from(answers);
    let mut done = Vec::new();
    loop {
        match election.next(at(millis), 0.0) {
            Next::Send { request, .. } => {
                done.push(match request {
                    Request::Read => "read".to_owned(),
                    Request::Create(record) => format!("create {}/{}", record.holder, record.transitions),
                    Request::Update(record) => format!("update {}/{}", record.holder, record.transitions),
                });
                let Some(answer) = answers.pop_front() else { return format!("{} unanswered", done.join(", ")) };
                election.answer(answer, at(millis));
            }
            Next::Wait(wait) => done.push(format!("wait {}", wait.as_millis())),
            Next::Stop(loss) => done.push(format!("stop: {loss}")),
        }
        if !done.last().is_some_and(|last| last.starts_with("read") || last.contains('/')) {
            assert!(answers.is_empty(), "{done:?}, and was never asked for {answers:?}");
            return format!("{}{}", done.join(", "), if election.leads() { "; leads" } else { "" });
        }
    }
}

type Step = (u64, Vec<Answer>, &'static str);

fn check(case: &str, steps: Vec<Step>) {
    let timing = Timing { renew_deadline: Duration::from_secs(10), ..Timing::default() };
    let mut election = Election::new(ME, timing);
    for (millis, answers, expected) in steps {
        assert_eq!(run_at(&mut election, millis, answers), expected, "{case}, at {millis} ms");
    }
}

fn acquired() -> Step {
    (0, vec![Answer::NotFound, Answer::Written], "read, create me/0, wait 2000; leads")
}

#[test]
fn a_candidate_acquires_a_free_or_expired_lease() {
    let other = |renewed| held_by("other", 4, renewed);
    check("a missing Lease is created", vec![acquired()]);
    check(
        "a released Lease is taken at once",
        vec![(0, vec![held_by("", 4, 0), Answer::Written], "read, update me/5, wait 2000; leads")],
    );
    check(
        "a held Lease is taken after it was unchanged for its duration, whatever its times say",
        vec![
            (0, vec![other(-1_000_000)], "read, wait 2000"),
            (1_000, vec![], "wait 1000"),
            (14_999, vec![other(-1_000_000)], "read, wait 2000"),
            (17_000, vec![other(-1_000_000), Answer::Written], "read, update me/5, wait 2000; leads"),
        ],
    );
    check(
        "each change of the Lease restarts the wait",
        vec![
            (0, vec![other(1)], "read, wait 2000"),
            (14_000, vec![other(2)], "read, wait 2000"),
            (28_999, vec![other(2)], "read, wait 2000"),
            (31_000, vec![other(2), Answer::Written], "read, update me/5, wait 2000; leads"),
        ],
    );
    check(
        "another candidate wrote first",
        vec![
            (0, vec![held_by("", 4, 0), Answer::Failed("conflict".into())], "read, update me/5, wait 2000"),
            (2_000, vec![held_by("other", 5, 1)], "read, wait 2000"),
        ],
    );
    check(
        "the write succeeded, but its answer was lost",
        vec![
            (0, vec![Answer::NotFound, no_answer()], "read, create me/0, wait 2000"),
            (2_000, vec![held_by(ME, 0, 0), Answer::Written], "read, update me/0, wait 2000; leads"),
        ],
    );
    check(
        "a request without an answer is repeated",
        vec![(0, vec![no_answer()], "read, wait 2000"), (2_000, vec![no_answer()], "read, wait 2000")],
    );
}

#[test]
fn a_leader_renews_until_its_deadline() {
    check(
        "a leader renews without a read",
        vec![
            acquired(),
            (2_000, vec![Answer::Written], "update me/0, wait 2000; leads"),
            (4_000, vec![Answer::Written], "update me/0, wait 2000; leads"),
        ],
    );
    check(
        "another client changed a label of the Lease",
        vec![
            acquired(),
            (
                2_000,
                vec![Answer::Failed("conflict".into()), held_by(ME, 0, 0), Answer::Written],
                "update me/0, read, update me/0, wait 2000; leads",
            ),
        ],
    );
    check(
        "another client deleted the Lease",
        vec![
            acquired(),
            (
                2_000,
                vec![Answer::Failed("not found".into()), Answer::NotFound, Answer::Written],
                "update me/0, read, create me/0, wait 2000; leads",
            ),
        ],
    );
    check(
        "another candidate took the Lease",
        vec![
            acquired(),
            (
                2_000,
                vec![Answer::Failed("conflict".into()), held_by("other", 1, 1)],
                "update me/0, read, stop: other holds it now",
            ),
            (3_000, vec![], "stop: other holds it now"),
        ],
    );
    check(
        "the Lease can't be renewed before the deadline",
        vec![
            acquired(),
            (2_000, vec![no_answer(), no_answer()], "update me/0, read, wait 2000; leads"),
            (11_000, vec![no_answer(), no_answer()], "update me/0, read, wait 1000; leads"),
            (12_000, vec![], "stop: it could not be renewed in time (no answer)"),
        ],
    );
    check(
        "the process was paused for longer than the Lease lasts",
        vec![acquired(), (15_000, vec![], "stop: it could not be renewed in time (no attempt was made in time)")],
    );
}

#[test]
fn a_request_may_take_half_the_deadline_and_never_goes_beyond_it() {
    let mut election = Election::new(ME, Timing::default());
    let within = |election: &mut Election, millis| match election.next(at(millis), 0.0) {
        Next::Send { within, .. } => within.as_millis(),
        other => panic!("{other:?}"),
    };
    assert_eq!(within(&mut election, 0), 5_000);
    election.answer(Answer::NotFound, at(0));
    assert_eq!(within(&mut election, 0), 5_000);
    election.answer(Answer::Written, at(4_000));
    assert_eq!(within(&mut election, 6_000), 5_000);
    election.answer(no_answer(), at(13_000));
    // The other candidates may count from second 0, when the write was sent, by clocks that are faster.
    assert_eq!(within(&mut election, 13_000), 1_250);
}

#[test]
fn a_lease_ends_for_its_holder_before_it_does_for_others_whose_clocks_are_faster() {
    let mut election = Election::new(ME, Timing::default());
    run_at(&mut election, 0, vec![Answer::NotFound, Answer::Written]);
    let end = election.leads_until().expect("it leads");
    let others = Timing::default().lease_duration;
    assert!(end.mul_f64(1.05) <= others, "{end:?} by a clock that is 5 % slower is longer than {others:?}");
}

#[test]
fn a_standby_retries_after_a_random_delay() {
    let mut election = Election::new(ME, Timing::default());
    run_at(&mut election, 0, vec![held_by("other", 0, 0)]);
    for (chance, wait) in [(0.0, 2_000), (0.5, 3_200), (1.0, 4_400)] {
        assert_eq!(election.next(at(0), chance), Next::Wait(Duration::from_millis(wait)));
    }
}

#[test]
fn a_candidate_releases_only_its_own_lease() {
    let election = Election::new(ME, Timing::default());
    let record = |holder: &str| Record { holder: holder.into(), transitions: 7, ..Record::default() };
    let released = election.release(&record(ME), at(0)).expect("the candidate holds the Lease");
    assert_eq!((released.holder.as_str(), released.duration_seconds, released.transitions), ("", 1, 7));
    assert_eq!(election.release(&record("other"), at(0)), None);
}

#[test]
fn a_leader_writes_for_as_long_as_the_others_wait_after_its_renewal_was_sent() {
    // The Lease stores its duration in whole seconds.
    let timing = Timing { lease_duration: Duration::from_millis(15_900), ..Timing::default() };
    let mut election = Election::new(ME, timing);
    assert_eq!(election.leads_until(), None);
    run_at(&mut election, 0, vec![Answer::NotFound, Answer::Written]);
    assert_eq!(election.leads_until(), Some(Duration::from_millis(14_250)));
    assert!(matches!(election.next(at(2_000), 0.0), Next::Send { .. }));
    assert_eq!(election.leads_until(), Some(Duration::from_millis(14_250)), "the renewal has no answer yet");
    election.answer(Answer::Written, at(6_000));
    assert_eq!(election.leads_until(), Some(Duration::from_millis(16_250)));
    assert!(matches!(election.next(at(17_000), 0.0), Next::Stop(_)));
    assert_eq!(election.leads_until(), None);
}
