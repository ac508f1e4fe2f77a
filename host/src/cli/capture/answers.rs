//! Finds the plugins that answer differently about a redacted cluster, by the decision records of two replays.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;

use anyhow::Result;
use berth_capture::redact::Redaction;
use berth_capture::{CaptureError, CaptureReader, StepEvent};
use berth_config::Configuration;
use berth_core::decision::{Decision, Details};
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Core, Event};

/// What a plugin answered in a cycle: rejected nodes by code, and scores of the best nodes. Without names and messages,
/// which differ in a redacted capture.
type Answers = BTreeMap<Arc<str>, Vec<String>>;

/// Returns the plugins whose answers differ in the first cycle with a difference. Later cycles see another cluster. If no
/// answer of a recorded cycle differs, the difference is in another call, so all plugins that are not default plugins are
/// returned.
///
/// # Errors
/// The capture can't be read.
pub(super) fn changed<R: Read>(
    mut capture: CaptureReader<R>,
    redaction: &mut Redaction,
    original: &Core,
    redacted: &Core,
) -> Result<BTreeSet<Arc<str>>> {
    let mut first: Option<(u64, BTreeSet<Arc<str>>)> = None;
    for (namespace, uid) in pods(&mut capture)? {
        let (Some(new_namespace), Some(new_uid)) = (redaction.replacement(&namespace), redaction.replacement(&uid))
        else {
            continue;
        };
        let before = records(original, &namespace, &uid);
        let after = records(redacted, &new_namespace, &new_uid);
        for (cycle, answers) in before {
            let Some(others) = after.get(&cycle) else { continue };
            let names: BTreeSet<Arc<str>> = answers.keys().chain(others.keys()).cloned().collect();
            let differ: BTreeSet<_> = names.into_iter().filter(|name| answers.get(name) != others.get(name)).collect();
            if !differ.is_empty() && first.as_ref().is_none_or(|(earlier, _)| cycle < *earlier) {
                first = Some((cycle, differ));
            }
        }
    }
    Ok(first.map_or_else(|| others(original), |(_, names)| names))
}

/// Returns namespace and uid of each pod of the capture.
fn pods<R: Read>(capture: &mut CaptureReader<R>) -> Result<BTreeSet<(Box<str>, Box<str>)>> {
    let mut pods = BTreeSet::new();
    if let Some(recorded) = capture.checkpoint()? {
        pods.extend(recorded.checkpoint.pods.iter().map(|pod| (pod.key.namespace.clone(), pod.key.uid.clone())));
    }
    loop {
        match capture.next_step() {
            Ok(Some(step)) => {
                if let StepEvent::Event(Event::PodSet(pod)) = step.event {
                    pods.insert((pod.key.namespace.clone(), pod.key.uid.clone()));
                }
            }
            Ok(None) | Err(CaptureError::Truncated(_)) => return Ok(pods),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns the answers about a pod by cycle.
fn records(core: &Core, namespace: &str, uid: &str) -> BTreeMap<u64, Answers> {
    core.decisions().of_pod(namespace, uid).map(|decision| (decision.cycle, answers(&decision))).collect()
}

fn answers(decision: &Decision) -> Answers {
    let mut answers = decision.details.as_deref().map(answers_of).unwrap_or_default();
    if let Some(rejected) = &decision.rejected {
        answers.entry(Arc::clone(&rejected.plugin)).or_default().push("rejected".to_owned());
    }
    answers
}

fn answers_of(details: &Details) -> Answers {
    let mut answers = Answers::new();
    let mut add = |plugin: &Arc<str>, answer: String| answers.entry(Arc::clone(plugin)).or_default().push(answer);
    for row in &details.rows {
        add(&row.plugin, format!("{:?} {:?} {}", row.kind, row.code, row.nodes));
    }
    for (rank, best) in details.best.iter().enumerate() {
        for score in &best.scores {
            add(&score.plugin, format!("{rank} {} {}", score.raw, score.weighted));
        }
    }
    // Rows are in the order of their messages.
    answers.values_mut().for_each(|answers| answers.sort_unstable());
    answers
}

/// Returns the plugins of the profiles that are not default plugins.
fn others(core: &Core) -> BTreeSet<Arc<str>> {
    let profiles = Configuration::default_profile(None).profiles;
    let defaults: BTreeSet<Arc<str>> = profiles.iter().flat_map(ProfileSpec::names).map(|(name, _)| name).collect();
    let names = core.profiles().iter().flat_map(|profile| &profile.components).map(|plugin| &plugin.name);
    names.filter(|name| !defaults.contains(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use berth_core::decision::Row;

    use super::*;

    #[test]
    fn answers_are_compared_without_names_and_messages() {
        let row = |plugin: &str, reason: &str, nodes| Row {
            plugin: plugin.into(),
            reasons: vec![reason.into()],
            nodes,
            examples: vec![reason.into()],
            ..Row::default()
        };
        let details = |rows| Details { rows, ..Details::default() };
        let before = answers_of(&details(vec![row("A", "node-1", 2), row("B", "x", 1)]));
        assert_eq!(before, answers_of(&details(vec![row("B", "y", 1), row("A", "r01", 2)])));
        assert_ne!(before, answers_of(&details(vec![row("A", "node-1", 2), row("B", "x", 2)])));
    }

    #[test]
    fn a_core_without_profiles_has_no_other_plugins() {
        let core = Core::new(berth_core::Options::default());
        assert!(others(&core).is_empty() && records(&core, "default", "uid").is_empty());
    }
}
