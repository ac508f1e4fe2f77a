//! The comparison of one scheduling cycle.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use berth_core::Event;
use berth_core::plugins::{Decision, Permission};
use berth_core::queue::{QueuedPod, SubQueue};
use serde_json::{Value, json};

use super::{Comparison, known};
use crate::berth::Effects;
use crate::calls::Status;
use crate::oracle::Answer;

type Queue = BTreeMap<String, (SubQueue, QueuedPod)>;

impl Comparison<'_> {
    /// Runs a cycle on both sides. Returns the pods to bind, each with its node.
    pub(super) fn cycle(&mut self) -> Result<BTreeMap<String, String>> {
        let before = self.berth.queue();
        let effects = self.berth.step(Event::Cycle)?;
        let after = self.berth.queue();
        let was_popped = |(pod, (_, entry)): &(&String, &(SubQueue, QueuedPod))| {
            after.get(*pod).is_none_or(|(_, now)| now.attempts > entry.attempts)
        };
        let (popped, (_, entry)) = before.iter().find(was_popped).context("a cycle without a pod")?;
        self.check_order(&before, popped)?;
        // The pod of a cycle that ended with the permit's denial has no node any more. The original is then asked
        // about any node that fits.
        let denied =
            effects.calls.permit.get(popped).is_some_and(|answer| matches!(answer.decision, Decision::Deny(_)));
        let node = match effects.bound.get(popped) {
            Some(node) => node.clone(),
            None if denied => "*".to_owned(),
            None => self.berth.node_of(&entry.pod.key.uid).unwrap_or_default(),
        };
        let answer = self.ask(json!({"cycle": {"pod": popped, "node": node}}))?;
        self.check_filters(popped, &effects, &answer, &node);
        self.check_post_filter(popped, &effects, &answer, &node);
        if let Some(permit) = effects.calls.permit.get(popped) {
            self.check_permit(&before, popped, permit, &answer);
        }
        self.check(&effects, &answer)?;
        if !node.is_empty() && !denied && !effects.bound.contains_key(popped) {
            self.waiting.insert(popped.clone(), node);
        }
        Ok(effects.bound)
    }

    /// Checks that the original sorts no other active pod of another group before the pod that Berth took.
    fn check_order(&mut self, queue: &Queue, popped: &str) -> Result<()> {
        let first = &queue[popped].1;
        let others: Vec<(&String, &QueuedPod)> = queue
            .iter()
            .filter(|(_, (sub_queue, _))| *sub_queue == SubQueue::Active && queue[popped].0 == SubQueue::Active)
            .map(|(pod, (_, entry))| (pod, entry))
            .filter(|(pod, _)| {
                *pod != popped && (self.group_of(pod).is_none() || self.group_of(pod) != self.group_of(popped))
            })
            .collect();
        let queued = |pod: &str, entry: &QueuedPod| json!({"pod": pod, "firstQueued": entry.first_seen.0});
        let asked: Vec<Value> = others.iter().map(|(pod, entry)| queued(pod, entry)).collect();
        let order = self.ask(json!({"order": {"first": queued(popped, first), "others": asked}}))?.order;
        for ((pod, entry), other) in others.into_iter().zip(order.others) {
            let by_priority = entry.pod.spec.priority != first.pod.spec.priority;
            let is_current = self.has_current_key(popped, first) && self.has_current_key(pod, entry);
            let same_times =
                is_current && order.first == self.sort_time(popped, first) && other.time == self.sort_time(pod, entry);
            self.coverage.add("the order is compared", same_times && other.time != order.first);
            if other.before && (by_priority || (same_times && other.time != order.first)) {
                self.differ("the order", format!("{pod} before {popped}"), format!("{popped} before {pod}"));
            }
        }
        Ok(())
    }

    /// Returns whether the pod's PodGroup is the same as when Berth asked for the pod's sort key.
    fn has_current_key(&self, pod: &str, entry: &QueuedPod) -> bool {
        let changed = self.group_of(pod).and_then(|group| self.group_changes.get(&group));
        changed.is_none_or(|changed| *changed <= entry.queued)
    }

    fn sort_time(&self, pod: &str, entry: &QueuedPod) -> u64 {
        let group = self.group_of(pod).and_then(|group| self.objects.get(&("PodGroup".to_owned(), group)));
        known::sort_time(entry, group)
    }

    /// Returns the `namespace/name` of the pod's group.
    pub(super) fn group_of(&self, pod: &str) -> Option<String> {
        let object = self.objects.get(&("Pod".to_owned(), pod.to_owned()))?;
        let group = object["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"].as_str()?;
        Some(format!("{}/{group}", object["metadata"]["namespace"].as_str()?))
    }

    fn check_filters(&mut self, pod: &str, effects: &Effects, answer: &Answer, node: &str) {
        let normalized = |status: &Status| {
            let reasons = status.reasons.iter().map(|reason| known::reason(reason, pod));
            (status.code.clone(), reasons.filter(|reason| !reason.is_empty()).collect::<Vec<_>>())
        };
        let theirs = normalized(&answer.pre_filter);
        let ours = effects.calls.pre_filter.get(pod).map_or_else(|| ("Success".to_owned(), Vec::new()), normalized);
        if theirs != ours {
            self.differ(&format!("pre-filter of pod {pod}"), &theirs, &ours);
        }
        for (outcome, part) in
            [("pre-filter: resource gap", "resource gap"), ("pre-filter: back-off", "failed recently")]
        {
            self.coverage.add(outcome, theirs.1.iter().any(|reason| reason.contains(part)));
        }
        let fits = answer.feasible.contains(node) || (node == "*" && !answer.feasible.is_empty());
        if theirs.0 == "Success" && !(fits || node.is_empty() && answer.feasible.is_empty()) {
            self.differ(&format!("the nodes that fit pod {pod}"), &answer.feasible, node);
        }
    }

    fn check_post_filter(&mut self, pod: &str, effects: &Effects, answer: &Answer, node: &str) {
        let is_compared = node.is_empty() && self.group_of(pod).is_some();
        let (Some(ours), Some(theirs), true) = (effects.calls.post_filter.get(pod), &answer.post_filter, is_compared)
        else {
            return;
        };
        let normalized = |reasons: &[String]| -> Vec<String> {
            reasons.iter().map(|reason| known::reason(reason, pod)).filter(|reason| !reason.is_empty()).collect()
        };
        let (ours, theirs) = (normalized(ours), normalized(&theirs.reasons));
        if ours != theirs {
            self.differ(&format!("post-filter of pod {pod}"), &theirs, &ours);
        }
        let rejects = theirs.iter().any(|reason| reason.contains("gets rejected"));
        self.coverage.add("post-filter: rejects the group", rejects);
        self.coverage.add("post-filter: small gap or enough members", theirs.is_empty());
    }

    fn check_permit(&mut self, queue: &Queue, pod: &str, ours: &Permission, answer: &Answer) {
        let Some(theirs) = &answer.permit else { return self.differ("permit", "no answer", ours) };
        let decided = match &ours.decision {
            Decision::Approve => ("Success".to_owned(), Vec::new(), 0),
            Decision::Deny(status) => {
                let status = Status::from(status);
                (status.code, status.reasons, 0)
            }
            Decision::Wait(time) => ("Wait".to_owned(), Vec::new(), time.as_millis()),
        };
        let reasons = theirs.status.reasons.iter().filter(|reason| !reason.is_empty()).cloned().collect();
        let expected = (theirs.status.code.clone(), reasons, u128::from(theirs.wait_millis));
        if expected != decided {
            self.differ(&format!("permit of pod {pod}"), &expected, &decided);
        }
        for (outcome, code) in
            [("permit: wait", "Wait"), ("permit: approve", "Success"), ("permit: deny", "Unschedulable")]
        {
            self.coverage.add(outcome, expected.0 == code);
        }
        // Only pending pods can be activated.
        let pending = |pod: &&str| queue.contains_key(*pod);
        let by_uid = ours.pods.activate.iter().map(|uid| &**uid);
        let activated: BTreeSet<&str> = by_uid.filter(pending).filter(|activated| *activated != pod).collect();
        let theirs: BTreeSet<&str> = answer.activated.iter().map(String::as_str).filter(pending).collect();
        if activated != theirs {
            self.differ(&format!("the pods that pod {pod} activates"), &theirs, &activated);
        }
        self.coverage.add("siblings are activated", !theirs.is_empty());
    }
}
