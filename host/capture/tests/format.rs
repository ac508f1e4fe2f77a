//! What is written is read again, and what is cut, changed or unknown is refused with the reason.

#![expect(clippy::expect_used, reason = "a helper of a test may fail as the test does")]

use std::num::NonZeroU64;
use std::sync::Arc;

use berth_capture::{
    CaptureError, CaptureReader, CaptureWriter, EventToWrite, ExtenderAnswer, Header, PolicyRecord, RecordedProfile,
    StepEvent, StepToWrite, record,
};
use berth_core::decision::PolicyPlugin;
use berth_core::extenders::{Extender, Filtered};
use berth_core::model::{
    Labels, NamedFields, Node, Object, ObjectKey, ObjectKind, ObjectReads, Owner, Pod, PodKey, PodRequests, PodSpec,
    named_fields::NamedField,
};
use berth_core::plugins::{FailedCall, PluginError};
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Action, Event, Timestamp};

fn header() -> Header {
    Header {
        version: record::VERSION,
        berth: "0.1.0".to_owned(),
        seed: 7,
        extenders: vec![Extender { name: "http://extender".into(), filters: true, ..Extender::default() }],
        configuration: serde_json::json!({"kind": "BerthConfiguration"}),
        ..Header::default()
    }
}

fn key(name: &str) -> PodKey {
    PodKey { namespace: "default".into(), name: name.into(), uid: format!("uid-of-{name}").into() }
}

fn labels(value: &str) -> Labels {
    [("app", value)].into_iter().collect()
}

/// A pod with a value in every field that is not its default.
fn pod(name: &str, spec: &Arc<PodSpec>) -> Arc<Pod> {
    let field = NamedField { path: "spec.a".into(), json: r#"{"spec":{"a":1}}"#.into() };
    Arc::new(Pod {
        key: key(name),
        labels: Arc::new(labels(name)),
        annotations: labels("annotated"),
        owners: [Owner { kind: "ReplicaSet".into(), controller: true, ..Owner::default() }].into(),
        deleting: true,
        preempted: true,
        created: 1_700_000_000,
        node_name: "node".into(),
        nominated_node_name: "nominated".into(),
        start_time: 1_700_000_001,
        finished: true,
        requests: Arc::new(PodRequests { non_zero_milli_cpu: 100, ..PodRequests::default() }),
        spec: Arc::clone(spec),
        fields: NamedFields::new(vec![field]),
    })
}

fn kind() -> Arc<ObjectKind> {
    Arc::new(ObjectKind { api_version: "v1".into(), kind: "Service".into() })
}

/// One event of each kind.
fn events() -> Vec<Event> {
    let spec = Arc::new(PodSpec { priority: 5, scheduler_name: "berth".into(), ..PodSpec::default() });
    let reads = ObjectReads { kind: kind(), fields: ["spec".into()].into() };
    let object = ObjectKey { kind: kind(), namespace: "default".into(), name: "s".into() };
    vec![
        Event::NodeSet(Arc::new(Node { name: "node".into(), labels: labels("x"), ..Node::default() })),
        Event::NodeRemoved("node".into()),
        Event::PodSet(pod("one", &spec)),
        Event::PodSet(pod("two", &spec)),
        Event::PodRemoved(key("one")),
        Event::ObjectsWanted(vec![reads.clone()]),
        Event::ObjectSet(Arc::new(Object { key: object.clone(), uid: "u".into(), fields: "{\"spec\":1}".into() })),
        Event::ObjectRemoved(object),
        Event::ObjectsListed(reads),
        Event::ObjectsRefused(kind(), "no rights".into()),
        Event::WatchStopped(kind()),
        Event::Bound(key("one")),
        Event::BindFailed(key("one"), "conflict".into()),
        Event::IntentsExecuted(key("one"), 3),
        Event::IntentsFailed(key("one"), 4, "refused".into()),
        Event::EvictionFailed(key("two")),
        Event::PluginRecovered("Fit".into()),
        Event::Tick,
        Event::Cycle,
    ]
}

fn policy() -> PolicyRecord {
    let spec = ProfileSpec {
        scheduler_name: "berth".into(),
        points: Default::default(),
        arguments: [("Fit".into(), serde_json::json!({"a": 1}))].into(),
        others: true,
        without_default_binder: false,
        failure_policy: Default::default(),
        failure_policies: Default::default(),
        percentage_of_nodes_to_score: Some(50),
    };
    let plugins = vec![PolicyPlugin { name: "Fit".into(), digest: "abc".into() }];
    PolicyRecord { profiles: vec![RecordedProfile { spec, plugins }] }
}

fn step(at: u64, event: EventToWrite) -> StepToWrite {
    StepToWrite {
        at: Timestamp(at),
        version: None,
        event,
        extenders: Vec::new(),
        failed_calls: Vec::new(),
        actions: Vec::new(),
    }
}

/// Writes these steps, with a frame for each.
fn written(steps: &[StepToWrite]) -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new(), &header()).expect("a writer");
    for step in steps {
        writer.step(step).expect("written");
        writer.flush().expect("written");
    }
    writer.end(0).expect("written")
}

