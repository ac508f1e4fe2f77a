//! Tests of the scheduling cycle, with plugins that answer from a script.

use std::collections::BTreeMap;

use super::*;
use crate::extenders::NoExtenders;
use crate::facts::NodeFacts;
use crate::model::{Effect, Node, Taint};
use crate::plugins::{
    Code, Cycle, Declaration, ExtensionPoints, Normalization, PreFilterResult, PreScoreResult, Scope, Status, Verdicts,
};
use crate::profile::{FailurePolicy, ProfilePlugin};
use crate::reads::PodReads;

/// The answers of one plugin. A node that is not in `rejects` fits, and a node that is not in `scores` scores 0.
#[derive(Clone, Default)]
struct Script {
    pre_filter: Option<PreFilterResult>,
    rejects: BTreeMap<&'static str, &'static str>,
    reject_code: Option<Code>,
    pre_score: Option<PreScoreResult>,
    scores: BTreeMap<&'static str, i64>,
    normalized: Option<Vec<i64>>,
    fails: bool,
    skips: bool,
    scope: Scope,
    normalization: Normalization,
    weight: i64,
    policy: FailurePolicy,
    answers_too_few: bool,
    /// The number of further outcomes in the answer, which no node refers to.
    more_outcomes: usize,
}

struct Scripted {
    scripts: Vec<Script>,
    calls: Vec<String>,
}

impl Scripted {
    fn name<'a>(cycle: &Cycle<'a>, node: NodeId) -> &'a str {
        cycle.cache.node_name(node)
    }

    fn called(&mut self, plugin: PluginId, what: &str, nodes: usize) -> Result<Script, PluginError> {
        self.calls.push(format!("{what} {} {nodes}", plugin.0));
        let script = self.scripts[plugin.0 as usize].clone();
        if script.fails {
            return Err(PluginError::failed(format!("P{}", plugin.0).into(), "trapped".into()));
        }
        Ok(script)
    }
}

impl Plugins for Scripted {
    fn skip(&mut self, plugin: PluginId, _: &Cycle<'_>) -> Result<bool, PluginError> {
        let skips = self.scripts[plugin.0 as usize].skips;
        self.calls.extend(skips.then(|| format!("skip {}", plugin.0)));
        Ok(skips)
    }

    fn pre_filter(&mut self, plugin: PluginId, _: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        Ok(self.called(plugin, "pre-filter", 0)?.pre_filter.unwrap_or(PreFilterResult::All))
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        let script = self.called(plugin, "filter", nodes.len())?;
        let mut verdicts = Verdicts::default();
        for node in nodes.iter().skip(usize::from(script.answers_too_few)) {
            match script.rejects.get(Self::name(cycle, *node)) {
                None => verdicts.nodes.push(0),
                Some(reason) => {
                    let code = script.reject_code.unwrap_or(Code::Unschedulable);
                    verdicts.outcomes.push(Status { code, reasons: vec![(*reason).into()] });
                    verdicts.nodes.push(verdicts.outcomes.len() as u16);
                }
            }
        }
        let more = |n| Status { code: Code::Unschedulable, reasons: vec![format!("{n} of {}", cycle.id).into()] };
        verdicts.outcomes.extend((0..script.more_outcomes).map(more));
        Ok(verdicts)
    }

    fn pre_score(&mut self, plugin: PluginId, _: &Cycle<'_>, nodes: &[NodeId]) -> Result<PreScoreResult, PluginError> {
        Ok(self.called(plugin, "pre-score", nodes.len())?.pre_score.unwrap_or(PreScoreResult::Score))
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        let script = self.called(plugin, "score", nodes.len())?;
        let score = |node: &NodeId| script.scores.get(Self::name(cycle, *node)).copied().unwrap_or(0);
        Ok(nodes.iter().map(score).collect())
    }

    fn normalize(
        &mut self,
        plugin: PluginId,
        _: &Cycle<'_>,
        nodes: &[NodeId],
        _: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        Ok(self.called(plugin, "normalize", nodes.len())?.normalized.unwrap_or_default())
    }
}

/// The nodes a, b and c, and a profile in which each script is a plugin at pre-filter, filter, pre-score and score.
struct Bench {
    cache: Cache,
    results: ResultCache,
    plugins: Scripted,
    /// The node facts that the scripts declare. The facts include the name, because the scripts answer by node name.
    node_facts: NodeFacts,
    cycle: u64,
    verify: bool,
}

