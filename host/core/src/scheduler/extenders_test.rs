//! Tests of extenders in cycles, in preemption and in binding. Each node has space for one pod.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::*;
use crate::cache::{NodeId, PodId};
use crate::extenders::{Extender, Extenders, Filtered, Scores, Victims};
use crate::facts::{NodeFacts, PodFacts};
use crate::model::{Container, ContainerKind, Node, PodSpec, Resources};
use crate::plugins::{
    AskBack, Candidate, Code, Cycle, Declaration, PluginError, PluginId, PodActions, PodSignatureId, PostFilterResult,
    PreFilterResult, PreScoreResult, PreemptionPlan, Scope, Status, Verdicts, WhatIf,
};
use crate::profile::ProfilePlugin;
use crate::reads::PodReads;

/// A test plugin. The filter passes nodes without pods, and the post-filter preempts on the first node that the
/// extenders leave.
struct OneEach;

impl Plugins for OneEach {
    fn pre_filter(&mut self, _: PluginId, _: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        Ok(PreFilterResult::All)
    }

    fn filter(&mut self, _: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let full = |node: &NodeId| cycle.cache.node(*node).is_some_and(|info| !info.pods.is_empty());
        let outcomes = vec![Status { code: Code::Unschedulable, reasons: vec!["full".into()] }];
        Ok(Verdicts { outcomes, nodes: nodes.iter().map(|node| u16::from(full(node))).collect() })
    }

    fn filter_what_if(&mut self, _: PluginId, _: &Cycle<'_>, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        Ok(Verdicts { outcomes: Vec::new(), nodes: vec![0; cases.len()] })
    }

    fn post_filter(
        &mut self,
        _: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        codes: &[Code],
        _: &[PodId],
        ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        let helpful = nodes.iter().zip(codes).filter(|(_, code)| **code == Code::Unschedulable);
        let candidate = |(node, _): (&NodeId, &Code)| {
            let victims = cycle.cache.node(*node).map_or_else(Vec::new, |info| info.pods.clone());
            (!victims.is_empty()).then_some(Candidate { node: *node, victims, violations: 0 })
        };
        let no = |why: String| PostFilterResult::Unschedulable {
            reasons: vec![why.into()],
            clear: false,
            intents: Vec::new(),
            pods: PodActions::default(),
        };
        Ok(match ask.extenders(helpful.filter_map(candidate).collect()) {
            Err(why) => no(why),
            Ok(left) => match left.into_iter().next() {
                None => no("no candidate".to_owned()),
                Some(Candidate { node, victims, .. }) => {
                    PostFilterResult::Nominate(PreemptionPlan { node, evict: victims, ..PreemptionPlan::default() })
                }
            },
        })
    }

    fn pre_score(&mut self, _: PluginId, _: &Cycle<'_>, _: &[NodeId]) -> Result<PreScoreResult, PluginError> {
        Ok(PreScoreResult::Skip)
    }

    fn score(&mut self, _: PluginId, _: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        Ok(vec![0; nodes.len()])
    }

    fn normalize(&mut self, _: PluginId, _: &Cycle<'_>, _: &[NodeId], s: &[i64]) -> Result<Vec<i64>, PluginError> {
        Ok(s.to_vec())
    }

    fn forget_signatures(&mut self, _: &PodReads, _: &[PodSignatureId]) {}
}

type Named<T> = &'static [(&'static str, T)];

/// The scripted answers of one extender.
#[derive(Clone)]
struct Script {
    extender: Extender,
    /// The nodes that the extender rejects, with the reason. A `!` before the reason stands for an unresolvable
    /// rejection.
    rejects: Result<Named<&'static str>, &'static str>,
    scores: Result<Named<i64>, &'static str>,
    victims: Result<Named<&'static [&'static str]>, &'static str>,
}

impl Script {
    /// Creates a script for an extender that has all verbs except bind.
    fn new() -> Self {
        let extender =
            Extender { name: "url".into(), filters: true, weight: Some(1), preempts: true, ..Extender::default() };
        Self { extender, rejects: Ok(&[]), scores: Ok(&[]), victims: Ok(&[("a", &["r-a"])]) }
    }

    fn ignorable(mut self) -> Self {
        self.extender.ignorable = true;
        self
    }
}

struct Scripted {
    scripts: Vec<Script>,
    list: Vec<Extender>,
    asked: Sender<String>,
}

impl Scripted {
    fn asked(&self, what: String) {
        self.asked.send(what).expect("the bench is there");
    }
}

