//! Tests kinds that can't be listed.

use ::kube::core::Status;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;

fn intake() -> (ObjectIntake, UnboundedReceiver<Event>) {
    let (events, told) = unbounded_channel();
    let kind = ObjectKind { api_version: "example.com/v1".into(), kind: "Widget".into() };
    (ObjectIntake::new(Arc::new(kind), events), told)
}

fn refusals(told: &mut UnboundedReceiver<Event>) -> Vec<String> {
    let refusal = |event| match event {
        Event::ObjectsRefused(_, why) => Some(why.to_string()),
        _ => None,
    };
    std::iter::from_fn(|| told.try_recv().ok()).filter_map(refusal).collect()
}

#[test]
fn a_kind_whose_lists_keep_failing_is_refused_until_one_succeeds() {
    let (mut intake, mut told) = intake();
    let start = Instant::now();
    let mut fail = |intake: &mut ObjectIntake, second| {
        intake.failed("conversion webhook: not found", start + Duration::from_secs(second));
        refusals(&mut told)
    };
    let refused = ["every attempt failed for 10 s or longer, the last one with: conversion webhook: not found"];
    assert!(fail(&mut intake, 0).is_empty());
    assert!(fail(&mut intake, 9).is_empty());
    assert_eq!(fail(&mut intake, 10), refused);
    assert!(fail(&mut intake, 11).is_empty(), "it is said once");
    intake.list_begins();
    intake.list_ends();
    assert!(fail(&mut intake, 12).is_empty(), "a list succeeded");
    assert_eq!(fail(&mut intake, 22), refused);
}

#[test]
fn a_kind_that_is_forbidden_is_refused_at_once() {
    let (mut intake, mut told) = intake();
    let status = Status::failure("widgets is forbidden", "Forbidden").with_code(403).boxed();
    intake.not_listed(&ListError::Client(ClientError::Api(status)));
    assert_eq!(refusals(&mut told), ["widgets is forbidden. Give the scheduler's role `list` and `watch` on it"]);
}
