//! The compact form in which the log keeps a record.

use std::sync::Arc;

use super::Details;
use super::record::{Binder, Chosen, Decision, EndedWait, Policy, Preemption, QueueHistory, Rejected};
use crate::attempt::Outcome;
use crate::model::PodKey;
use crate::queue::{Cause, Incoming};
use crate::time::Timestamp;

/// An attempt that ends, with the fields of its [`Decision`].
pub(crate) struct EndedAttempt<'a> {
    pub key: &'a PodKey,
    /// The name of the chosen node, or empty.
    pub node: &'a str,
    pub common: Common,
    pub policy: Arc<Policy>,
    pub details: Option<Arc<Details>>,
    pub rare: Option<Box<Rare>>,
}

/// The fields that every record has, as in [`Decision`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common {
    pub attempt: u32,
    pub cycle: u64,
    pub began: Timestamp,
    pub ended: Timestamp,
    pub outcome: Outcome,
    pub first_seen: Timestamp,
    pub moved_by: Cause,
    /// Active, backoff, unschedulable, gated.
    pub millis: [u32; 4],
    pub score: Option<i64>,
    pub ties: u32,
    pub margin: Option<i64>,
    pub was_nominated: bool,
    /// The API server bound the pod. Another binder is in [`Rare`].
    pub bound_by_server: bool,
}

/// The fields that few records have, as in [`Decision`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Rare {
    pub message: Option<Arc<str>>,
    pub held_by: Vec<Arc<str>>,
    pub bound_by: Option<Binder>,
    pub rejected: Option<Rejected>,
    pub permit_waits: Vec<EndedWait>,
    pub preemption: Option<Preemption>,
}

/// A record in the log.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    /// The pod's name, uid and chosen node, one after the other. One allocation is cheaper than three.
    text: String,
    /// Where the uid and the node begin in `text`.
    starts: [u32; 2],
    common: Common,
    policy: Arc<Policy>,
    pub details: Option<Arc<Details>>,
    rare: Option<Box<Rare>>,
}

impl Stored {
    /// Creates a record. Its text is written to `text`, whose content is dropped.
    #[inline]
    pub fn new(attempt: EndedAttempt<'_>, mut text: String) -> Self {
        let EndedAttempt { key, node, common, policy, details, rare } = attempt;
        text.clear();
        // Records of a similar length can use the same memory.
        text.reserve_exact((key.name.len() + key.uid.len() + node.len()).next_multiple_of(64));
        text.push_str(&key.name);
        let uid = text.len();
        text.push_str(&key.uid);
        let starts = [uid, text.len()].map(|at| u32::try_from(at).unwrap_or_default());
        text.push_str(node);
        Self { text, starts, common, policy, details, rare }
    }

    /// Returns the memory of the text, for another record.
    #[inline]
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub fn name(&self) -> &str {
        &self.text[..self.starts[0] as usize]
    }

    pub fn uid(&self) -> &str {
        &self.text[self.starts[0] as usize..self.starts[1] as usize]
    }

    fn node(&self) -> &str {
        &self.text[self.starts[1] as usize..]
    }

    pub fn ended(&self) -> Timestamp {
        self.common.ended
    }

    /// Returns the approximate size in bytes, without the details.
    pub fn bytes(&self) -> usize {
        let rare = self.rare.as_ref().map_or(0, |rare| {
            let message = rare.message.as_ref().map_or(0, |message| message.len());
            let reasons =
                rare.rejected.as_ref().map_or(0, |by| by.reasons.iter().map(|reason| reason.len() + 16).sum());
            // A victim has three texts.
            let victims = rare.preemption.as_ref().map_or(0, |preemption| preemption.victims.len() * 160);
            size_of::<Rare>() + message + reasons + victims + (rare.held_by.len() + 2 * rare.permit_waits.len()) * 16
        });
        size_of::<Self>() + self.text.capacity() + rare
    }

    /// Returns the record. `names` has the names of causes.
    pub fn decision(&self, namespace: &str, names: &Incoming) -> Decision {
        let common = self.common;
        let [active_millis, backoff_millis, unschedulable_millis, gated_millis] = common.millis.map(u64::from);
        let rare = self.rare.as_deref().cloned().unwrap_or_default();
        let by_server = common.bound_by_server.then_some(Binder::ApiServer);
        let chosen = Chosen {
            node: self.node().into(),
            score: common.score,
            ties: common.ties,
            margin: common.margin,
            was_nominated: common.was_nominated,
            bound_by: rare.bound_by.or(by_server),
        };
        Decision {
            namespace: namespace.into(),
            name: self.name().into(),
            uid: self.uid().into(),
            attempt: common.attempt,
            cycle: common.cycle,
            began: common.began,
            ended: common.ended,
            outcome: common.outcome,
            message: rare.message,
            queue: QueueHistory {
                first_seen: common.first_seen,
                moved_by: names.name(common.moved_by).into(),
                active_millis,
                backoff_millis,
                unschedulable_millis,
                gated_millis,
                held_by: rare.held_by,
            },
            chosen: (!self.node().is_empty()).then_some(chosen),
            rejected: rare.rejected,
            permit_waits: rare.permit_waits,
            preemption: rare.preemption,
            details: self.details.clone(),
            policy: Arc::clone(&self.policy),
        }
    }
}

/// Returns the last eight bytes of a pod's uid, which differ between most pods.
pub(super) fn uid_tail(uid: &str) -> u64 {
    uid.as_bytes().last_chunk().map_or(0, |tail| u64::from_ne_bytes(*tail))
}
