//! Tests of facts that the author names: labels, annotations and fields.

#![allow(missing_docs, reason = "tests")]

use berth_guest::prelude::*;
use berth_guest::testing::{Host, node, pod};
use berth_guest::types::{Code, PodReads};
use serde::Deserialize;

berth_guest::pod_label!(pub Team = "team");
berth_guest::pod_annotation!(pub Cache = "example.com/cache");
berth_guest::pod_field!(pub Deadline: i64 = "spec.activeDeadlineSeconds");
berth_guest::pod_field!(pub Images: Vec<Container> = "spec.containers.image");
berth_guest::node_label!(pub NodeTeam = "team");
berth_guest::node_annotation!(pub NodeCache = "example.com/cache");
berth_guest::node_field!(pub Cidr: String = "spec.podCIDR");

#[derive(Clone, Debug, Deserialize)]
pub struct Container {
    image: String,
}

/// Each reason of the filter has one fact, so that a test can compare it.
mod every_named_fact {
    use super::*;

    fn filter(
        team: &Team,
        cache: &Cache,
        deadline: &Deadline,
        images: &Images,
        node_team: &NodeTeam,
        node_cache: &NodeCache,
        cidr: &Cidr,
    ) -> Result<(), Rejection> {
        let images: Vec<_> = images.get()?.into_iter().flatten().map(|container| container.image.as_str()).collect();
        Err(Rejection::unschedulable(format!(
            "{:?} {:?} {:?} {images:?} {:?} {:?} {:?}",
            team.get(),
            cache.get(),
            deadline.get()?,
            node_team.get(),
            node_cache.get(),
            cidr.get()?,
        )))
    }

    berth_guest::plugin!(name: "EveryNamedFact", filter: filter);
}

#[test]
fn only_the_names_are_declared() {
    let host = Host::<every_named_fact::Plugin>::new();
    let declaration = host.declaration();
    let PodReads { facts, label_keys, annotation_keys, fields } = &declaration.pod;
    assert!(facts.is_empty() && declaration.node.facts.is_empty());
    assert_eq!(
        (label_keys.as_slice(), annotation_keys.as_slice()),
        (&["team".to_owned()][..], &["example.com/cache".to_owned()][..])
    );
    assert_eq!(fields, &["spec.activeDeadlineSeconds", "spec.containers.image"]);
    assert_eq!(declaration.node.label_keys, ["team"]);
    assert_eq!(declaration.node.annotation_keys, ["example.com/cache"]);
    assert_eq!(declaration.node.fields, ["spec.podCIDR"]);
}