impl Extenders for Scripted {
    fn list(&self) -> &[Extender] {
        &self.list
    }

    fn filter(&mut self, extender: usize, _: &Pod, nodes: &[&str]) -> Result<Filtered, String> {
        self.asked(format!("{extender} filter {}", nodes.join(" ")));
        let mut filtered = Filtered::default();
        let rejects = self.scripts[extender].rejects?;
        for node in nodes {
            match rejects.iter().find(|(name, _)| name == node).map(|(_, why)| *why) {
                None => filtered.nodes.push((*node).into()),
                Some("") => {}
                Some(why) => {
                    let map = if why.starts_with('!') { &mut filtered.unresolvable } else { &mut filtered.failed };
                    map.insert((*node).into(), why.into());
                }
            }
        }
        Ok(filtered)
    }

    fn prioritize(&mut self, extenders: &[usize], _: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>> {
        self.asked(format!("{extenders:?} prioritize {}", nodes.join(" ")));
        let scores = |at: &usize| {
            let scores = self.scripts[*at].scores?;
            Ok(scores.iter().map(|(node, score)| ((*node).into(), *score)).collect())
        };
        extenders.iter().map(scores).collect()
    }

    fn process_preemption(
        &mut self,
        extender: usize,
        _: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        let sent: Vec<String> = candidates.iter().map(|one| format!("{}-{}", one.node, one.pods.len())).collect();
        self.asked(format!("{extender} preempt {}", sent.join(" ")));
        let victims = |(node, pods): &(&str, &[&str])| Victims {
            node: (*node).into(),
            pods: pods.iter().map(|uid| (*uid).into()).collect(),
            violations: 0,
        };
        Ok(self.scripts[extender].victims?.iter().map(victims).collect())
    }

    fn ignored(&mut self, extender: usize, _: &Pod, error: &str) {
        self.asked(format!("{extender} ignored: {error}"));
    }
}

struct Bench {
    core: Core,
    extenders: Scripted,
    asked: Receiver<String>,
    now: Timestamp,
}

fn resident(name: &str) -> Pod {
    let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
    Pod { key, spec: Arc::new(PodSpec::default()), ..Pod::default() }
}

impl Bench {
    /// Creates a bench with the nodes a, b and c.
    fn new(scripts: Vec<Script>) -> Self {
        let (asker, asked) = channel();
        let list = scripts.iter().map(|script| script.extender.clone()).collect();
        let extenders = Scripted { scripts, list, asked: asker };
        let mut bench = Self { core: Core::new(Options::default()), extenders, asked, now: Timestamp(0) };
        let declaration = Declaration {
            name: "OneEach".into(),
            node: NodeFacts::NAME.into(),
            resident_pods: PodFacts::NAME.into(),
            filter_scope: Scope::Node,
            ..Declaration::default()
        };
        let declaration = Arc::new(declaration);
        let plugin = ProfilePlugin { id: PluginId(0), declaration, failure_policy: Default::default() };
        let (filter, post_filter) = (vec![plugin.clone()], vec![plugin]);
        bench.step(Event::PluginsSwapped(vec![Profile { filter, post_filter, ..Profile::default() }]));
        for name in ["a", "b", "c"] {
            bench.step(Event::NodeSet(Arc::new(Node { name: name.into(), uid: name.into(), ..Node::default() })));
        }
        bench
    }

    /// Creates a bench as [`Self::new`], with a pod on each of these nodes.
    fn full(scripts: Vec<Script>, nodes: &[&str]) -> Self {
        let mut bench = Self::new(scripts);
        for node in nodes {
            let pod = Pod { node_name: (*node).into(), ..resident(&format!("r-{node}")) };
            bench.step(Event::PodSet(Arc::new(pod)));
        }
        bench
    }

    fn step(&mut self, event: Event) -> Vec<String> {
        let mut actions = self.core.step(event, self.now, &mut OneEach, &mut self.extenders);
        while self.core.has_work() {
            actions.extend(self.core.step(Event::Cycle, self.now, &mut OneEach, &mut self.extenders));
        }
        let shortened = |action: Action| match action {
            Action::Bind { node, .. } => Some(format!("bind to {node}")),
            Action::BindByExtender { extender, node, .. } => Some(format!("{extender} binds to {node}")),
            Action::Evict { pod, .. } => Some(format!("evict {}", pod.name)),
            Action::SetUnscheduled { reason, message, .. } => Some(format!("{reason}: {message}")),
            _ => None,
        };
        actions.into_iter().filter_map(shortened).collect()
    }

