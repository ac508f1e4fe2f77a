//! Calls the extension points between the choice of a node and the end of the binding, and checks the answers.

use std::time::Duration;

use berth_core::cache::NodeId;
use berth_core::intent::Intent;
use berth_core::plugins::{Cycle, Decision, Permission, Reserved, Status};

use super::answers;
use super::cycle::cycle_of;
use super::error::CallError;
use super::instance::Instance;
use super::intents::{assumptions, binding_intents, changes};
use crate::bindings::exports::berth::scheduler::permit as wit;
use crate::contract::{Export, exported};

/// The largest state in bytes that the contract allows reserve to return.
const STATE: usize = 1 << 20;
/// The largest number of waiting pods in one answer.
const WAITING_PODS: usize = 1 << 16;

impl Instance {
    /// Calls `reserve`. Without the export, reserves nothing.
    pub fn reserve(&mut self, cycle: &Cycle<'_>, node: NodeId) -> Result<Result<Reserved, Status>, CallError> {
        let answer =
            self.ask(Export::Reserve, cycle, (cycle_of(cycle), node.0), exported!(reserve.call_reserve(cycle, node)))?;
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

    /// Calls `unreserve`. Without the export, returns no intents.
    pub fn unreserve(
        &mut self,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
        pre_bound: bool,
    ) -> Result<Vec<Intent>, CallError> {
        let arguments = (cycle_of(cycle), node, state, pre_bound);
        let undo = self.call_in_cycle(
            Export::Unreserve,
            cycle,
            arguments,
            exported!(reserve.call_unreserve(cycle, node, state, pre_bound)),
        )?;
        let intents = changes(Export::Unreserve, undo.unwrap_or_default())?;
        self.check_granted(Export::Unreserve, &intents)?;
        Ok(intents)
    }

    /// Calls `permit`. Without the export, approves the pod.
    pub fn permit(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<Permission, CallError> {
        let arguments = (cycle_of(cycle), node, state);
        let answer = self.ask(Export::Permit, cycle, arguments, exported!(permit.call_permit(cycle, node, state)))?;
        answer.map_or_else(|| Ok(Permission::default()), permission)
    }

    /// Calls `pre-bind`. Without the export, returns no intents.
    pub fn pre_bind(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<Vec<Intent>, CallError> {
        let arguments = (cycle_of(cycle), node, state);
        let answer =
            self.ask(Export::PreBind, cycle, arguments, exported!(pre_bind.call_pre_bind(cycle, node, state)))?;
        let intents = binding_intents(Export::PreBind, answer.unwrap_or_default())?;
        self.check_granted(Export::PreBind, &intents)?;
        Ok(intents)
    }

    /// Calls `bind`. Returns `None` if the plugin leaves the binding to other plugins, or does not export `bind`.
    pub fn bind(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<Option<Vec<Intent>>, CallError> {
        let arguments = (cycle_of(cycle), node, state);
        let answer = self.ask(Export::Bind, cycle, arguments, exported!(bind.call_bind(cycle, node, state)))?;
        let Some(intents) = answer.flatten() else { return Ok(None) };
        let intents = binding_intents(Export::Bind, intents)?;
        self.check_granted(Export::Bind, &intents)?;
        Ok(Some(intents))
    }

    /// Calls `post-bind`, if it is exported.
    pub fn post_bind(&mut self, cycle: &Cycle<'_>, node: &str, state: &[u8]) -> Result<(), CallError> {
        let arguments = (cycle_of(cycle), node, state);
        let done = self.call_in_cycle(
            Export::PostBind,
            cycle,
            arguments,
            exported!(post_bind.call_post_bind(cycle, node, state)),
        );
        done.map(Option::unwrap_or_default)
    }

    /// Checks that the plugin may ask for these intents.
    pub(super) fn check_granted(&self, export: Export, intents: &[Intent]) -> Result<(), CallError> {
        self.authority.check(intents).map_err(|refusal| CallError::NotGranted(export, refusal))
    }
}

fn permission(verdict: wit::Verdict) -> Result<Permission, CallError> {
    let named = verdict.allow.len() + verdict.reject.len();
    if named > WAITING_PODS {
        let message = format!("it names {named} waiting pods; the maximum is {WAITING_PODS}");
        return Err(CallError::BadAnswer(Export::Permit, message));
    }
    let uids = |uids: Vec<String>| uids.into_iter().map(String::into_boxed_str).collect();
    Ok(Permission {
        decision: match verdict.decision {
            wit::Decision::Approve => Decision::Approve,
            wit::Decision::Deny(status) => Decision::Deny(answers::status(status)),
            wit::Decision::Wait(milliseconds) => Decision::Wait(Duration::from_millis(milliseconds)),
        },
        allow: uids(verdict.allow),
        reject: uids(verdict.reject),
    })
}
