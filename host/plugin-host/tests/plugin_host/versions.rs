//! Tests what components of version 0.1 and 0.2 of the contract may declare, and what they receive.

use std::sync::Arc;

use berth_core::limits::Limits;
use berth_core::model::named_fields::NamedField;
use berth_core::model::{Labels, NamedFields, Node, Pod, PodKey, PodRequests};
use berth_test_kit::component::{Guest, Reads};

use crate::host::Host;
use crate::refusals::{check_bytes, refused};

/// The action `add` of an event.
const ADD: u16 = 1;
/// The bit of the pod fact `requests`.
const REQUESTS: u32 = 1 << 13;
/// The path of a field without a typed fact.
const FIELD: &str = "spec.activeDeadlineSeconds";

fn of(contract: &'static str) -> Guest {
    Guest::new("Test").contract(contract)
}

#[test]
fn events_of_an_unknown_kind_are_refused_since_0_2() {
    let component = |contract| of(contract).retry_on("Nodes", ADD).build();
    refused("an unknown kind", &component("0.2.0"), "wants events of kind \"Nodes\", but reads no such kind");
    check_bytes(&component("0.1.0"), "{}").expect("0.1 allows any kind");
    check_bytes(&of("0.2.0").retry_on("Node", ADD).build(), "{}").expect("a known kind");
}

#[test]
fn the_time_with_scope_node_is_refused_since_0_2() {
    let reads = of("0.2.0").scope_node().reads_time().build();
    refused("cached answers", &reads, "declares scope node and reads-time");
    for contract in ["0.1.0", "0.2.0"] {
        check_bytes(&of(contract).scope_node().build(), "{}").expect("it does not declare the time");
    }
}

