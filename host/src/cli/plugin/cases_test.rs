use super::*;

fn refused(text: &str) -> String {
    let table = Table::parse(text).and_then(|table| table.cluster().map(|_| table));
    let table = table.and_then(|table| table.cases.iter().try_for_each(|case| case.pod().map(drop)));
    format!("{:#}", table.expect_err(text))
}

#[test]
fn expectations_are_read() {
    let table = Table::parse(
        "arguments: {label: a}
nodes: [{metadata: {name: n, labels: {a: y}}, status: {allocatable: {cpu: '2'}}}]
pods: [{spec: {nodeName: n, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}]
cases:
- name: one
  filter: {n: fits, m: {Unschedulable: Insufficient cpu}, o: {Error: [a, b]}}
  scores: {n: -3, m: none}
- name: two
  arguments: {label: b}
  filter: {n: fits}
",
    )
    .expect("a table");
    let cluster = table.cluster().expect("a cluster");
    let node = cluster.nodes().next().expect("a node");
    assert_eq!((node.node.allocatable.milli_cpu, node.usage.requested.milli_cpu), (2_000, 500));
    let [one, two] = &table.cases[..] else { panic!("two cases") };
    let statuses: Vec<_> = one.filter.values().map(|verdict| verdict.status().expect("one code")).collect();
    let status = |code, reasons: &[&str]| {
        Some(Status { code, reasons: reasons.iter().map(|reason| (*reason).into()).collect() })
    };
    assert_eq!(statuses, [status(Code::Unschedulable, &["Insufficient cpu"]), None, status(Code::Error, &["a", "b"])]);
    assert_eq!(one.scores.values().collect::<Vec<_>>(), [&Score::Word(Nothing::None), &Score::Number(-3)]);
    assert_eq!(
        (table.arguments(one).as_str(), table.arguments(two).as_str()),
        (r#"{"label":"a"}"#, r#"{"label":"b"}"#)
    );
}

#[test]
fn mistakes_are_named() {
    for (text, expected) in [
        ("nodes: []\ncases: []", "`cases` is empty"),
        ("nodes: []\ncases: [{name: a, filters: {}}]", "filters"),
        ("nodes: [{metadata: {name: 7}}]\ncases: [{name: a}]", "nodes[0]: metadata.name: invalid type"),
        ("nodes: [{status: {allocatable: {cpu: two}}}]\ncases: [{name: a}]", "nodes[0]: "),
        ("nodes: []\npods: [{}]\ncases: [{name: a}]", "pods[0]: has no spec.nodeName"),
        ("nodes: []\ncases: [{name: a, pod: {spec: {priority: high}}}]", "spec.priority: invalid type"),
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}
