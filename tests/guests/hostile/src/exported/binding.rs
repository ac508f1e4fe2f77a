//! The calls between the choice of a node and the binding.

use super::refuse_sometimes;
use crate::berth::scheduler::facts::{PodActions, PodIdentity};
use crate::berth::scheduler::intents::Intent;
use crate::berth::scheduler::types::Status;
use crate::draw::Draw;
use crate::exports::berth::scheduler::permit::{Decision, Verdict};
use crate::exports::berth::scheduler::reserve::{Reservation, Undone};
use crate::exports::berth::scheduler::{bind, permit, post_bind, pre_bind, reserve};
use crate::intents::{AllowedIntents, intents, status};
use crate::{Cycle, Hostile, draw};

/// The maximum number of bytes of a reservation's state.
const MAX_STATE_BYTES: usize = 1 << 20;
/// The maximum number of pods in each list of pod actions.
const MAX_UIDS: usize = 1 << 10;

impl reserve::Guest for Hostile {
    fn reserve(cycle: Cycle, _: PodIdentity, _: u32) -> Result<Result<Reservation, Status>, String> {
        let Some(mut draw) = draw("reserve", cycle.seed) else {
            return Ok(Ok(Reservation { state: Vec::new(), intents: Vec::new() }));
        };
        refuse_sometimes!(draw);
        if draw.one_in(8) {
            return Ok(Err(status(&mut draw)));
        }
        let length = draw.count(MAX_STATE_BYTES);
        Ok(Ok(Reservation { state: vec![0xff; length], intents: intents(&mut draw, AllowedIntents::Assume) }))
    }

    fn unreserve(cycle: Cycle, _: PodIdentity, _: String, _: Vec<u8>, _: bool) -> Undone {
        let Some(mut draw) = draw("unreserve", cycle.seed) else {
            return Undone { intents: Vec::new(), pods: no_actions() };
        };
        Undone { intents: intents(&mut draw, AllowedIntents::Change), pods: pod_actions(&mut draw) }
    }
}

impl permit::Guest for Hostile {
    fn permit(cycle: Cycle, _: PodIdentity, _: String, _: Vec<u8>) -> Result<Verdict, String> {
        let none = Verdict { decision: Decision::Approve, pods: no_actions() };
        let Some(mut draw) = draw("permit", cycle.seed) else { return Ok(none) };
        refuse_sometimes!(draw);
        let decision = match draw.below(8) {
            0 => Decision::Deny(status(&mut draw)),
            1 | 2 => Decision::Wait(draw.of(&[0, 1, 1000, 60_000, u64::MAX])),
            _ => Decision::Approve,
        };
        Ok(Verdict { decision, pods: pod_actions(&mut draw) })
    }
}

/// Returns no actions.
pub(super) fn no_actions() -> PodActions {
    PodActions { approve: Vec::new(), reject: Vec::new(), activate: Vec::new() }
}

/// Draws actions on other pods: uids in any state, several times, and reasons that may be long.
pub(super) fn pod_actions(draw: &mut Draw) -> PodActions {
    let (approve, rejected, activate) = (uids(draw), uids(draw), uids(draw));
    // If there are many pods, the reasons are short, so that the answer stays within the memory limit.
    let few = rejected.len() <= 64;
    let reject = |uid| (uid, if few { draw.text() } else { String::new() });
    PodActions { approve, reject: rejected.into_iter().map(reject).collect(), activate }
}

/// Draws uids of pods from either profile, and of pods that do not exist. In one of eight lists, every pod of the
/// component's profile occurs.
fn uids(draw: &mut Draw) -> Vec<String> {
    if draw.one_in(8) {
        return (0..32).map(|number| format!("uid-open-{number}")).collect();
    }
    let number = if draw.one_in(2) { 0 } else { draw.count(MAX_UIDS) };
    draw.list(number, |draw| match draw.below(3) {
        0 => format!("uid-open-{}", draw.below(12)),
        1 => format!("uid-reserved-{}", draw.below(12)),
        _ => format!("gone-{}", draw.below(12)),
    })
}

impl pre_bind::Guest for Hostile {
    fn pre_bind(cycle: Cycle, _: PodIdentity, _: String, _: Vec<u8>) -> Result<Vec<Intent>, String> {
        let Some(mut draw) = draw("pre-bind", cycle.seed) else { return Ok(Vec::new()) };
        refuse_sometimes!(draw);
        Ok(intents(&mut draw, AllowedIntents::ChangeAndWait))
    }
}

impl bind::Guest for Hostile {
    fn bind(cycle: Cycle, _: PodIdentity, _: String, _: Vec<u8>) -> Result<Option<Vec<Intent>>, String> {
        let Some(mut draw) = draw("bind", cycle.seed) else { return Ok(None) };
        refuse_sometimes!(draw);
        Ok(draw.one_in(2).then(|| intents(&mut draw, AllowedIntents::ChangeAndWait)))
    }
}

impl post_bind::Guest for Hostile {
    fn post_bind(cycle: Cycle, _: PodIdentity, _: String, _: Vec<u8>) {
        let _: Option<Draw> = draw("post-bind", cycle.seed);
    }
}