impl Bench {
    fn new(scripts: Vec<Script>) -> Self {
        let mut cache = Cache::default();
        for name in ["a", "b", "c"] {
            cache.set_node(Arc::new(Node { name: name.into(), ..Node::default() }));
        }
        Self {
            cache,
            results: ResultCache::new(1 << 20),
            plugins: Scripted { scripts, calls: Vec::new() },
            node_facts: NodeFacts::TAINTS | NodeFacts::NAME,
            cycle: 0,
            verify: false,
        }
    }

    fn profile(&self) -> Profile {
        let plugin = |(n, script): (usize, &Script)| {
            let declaration = Declaration {
                name: format!("P{n}").into(),
                points: ExtensionPoints::all(),
                node: self.node_facts.into(),
                filter_scope: script.scope,
                score_scope: script.scope,
                normalization: script.normalization,
                ..Declaration::default()
            };
            let (id, failure_policy) = (PluginId(n as u32), script.policy);
            (ProfilePlugin { id, declaration: Arc::new(declaration), failure_policy }, script.weight.max(1))
        };
        let score: Vec<_> = self.plugins.scripts.iter().enumerate().map(plugin).collect();
        let all: Vec<ProfilePlugin> = score.iter().map(|(plugin, _)| plugin.clone()).collect();
        Profile { pre_filter: all.clone(), filter: all.clone(), pre_score: all, score, ..Profile::default() }
    }

    fn place(&mut self) -> Result<String, String> {
        self.cycle += 1;
        let profile = self.profile();
        let chosen = schedule(self.cycle, &profile, &self.cache, &mut self.results, &mut self.plugins, self.verify);
        match chosen {
            Ok(node) => Ok(self.cache.node(node).map_or_else(String::new, |info| info.node.name.to_string())),
            Err(Failure::Unschedulable(diagnosis, _)) => Err(diagnosis.to_string()),
            Err(Failure::Plugin(error) | Failure::PostFilter(error)) => Err(error.to_string()),
            Err(Failure::Extender(error)) => Err(error),
            Err(Failure::NoNodes) => Err("no nodes".into()),
        }
    }
}

/// Schedules a pod in the cycle of this number.
pub(super) fn schedule(
    number: u64,
    profile: &Profile,
    cache: &Cache,
    results: &mut ResultCache,
    plugins: &mut dyn Plugins,
    verify: bool,
) -> Result<NodeId, Failure> {
    let mut cycle = SchedulingCycle {
        number,
        time: Timestamp(0),
        seed: 0,
        pod: &Arc::default(),
        profile,
        cache,
        nominations: &Nominations::default(),
        results,
        plugins,
        extenders: &mut NoExtenders,
        next_start: 0,
        verify,
        may_preempt: true,
        observer: None,
        lookups: Lookups::default(),
        recording: None,
    };
    cycle.schedule(&mut fastrand::Rng::with_seed(1))
}

fn rejecting(rejects: &[(&'static str, &'static str)]) -> Script {
    Script { rejects: rejects.iter().copied().collect(), ..Script::default() }
}

