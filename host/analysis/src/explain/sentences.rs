//! Sentences about rows of the table, the queue and times.

use super::types::{Explanation, Rejection, RejectionKind};
use crate::names::counted;

/// The next step for a reason that contains the text, if no change was found that helps. The first match counts.
const NEXT_STEPS: [(&str, &str); 9] = [
    ("Insufficient ", "Add nodes, or wait until pods leave."),
    ("Too many pods", "Add nodes, or wait until pods leave: the nodes run as many pods as they may."),
    ("persistentvolumeclaim ", "Create the claim, or correct the name in the pod's volumes."),
    ("unbound immediate PersistentVolumeClaims", "Look at the pod's claims: a provisioner has to bind them first."),
    ("PersistentVolume's node affinity", "Add a node where the pod's volumes are, or use other volumes."),
    ("available volume zone", "Add a node in the zone of the pod's volumes, or use other volumes."),
    ("exceed max volume count", "Add nodes: the nodes have attached as many volumes as they may."),
    ("untolerated taint", "Repair nodes with taints that stand for a condition, or add nodes without taints."),
    ("ResourceClaim", "Create the ResourceClaim, or correct its name in the pod."),
];

pub(super) fn next_step(row: &Rejection) -> &'static str {
    let has = |text: &str| row.reasons.iter().any(|reason| reason.contains(text));
    let known = NEXT_STEPS.iter().find(|(text, _)| has(text)).map(|(_, step)| *step);
    known.unwrap_or("Change what the reasons in the table name: no single change was found that helps.")
}

/// Returns a row of the table as a sentence.
pub(super) fn sentence(row: &Rejection) -> String {
    let nodes = counted(row.nodes, "node");
    let plugin = row.plugin.as_deref().unwrap_or("no plugin");
    match row.kind {
        RejectionKind::NotLookedAt => format!("no filter looked at {nodes}"),
        RejectionKind::PreFilter => format!("{plugin} excludes {nodes}: {}", row.reasons.join(", ")),
        RejectionKind::Filter if row.with_nominated => {
            format!("{plugin} rejects {nodes} because of the pods that are nominated there: {}", row.reasons.join(", "))
        }
        RejectionKind::Filter => format!("{plugin} rejects {nodes}: {}", row.reasons.join(", ")),
    }
}

/// Returns a sentence about the pod's place in the queue.
pub(super) fn queue(explanation: &Explanation) -> Option<String> {
    let status = &explanation.status;
    let queue = status.sub_queue.as_deref()?;
    let since = status.since.map(|since| duration(explanation.computed_at.saturating_sub(since)));
    let since = since.map_or_else(String::new, |since| format!(" since {since}"));
    let events = match status.awaited_events.is_empty() {
        true => String::new(),
        false => format!("; it waits for: {}", status.awaited_events.join(", ")),
    };
    Some(format!(
        "The pod is in the sub-queue {queue}{since}, after {}{events}.",
        counted(status.attempts as usize, "attempt")
    ))
}

/// Returns a duration, in milliseconds, for people: `12 s`, `4 min`, `3 h`, `2 d`.
pub(super) fn duration(milliseconds: u64) -> String {
    match milliseconds / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_step_follows_from_the_reason() {
        let row = |reason: &str| Rejection {
            kind: RejectionKind::Filter,
            plugin: None,
            reasons: vec![reason.to_owned()],
            resolvable: true,
            with_nominated: false,
            nodes: 1,
            examples: Vec::new(),
        };
        assert_eq!(next_step(&row("Insufficient cpu")), "Add nodes, or wait until pods leave.");
        assert!(next_step(&row("persistentvolumeclaim \"a\" not found")).starts_with("Create the claim"));
        assert!(next_step(&row("anything")).ends_with("no single change was found that helps."));
    }

    #[test]
    fn durations_have_one_unit() {
        let shown = [5_000, 119_000, 240_000, 7_200_000, 200_000_000].map(duration);
        assert_eq!(shown, ["5 s", "119 s", "4 min", "2 h", "2 d"]);
    }
}
