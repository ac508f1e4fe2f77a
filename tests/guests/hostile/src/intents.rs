//! Intents of every kind, statuses and verdicts.

use crate::berth::scheduler::intents::{Intent, ObjectReference, Patch, PatchType, Wait};
use crate::berth::scheduler::types::{Code, Status, Verdicts};
use crate::documents::{cel, json};
use crate::draw::Draw;

/// The maximum number of outcomes in one answer.
const MAX_OUTCOMES: usize = 1000;

/// The kinds of intents that an export may answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedIntents {
    /// Assume objects, and nothing else.
    Assume,
    /// Patch, create and delete objects.
    Change,
    /// Patch, create and delete objects, evict pods, and wait.
    ChangeAndWait,
}

fn reference(draw: &mut Draw) -> ObjectReference {
    let (api_version, kind) = match draw.below(6) {
        0 => ("v1", "PersistentVolumeClaim"),
        1 => ("v1", "Node"),
        2 => ("storage.k8s.io/v1", "VolumeAttachment"),
        3 => ("v1", "ConfigMap"),
        _ => ("v1", "Pod"),
    };
    let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
    let name = format!("{}-{}", draw.of(&["open", "reserved", "claim"]), draw.below(8));
    let uid = if draw.one_in(2) { String::new() } else { format!("uid-{name}") };
    let mut object = ObjectReference { api_version, kind, namespace: "default".to_owned(), name, uid };
    if draw.one_in(4) {
        let text = draw.text();
        let field = draw.below(5);
        let ObjectReference { api_version, kind, namespace, name, uid } = &mut object;
        *[api_version, kind, namespace, name, uid][field] = text;
    }
    object
}

fn intent(draw: &mut Draw, allowed: AllowedIntents) -> Intent {
    let kinds: &[usize] = match allowed {
        _ if !draw.valid && draw.one_in(4) => &[0, 1, 2, 3, 4, 5],
        AllowedIntents::Assume => &[3],
        AllowedIntents::Change => &[0, 4, 5],
        AllowedIntents::ChangeAndWait => &[0, 1, 2, 4, 5],
    };
    let object = reference(draw);
    match draw.of(kinds) {
        0 => Intent::Patch(Patch {
            object,
            subresource: draw.of(&["", "status", "binding", "../x", "\u{0}"]).to_owned(),
            patch: json(draw),
            patch_type: if draw.one_in(2) { PatchType::Merge } else { PatchType::StrategicMerge },
        }),
        1 => Intent::WaitUntil(Wait { object, until: cel(draw), timeout_ms: draw.of(&[0, 1, 1000, u64::MAX]) }),
        2 => Intent::Evict((object, draw.text())),
        3 => Intent::Assume((object, json(draw))),
        4 => Intent::Create((object, json(draw))),
        _ => Intent::Delete(object),
    }
}

/// Draws a list of intents, which is empty in most calls.
pub fn intents(draw: &mut Draw, allowed: AllowedIntents) -> Vec<Intent> {
    let length = match draw.below(32) {
        0 if !draw.valid => 1025,
        1 => 64,
        2..9 => 1 + draw.below(3),
        _ => 0,
    };
    draw.list(length, |draw| intent(draw, allowed))
}

/// Draws a rejection with reasons.
pub fn status(draw: &mut Draw) -> Status {
    let code = match draw.below(4) {
        0 => Code::Unschedulable,
        1 => Code::UnschedulableAndUnresolvable,
        2 => Code::Error,
        _ => Code::Pending,
    };
    let reasons = draw.count(32);
    Status { code, reasons: draw.list(reasons, Draw::text) }
}

/// Draws verdicts for the `expected` nodes. How many are rejected varies from call to call.
pub fn verdicts(draw: &mut Draw, expected: usize) -> Verdicts {
    let outcomes = draw.count(MAX_OUTCOMES);
    let rejected_one_in = draw.of(&[1, 2, 8, 1 << 40]);
    let length = draw.length(expected);
    let nodes = draw.list(length, |draw| match draw.one_in(rejected_one_in.max(1)) {
        true if !draw.valid && draw.one_in(4) => u16::MAX,
        true => draw.below(outcomes + 1) as u16,
        false => 0,
    });
    // If there are many outcomes, the reasons are short, so that all of them are within the size limit.
    let few = outcomes <= 4;
    let outcome =
        |draw: &mut Draw| if few { status(draw) } else { Status { reasons: vec!["-".to_owned()], ..status(draw) } };
    Verdicts { outcomes: draw.list(outcomes, outcome), nodes }
}
