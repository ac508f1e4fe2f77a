//! Traces of SimKube.

#![allow(clippy::expect_used, reason = "tests")]

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use berth_core::Timestamp;
use berth_import::{At, Format, RUN_SECONDS};
use common::{Read, error, read};
use serde::Serialize;
use serde_json::{Value, json};

/// A trace, as SimKube serializes it.
#[derive(Serialize)]
struct Trace {
    version: u16,
    config: Value,
    events: Vec<Value>,
    index: Value,
    pod_lifecycles: BTreeMap<(String, String), BTreeMap<u64, Vec<Lifecycle>>>,
}

#[derive(Clone, Copy, Serialize)]
enum Lifecycle {
    Empty,
    Running(i64),
    Finished(i64, i64),
}

fn pod(name: &str) -> Value {
    let container = json!({"name": "c", "image": "i"});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "a", "annotations": {}},
        "spec": {"containers": [container]}})
}

/// An object with a pod template at this path below `spec`.
fn owner(version: &str, kind: &str, template: &str) -> Value {
    let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "o", "namespace": "a"}});
    let mut spec = json!({"template": {"metadata": {"creationTimestamp": null}, "spec": {"containers": []}}});
    for name in template.split('.').rev() {
        spec = json!({ name: spec });
    }
    object["spec"] = spec["spec"].take();
    object
}

fn trace() -> Trace {
    let deployment = |replicas: u64| {
        let mut object = owner("apps/v1", "Deployment", "spec");
        object["spec"]["replicas"] = replicas.into();
        object
    };
    let cron_job = owner("batch/v1", "CronJob", "spec.jobTemplate.spec");
    let custom = owner("example.com/v1", "Gang", "spec.task");
    let event = |ts: i64, applied: &[Value], deleted: &[Value]| json!({"ts": ts, "applied_objs": applied, "deleted_objs": deleted});
    let lifecycles = |version_kind: &str, name: &str, of: &[Lifecycle]| {
        ((version_kind.to_owned(), name.to_owned()), BTreeMap::from([(u64::MAX, of.to_vec())]))
    };
    use Lifecycle::{Empty, Finished, Running};
    Trace {
        version: 2,
        config: json!({"trackedObjects": {"example.com/v1.Gang": {"podSpecTemplatePaths": ["/spec/task/template"]}}}),
        events: vec![
            event(1000, &[], &[]),
            event(1000, &[deployment(1), cron_job, custom], &[]),
            event(1010, &[pod("short"), pod("long"), pod("endless"), pod("gone")], &[]),
            event(1050, &[deployment(3)], &[pod("gone")]),
        ],
        index: json!({"v1.Pod": {"a/short": u64::MAX}}),
        pod_lifecycles: BTreeMap::from([
            lifecycles("v1.Pod", "a/short", &[Finished(1012, 1042)]),
            lifecycles("v1.Pod", "a/long", &[Finished(1012, 1112)]),
            lifecycles("v1.Pod", "a/endless", &[Running(1012)]),
            lifecycles("batch/v1.CronJob", "a/o", &[Finished(1, 31), Finished(40, 50), Empty, Finished(60, 100)]),
            lifecycles("example.com/v1.Gang", "a/o", &[Finished(0, 7)]),
        ]),
    }
}

fn bytes(trace: &Trace) -> Vec<u8> {
    rmp_serde::to_vec_named(trace).expect("a trace")
}

fn find<'a>(read: &'a Read, name: &str) -> &'a Value {
    let is = |object: &&Value| object["metadata"]["name"] == name || object["kind"] == name;
    read.objects.iter().find(is).expect("the object")
}

#[test]
fn a_trace_is_read_at_its_end() {
    let read = read(bytes(&trace()), None).expect("a trace");
    assert_eq!(read.format, Format::SimKube);
    assert_eq!(read.names(), ["Pod a/endless", "Pod a/long", "Deployment a/o", "CronJob a/o", "Gang a/o"]);
    assert_eq!(find(&read, "Deployment")["spec"]["replicas"], 3);
    assert!(find(&read, "Deployment")["spec"]["template"]["metadata"].get("annotations").is_none());

    // The rest of the time of a pod, and the median time of the pods of an owner.
    assert_eq!(find(&read, "long")["metadata"]["annotations"][RUN_SECONDS], "62");
    assert_eq!(find(&read, "endless")["metadata"]["annotations"], json!({}));
    let template = &find(&read, "CronJob")["spec"]["jobTemplate"]["spec"]["template"];
    assert_eq!(template["metadata"]["annotations"][RUN_SECONDS], "30");
    assert_eq!(find(&read, "Gang")["spec"]["task"]["template"]["metadata"]["annotations"][RUN_SECONDS], "7");
    assert!(read.report.contains("Pod a/short: the pod had ended by then."), "{}", read.report);
}

#[test]
fn a_trace_is_read_at_a_time() {
    let at = |at: At| read(bytes(&trace()), Some(at)).expect("a trace");
    assert_eq!(at(At::After(Duration::ZERO)).names(), ["Deployment a/o", "CronJob a/o", "Gang a/o"]);
    let middle = at(At::Time(Timestamp(1_020_000)));
    assert_eq!(find(&middle, "short")["metadata"]["annotations"][RUN_SECONDS], "22");
    assert_eq!(find(&middle, "gone")["kind"], "Pod");
    assert_eq!(find(&middle, "Deployment")["spec"]["replicas"], 1);
    let before = At::Time(Timestamp(999_000));
    let outside = error(bytes(&trace()), Some(before));
    assert!(outside.contains("--at: 1970-01-01T00:16:39.000Z is outside the recording"), "{outside}");
}

#[test]
fn other_and_damaged_traces_are_errors() {
    let whole = bytes(&trace());
    for length in (1..whole.len()).step_by(7) {
        let error = error(&whole[..length], None);
        assert!(error.contains("not a trace of SimKube, or it is truncated"), "{length}: {error}");
    }
    let other = bytes(&Trace { version: 3, ..trace() });
    assert!(error(other, None).contains("version 3; Berth reads version 2"));
    let untyped = bytes(&Trace { events: vec![json!({"ts": 1, "applied_objs": [{}], "deleted_objs": []})], ..trace() });
    assert!(error(untyped, None).contains("an object has no kind"));
    assert_eq!(error(bytes(&Trace { events: Vec::new(), ..trace() }), None), "the file is empty");
    // The header of a list announces four billion elements, and the input ends there.
    let mut huge = b"\x82\xa7version\x02\xa6events\xdd".to_vec();
    huge.extend([0xff; 4]);
    assert!(error(huge, None).contains("truncated"));
    let deep = [&b"\x82\xa7version\x02\xa6config"[..], &[0x91; 5000]].concat();
    assert!(error(deep, None).contains("not a trace of SimKube"));
}
