//! Tests of plugins that answer by class, together with a plugin that answers node by node.

use std::collections::BTreeMap;

use super::tests::schedule;
use super::*;
use crate::facts::NodeFacts;
use crate::model::Node;
use crate::plugins::{
    ClassFilter, ClassId, ClassScores, Classified, Code, Cycle, Declaration, Normalization, Passed, PreFilterResult,
    PreScoreResult, Scope, Status, Verdicts,
};
use crate::profile::ProfilePlugin;

/// The first plugin answers by class. The second plugin has scope node, rejects tainted nodes, and scores all nodes
/// equally.
#[derive(Clone, Default)]
struct Spread {
    /// The class of each node, by node name.
    classes: BTreeMap<&'static str, u32>,
    /// By class: the reason with which the filter rejects, or `None` if the pod fits.
    rejects: Vec<Option<&'static str>>,
    /// By class: the scores, both raw and normalized.
    scores: Vec<i64>,
    /// By class: the scores that the plugin gives node by node, if they differ from `scores`.
    scores_by_node: Option<Vec<i64>>,
    /// A further node that the plugin puts into class 0.
    names_too: Option<NodeId>,
    /// The plugin does not answer by class.
    refuses: bool,
    sent: BTreeMap<&'static str, u32>,
    calls: Vec<String>,
}

impl Spread {
    fn class(&self, cycle: &Cycle<'_>, node: NodeId) -> usize {
        let name = cycle.cache.node_name(node);
        self.classes[name] as usize
    }

    fn outcomes(&self) -> Vec<Status> {
        let status = |why: &str| Status { code: Code::Unschedulable, reasons: vec![why.into()] };
        self.rejects.iter().flatten().map(|why| status(why)).collect()
    }

    fn verdict(&self, class: usize) -> u16 {
        let rejects = self.rejects.iter().take(class + 1).flatten().count();
        if self.rejects[class].is_some() { rejects as u16 } else { 0 }
    }

    fn called(&mut self, plugin: PluginId, what: String) -> bool {
        self.calls.push(format!("{} {what}", ["spread", "taints"][plugin.0 as usize]));
        plugin.0 == 0
    }
}

impl Plugins for Spread {
    fn pre_filter(&mut self, plugin: PluginId, _: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        self.called(plugin, "pre-filter".into());
        Ok(PreFilterResult::All)
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        if self.called(plugin, format!("filter {}", nodes.len())) {
            let nodes = nodes.iter().map(|node| self.verdict(self.class(cycle, *node))).collect();
            return Ok(Verdicts { outcomes: self.outcomes(), nodes });
        }
        let tainted = |node: &NodeId| cycle.cache.node(*node).is_some_and(|info| info.node.unschedulable);
        let status = Status { code: Code::Unschedulable, reasons: vec!["cordoned".into()] };
        Ok(Verdicts { outcomes: vec![status], nodes: nodes.iter().map(|node| u16::from(tainted(node))).collect() })
    }

    fn pre_score(&mut self, plugin: PluginId, _: &Cycle<'_>, _: &[NodeId]) -> Result<PreScoreResult, PluginError> {
        self.called(plugin, "pre-score".into());
        Ok(PreScoreResult::Score)
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        if self.called(plugin, format!("score {}", nodes.len())) {
            let scores = self.scores_by_node.as_ref().unwrap_or(&self.scores);
            return Ok(nodes.iter().map(|node| scores[self.class(cycle, *node)]).collect());
        }
        Ok(vec![0; nodes.len()])
    }

    fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        self.called(plugin, format!("classify {known}"));
        if self.refuses {
            return Ok(None);
        }
        let changed = self.classes.iter().filter(|(name, class)| known == 0 || self.sent.get(*name) != Some(class));
        let ids = changed.filter_map(|(name, class)| Some((cycle.cache.node_id(name)?, ClassId(*class))));
        let (mut nodes, mut classes): (Vec<NodeId>, Vec<ClassId>) = ids.unzip();
        if let Some(node) = self.names_too {
            nodes.push(node);
            classes.push(ClassId(0));
        }
        let verdicts = (0..self.rejects.len()).map(|class| self.verdict(class)).collect();
        self.sent.clone_from(&self.classes);
        let filter = ClassFilter::Verdicts(Verdicts { outcomes: self.outcomes(), nodes: verdicts });
        Ok(Some(Classified { filter, scores: true, anew: known == 0, nodes, classes }))
    }

    fn score_classes(
        &mut self,
        plugin: PluginId,
        _: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        let counts: Vec<String> = passed.iter().map(|of| format!("{}x{}", of.nodes, of.class.0)).collect();
        self.called(plugin, format!("score-classes {}", counts.join(" ")));
        let scores: Vec<i64> = passed.iter().map(|of| self.scores[of.class.0 as usize]).collect();
        Ok(ClassScores { raw: scores.clone(), normalized: scores })
    }
}

/// The nodes a, b and c, of classes 0, 0 and 1.
struct Bench {
    cache: Cache,
    results: ResultCache,
    plugins: Spread,
    cycle: u64,
    verify: bool,
}

