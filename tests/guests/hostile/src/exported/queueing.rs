//! The calls about pods that wait in the queue.

use super::binding::{no_actions, pod_actions};
use super::refuse_sometimes;
use crate::berth::scheduler::extenders::{Candidate, process_preemption};
use crate::berth::scheduler::facts::PodIdentity;
use crate::berth::scheduler::types::{Code, Status};
use crate::berth::scheduler::what_if::{WhatIfCase, ask};
use crate::draw::Draw;
use crate::exports::berth::scheduler::post_filter::{Failure, Nomination, PostFilterResult};
use crate::exports::berth::scheduler::queue_sort::QueueTimes;
use crate::exports::berth::scheduler::queueing_hint::{Event, Hint};
use crate::exports::berth::scheduler::{post_filter, pre_enqueue, queue_sort, queueing_hint, skip};
use crate::intents::{AllowedIntents, intents, status};
use crate::{Cycle, Hostile, draw, with_facts};

impl skip::Guest for Hostile {
    fn skip(signature: u32) -> Result<bool, String> {
        let Some(mut draw) = draw("skip", signature.into()) else { return Ok(false) };
        refuse_sometimes!(draw);
        Ok(draw.one_in(8))
    }
}

impl pre_enqueue::Guest for Hostile {
    fn pre_enqueue(signature: u32) -> Result<Option<Status>, String> {
        let Some(mut draw) = draw("pre-enqueue", signature.into()) else { return Ok(None) };
        refuse_sometimes!(draw);
        Ok(draw.one_in(4).then(|| status(&mut draw)))
    }
}

impl queue_sort::Guest for Hostile {
    fn sort_key(signature: u32, times: QueueTimes) -> Result<Vec<i64>, String> {
        let about = u64::from(signature) ^ (times.queued ^ times.first_queued).cast_unsigned();
        let Some(mut draw) = draw("sort-key", about) else { return Ok(Vec::new()) };
        refuse_sometimes!(draw);
        let length = draw.count(64);
        Ok(draw.list(length, Draw::score))
    }
}

impl queueing_hint::Guest for Hostile {
    fn hints(_: Event, signatures: Vec<u32>) -> Result<Vec<Hint>, String> {
        let Some(mut draw) = draw("hints", 0) else { return Ok(vec![Hint::Queue; signatures.len()]) };
        refuse_sometimes!(draw);
        let length = draw.length(signatures.len());
        Ok(draw.list(length, |draw| if draw.one_in(2) { Hint::Skip } else { Hint::Queue }))
    }
}

impl post_filter::Guest for Hostile {
    fn post_filter(
        cycle: Cycle,
        _: PodIdentity,
        nodes: Vec<u32>,
        _: Vec<Code>,
        _: Vec<u32>,
    ) -> Result<PostFilterResult, String> {
        let none = Failure { reasons: Vec::new(), clear: false, intents: Vec::new(), pods: no_actions() };
        let Some(mut draw) = draw("post-filter", cycle.seed) else { return Ok(PostFilterResult::Unschedulable(none)) };
        call_host(&mut draw, cycle, &nodes);
        refuse_sometimes!(draw);
        if draw.one_in(2) {
            let reasons = draw.count(32);
            let (reasons, clear) = (draw.list(reasons, Draw::text), draw.one_in(2));
            let intents = intents(&mut draw, AllowedIntents::Change);
            let pods = pod_actions(&mut draw);
            return Ok(PostFilterResult::Unschedulable(Failure { reasons, clear, intents, pods }));
        }
        let (node, evict) = node_and_pods(&mut draw, &nodes);
        let (reason, intents) = (draw.text(), intents(&mut draw, AllowedIntents::Change));
        let pods = pod_actions(&mut draw);
        Ok(PostFilterResult::Nominate(Nomination { node, evict, reason, intents, pods }))
    }
}

/// Draws a node and some of its pods. If `valid` is set, no pod occurs twice.
fn node_and_pods(draw: &mut Draw, nodes: &[u32]) -> (u32, Vec<u32>) {
    let node = draw.id(nodes);
    let pods_on_node = with_facts(|facts| facts.pods_on(node));
    let pods = if draw.valid {
        pods_on_node.into_iter().filter(|_| draw.one_in(2)).collect()
    } else {
        let number = draw.count(1024);
        draw.list(number, |draw| draw.id(&pods_on_node))
    };
    (node, pods)
}

/// Calls the host functions that a post-filter may use.
fn call_host(draw: &mut Draw, cycle: Cycle, nodes: &[u32]) {
    // The host ends a call that names an object that does not exist.
    if !draw.valid && !draw.one_in(4) {
        return;
    }
    // The cycle is the current one, or one that does not exist.
    let cycle = if draw.one_in(4) { Cycle { id: draw.number(), signature: u32::MAX, ..cycle } } else { cycle };
    if draw.one_in(2) {
        let number = if draw.valid { draw.below(20) } else { draw.count(1 << 10) };
        let cases = draw.list(number, |draw| {
            let (node, removed) = node_and_pods(draw, nodes);
            WhatIfCase { node, removed }
        });
        ask(cycle, &cases);
    }
    if draw.one_in(2) {
        let number = if draw.valid { draw.below(20) } else { draw.count(1 << 10) };
        let candidates = draw.list(number, |draw| {
            let (node, victims) = node_and_pods(draw, nodes);
            Candidate { node, victims, violations: draw.score() }
        });
        let _ = process_preemption(cycle, &candidates);
    }
}
