//! Tests that an instance receives each object once, only of its kinds and with its fields.

use std::convert::Infallible;

use berth_core::grants::{Grants, Namespaces, ReadGrant};
use berth_core::model::{Object, ObjectKey, ObjectReads};

use super::*;

fn kind(name: &str) -> Arc<ObjectKind> {
    Arc::new(ObjectKind { api_version: "v1".into(), kind: name.into() })
}

fn reads(name: &str, fields: &[&str]) -> ObjectReads {
    ObjectReads { kind: kind(name), fields: fields.iter().map(|field| (*field).into()).collect() }
}

fn object(kind_name: &str, name: &str, fields: &str) -> Arc<Object> {
    let key = ObjectKey { kind: kind(kind_name), namespace: "ns".into(), name: name.into() };
    Arc::new(Object { key, uid: name.into(), fields: fields.into() })
}

const WEB: &str = r#"{"spec":{"selector":{"app":"web"},"type":"ClusterIP"}}"#;

/// Returns a cache in which two plugins read different fields of Services, and one reads Namespaces.
fn cache() -> Cache {
    let mut cache = Cache::default();
    cache.want_objects(vec![
        reads("Service", &["spec.selector"]),
        reads("Service", &["spec.type"]),
        reads("Namespace", &[]),
    ]);
    cache.set_object(object("Service", "web", WEB));
    cache.set_object(object("Namespace", "ns", "{}"));
    cache
}

fn feed(objects: &[ObjectReads]) -> ObjectFeed {
    feed_of(objects, None)
}

/// Creates the feed of a plugin with these grants; `None` for everything.
fn feed_of(objects: &[ObjectReads], grants: Option<Grants>) -> ObjectFeed {
    let declaration = Declaration { objects: objects.to_vec(), ..Declaration::default() };
    ObjectFeed::new(&declaration, Authority::new("test".into(), grants.map(Arc::new)))
}

