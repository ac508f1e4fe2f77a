//! Calls the extension points between the choice of a node and the end of the binding, and checks the answers.

use std::time::Duration;

use berth_core::cache::NodeId;
use berth_core::intent::Intent;
use berth_core::plugins::{Cycle, Decision, Permission, PodActions, Reserved, Status, Undone};

use super::answers;
use super::error::CallError;
use super::instance::Instance;
use super::intents::{assumptions, binding_intents, changes};
use super::shorten::shorten;
use crate::bindings::v0_2::berth::scheduler::facts::{self, PodIdentity};
use crate::bindings::v0_2::exports::berth::scheduler::permit as wit;
use crate::contract::{Export, exported};

/// The largest state in bytes that the contract allows reserve to return.
const STATE: usize = 1 << 20;
/// The largest number of other pods that one answer acts on.
const OTHER_PODS: usize = 1 << 16;

impl Instance {
    /// Calls `reserve`. Without the export, reserves nothing.
    pub fn reserve(&mut self, cycle: &Cycle<'_>, node: NodeId) -> Result<Result<Reserved, Status>, CallError> {
        let arguments = (self.cycle_of(cycle), identity(cycle), node.0);
        let answer = self.ask(
            Export::Reserve,
            cycle,
            arguments,
            exported!(reserve.call_reserve(cycle, pod, node); v0_1: (cycle, node)),
        )?;
        let reservation = match answer {
            None => return Ok(Ok(Reserved::default())),
            Some(Err(status)) => return Ok(Err(answers::status(status))),
            Some(Ok(reservation)) => reservation,
        };
        if reservation.state.len() > STATE {
            let message = format!("its state has {} bytes; the maximum is {STATE}", reservation.state.len());
            return Err(CallError::BadAnswer(Export::Reserve, message));
        }
        let intents = assumptions(Export::Reserve, reservation.intents, cycle.cache)?;
        self.check_granted(Export::Reserve, &intents)?;
        Ok(Ok(Reserved { state: reservation.state.into(), intents }))
    }

    /// Calls `unreserve`. Without the export, nothing is undone.
    pub fn unreserve(
        &mut self,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
        pre_bound: bool,
    ) -> Result<Undone, CallError> {
        let arguments = (self.cycle_of(cycle), identity(cycle), node, state, pre_bound);
        let undo = self.call_in_cycle(
            Export::Unreserve,
            cycle,
            arguments,
            exported!(reserve.call_unreserve(cycle, pod, node, state, pre_bound); v0_1: (cycle, node, state, pre_bound)),
        )?;
        let Some(undone) = undo else { return Ok(Undone::default()) };
        let intents = changes(Export::Unreserve, undone.intents)?;
        self.check_granted(Export::Unreserve, &intents)?;
        Ok(Undone { intents, pods: pod_actions(Export::Unreserve, undone.pods)? })
    }

    /// Calls `permit`. Without the export, approves the pod.
    pub fn permit(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<Permission, CallError> {
        let arguments = (self.cycle_of(cycle), identity(cycle), node, state);
        let answer = self.ask(
            Export::Permit,
            cycle,
            arguments,
            exported!(permit.call_permit(cycle, pod, node, state); v0_1: (cycle, node, state)),
        )?;
        answer.map_or_else(|| Ok(Permission::default()), permission)
    }

    /// Calls `pre-bind`. Without the export, returns no intents.
    pub fn pre_bind(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<Vec<Intent>, CallError> {
        let arguments = (self.cycle_of(cycle), identity(cycle), node, state);
        let answer = self.ask(
            Export::PreBind,
            cycle,
            arguments,
            exported!(pre_bind.call_pre_bind(cycle, pod, node, state); v0_1: (cycle, node, state)),
        )?;
        let intents = binding_intents(Export::PreBind, answer.unwrap_or_default())?;
        self.check_granted(Export::PreBind, &intents)?;
        Ok(intents)
    }

    /// Calls `bind`. Returns `None` if the plugin leaves the binding to other plugins, or does not export `bind`.
    pub fn bind(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<Option<Vec<Intent>>, CallError> {
        let arguments = (self.cycle_of(cycle), identity(cycle), node, state);
        let answer = self.ask(
            Export::Bind,
            cycle,
            arguments,
            exported!(bind.call_bind(cycle, pod, node, state); v0_1: (cycle, node, state)),
        )?;
        let Some(intents) = answer.flatten() else { return Ok(None) };
        let intents = binding_intents(Export::Bind, intents)?;
        self.check_granted(Export::Bind, &intents)?;
        Ok(Some(intents))
    }

    /// Calls `post-bind`, if it is exported.
    pub fn post_bind(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<(), CallError> {
        let arguments = (self.cycle_of(cycle), identity(cycle), node, state);
        let done = self.call_in_cycle(
            Export::PostBind,
            cycle,
            arguments,
            exported!(post_bind.call_post_bind(cycle, pod, node, state); v0_1: (cycle, node, state)),
        );
        done.map(Option::unwrap_or_default)
    }

    /// Checks that the plugin may ask for these intents.
    pub(super) fn check_granted(&self, export: Export, intents: &[Intent]) -> Result<(), CallError> {
        self.authority.check(intents).map_err(|refusal| CallError::NotGranted(export, refusal))
    }
}

fn permission(verdict: wit::Verdict) -> Result<Permission, CallError> {
    Ok(Permission {
        decision: match verdict.decision {
            wit::Decision::Approve => Decision::Approve,
            wit::Decision::Deny(status) => Decision::Deny(answers::status(status)),
            wit::Decision::Wait(milliseconds) => Decision::Wait(Duration::from_millis(milliseconds)),
        },
        pods: pod_actions(Export::Permit, verdict.pods)?,
    })
}

/// Checks the number of the pods that an answer acts on. The core ignores uids of pods in another state.
pub(super) fn pod_actions(export: Export, actions: facts::PodActions) -> Result<PodActions, CallError> {
    let named = actions.approve.len() + actions.reject.len() + actions.activate.len();
    if named > OTHER_PODS {
        let message = format!("it acts on {named} other pods; the maximum is {OTHER_PODS}");
        return Err(CallError::BadAnswer(export, message));
    }
    let uids = |uids: Vec<String>| uids.into_iter().map(String::into_boxed_str).collect();
    let reject = actions.reject.into_iter();
    Ok(PodActions {
        approve: uids(actions.approve),
        reject: reject.map(|(uid, reason)| (uid.into_boxed_str(), shorten(reason).into())).collect(),
        activate: uids(actions.activate),
    })
}

/// Returns the names of the cycle's pod.
pub(super) fn identity<'a>(cycle: &Cycle<'a>) -> PodIdentity<'a> {
    let key = &cycle.pod.key;
    PodIdentity { namespace: &key.namespace, name: &key.name, uid: &key.uid }
}
