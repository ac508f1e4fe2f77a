//! Files of objects: what kubectl prints, and what an export has.

#![allow(clippy::expect_used, reason = "tests")]

mod common;

use berth_import::{Format, Writer, objects};
use common::{error, read};
use serde_json::{Value, json};

const LIST: &str = "\
apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a, namespace: default, uid: u-1}
- apiVersion: v1
  kind: Node
  metadata: {name: node-1}
kind: List
metadata: {resourceVersion: \"\"}
";

#[test]
fn output_of_kubectl_is_read() {
    let read = read(LIST, None).expect("a list");
    assert_eq!(
        (read.names(), read.format),
        (vec!["Pod default/a".to_owned(), "Node node-1".to_owned()], Format::Objects)
    );

    let typed = json!({"apiVersion": "apps/v1", "items": [{"metadata": {"name": "d"}}], "kind": "DeploymentList"});
    let nested = json!({"apiVersion": "v1", "kind": "List", "items": [typed, {"apiVersion": "v1", "kind": "Node"}]});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}});
    for text in [format!("{typed}{nested}\n{pod}"), format!("---\n{typed}\n---\n---\n{nested}\n---\n{pod}\n")] {
        let read = common::read(&text, None).expect("documents");
        assert_eq!(read.names(), ["Deployment d", "Deployment d", "Node ", "Pod p"], "{text}");
        assert_eq!(read.objects[0]["apiVersion"], "apps/v1");
    }
    let one = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\ndata: {items: text}\n";
    assert_eq!(common::read(one, None).expect("an object").names(), ["ConfigMap c"]);
}

#[test]
fn items_of_an_object_that_is_no_list_stay() {
    let object = json!({"apiVersion": "example.com/v1", "kind": "Menu", "items": [{"dish": "soup"}]});
    let text = object.to_string();
    assert_eq!(read(&text, None).expect("an object").objects, [object]);
    // Here, the items come before the kind.
    let text = r#"{"items": [{"dish": "soup"}], "kind": "Menu", "apiVersion": "example.com/v1"}"#;
    assert_eq!(read(text, None).expect("an object").objects[0]["items"][0]["dish"], "soup");
}

#[test]
fn an_import_has_no_secrets_leases_and_events() {
    let text = "\
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: a}
data: {password: aHVudGVyMg==}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: l, namespace: a}
---
apiVersion: v1
kind: Event
metadata: {name: e, namespace: a}
---
apiVersion: example.com/v1
kind: Event
metadata: {name: own}
";
    let read = read(text, None).expect("documents");
    assert_eq!(read.names(), ["Event own"]);
    for line in ["  Secret a/s: Secrets are never", "  Lease a/l: Leases belong", "  Event a/e: Events tell"] {
        assert!(read.report.contains(line), "{}", read.report);
    }
    assert!(!read.report.contains("aHVudGVyMg"));
    assert_eq!(objects(text).expect("documents").len(), 4, "other commands read all objects");
}

#[test]
fn foreign_and_damaged_files_are_errors() {
    let cut = LIST.split_inclusive("kind: Node\n").next().expect("a part");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod"}]}).to_string();
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let deep_yaml = format!("a: {deep}\n");
    for (text, message) in [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ("---\n---\n", "the file is empty"),
        ("{", "not valid JSON, or it is truncated"),
        (&list[..list.len() - 5], "not valid JSON, or it is truncated"),
        ("a: [", "not valid YAML"),
        (cut, "the list in document 1 has no kind"),
        ("a: 1", "document 1 has no kind"),
        ("apiVersion: v1\nkind: Pod\n---\nb: 1\n", "document 2 has no kind"),
        ("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1}\n", "document 1 has no kind"),
        ("some words", "not valid YAML"),
        (&deep, "not valid JSON"),
        (&deep_yaml, "not valid YAML"),
        ("\u{1f}\u{8b}", "not valid YAML"),
    ] {
        let error = error(text, None);
        assert!(error.contains(message), "{text:.60}: {error}");
    }
    for (bytes, message) in [
        (&b"\x1f\x8b\x08"[..], "compressed with gzip"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
        (b"apiVersion: v1\n\xff", "byte 15 is not part of a text in UTF-8"),
        (b"\x81\xa1", "not a trace of SimKube, or it is truncated"),
        (b"\x94\x80", "a trace of SimKube in version 1"),
    ] {
        let error = error(bytes, None);
        assert!(error.contains(message), "{bytes:?}: {error}");
    }
    let at = Some(berth_import::At::After(std::time::Duration::from_secs(1)));
    assert!(error(LIST, at).contains("--at: a file of objects has no times"));
}

#[test]
fn what_is_written_is_read_again() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "uid": "u", "resourceVersion": "7"}});
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": "djE="}});
    let write = |objects: &[Value]| {
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file).expect("a file");
        for object in objects {
            writer.add(object.clone()).expect("a file");
        }
        (writer.finish().expect("a file"), String::from_utf8(file).expect("text"))
    };
    let (count, text) = write(&[pod, secret]);
    assert_eq!(count, 1);
    assert_eq!(text.lines().count(), 3, "an object a line");
    let read = read(&text, None).expect("a list");
    assert_eq!(read.objects, [json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "uid": "u"}})]);
    assert_eq!(write(&read.objects).1, text);
    assert_eq!(common::read(write(&[]).1, None).expect("a list").objects.len(), 0);
}