fn steps() -> Vec<StepToWrite> {
    events().into_iter().enumerate().map(|(at, event)| step(at as u64, EventToWrite::Event(event))).collect()
}

/// Reads all steps. Returns them as text, and the error, if there is one.
fn read(bytes: &[u8]) -> (Vec<String>, Option<CaptureError>) {
    let mut steps = Vec::new();
    let mut reader = match CaptureReader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (steps, Some(error)),
    };
    loop {
        match reader.next_step() {
            Ok(Some(step)) => steps.push(format!("{step:?}")),
            Ok(None) => return (steps, None),
            Err(error) => return (steps, Some(error)),
        }
    }
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let bytes = written(&steps());
    let mut reader = CaptureReader::new(&bytes[..]).expect("a capture");
    assert_eq!(*reader.header(), header());
    for (at, event) in events().into_iter().enumerate() {
        let step = reader.next_step().expect("a step").expect("not the end");
        assert_eq!(step.at, Timestamp(at as u64));
        let StepEvent::Event(read) = step.event else { panic!("an exchange of plugins") };
        assert_eq!(format!("{read:?}"), format!("{event:?}"));
    }
    assert!(reader.next_step().expect("the end").is_none());
    assert_eq!(reader.end().expect("the last line").steps, events().len() as u64);
}

#[test]
fn the_rest_of_a_step_is_read_as_it_was_written() {
    let error = PluginError::down("Fit".into(), "is being restarted".to_owned());
    let failed = FailedCall { function: "filter".into(), pod: "u".into(), error };
    let answers = vec![
        ExtenderAnswer::Filter(Ok(Filtered { nodes: vec!["node".into()], ..Filtered::default() })),
        ExtenderAnswer::Prioritize(vec![Ok(vec![("node".into(), 3)]), Err("down".to_owned())]),
        ExtenderAnswer::ProcessPreemption(Err("down".to_owned())),
    ];
    let whole = StepToWrite {
        version: NonZeroU64::new(7),
        extenders: answers.clone(),
        failed_calls: vec![failed.clone()],
        actions: vec![Action::Bind { pod: key("one"), node: "node".into() }],
        ..step(5, EventToWrite::Policy(policy()))
    };
    let bytes = written(&[whole]);
    let mut reader = CaptureReader::new(&bytes[..]).expect("a capture");
    let step = reader.next_step().expect("a step").expect("not the end");
    assert_eq!(step.version, NonZeroU64::new(7));
    let StepEvent::Policy(read) = step.event else { panic!("{:?}", step.event) };
    assert_eq!(read, policy());
    assert_eq!(step.extenders, answers);
    assert_eq!(step.failed_calls, [failed]);
    let bind = r#"[{"bind":{"pod":{"namespace":"default","name":"one","uid":"uid-of-one"},"node":"node"}}]"#;
    assert_eq!(step.actions.expect("an action").get(), bind);
}

#[test]
fn pods_that_shared_a_spec_share_it_again() {
    let bytes = written(&steps());
    let mut reader = CaptureReader::new(&bytes[..]).expect("a capture");
    let mut specs = Vec::new();
    while let Some(step) = reader.next_step().expect("a step") {
        if let StepEvent::Event(Event::PodSet(pod)) = step.event {
            specs.push(Arc::clone(&pod.spec));
        }
    }
    assert_eq!(specs.len(), 2);
    assert!(Arc::ptr_eq(&specs[0], &specs[1]));
}