#[test]
fn values_arrive_and_follow_changes() {
    let mut host = Host::<every_named_fact::Plugin>::new();
    host.node(node("n"));
    let reason = |host: &mut Host<_>, pod| host.reasons(&pod, "n").remove(0);
    assert_eq!(reason(&mut host, pod()), "None None None [] None None None");
    let fields = r#"{"spec": {"activeDeadlineSeconds": 60, "containers": [{"image": "web", "name": "w"}]}}"#;
    let full = pod().label("team", "a").annotation("example.com/cache", "3").fields(fields);
    assert_eq!(reason(&mut host, full.clone()), r#"Some("a") Some("3") Some(60) ["web"] None None None"#);
    for team in ["x", "y"] {
        host.node(
            node("n").label("team", team).annotation("example.com/cache", "9").fields(r#"{"spec": {"podCIDR": "10"}}"#),
        );
        let node = format!(r#"Some("{team}") Some("9") Some("10")"#);
        assert_eq!(reason(&mut host, pod()), format!("None None None [] {node}"));
    }
}

#[test]
fn a_value_of_another_type_fails_the_cycle_and_names_the_path() {
    let mut host = Host::<every_named_fact::Plugin>::new();
    host.node(node("n"));
    let rejected = host.verdict(&pod().fields(r#"{"spec": {"activeDeadlineSeconds": "soon"}}"#), "n").unwrap();
    assert_eq!(rejected.code, Code::Error);
    let problem = "field spec.activeDeadlineSeconds: invalid type: string \"soon\", expected i64";
    assert_eq!(rejected.reasons, [problem]);
}

/// Counts the pods of each team on nodes and among the pending pods.
mod teams {
    use std::collections::BTreeMap;

    use berth_guest::index::Index;
    use berth_guest::plugin::NoArgs;

    use super::*;

    #[derive(Default)]
    pub struct Teams {
        running: BTreeMap<pod::Id, String>,
        waiting: BTreeMap<pod::Id, (String, String)>,
    }

    impl Index for Teams {
        type Nodes = ();
        type Pods = Team;
        type PendingPods = (Team, pod::SchedulingGroup);

        fn new(_: &NoArgs) -> Teams {
            Teams::default()
        }

        fn pod_set(&mut self, pod: pod::Id, _: node::Id, team: &Team) {
            self.running.insert(pod, team.get().unwrap_or_default().to_owned());
        }

        fn pod_removed(&mut self, pod: pod::Id) {
            self.running.remove(&pod);
        }

        fn pending_pod_set(&mut self, pod: pod::Id, (team, group): (&Team, &pod::SchedulingGroup)) {
            self.waiting.insert(pod, (team.get().unwrap_or_default().to_owned(), group.to_string()));
        }

        fn pending_pod_removed(&mut self, pod: pod::Id) {
            self.waiting.remove(&pod);
        }
    }

    fn score(teams: &Teams) -> i64 {
        let running = teams.running.values().filter(|team| *team == "a").count();
        let waiting = teams.waiting.values().filter(|(team, group)| team == "a" && group == "g").count();
        (running * 10 + waiting) as i64
    }

    berth_guest::plugin!(name: "Teams", index: Teams, score: score);
}

#[test]
fn an_index_follows_pending_pods() {
    let mut host = Host::<teams::Plugin>::new();
    let declaration = host.declaration();
    let keys = |pods: &Option<PodReads>| pods.as_ref().map(|pods| pods.label_keys.clone());
    assert_eq!(keys(&declaration.resident_pods), Some(vec!["team".to_owned()]));
    assert_eq!(keys(&declaration.pending_pods), Some(vec!["team".to_owned()]));
    host.node(node("n"));
    let member = pod().label("team", "a").scheduling_group("g");
    let score = |host: &mut Host<_>| host.raw_scores(&pod())["n"];
    let waiting = [host.pending(&member), host.pending(&member)];
    host.change_pending(waiting[1], &pod());
    assert_eq!(score(&mut host), 1);
    host.remove_pending(waiting[0]);
    host.resident(&member, "n");
    assert_eq!(score(&mut host), 10);
    host.pending(&member);
    assert_eq!((score(&mut host), score(&mut host.fresh())), (11, 11));
}

/// Reads the facts that version 0.2 of the contract added.
mod new_facts {
    use super::*;

    #[allow(clippy::too_many_arguments, reason = "a fact each")]
    fn filter(
        limits: &pod::Limits,
        qos: &pod::Qos,
        created: &pod::CreationTime,
        group: &pod::SchedulingGroup,
        containers: &pod::Containers,
        capacity: &node::Capacity,
        info: &node::Info,
        time: &Time,
    ) -> Verdict {
        let limit = containers.first().map(|container| container.limits.memory);
        let now = time.0;
        let [pod_facts, node_facts] = [
            format!("{} {:?} {} {} {limit:?}", limits.milli_cpu, qos.0, created.0, &**group),
            format!("{} {} {now}", capacity.pods, info.architecture),
        ];
        Verdict::unschedulable(format!("{pod_facts} {node_facts}"))
    }

    berth_guest::plugin!(name: "NewFacts", filter: filter);
}

#[test]
fn the_new_facts_arrive() {
    use berth_guest::types::{ContainerKind, NodeFacts, NodeInfo, PodFacts, QosClass, Scope};
    let mut host = Host::<new_facts::Plugin>::new();
    let declaration = host.declaration();
    let facts = PodFacts::LIMITS | PodFacts::QOS | PodFacts::CREATION_TIME | PodFacts::SCHEDULING_GROUP;
    assert_eq!(declaration.pod.facts, facts | PodFacts::CONTAINERS);
    assert_eq!(declaration.node.facts, NodeFacts::CAPACITY | NodeFacts::INFO);
    assert_eq!((declaration.reads_time, declaration.filter_scope), (true, Scope::Cluster));
    host.set_time(7);
    host.node(node("n").capacity("pods", "9").info(NodeInfo { architecture: "arm64".into(), ..NodeInfo::default() }));
    let mut full = pod().limit("cpu", "500m").qos(QosClass::Burstable).created(5).scheduling_group("g");
    full = full.container("c", ContainerKind::Main, &[]);
    full.0.containers[0].limits.memory = 3;
    assert_eq!(host.reasons(&full, "n"), ["500 QosClass::Burstable 5 g Some(3) 9 arm64 7"]);
}