#[test]
fn arguments_that_do_not_match_the_schema_are_refused_with_their_path() {
    let schema = r#"{"type":"object","properties":{"label":{"type":"string"}},"additionalProperties":false}"#;
    let component = of("0.2.0").arguments(schema).build();
    check_bytes(&component, r#"{"label":"zone"}"#).expect("they match");
    let error = check_bytes(&component, r#"{"label":7}"#).expect_err("a number").to_string();
    assert!(error.contains("refuses its arguments: /label: 7 is not of type"), "{error}");
    refused("not a schema", &of("0.2.0").arguments("{").build(), "it is not JSON");
}

#[test]
fn hostile_schemas_are_refused_or_harmless() {
    let schema = |text: &str| of("0.2.0").arguments(text);
    // The last words of the description are the address and the length of the schema. At this address are zeros.
    let large = "(i32.store offset=20 (i32.const @description@) (i32.const 0x10000))
        (i32.store offset=24 (i32.const @description@) (i32.const 300000)) (i32.const @description@)";
    refused("a large one", &schema("{}").body("describe", large).build(), "300000 bytes; the maximum is 262144");
    refused("a deep one", &schema(&"[".repeat(20_000)).build(), "it is not JSON");
    refused("another document", &schema(r#"{"$ref":"file:///etc/passwd"}"#).build(), "passwd");
    for endless in [r##"{"$ref":"#"}"##, r##"{"allOf":[{"$ref":"#"},{"not":{"$ref":"#"}}]}"##] {
        // The arguments match or don't. The check ends.
        let _ = check_bytes(&schema(endless).build(), "{}");
    }
}

#[test]
fn the_time_reaches_those_that_declare_it_and_all_of_0_1() {
    let tell = "(i64.store (local.get $scores) (local.get $time))";
    let seen = |guest: Guest| {
        let mut host = Host::with(guest.body("score", tell).build(), Limits::default());
        host.set_node("node");
        (host.score(1).expect("it answers")[0], i64::try_from(host.now.0).expect("a time"))
    };
    let (time, now) = seen(of("0.1.0"));
    assert_eq!(time, now);
    let (time, now) = seen(of("0.2.0").reads_time());
    assert_eq!(time, now);
    assert_eq!(seen(of("0.2.0")).0, 0);
}

/// Functions that collect texts, each with a space after it.
const COLLECT: &str = r#"
    (global $end (mut i32) (i32.const 0x9000))
    (func $text (param $at i32)
      (memory.copy (global.get $end) (i32.load (local.get $at)) (i32.load offset=4 (local.get $at)))
      (global.set $end (i32.add (global.get $end) (i32.load offset=4 (local.get $at))))
      (i32.store8 (global.get $end) (i32.const 32))
      (global.set $end (i32.add (global.get $end) (i32.const 1))))
    (func $texts (param $list i32) (param $each i32)
      (local $at i32) (local $count i32)
      (local.set $at (i32.load (local.get $list)))
      (local.set $count (i32.mul (i32.load offset=4 (local.get $list)) (local.get $each)))
      (block $done (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (call $text (local.get $at))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next))))"#;

/// Code that rejects the first node with the collected texts as the reason.
const TELL: &str = "(i32.store (i32.const 264) (i32.const 0x9000))
    (i32.store (i32.const 268) (i32.sub (global.get $end) (i32.const 0x9000)))
    (i32.store16 (local.get $verdicts) (i32.const 1))";

/// Returns a component that collects texts and tells them.
fn collecting(contract: &'static str) -> Guest {
    of(contract).body("data", COLLECT).body("filter", TELL)
}

/// Returns code that collects labels, annotations and fields of a record at this address.
fn collect_all(guest: &Guest, interface: &str, record: &str, address: &str, optional: usize) -> String {
    let at =
        |field: &str| format!("(i32.add {address} (i32.const {}))", guest.offset(interface, record, field) + optional);
    format!(
        "(call $texts {} (i32.const 2)) (call $texts {} (i32.const 2)) (call $text {})",
        at("labels"),
        at("annotations"),
        at("fields"),
    )
}

/// Returns the reason with which the first node is rejected.
fn told(host: &mut Host, signature: u32) -> String {
    let verdicts = host.filter(signature).expect("it answers");
    verdicts.outcomes[0].reasons[0].to_string()
}

#[test]
fn a_component_of_0_1_receives_the_names_of_requests() {
    let guest = collecting("0.1.0").pod_facts(REQUESTS);
    let at = 8 + guest.offset("types", "pod", "requests") + guest.offset("types", "pod-requests", "named");
    let collect = format!("(call $texts (i32.add (local.get 0) (i32.const {at})) (i32.const 1))");
    let mut host = Host::with(guest.body("add_signature", &collect).build(), Limits::default());
    host.set_node("node");
    let named = vec!["cpu".into(), "example.com/gpu".into()];
    host.pod.requests = Arc::new(PodRequests { named, ..PodRequests::default() });
    assert_eq!(told(&mut host, 1), "cpu example.com/gpu ");
}

fn labels(of: &[(&str, &str)]) -> Labels {
    of.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn fields(seconds: u32) -> NamedFields {
    let named = |path: &str, json: String| NamedField { path: path.into(), json: json.into() };
    NamedFields::new(vec![
        named(FIELD, format!(r#"{{"spec":{{"activeDeadlineSeconds":{seconds}}}}}"#)),
        named("spec.subdomain", r#"{"spec":{"subdomain":"other"}}"#.to_owned()),
    ])
}

/// Returns a pod with declared and undeclared labels, annotations and fields.
fn pod(name: &str, seconds: u32) -> Pod {
    Pod {
        key: PodKey { namespace: "default".into(), name: name.into(), uid: name.into() },
        labels: Arc::new(labels(&[("app", name), ("other", "hidden")])),
        annotations: labels(&[("note", "read"), ("other", "hidden")]),
        fields: fields(seconds),
        ..Pod::default()
    }
}

const READS: Reads = Reads { facts: 0, label_keys: &["app", "absent"], annotation_keys: &["note"], fields: &[FIELD] };

#[test]
fn a_component_of_0_2_receives_the_declared_names_of_the_pod() {
    let guest = collecting("0.2.0").pod(READS);
    let collect = collect_all(&guest, "facts", "pod", "(local.get 0)", 8);
    let mut host = Host::with(guest.body("add_signature", &collect).build(), Limits::default());
    host.set_node("node");
    host.pod = pod("web", 60);
    assert_eq!(told(&mut host, 1), r#"app web note read {"spec":{"activeDeadlineSeconds":60}} "#);
}

#[test]
fn a_component_of_0_2_receives_the_declared_names_of_nodes() {
    let guest = collecting("0.2.0").node(Reads { label_keys: &["app"], ..READS });
    // Each field of a node's record is an option: one byte, and the value at the next multiple of 4.
    let collect = collect_all(&guest, "snapshot", "node", "(i32.add (local.get $change) (i32.const 8))", 4);
    let collect = format!("(if (i32.eqz (i32.load8_u (local.get $change))) (then {collect}))");
    let mut host = Host::with(guest.body("change", &collect).build(), Limits::default());
    host.cache.set_node(Arc::new(Node {
        name: "node".into(),
        uid: "node".into(),
        labels: labels(&[("app", "db"), ("zone", "hidden")]),
        annotations: labels(&[("note", "on a node"), ("other", "hidden")]),
        fields: fields(90),
        ..Node::default()
    }));
    assert_eq!(told(&mut host, 1), r#"app db note on a node {"spec":{"activeDeadlineSeconds":90}} "#);
}

#[test]
fn a_component_of_0_2_receives_pending_and_resident_pods_with_their_own_declarations() {
    let labels_alone = Reads { label_keys: &["app"], ..Reads::default() };
    let guest = collecting("0.2.0").resident_pods(labels_alone).pending_pods(READS);
    // The changes: 5 resident-pod, 6 resident-pod-removed, 7 pending-pod, 8 pending-pod-removed.
    let on_change = |tag: u32, code: &str| {
        format!("(if (i32.eq (i32.load8_u (local.get $change)) (i32.const {tag})) (then {code}))")
    };
    let pod_of = |record: &str| 8 + guest.offset("snapshot", record, "pod");
    let resident = collect_all(&guest, "facts", "pod", "(local.get $change)", pod_of("resident-pod"));
    let pending = collect_all(&guest, "facts", "pod", "(local.get $change)", pod_of("pending-pod"));
    let name = |at: u32| format!("(call $text (i32.const {at}))");
    let code = [
        on_change(5, &format!("{} {resident}", name(0x8100))),
        on_change(6, &name(0x8108)),
        on_change(7, &format!("{} {pending}", name(0x8110))),
        on_change(8, &name(0x8118)),
    ];
    let data = r#"(data (i32.const 0x8000) "resident:left:pending:gone:")
        (data (i32.const 0x8100) "\00\80\00\00\09\00\00\00\09\80\00\00\05\00\00\00\0e\80\00\00\08\00\00\00\16\80\00\00\05\00\00\00")"#;
    let guest = guest.body("data", &format!("{COLLECT} {data}")).body("change", &code.join("\n"));
    let mut host = Host::with(guest.build(), Limits::default());
    host.set_node("node");
    host.cache.keep_pending_pods(true, || vec![Arc::new(pod("first", 1))]);
    let first = r#"pending: app first note read {"spec":{"activeDeadlineSeconds":1}} "#;
    assert_eq!(told(&mut host, 1), first);
    let second = r#"pending: app second note read {"spec":{"activeDeadlineSeconds":2}} "#;
    host.cache.set_pending_pod(&Arc::new(pod("second", 2)));
    assert_eq!(told(&mut host, 1), format!("{first}{second}"));
    host.cache.remove_pending_pod("first");
    host.cache.set_pod(Arc::new(Pod { node_name: "node".into(), ..pod("first", 1) }));
    let all = told(&mut host, 1);
    let (_, last) = all.split_at(first.len() + second.len());
    assert_eq!(last, "resident: app first  gone: ");
}
