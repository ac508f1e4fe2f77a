//! Tests of object ids, and of kinds that are wanted, listed and refused.

use super::*;

fn kind(name: &str) -> Arc<ObjectKind> {
    Arc::new(ObjectKind { api_version: "v1".into(), kind: name.into() })
}

fn reads(name: &str, fields: &[&str]) -> ObjectReads {
    ObjectReads { kind: kind(name), fields: fields.iter().map(|field| (*field).into()).collect() }
}

fn object(name: &str, uid: &str, fields: &str) -> Arc<Object> {
    let key = ObjectKey { kind: kind("Service"), namespace: "default".into(), name: name.into() };
    Arc::new(Object { key, uid: uid.into(), fields: fields.into() })
}

#[test]
fn the_log_holds_only_real_changes() {
    let (mut objects, mut log) = (Objects::default(), ChangeLog::default());
    assert!(objects.set(object("web", "1", "{}"), &mut log).is_some());
    assert!(objects.set(object("web", "1", "{}"), &mut log).is_none());
    assert!(objects.set(object("web", "1", r#"{"spec":{}}"#), &mut log).is_some());
    let key = object("web", "", "").key.clone();
    assert!(objects.remove(&key, &mut log).is_some());
    assert!(objects.remove(&key, &mut log).is_none());
    let (id, kind) = (ObjectId(0), KindId(0));
    let expected = [Change::Object(id, kind), Change::Object(id, kind), Change::ObjectRemoved(id, kind)];
    assert_eq!(log.since(0).unwrap().collect::<Vec<_>>(), expected);
}

#[test]
fn a_namesake_with_another_uid_is_another_object() {
    let (mut objects, mut log) = (Objects::default(), ChangeLog::default());
    objects.set(object("web", "1", "{}"), &mut log);
    objects.set(object("web", "2", "{}"), &mut log);
    let kind = KindId(0);
    let expected = [
        Change::Object(ObjectId(0), kind),
        Change::ObjectRemoved(ObjectId(0), kind),
        Change::Object(ObjectId(1), kind),
    ];
    assert_eq!(log.since(0).unwrap().collect::<Vec<_>>(), expected);
    objects.free(ObjectId(0));
    objects.set(object("other", "3", "{}"), &mut log);
    assert_eq!(objects.get(ObjectId(0)).map(|cached| &*cached.object.uid), Some("3"));
}

#[test]
fn only_additional_fields_cause_a_new_list() {
    let mut objects = Objects::default();
    assert_eq!(objects.want(vec![reads("Service", &["a"])]), [reads("Service", &["a"])]);
    assert_eq!(objects.want(vec![reads("Service", &["a"]), reads("Service", &[])]), []);
    assert_eq!(objects.want(vec![reads("Service", &["b"])]), [reads("Service", &["a", "b"])]);
    assert_eq!(objects.want(vec![reads("Namespace", &[])]), [reads("Namespace", &[])]);
    assert_eq!(objects.want(vec![reads("Namespace", &[])]), []);
}

#[test]
fn coverage_names_listed_and_refused_kinds() {
    let mut objects = Objects::default();
    let wanted = [reads("Service", &["a"]), reads("Namespace", &[])];
    assert_eq!(objects.coverage(&[]), Coverage::Complete);
    assert_eq!(objects.coverage(&wanted), Coverage::Underway);
    objects.want(wanted.to_vec());
    objects.is_listed(wanted[0].clone());
    assert_eq!(objects.coverage(&wanted), Coverage::Underway);
    objects.refused(&kind("Namespace"), "forbidden".into());
    let refused = Coverage::Refused(kind("Namespace"), "forbidden".into());
    assert_eq!(objects.coverage(&wanted), refused);
    let kinds: Vec<_> = objects.kinds().map(|(id, kind, coverage)| (id, kind.to_string(), coverage)).collect();
    let listed = (KindId(0), "v1 Service".to_owned(), Coverage::Complete);
    assert_eq!(kinds, [listed, (KindId(1), "v1 Namespace".to_owned(), refused)]);
    objects.is_listed(wanted[1].clone());
    assert_eq!(objects.coverage(&wanted), Coverage::Complete);
    assert_eq!(objects.coverage(&[reads("Service", &["a", "b"])]), Coverage::Underway);
}

#[test]
fn assumed_objects_are_marked_and_assumptions_without_effect_are_refused() {
    let (mut objects, mut log) = (Objects::default(), ChangeLog::default());
    assert!(objects.assume(object("web", "1", "new"), "p", &mut log).is_none(), "nobody reads the kind");
    objects.set(object("web", "1", "old"), &mut log);
    for same in [object("web", "2", "new"), object("web", "1", "old"), object("web", "", "old")] {
        assert!(objects.assume(same, "p", &mut log).is_none());
    }
    let shown = |objects: &Objects| {
        let cached = objects.get(ObjectId(0)).expect("it stays the same one");
        (cached.object.fields.to_string(), cached.assumed)
    };
    assert!(objects.assume(object("web", "", "new"), "p", &mut log).is_some());
    assert_eq!(shown(&objects), ("new".into(), true));
    // The object arrives as it was assumed: this is a change for readers of the log, and no event.
    assert!(objects.set(object("web", "1", "new"), &mut log).is_none());
    assert_eq!((shown(&objects), log.end()), (("new".into(), false), 3));
    assert!(objects.assume(object("other", "", "new"), "p", &mut log).is_some(), "one that is to be made");
    assert_eq!(objects.take_back(&object("other", "", "").key, "p", &mut log).map(|(_, after)| after), Some(None));
}

#[test]
fn fields_of_pods_are_wanted_and_listed_without_objects() {
    let (mut objects, mut log) = (Objects::default(), ChangeLog::default());
    let pods = |fields: &[&str]| ObjectReads {
        kind: Arc::new(ObjectKind::pod()),
        fields: fields.iter().map(|field| (*field).into()).collect(),
    };
    assert_eq!(objects.want(vec![pods(&["a"])]), [pods(&["a"])]);
    assert_eq!(objects.coverage(&[pods(&["a"])]), Coverage::Underway);
    objects.listed(pods(&["a"]), &mut log);
    assert_eq!(objects.coverage(&[pods(&["a"])]), Coverage::Complete);
    assert_eq!(objects.coverage(&[pods(&["b"])]), Coverage::Underway);
    let key = ObjectKey { kind: pods(&[]).kind, namespace: "ns".into(), name: "p".into() };
    let pod = Arc::new(Object { key, fields: "{}".into(), ..Object::default() });
    assert!(objects.assume(pod, "by", &mut log).is_none(), "a pod is not an object of another kind");
    assert_eq!(objects.iter().count(), 0);
}
