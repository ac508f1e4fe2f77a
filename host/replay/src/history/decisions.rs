//! The recorded decisions that a replay with another policy takes out.

use std::sync::Arc;

use berth_core::model::{ObjectKey, ObjectKind};
use serde_json::Value;
use serde_json::value::RawValue;

/// A decision of the recorded scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The pod with this uid is preempted.
    Preempts(Box<str>),
    /// The object is patched, created or deleted.
    Changes(ObjectKey),
}

/// The actions that contain such a decision, as they begin in the text.
const WITH_DECISIONS: [&str; 4] = ["{\"evict\":", "{\"executeIntents\":", "{\"change\":", "{\"cancelIntents\":"];

/// Returns the decisions of the recorded actions.
pub(super) fn decisions(actions: &RawValue) -> Vec<Decision> {
    // Nearly all steps have no such action, and reading all texts would take most of the time.
    if !WITH_DECISIONS.iter().any(|begin| actions.get().contains(begin)) {
        return Vec::new();
    }
    let actions: Vec<Value> = serde_json::from_str(actions.get()).unwrap_or_default();
    actions.iter().flat_map(of_action).collect()
}

fn of_action(action: &Value) -> Vec<Decision> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let intents = [&action["executeIntents"]["intents"], &action["change"], &action["cancelIntents"]["undo"]];
    let intents = intents.into_iter().flat_map(list).filter_map(|intent| of_intent(&intent));
    let evicted = action["evict"]["pod"]["uid"].as_str().map(|uid| Decision::Preempts(uid.into()));
    evicted.into_iter().chain(intents).collect()
}

fn of_intent(intent: &Value) -> Option<Decision> {
    let references = [&intent["patch"]["object"], &intent["create"][0], &intent["delete"]];
    let reference = references.into_iter().find(|reference| reference.is_object())?;
    let text = |field: &str| -> Box<str> { reference[field].as_str().unwrap_or_default().into() };
    let kind = Arc::new(ObjectKind { api_version: text("apiVersion"), kind: text("kind") });
    Some(Decision::Changes(ObjectKey { kind, namespace: text("namespace"), name: text("name") }))
}

#[cfg(test)]
mod tests {
    use berth_core::Action;
    use berth_core::intent::{Intent, ObjectReference, Patch};
    use berth_core::model::PodKey;

    use super::*;

    #[test]
    fn decisions_are_read_from_the_actions_as_they_are_written() {
        let claim = |name: &str| ObjectReference {
            api_version: "v1".into(),
            kind: "PersistentVolumeClaim".into(),
            namespace: "a".into(),
            name: name.into(),
            uid: "u".into(),
        };
        let pod = PodKey { namespace: "a".into(), name: "p".into(), uid: "7".into() };
        let patch = Patch { object: claim("patched"), ..Patch::default() };
        let intents = vec![Intent::Patch(patch), Intent::Create(claim("created"), "{}".into())];
        let actions = [
            Action::Bind { pod: pod.clone(), node: "n".into() },
            Action::Evict { pod: pod.clone(), reason: "".into(), note: "".into(), scheduler_name: "s".into() },
            Action::ExecuteIntents { pod: pod.clone(), step: 1, intents },
            Action::Change(vec![Intent::Delete(claim("deleted"))]),
            Action::CancelIntents { pod, step: 1, undo: vec![Intent::Delete(claim("undone"))] },
        ];
        let text = serde_json::value::to_raw_value(&actions).expect("JSON");
        let found: Vec<String> = decisions(&text)
            .iter()
            .map(|decision| match decision {
                Decision::Preempts(uid) => format!("preempts {uid}"),
                Decision::Changes(key) => key.to_string(),
            })
            .collect();
        let claims = ["patched", "created", "deleted", "undone"];
        let claims = claims.map(|name| format!("v1 PersistentVolumeClaim a/{name}"));
        assert_eq!(found[0], "preempts 7");
        assert_eq!(found[1..], claims);
        let bind = serde_json::value::to_raw_value(&actions[..1]).expect("JSON");
        assert!(decisions(&bind).is_empty());
    }
}