    /// Schedules a pod and returns the outcome.
    fn place(&mut self) -> String {
        self.step(Event::PodSet(Arc::new(resident("p")))).join("; ")
    }

    fn asked(&self) -> String {
        self.asked.try_iter().collect::<Vec<_>>().join("; ")
    }
}

/// As in kube-scheduler, an attempt in which an extender fails ends the nomination.
#[test]
fn a_nomination_ends_when_an_extender_fails() {
    let nominated = Pod { nominated_node_name: "a".into(), ..resident("p") };
    for (script, ends) in [
        (Script { rejects: Err("code 500"), ..Script::new() }, true),
        (Script { rejects: Ok(&[("a", "no"), ("b", "no"), ("c", "no")]), ..Script::new() }, false),
    ] {
        let mut bench = Bench::new(vec![script]);
        let described = bench.step(Event::PodSet(Arc::new(nominated.clone())));
        assert_eq!(bench.core.nominations().is_empty(), ends, "{described:?}");
    }
}

#[test]
fn each_extender_filters_the_nodes_that_the_last_one_left() {
    let rejects = |rejects| Script { rejects: Ok(rejects), ..Script::new() };
    let fails = Script { rejects: Err("code 500"), ..Script::new() };
    for (scripts, placed, asked) in [
        (vec![rejects(&[("a", "no")]), rejects(&[("b", "!never")])], "bind to c", "0 filter a b c; 1 filter b c"),
        (
            vec![rejects(&[("a", "no"), ("b", "no"), ("c", "!never")]), rejects(&[])],
            "Unschedulable: 0/3 nodes are available: 1 !never, 2 no. no candidate",
            "0 filter a b c",
        ),
        (
            vec![rejects(&[("a", ""), ("b", ""), ("c", "")])],
            "Unschedulable: 0/3 nodes are available: no candidate",
            "0 filter a b c",
        ),
        (vec![fails.clone(), rejects(&[])], "SchedulerError: code 500", "0 filter a b c"),
        (
            vec![fails.ignorable(), rejects(&[("a", "no"), ("b", "no")])],
            "bind to c",
            "0 filter a b c; 0 ignored: code 500; 1 filter a b c",
        ),
    ] {
        let mut bench = Bench::new(scripts);
        assert_eq!(bench.place(), placed);
        assert_eq!(bench.asked(), asked);
    }
}

/// The answers of the plugin about the other nodes are cached.
#[test]
fn the_reasons_of_plugins_and_extenders_add_up() {
    let script = Script { rejects: Ok(&[("b", "no"), ("c", "no")]), victims: Ok(&[("a", &["r-a"])]), ..Script::new() };
    let mut bench = Bench::full(vec![script], &["a"]);
    // The node that the plugin rejected is a candidate for preemption.
    assert_eq!(bench.place(), "evict r-a; Unschedulable: 0/3 nodes are available: 1 full, 2 no.");
}

#[test]
fn extender_scores_are_weighted_and_scaled() {
    let scores = |scores, weight| {
        let extender = Extender { filters: false, weight: Some(weight), ..Script::new().extender };
        Script { extender, scores: Ok(scores), ..Script::new() }
    };
    let fails = Script { scores: Err("slow"), ..scores(&[], 1) };
    for (scripts, placed) in [
        (vec![scores(&[("a", 1), ("b", 10), ("c", 9)], 1)], "bind to b"),
        (vec![scores(&[("a", 1), ("b", 10)], 1), scores(&[("c", 4)], 3)], "bind to c"),
        (vec![scores(&[("b", 5), ("b", 5), ("c", 9), ("elsewhere", 99)], 1)], "bind to b"),
        (vec![fails, scores(&[("a", 1)], 1)], "bind to a"),
        (vec![scores(&[("a", i64::MAX), ("b", -1), ("c", 0)], 2)], "bind to a"),
    ] {
        assert_eq!(Bench::new(scripts).place(), placed);
    }
    let mut bench = Bench::full(vec![scores(&[], 1)], &["a", "b"]);
    assert_eq!((bench.place(), bench.asked()), ("bind to c".into(), String::new()), "there is no choice");
}

#[test]
fn an_extender_with_managed_resources_is_asked_about_pods_that_request_them() {
    let extender = Extender { managed_resources: vec!["a/x".into()], binds: true, ..Script::new().extender };
    let mut bench = Bench::new(vec![Script { extender, ..Script::new() }]);
    assert!(bench.place().starts_with("bind to"));
    assert_eq!(bench.asked(), "");
    let requests = Resources { scalars: vec![("a/x".into(), 1)], ..Resources::default() };
    let container = Container {
        name: "c".into(),
        kind: ContainerKind::Init,
        image: "i".into(),
        requests,
        limits: Resources::default(),
        host_ports: Vec::new(),
    };
    let spec = Arc::new(PodSpec { containers: vec![container], ..PodSpec::default() });
    let bound = bench.step(Event::PodSet(Arc::new(Pod { spec, ..resident("q") }))).join("; ");
    assert!(bound.starts_with("0 binds to"), "{bound}");
    assert!(bench.asked().starts_with("0 filter"));
}

#[test]
fn extenders_choose_victims() {
    let victims = |victims| Script { victims: Ok(victims), ..Script::new() };
    let fails = Script { victims: Err("code 500"), ..Script::new() };
    let full = "Unschedulable: 0/3 nodes are available: 3 full.";
    let all = "0 preempt a-1 b-1 c-1";
    for (scripts, came, asked) in [
        (vec![victims(&[("b", &["r-b"])])], "evict r-b".to_owned(), all.to_owned()),
        (vec![victims(&[])], format!("{full} no candidate"), all.to_owned()),
        (
            vec![victims(&[("b", &["r-b"]), ("c", &["r-c"])]), victims(&[("c", &["r-c"])])],
            "evict r-c".to_owned(),
            format!("{all}; 1 preempt b-1 c-1"),
        ),
        (vec![fails.clone()], format!("{full} code 500"), all.to_owned()),
        (vec![fails.ignorable()], "evict r-a".to_owned(), format!("{all}; 0 ignored: code 500")),
        (
            vec![victims(&[("b", &[])])],
            format!("{full} expected at least one victim pod on node \"b\""),
            all.to_owned(),
        ),
        (vec![victims(&[("b", &[]), ("c", &["r-c"])]).ignorable()], "evict r-c".to_owned(), all.to_owned()),
        (vec![victims(&[("z", &["r-a"])])], format!("{full} nodeinfo not found for node name \"z\""), all.to_owned()),
        (
            vec![victims(&[("b", &["r-a"])])],
            format!(
                "{full} extender: url claims to preempt pod (UID: r-a) on node: b, but the pod is not found on that node"
            ),
            all.to_owned(),
        ),
    ] {
        let mut bench = Bench::full(scripts, &["a", "b", "c"]);
        let pod = Pod { spec: Arc::new(PodSpec { priority: 1, ..PodSpec::default() }), ..resident("p") };
        let reported = bench.step(Event::PodSet(Arc::new(pod))).join("; ");
        match came.starts_with("evict") {
            true => assert!(reported.split("; ").any(|reported| reported == came), "{reported}, not {came}"),
            false => assert_eq!(reported, came),
        }
        assert_eq!(bench.asked(), asked);
    }
}

#[test]
fn the_first_binding_extender_replaces_plugins_and_server() {
    let binds = || Script { extender: Extender { binds: true, ..Extender::default() }, ..Script::new() };
    let key = || resident("p").key;
    let mut bench = Bench::full(vec![Script::new(), binds()], &["a", "b"]);
    assert_eq!(bench.place(), "1 binds to c");
    bench.step(Event::Bound(key()));
    assert_eq!(bench.core.in_flight(), 0);

    let mut bench = Bench::full(vec![binds()], &["a", "b"]);
    bench.place();
    assert_eq!(bench.step(Event::BindFailed(key(), "no".into())), ["SchedulerError: no"]);
    bench.now = bench.now.after(Duration::from_secs(2));
    assert_eq!(bench.step(Event::Tick), ["0 binds to c"], "it is tried again");

    let mut bench = Bench::full(vec![binds().ignorable()], &["a", "b"]);
    bench.place();
    assert_eq!(bench.step(Event::BindFailed(key(), "no".into())), ["bind to c"]);
    assert_eq!(bench.asked(), "0 ignored: no");
}

#[test]
fn any_event_may_help_a_pod_that_an_extender_rejected() {
    let mut bench = Bench::new(vec![Script { rejects: Ok(&[("a", "no"), ("b", "no"), ("c", "no")]), ..Script::new() }]);
    bench.place();
    assert_eq!(bench.asked(), "0 filter a b c");
    let labels = [("l", "x".to_owned())].into_iter().collect();
    bench.now = bench.now.after(Duration::from_secs(60));
    let node = Node { name: "a".into(), uid: "a".into(), labels, ..Node::default() };
    bench.step(Event::NodeSet(Arc::new(node)));
    assert_eq!(bench.asked(), "0 filter a b c");
}
