//! Tests of histories that are built step by step.

use std::collections::BTreeSet;
use std::time::Duration;

use berth_capture::PolicyRecord;
use berth_core::Action;
use berth_core::intent::{Intent, ObjectReference, Patch};
use berth_core::model::Owner;

use super::*;

/// A builder after the beginning.
fn begun() -> Builder {
    let mut builder = Builder::default();
    builder.file_begins(&Header::default());
    builder.step(step(0, StepEvent::Policy(PolicyRecord { profiles: Vec::new() }), &[]));
    builder
}

fn step(seconds: u64, event: StepEvent, actions: &[Action]) -> Step {
    let actions = (!actions.is_empty()).then(|| serde_json::value::to_raw_value(actions).expect("JSON"));
    Step { at: at(seconds), version: None, event, extenders: Vec::new(), failed_calls: Vec::new(), actions }
}

fn at(seconds: u64) -> Timestamp {
    Timestamp(seconds * 1000)
}

impl Builder {
    fn at(&mut self, seconds: u64, event: Event) -> &mut Self {
        self.step(step(seconds, StepEvent::Event(event), &[]));
        self
    }
}

fn pod(name: &str, controller: &str) -> Pod {
    let owner = Owner { kind: controller.into(), uid: "owner".into(), controller: true, ..Owner::default() };
    let key = PodKey { namespace: "a".into(), name: name.into(), uid: name.into() };
    Pod { key, owners: [owner].into(), ..Pod::default() }
}

fn set(pod: &Pod) -> Event {
    Event::PodSet(Arc::new(pod.clone()))
}

fn on_a_node(pod: &Pod) -> Event {
    set(&Pod { node_name: "n".into(), ..pod.clone() })
}

fn removed(pod: &Pod) -> Event {
    Event::PodRemoved(pod.key.clone())
}

fn preempted(pod: &Pod) -> Event {
    set(&Pod { node_name: "n".into(), deleting: true, preempted: true, ..pod.clone() })
}

fn lifetimes(builder: Builder) -> Vec<Lifetime> {
    let history = builder.finish().expect("a history");
    history.pods.iter().map(|recorded| recorded.lifetime).collect()
}

#[test]
fn the_run_time_of_a_pod_goes_on_in_its_replacements() {
    for (controller, first, second) in [("ReplicaSet", 50, 30), ("Job", 20, 20)] {
        let [one, two, three] = ["one", "two", "three"].map(|name| pod(name, controller));
        let mut builder = begun();
        builder.at(10, set(&one)).at(20, on_a_node(&one)).at(40, preempted(&one)).at(41, removed(&one));
        builder.at(41, set(&two)).at(50, on_a_node(&two)).at(60, preempted(&two)).at(61, removed(&two));
        builder.at(61, set(&three)).at(70, on_a_node(&three)).at(90, removed(&three));
        let after = |seconds| Lifetime::After(Duration::from_secs(seconds));
        assert_eq!(lifetimes(builder), [after(first), after(second), after(20)], "{controller}");
    }
}

#[test]
fn a_pod_that_was_not_bound_ends_when_it_was_deleted() {
    let [pending, stays] = ["pending", "stays"].map(|name| pod(name, "ReplicaSet"));
    let mut builder = begun();
    builder.at(10, set(&pending)).at(10, set(&stays)).at(20, on_a_node(&stays)).at(30, removed(&pending));
    assert_eq!(lifetimes(builder), [Lifetime::Until(at(30)), Lifetime::Forever]);
}

#[test]
fn a_preemption_that_failed_did_not_happen() {
    let [victim, other] = ["victim", "other"].map(|name| pod(name, "ReplicaSet"));
    let mut builder = begun();
    builder.at(10, set(&victim)).at(10, on_a_node(&victim));
    let evict = Action::Evict {
        pod: victim.key.clone(),
        reason: "".into(),
        note: "".into(),
        scheduler_name: "default-scheduler".into(),
    };
    builder.step(step(20, StepEvent::Event(Event::Cycle), &[evict]));
    builder.at(21, Event::EvictionFailed(victim.key.clone())).at(30, set(&other)).at(40, removed(&victim));
    let history = builder.finish().expect("a history");
    assert!(!history.pods[1].replaces, "nothing was preempted");
    assert_eq!(history.pods[0].lifetime, Lifetime::After(Duration::from_secs(30)));
    assert!(!history.changes.iter().any(|(_, change)| matches!(change, Change::PodPreempted(_))));
}

#[test]
fn objects_that_the_scheduler_changed_are_marked() {
    let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "PersistentVolumeClaim".into() });
    let object = |name: &str, fields: &str| {
        let key = ObjectKey { kind: Arc::clone(&kind), namespace: "a".into(), name: name.into() };
        Event::ObjectSet(Arc::new(Object { key, uid: name.into(), fields: fields.into() }))
    };
    let mut builder = begun();
    builder.at(1, Event::ObjectsListed(ObjectReads { kind: Arc::clone(&kind), fields: BTreeSet::new() }));
    builder.at(2, object("bound", "1")).at(2, object("other", "1"));
    let reference = ObjectReference {
        api_version: "v1".into(),
        kind: "PersistentVolumeClaim".into(),
        namespace: "a".into(),
        name: "bound".into(),
        uid: "".into(),
    };
    let patch = Intent::Patch(Patch { object: reference, ..Patch::default() });
    let execute = Action::ExecuteIntents { pod: PodKey::default(), step: 1, intents: vec![patch] };
    builder.step(step(3, StepEvent::Event(Event::Cycle), &[execute]));
    builder.at(4, object("bound", "2")).at(4, object("other", "2"));
    let history = builder.finish().expect("a history");
    let marked: Vec<(String, bool)> = history
        .changes
        .iter()
        .filter_map(|(_, change)| match change {
            Change::ObjectSet { object, decided } => Some((format!("{}{}", object.key.name, object.fields), *decided)),
            _ => None,
        })
        .collect();
    let expected = [("bound1", false), ("other1", false), ("bound2", true), ("other2", false)];
    assert_eq!(marked, expected.map(|(name, decided)| (name.to_owned(), decided)));
}

#[test]
fn a_kind_that_is_listed_later_existed_before() {
    let kind = Arc::new(ObjectKind { api_version: "v1".into(), kind: "Service".into() });
    let key = ObjectKey { kind: Arc::clone(&kind), namespace: "a".into(), name: "s".into() };
    let object =
        |fields: &str| Event::ObjectSet(Arc::new(Object { key: key.clone(), uid: "s".into(), fields: fields.into() }));
    let reads = |field: &str| ObjectReads { kind: Arc::clone(&kind), fields: [field.into()].into() };
    let mut builder = begun();
    builder.at(5, object("1")).at(6, Event::ObjectsListed(reads("a"))).at(7, object("2"));
    builder.at(8, Event::ObjectsListed(reads("b")));
    let history = builder.finish().expect("a history");
    assert_eq!(history.beginning.objects.len(), 1);
    assert_eq!(history.changes.len(), 1, "{:?}", history.changes);
    let known = history.kinds.get(&kind).map(|known| match known {
        Known::Listed(reads) => reads.fields.iter().map(|field| field.to_string()).collect::<Vec<_>>(),
        Known::Refused(_) => Vec::new(),
    });
    assert_eq!(known, Some(vec!["a".to_owned()]), "the fields of the first list count");
}

#[test]
fn nothing_is_no_history() {
    assert!(matches!(Builder::default().finish(), Err(ReplayError::Empty)));
}
