//! Tests kinds that can't be listed.

use std::sync::atomic::Ordering::SeqCst;

use ::kube::core::Status;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::list_report::REFUSE_AFTER;
use crate::silent;

fn intake() -> (ObjectIntake, UnboundedReceiver<ClusterEvent>) {
    let (events, received) = unbounded_channel();
    let kind = ObjectKind { api_version: "example.com/v1".into(), kind: "Widget".into() };
    (ObjectIntake::new(Arc::new(kind), events), received)
}

fn refusals(received: &mut UnboundedReceiver<ClusterEvent>) -> Vec<String> {
    let refusal = |received: ClusterEvent| match received.event {
        Event::ObjectsRefused(_, why) => Some(why.to_string()),
        _ => None,
    };
    std::iter::from_fn(|| received.try_recv().ok()).filter_map(refusal).collect()
}

#[test]
fn a_kind_whose_lists_keep_failing_is_refused_until_one_succeeds() {
    let (mut intake, mut received) = intake();
    let start = Instant::now();
    let mut fail = |intake: &mut ObjectIntake, second| {
        intake.report.failed("conversion webhook: not found", start + Duration::from_secs(second));
        refusals(&mut received)
    };
    let refused = ["every attempt failed for 10 s or longer, the last one with: conversion webhook: not found"];
    assert!(fail(&mut intake, 0).is_empty());
    assert!(fail(&mut intake, 9).is_empty());
    assert_eq!(fail(&mut intake, 10), refused);
    assert!(fail(&mut intake, 11).is_empty(), "it is reported once");
    intake.list_begins();
    intake.list_ends(None);
    assert!(fail(&mut intake, 12).is_empty(), "a list succeeded");
    assert_eq!(fail(&mut intake, 22), refused);
}

#[test]
fn a_kind_that_is_forbidden_is_refused_at_once() {
    let (mut intake, mut received) = intake();
    let status = Status::failure("widgets is forbidden", "Forbidden").with_code(403).boxed();
    intake.not_listed(&ListError::Client(ClientError::Api(status)));
    assert_eq!(refusals(&mut received), ["widgets is forbidden. Give the scheduler's role `list` and `watch` on it"]);
}

#[test]
fn a_list_that_the_api_server_refuses_counts_as_a_failed_attempt() {
    let (mut intake, mut received) = intake();
    intake.report.failing = Some(Instant::now() - REFUSE_AFTER);
    let status = Status::failure("conversion webhook: not found", "InternalError").with_code(500).boxed();
    intake.not_listed(&ListError::Client(ClientError::Api(status)));
    let refusals = refusals(&mut received);
    assert!(matches!(&refusals[..], [why] if why.contains("conversion webhook: not found")), "{refusals:?}");
}

#[tokio::test]
async fn discovery_without_an_answer_is_repeated_and_counts_as_a_failed_attempt() {
    let (mut intake, _received) = intake();
    let (client, requests) = silent::client();
    let second_request = async {
        while requests.load(SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = discover(&client, Duration::from_millis(10), &mut intake) => {}
        in_time = tokio::time::timeout(Duration::from_secs(30), second_request) => {
            assert!(in_time.is_ok(), "no second request is sent");
        }
    }
    assert!(intake.report.failing.is_some());
}