/// Returns the changes that `run` sends, each as a short text.
fn sent(run: impl FnOnce(&mut dyn FnMut(&[wit::Change<'_>]) -> Result<(), Infallible>)) -> Vec<String> {
    let mut changes_sent = Vec::new();
    run(&mut |changes| {
        changes_sent.extend(changes.iter().map(|change| match change {
            wit::Change::Object(object) => {
                format!("{} {}/{} {}", object.kind, object.namespace, object.name, object.fields)
            }
            wit::Change::ObjectRemoved(id) => format!("-{id}"),
        }));
        Ok(())
    });
    changes_sent
}

#[test]
fn each_reader_gets_its_kinds_and_fields() {
    let cache = cache();
    let cases = [
        (vec![], vec![]),
        (vec![reads("Namespace", &[])], vec!["0 ns/ns {}".to_owned()]),
        (
            vec![reads("Namespace", &[]), reads("Service", &["spec.type"])],
            vec![r#"1 ns/web {"spec":{"type":"ClusterIP"}}"#.to_owned(), "0 ns/ns {}".to_owned()],
        ),
        (vec![reads("Service", &["spec.selector", "spec.type"])], vec![format!("0 ns/web {WEB}")]),
        (vec![reads("Secret", &["data"])], vec![]),
    ];
    for (objects, expected) in cases {
        let Ok(()) = feed(&objects).fill(&cache, |_| Ok::<_, Infallible>(()));
        let sent_changes = sent(|apply| feed(&objects).fill(&cache, apply).unwrap());
        assert_eq!(sent_changes, expected, "{objects:?}");
    }
}

#[test]
fn objects_of_namespaces_that_are_not_granted_are_not_sent() {
    let cache = cache();
    let grants = |namespace: &str| {
        let namespaces = Namespaces::Named([namespace.into()].into());
        let read = vec![ReadGrant { kind: ObjectKind::clone(&kind("Service")), namespaces }];
        Some(Grants { read, ..Grants::default() })
    };
    let objects = [reads("Service", &[]), reads("Namespace", &[])];
    for (grants, expected) in [
        (None, vec!["0 ns/web {}", "1 ns/ns {}"]),
        (grants("ns"), vec!["0 ns/web {}"]),
        (grants("other"), vec![]),
        (Some(Grants::default()), vec![]),
    ] {
        assert_eq!(
            sent(|apply| feed_of(&objects, grants.clone()).fill(&cache, apply).unwrap()),
            expected,
            "{grants:?}"
        );
    }
}

#[test]
fn each_change_is_sent_once_and_unknown_objects_are_not_removed() {
    let mut cache = cache();
    let mut feed = feed(&[reads("Service", &["spec.type"])]);
    let Ok(()) = feed.fill(&cache, |_| Ok::<_, Infallible>(()));
    let position = cache.log().end();
    let key = |name: &str| object("Service", name, "").key.clone();
    cache.set_object(object("Service", "api", "{}"));
    cache.set_object(object("Service", "api", r#"{"spec":{"type":"None"}}"#));
    cache.set_object(object("Service", "short", "{}"));
    cache.remove_object(&key("short"));
    cache.remove_object(&key("web"));
    cache.remove_object(&object("Namespace", "ns", "").key);
    let sent_changes = sent(|apply| feed.catch_up(&cache, position, apply).unwrap());
    assert_eq!(sent_changes, ["-0", r#"0 ns/api {"spec":{"type":"None"}}"#]);
    let position = cache.log().end();
    assert!(sent(|apply| feed.catch_up(&cache, position, apply).unwrap()).is_empty());
}

/// An instance may keep objects by name.
#[test]
fn a_removal_comes_before_an_object_of_the_same_name() {
    let mut cache = cache();
    // The cache reuses the id of `early`, which is lower than that of the first `web-2`.
    cache.set_object(object("Service", "early", "{}"));
    cache.set_object(object("Service", "web-2", "{}"));
    let mut feed = feed(&[reads("Service", &["spec.type"])]);
    let Ok(()) = feed.fill(&cache, |_| Ok::<_, Infallible>(()));
    let position = cache.log().end();
    cache.remove_object(&object("Service", "early", "").key);
    cache.remove_object(&object("Service", "web-2", "").key);
    cache.set_object(object("Service", "web-2", WEB));
    let sent_changes = sent(|apply| feed.catch_up(&cache, position, apply).unwrap());
    let (last, removals) = sent_changes.split_last().expect("changes");
    assert_eq!(last, r#"0 ns/web-2 {"spec":{"type":"ClusterIP"}}"#);
    assert!(!removals.is_empty() && removals.iter().all(|change| change.starts_with('-')), "{sent_changes:?}");
}

#[test]
fn no_call_is_larger_than_a_batch() {
    let mut cache = cache();
    let large = format!(r#"{{"spec":{{"type":"{}"}}}}"#, "x".repeat(BATCH_BYTES / 3));
    for n in 0..10 {
        cache.set_object(object("Service", &format!("large-{n}"), &large));
    }
    for n in 0..2 * BATCH {
        cache.set_object(object("Service", &format!("small-{n}"), "{}"));
    }
    let (mut calls, mut sent_changes) = (0, 0);
    let Ok(()) = feed(&[reads("Service", &["spec.type"])]).fill(&cache, |changes| {
        let bytes: usize = changes
            .iter()
            .map(|change| match change {
                wit::Change::Object(object) => object.fields.len(),
                wit::Change::ObjectRemoved(_) => 0,
            })
            .sum();
        assert!(changes.len() <= BATCH && bytes <= 2 * BATCH_BYTES, "{} changes, {bytes} bytes", changes.len());
        (calls, sent_changes) = (calls + 1, sent_changes + changes.len());
        Ok::<_, Infallible>(())
    });
    assert_eq!(sent_changes, 11 + 2 * BATCH);
    assert!(calls >= 5, "{calls}");
}