fn scoring(scores: &[(&'static str, i64)]) -> Script {
    Script { scores: scores.iter().copied().collect(), ..Script::default() }
}

fn pre_filtering(result: PreFilterResult) -> Script {
    Script { pre_filter: Some(result), ..Script::default() }
}

fn narrowing(names: &[&str]) -> Script {
    pre_filtering(PreFilterResult::Narrow(names.iter().map(|name| (*name).into()).collect()))
}

/// Schedules two equal pods, with plugins of either scope, and compares both results with the expected one.
fn place_twice(name: &str, scripts: &[Script], expected: Result<&str, &str>) {
    for scope in [Scope::Cluster, Scope::Node] {
        let scripts = scripts.iter().map(|script| Script { scope, ..script.clone() }).collect();
        let mut bench = Bench::new(scripts);
        let twice = [bench.place(), bench.place()];
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(twice, [expected.clone(), expected], "{name}, {scope:?}");
    }
}

fn status(code: Code, reason: &str) -> Status {
    Status { code, reasons: vec![reason.into()] }
}

#[test]
fn a_plugin_that_skips_pods_is_asked_once_and_verified() {
    let mut bench = Bench::new(vec![Script { skips: true, ..rejecting(&[("a", "x"), ("b", "x"), ("c", "x")]) }]);
    assert!(bench.place().is_ok());
    assert!(bench.place().is_ok());
    assert_eq!(bench.plugins.calls, ["skip 0"]);
    bench.verify = true;
    assert_eq!(bench.place(), Err("0/3 nodes are available: 3 x.".into()));
    let what: Vec<&str> = bench.results.distrusted.iter().map(|distrusted| &*distrusted.what).collect();
    assert!(matches!(what[..], [only] if only.contains("skips pods such as")), "{what:?}");
    bench.verify = false;
    assert!(bench.place().is_err(), "it is asked like others from then on");
}

#[test]
fn outcomes_of_filters() {
    let full = Script { rejects: [("a", "full"), ("b", "full")].into(), ..narrowing(&["a", "b"]) };
    let skipping =
        Script { pre_filter: Some(PreFilterResult::Skip), ..rejecting(&[("a", "x"), ("b", "x"), ("c", "x")]) };
    let unsure = Script { reject_code: Some(Code::Error), ..rejecting(&[("b", "no idea")]) };
    let too_few = Script { answers_too_few: true, ..Script::default() };
    let too_many = Script { more_outcomes: 1001, ..Script::default() };
    let reject = |code| pre_filtering(PreFilterResult::Reject(status(code, "never")));
    let cases = [
        ("the one that fits", vec![rejecting(&[("a", "full"), ("c", "full")])], Ok("b")),
        (
            "reasons are counted and sorted as text",
            vec![rejecting(&[("a", "full"), ("b", "full")]), rejecting(&[("a", "z"), ("c", "cold")])],
            Err("0/3 nodes are available: 1 cold, 2 full."),
        ),
        ("a plugin that skips does not filter", vec![skipping, rejecting(&[("a", "x"), ("b", "x")])], Ok("c")),
        ("narrowed to one", vec![narrowing(&["b", "unknown"])], Ok("b")),
        ("lists are intersected", vec![narrowing(&["a", "b"]), narrowing(&["b", "c"])], Ok("b")),
        (
            "none is in both lists",
            vec![narrowing(&["a"]), narrowing(&["c"])],
            Err("0/3 nodes are available: node(s) didn't satisfy plugin(s) [P0 P1] simultaneously."),
        ),
        ("an empty list", vec![narrowing(&[])], Err("0/3 nodes are available: node(s) didn't satisfy plugin P0.")),
        (
            "nodes left out count, too",
            vec![full],
            Err("0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [P0], 2 full."),
        ),
        (
            "a list of unknown nodes",
            vec![narrowing(&["gone"])],
            Err("0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [P0]."),
        ),
        (
            "rejected before filtering",
            vec![reject(Code::UnschedulableAndUnresolvable)],
            Err("0/3 nodes are available: never."),
        ),
        ("a pre-filter that can't tell", vec![reject(Code::Error)], Err("plugin P0: never")),
        ("a filter that can't tell", vec![unsure], Err("plugin P0: no idea")),
        ("too few answers", vec![too_few], Err("plugin P0: filter gave 2 answers about 3 nodes")),
        (
            "too many different reasons",
            vec![too_many],
            Err("plugin P0: filter gave 1001 different outcomes, where 1000 are the most"),
        ),
        ("a trap", vec![Script { fails: true, ..Script::default() }], Err("plugin P0: trapped")),
    ];
    cases.into_iter().for_each(|(name, scripts, expected)| place_twice(name, &scripts, expected));
}

#[test]
fn reasons_of_earlier_answers_are_dropped_and_their_nodes_asked_about_again() {
    let rejects = [("a", "full"), ("b", "far"), ("c", "full")];
    let script = Script { scope: Scope::Node, more_outcomes: 990, ..rejecting(&rejects) };
    let mut bench = Bench::new(vec![script]);
    for cycle in 0..12 {
        // A fact of one node changes that the plugin reads.
        let key = format!("{cycle}").into_boxed_str();
        let taints = vec![Taint { key, value: "".into(), effect: Effect::NoSchedule }];
        bench.cache.set_node(Arc::new(Node { name: "a".into(), taints, ..Node::default() }));
        assert_eq!(bench.place(), Err("0/3 nodes are available: 1 far, 2 full.".into()), "in cycle {cycle}");
        let signature = bench.results.pod_signatures.of(&PodReads::default(), &Arc::default(), 100);
        assert!(bench.results.of(PluginId(0), signature, 100).rejections.len() <= 4000, "in cycle {cycle}");
    }
    let asked: Vec<&str> = bench.plugins.calls.iter().filter_map(|call| call.strip_prefix("filter 0 ")).collect();
    assert_eq!(asked, ["3", "1", "1", "1", "1", "2", "1", "1", "1", "1", "2", "1", "1", "1"]);
}

#[test]
fn outcomes_of_scores() {
    let weighted = |weight, scores| Script { weight, ..scoring(scores) };
    let normalized = |normalization, scores| Script { normalization, ..scoring(scores) };
    let custom = Script { normalized: Some(vec![0, 7, 0]), ..normalized(Normalization::Custom, &[("a", 1)]) };
    let skipping = Script { pre_score: Some(PreScoreResult::Skip), ..scoring(&[("a", 100)]) };
    let failing = |policy| Script { policy, ..scoring(&[("a", 101)]) };
    let cases = [
        ("the best", vec![scoring(&[("b", 9)])], Ok("b")),
        ("weights", vec![weighted(3, &[("a", 10)]), scoring(&[("b", 29)])], Ok("a")),
        ("a plugin that skips adds nothing", vec![skipping, scoring(&[("c", 1)])], Ok("c")),
        ("scaled", vec![normalized(Normalization::Default, &[("a", 4), ("b", 2)]), scoring(&[("b", 49)])], Ok("a")),
        ("turned round", vec![normalized(Normalization::DefaultReversed, &[("a", 4), ("b", 2)])], Ok("c")),
        ("its own", vec![custom], Ok("b")),
        (
            "out of range",
            vec![failing(FailurePolicy::Fail)],
            Err("plugin P0: gave the score 101; after normalizing it has to be 0 to 100"),
        ),
        ("a failure that may be ignored", vec![failing(FailurePolicy::IgnoreScores), scoring(&[("c", 1)])], Ok("c")),
    ];
    cases.into_iter().for_each(|(name, scripts, expected)| place_twice(name, &scripts, expected));
}

#[test]
fn nothing_of_scope_node_is_decided_twice() {
    let mut bench = Bench::new(vec![Script { scope: Scope::Node, ..scoring(&[("b", 9)]) }]);
    assert_eq!(bench.place(), Ok("b".into()));
    bench.plugins.calls.clear();
    assert_eq!(bench.place(), Ok("b".into()));
    assert_eq!(bench.plugins.calls, Vec::<String>::new(), "all was known");
    bench.cache.set_node(Arc::new(Node { name: "d".into(), ..Node::default() }));
    assert_eq!(bench.place(), Ok("b".into()));
    assert_eq!(bench.plugins.calls, ["filter 0 1", "score 0 1"], "only the new node is asked about");
}

#[test]
fn one_of_several_equal_nodes_is_asked_about() {
    let mut bench = Bench::new(vec![Script { scope: Scope::Node, ..scoring(&[]) }]);
    bench.node_facts = NodeFacts::TAINTS;
    assert!(bench.place().is_ok());
    assert_eq!(bench.plugins.calls, ["pre-filter 0 0", "filter 0 1", "pre-score 0 0", "score 0 1"]);
    bench.plugins.calls.clear();
    bench.cache.set_node(Arc::new(Node { name: "d".into(), ..Node::default() }));
    assert!(bench.place().is_ok());
    assert_eq!(bench.plugins.calls, Vec::<String>::new(), "the new node is like the others");
}

#[test]
fn one_feasible_node_is_not_scored() {
    let mut bench = Bench::new(vec![rejecting(&[("a", "x"), ("b", "x")])]);
    assert_eq!(bench.place(), Ok("c".into()));
    assert_eq!(bench.plugins.calls, ["pre-filter 0 0", "filter 0 3"]);
}

#[test]
fn a_plugin_that_declares_a_scope_wrongly_is_found_and_named() {
    let mut bench = Bench::new(vec![Script { scope: Scope::Node, ..rejecting(&[("a", "full"), ("b", "full")]) }]);
    assert_eq!(bench.place(), Ok("c".into()));
    bench.plugins.scripts[0].rejects = [("a", "full"), ("c", "full")].into();
    assert_eq!(bench.place(), Ok("c".into()), "nothing changed, so the kept answer is used");
    bench.verify = true;
    assert_eq!(bench.place(), Ok("b".into()), "the fresh answer is used where they differ");
    assert_eq!(bench.results.distrusted.len(), 1);
    assert!(bench.results.distrusted[0].what.contains("verdict on node b"), "{}", bench.results.distrusted[0].what);
    bench.verify = false;
    bench.plugins.scripts[0].rejects = [("b", "full"), ("c", "full")].into();
    assert_eq!(bench.place(), Ok("a".into()), "it is asked for every pod from now on");
}