impl Bench {
    fn new(rejects: &[Option<&'static str>], scores: &[i64]) -> Self {
        let mut bench = Self {
            cache: Cache::default(),
            results: ResultCache::new(1 << 20),
            plugins: Spread {
                classes: [("a", 0), ("b", 0), ("c", 1)].into(),
                rejects: rejects.to_vec(),
                scores: scores.to_vec(),
                ..Spread::default()
            },
            cycle: 0,
            verify: false,
        };
        ["a", "b", "c"].into_iter().for_each(|name| bench.set_node(name, false));
        bench
    }

    fn set_node(&mut self, name: &str, unschedulable: bool) {
        self.cache.set_node(Arc::new(Node { name: name.into(), unschedulable, ..Node::default() }));
    }

    fn profile() -> Profile {
        let plugin = |id, name: &str, scope| {
            let declaration = Declaration {
                name: name.into(),
                points: ExtensionPoints::all(),
                node: NodeFacts::UNSCHEDULABLE.into(),
                filter_scope: scope,
                score_scope: scope,
                normalization: Normalization::None,
                ..Declaration::default()
            };
            let (id, failure_policy) = (PluginId(id), Default::default());
            ProfilePlugin { id, declaration: Arc::new(declaration), failure_policy }
        };
        let all = vec![plugin(0, "Spread", Scope::Domain), plugin(1, "Taints", Scope::Node)];
        let score = all.iter().map(|plugin| (plugin.clone(), 1)).collect();
        Profile { pre_filter: all.clone(), filter: all.clone(), pre_score: all, score, ..Profile::default() }
    }

    fn place(&mut self) -> Result<String, String> {
        self.cycle += 1;
        self.plugins.calls.clear();
        let profile = Self::profile();
        let placed = schedule(self.cycle, &profile, &self.cache, &mut self.results, &mut self.plugins, self.verify);
        let name = |node| self.cache.node(node).map_or_else(String::new, |info| info.node.name.to_string());
        placed.map(name).map_err(|failure| failure.to_string())
    }
}

#[test]
fn an_equal_pod_costs_two_calls_and_no_look_at_nodes() {
    let mut bench = Bench::new(&[None, None], &[10, 20]);
    assert_eq!(bench.place(), Ok("c".into()));
    assert_eq!(bench.plugins.calls.iter().filter(|call| call.starts_with("spread")).count(), 2);
    assert_eq!(bench.place(), Ok("c".into()));
    assert_eq!(bench.plugins.calls, ["spread classify 1", "spread score-classes 2x0 1x1"]);
    bench.plugins.scores = vec![30, 20];
    assert!(bench.place().is_ok_and(|node| node != "c"), "classes are asked about for every pod");
    bench.plugins.rejects[0] = Some("full");
    assert_eq!(bench.place(), Ok("c".into()));
    assert_eq!(bench.plugins.calls, ["spread classify 3"], "one that fits on one node alone is not scored");
}

#[test]
fn nodes_move_between_classes_and_cease_to_pass_others() {
    let mut bench = Bench::new(&[None, None, None], &[10, 20, 5]);
    assert_eq!(bench.place(), Ok("c".into()));
    bench.plugins.classes.insert("c", 2);
    bench.plugins.classes.insert("b", 1);
    assert_eq!(bench.place(), Ok("b".into()));
    assert_eq!(bench.plugins.calls, ["spread classify 1", "spread score-classes 1x0 1x1 1x2"]);
    bench.set_node("b", true);
    assert_eq!(bench.place(), Ok("a".into()));
    assert_eq!(bench.plugins.calls, ["spread classify 2", "taints filter 1", "spread score-classes 1x0 1x2"]);
    bench.plugins.classes.insert("d", 1);
    bench.set_node("d", false);
    assert_eq!(bench.place(), Ok("d".into()));
}

#[test]
fn a_rejection_by_class_gives_the_reasons() {
    let mut bench = Bench::new(&[Some("full"), Some("far")], &[0, 0]);
    assert_eq!(bench.place(), Err("0/3 nodes are available: 1 far, 2 full.".into()));
    bench.set_node("c", true);
    bench.plugins.rejects[1] = None;
    assert_eq!(bench.place(), Err("0/3 nodes are available: 1 cordoned, 2 full.".into()));
}

#[test]
fn a_plugin_that_refuses_classes_is_asked_node_by_node() {
    let mut bench = Bench::new(&[None, Some("far")], &[10, 20]);
    bench.plugins.refuses = true;
    assert!(bench.place().is_ok_and(|node| node != "c"));
    let calls: Vec<_> = bench.plugins.calls.iter().filter(|call| call.starts_with("spread")).collect();
    assert_eq!(
        calls,
        ["spread classify 0", "spread pre-filter", "spread filter 3", "spread pre-score", "spread score 2"]
    );
}

#[test]
fn inconsistent_answers_are_failures() {
    let mut bench = Bench::new(&[None, None], &[10, 200]);
    let range = "plugin Spread: gave the score 200; after normalizing it has to be 0 to 100";
    assert_eq!(bench.place(), Err(range.into()));
    bench = Bench::new(&[None], &[10]);
    assert_eq!(bench.place(), Err("plugin Spread: classify gave class 1 no verdict".into()));
    bench = Bench::new(&[None, None], &[10, 20]);
    bench.plugins.classes.insert("c", 5000);
    bench.plugins.rejects.resize(5001, None);
    let too_high = "plugin Spread: classify named class 5000; classes have to be less than 4096";
    assert_eq!(bench.place(), Err(too_high.into()));
    bench = Bench::new(&[None, None], &[10, 20]);
    bench.plugins.names_too = Some(NodeId(1_000_000));
    assert_eq!(bench.place(), Err("plugin Spread: classify named node 1000000, which does not exist".into()));
    bench = Bench::new(&[None, None], &[10, 20]);
    assert!(bench.place().is_ok());
    bench.set_node("d", false);
    assert_eq!(bench.place(), Err("plugin Spread: classify gave node d no class".into()));
}

#[test]
fn a_plugin_whose_classes_contradict_its_nodes_is_distrusted() {
    let mut bench = Bench::new(&[None, None], &[10, 20]);
    bench.plugins.scores_by_node = Some(vec![20, 10]);
    assert_eq!(bench.place(), Ok("c".into()));
    bench.verify = true;
    assert!(bench.place().is_ok_and(|node| node != "c"), "what it says node by node is used where they differ");
    let what: Vec<&str> = bench.results.distrusted.iter().map(|distrusted| &*distrusted.what).collect();
    assert!(
        matches!(what[..], [only] if only.contains("its score on node a") && only.contains("by class")),
        "{what:?}"
    );
    bench.verify = false;
    assert!(bench.place().is_ok_and(|node| node != "c"));
    assert!(!bench.plugins.calls.iter().any(|call| call.contains("class")), "{:?}", bench.plugins.calls);
}