#[test]
fn a_writer_that_forgot_the_values_of_pods_writes_them_again() {
    let own = |number: usize| {
        let spec = Arc::new(PodSpec { priority: number as i32, ..PodSpec::default() });
        step(0, EventToWrite::Event(Event::PodSet(pod("p", &spec))))
    };
    let steps: Vec<StepToWrite> = (0..25_000).map(own).collect();
    let mut writer = CaptureWriter::new(Vec::new(), &header()).expect("a writer");
    steps.iter().for_each(|step| writer.step(step).expect("written"));
    let bytes = writer.end(0).expect("written");
    let mut reader = CaptureReader::new(&bytes[..]).expect("a capture");
    for number in 0..steps.len() {
        let step = reader.next_step().expect("a step").expect("not the end");
        let StepEvent::Event(Event::PodSet(pod)) = step.event else { panic!("no pod") };
        assert_eq!(pod.spec.priority, number as i32);
    }
}

#[test]
fn a_capture_that_was_cut_is_read_up_to_there() {
    let (steps, bytes) = (steps(), written(&steps()));
    let mut most = 0;
    for size in 1..bytes.len() {
        let (read, error) = read(&bytes[..size]);
        let count = read.len();
        let error = error.unwrap_or_else(|| panic!("{size} of {} bytes are read without an error", bytes.len()));
        match &error {
            CaptureError::Truncated(at) => assert_eq!(at.map(|at| at.0), count.checked_sub(1).map(|at| at as u64)),
            error => panic!("{size} bytes: {error}"),
        }
        assert!(count >= most, "{size} bytes: {count} steps, with fewer bytes {most}");
        most = count;
    }
    assert_eq!(most, steps.len(), "only the last line is missing");
}

#[test]
fn a_changed_byte_is_found() {
    let bytes = written(&steps());
    let (whole, _) = read(&bytes);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        let (steps, error) = read(&changed);
        // Some bits of a frame mean nothing.
        assert!(error.is_some() || steps == whole, "byte {at} of {} was changed", bytes.len());
    }
}

#[test]
fn other_files_are_refused_by_name() {
    let compressed = |text: &str| zstd::bulk::compress(text.as_bytes(), 1).expect("compressed");
    for (bytes, expected) in [
        (Vec::new(), "the capture ends without its last line"),
        (b"apiVersion: v1\nkind: Pod\n".to_vec(), "not a capture: "),
        (compressed("hello\n"), "not a capture: "),
        (compressed("{\"kind\": \"Pod\"}\n"), "not a capture: "),
        (
            compressed("{\"capture\":{\"version\":2,\"berth\":\"9.0.0\",\"news\":1}}\n"),
            "the capture has version 2 of the format, written by Berth 9.0.0; this Berth reads version 1",
        ),
    ] {
        let (_, error) = read(&bytes);
        let error = error.expect("refused").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn lines_that_do_not_fit_together_are_refused() {
    let head = serde_json::to_string(&serde_json::json!({"capture": header()})).expect("text");
    for (line, expected) in [
        ("{\"end\":", "damaged after line 2"),
        ("{\"news\":1}", "unknown variant `news`"),
        ("{\"capture\":{}}", "a second header"),
        (
            "{\"step\":{\"at\":1,\"event\":{\"podSet\":{\"key\":{\"namespace\":\"\",\"name\":\"\",\"uid\":\"\"},\
             \"spec\":4,\"requests\":0,\"labels\":0,\"owners\":0}}}}",
            "a pod names the spec 4, which was not written",
        ),
        ("{\"labels\":{\"id\":3,\"value\":{}}}", "the value 3 comes before the value 0"),
    ] {
        let bytes = zstd::bulk::compress(format!("{head}\n{line}\n").as_bytes(), 1).expect("compressed");
        let (_, error) = read(&bytes);
        let error = error.expect("refused").to_string();
        assert!(error.contains(expected), "{error}");
    }
}
