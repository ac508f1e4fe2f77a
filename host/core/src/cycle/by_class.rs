//! Plugins that answer by classes of nodes. In each cycle, such a plugin is asked once for the class of each node and
//! the filter's verdicts on the classes, and once for the scores of the classes with nodes that passed.

use std::sync::Arc;

use super::asking::{check_number, check_outcomes, right_length};
use super::{ProfilePlugin, SchedulingCycle};
use crate::cache::{Cache, NodeId};
use crate::plugins::{
    ClassFilter, ClassId, ClassScores, Classified, MOST_CLASSES, Passed, PluginError, PreFilterResult, PreScoreResult,
    Status, Verdicts,
};
use crate::profile::FailurePolicy;
use crate::results::entry_at;

/// The scores of some nodes, in the order of the nodes.
pub(super) struct NodeScores {
    pub raw: Vec<i64>,
    pub normalized: Vec<i64>,
}

impl SchedulingCycle<'_> {
    /// Returns the plugin's answer about classes in this cycle, or `None` if the plugin is asked node by node.
    pub(super) fn by_class(&mut self, plugin: &ProfilePlugin) -> Result<Option<Arc<Classified>>, PluginError> {
        if !self.may_answer_by_class(plugin) {
            return Ok(None);
        }
        if let Some((_, answer)) = self.lookups.by_class.iter().find(|(of, _)| *of == plugin.id) {
            return Ok(answer.clone());
        }
        let answer = self.classify(plugin)?.map(Arc::new);
        self.lookups.by_class.push((plugin.id, answer.clone()));
        Ok(answer)
    }

    /// Returns whether the core asks the plugin about classes. The plugin can still answer that it is to be asked node
    /// by node.
    pub(super) fn may_answer_by_class(&self, plugin: &ProfilePlugin) -> bool {
        self.results.is_enabled()
            && plugin.declaration.answers_by_class()
            && plugin.failure_policy == FailurePolicy::Fail
            && !self.results.is_distrusted(plugin.id)
    }

    fn classify(&mut self, plugin: &ProfilePlugin) -> Result<Option<Classified>, PluginError> {
        let known = self.results_of(plugin).classes.known();
        let (plugins, cycle) = self.call(plugin);
        let Some(classified) = plugins.classify(plugin.id, &cycle, known)? else { return Ok(None) };
        check(plugin, self.cache, &classified, known)?;
        let number = self.number;
        let results = self.results_of(plugin);
        results.classes.apply(&classified, number);
        results.pre_score = Some(classified.pre_score());
        Ok(Some(classified))
    }

    /// Returns the class of each of these nodes.
    pub(super) fn classes_of(&mut self, plugin: &ProfilePlugin, nodes: &[NodeId]) -> Result<Vec<ClassId>, PluginError> {
        let cache = self.cache;
        let classes = &self.results_of(plugin).classes;
        let class = |node: &NodeId| {
            classes
                .of(*node)
                .ok_or_else(|| plugin.failed(format!("classify gave node {} no class", cache.node_name(*node))))
        };
        nodes.iter().map(class).collect()
    }

    /// Returns a verdict for each of `nodes`.
    pub(super) fn verdicts_by_class(
        &mut self,
        plugin: &ProfilePlugin,
        answer: &Classified,
        nodes: &[NodeId],
    ) -> Result<Verdicts, PluginError> {
        Ok(match &answer.filter {
            ClassFilter::Skip => Verdicts { outcomes: Vec::new(), nodes: vec![0; nodes.len()] },
            ClassFilter::Reject(status) => Verdicts { outcomes: vec![status.clone()], nodes: vec![1; nodes.len()] },
            ClassFilter::Verdicts(verdicts) => {
                let classes = self.classes_of(plugin, nodes)?;
                let nodes: Result<Vec<u16>, _> =
                    classes.into_iter().map(|class| answer.verdict(plugin, class)).collect();
                Verdicts { outcomes: verdicts.outcomes.clone(), nodes: nodes? }
            }
        })
    }

    /// Returns the scores of `nodes`, which must be all nodes that passed all filters.
    pub(super) fn scores_by_class(
        &mut self,
        plugin: &ProfilePlugin,
        nodes: &[NodeId],
    ) -> Result<NodeScores, PluginError> {
        let classes = self.classes_of(plugin, nodes)?;
        let passed = passed(classes.iter().map(|class| (*class, 1)));
        let scores = self.class_scores(plugin, &passed)?;
        let mut of_class = vec![(0, 0); passed.last().map_or(0, |last| last.class.0 as usize + 1)];
        for (passed, scores) in passed.iter().zip(scores.raw.into_iter().zip(scores.normalized)) {
            of_class[passed.class.0 as usize] = scores;
        }
        let (raw, normalized) = classes.iter().map(|class| of_class[class.0 as usize]).unzip();
        Ok(NodeScores { raw, normalized })
    }

    /// Returns the scores of classes. A normalized score outside of 0 to 100 is an error.
    pub(super) fn class_scores(
        &mut self,
        plugin: &ProfilePlugin,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        let (plugins, cycle) = self.call(plugin);
        let scores = plugins.score_classes(plugin.id, &cycle, passed)?;
        for given in [&scores.raw, &scores.normalized] {
            right_length(plugin, "score-classes", given.len(), passed.len(), "classes")?;
        }
        scores.normalized.iter().try_for_each(|score| plugin.check_score(*score))?;
        Ok(scores)
    }
}

impl Classified {
    /// Returns the answer that the plugin would give to pre-filter.
    pub fn pre_filter(&self) -> PreFilterResult {
        match &self.filter {
            ClassFilter::Skip => PreFilterResult::Skip,
            ClassFilter::Reject(status) => PreFilterResult::Reject(status.clone()),
            ClassFilter::Verdicts(_) => PreFilterResult::All,
        }
    }

    /// Returns the answer that the plugin would give to pre-score.
    pub fn pre_score(&self) -> PreScoreResult {
        if self.scores { PreScoreResult::Score } else { PreScoreResult::Skip }
    }

    /// Returns the filter's verdict on a class: 0 if the pod fits, otherwise the number of an outcome, counted from 1.
    /// Returns 0 for an answer without verdicts on classes.
    pub fn verdict(&self, plugin: &ProfilePlugin, class: ClassId) -> Result<u16, PluginError> {
        let ClassFilter::Verdicts(verdicts) = &self.filter else { return Ok(0) };
        let verdict = verdicts.nodes.get(class.0 as usize).copied();
        verdict.ok_or_else(|| plugin.failed(format!("classify gave class {} no verdict", class.0)))
    }

    /// Returns the filter's rejection of a class, or `None` if the pod fits.
    pub fn rejection(&self, plugin: &ProfilePlugin, class: ClassId) -> Result<Option<&Status>, PluginError> {
        let ClassFilter::Verdicts(verdicts) = &self.filter else { return Ok(None) };
        let verdict = self.verdict(plugin, class)?;
        Ok(usize::from(verdict).checked_sub(1).map(|outcome| &verdicts.outcomes[outcome]))
    }
}

/// Returns the number of nodes in each class that has nodes, in the order of the classes.
pub(super) fn passed(nodes: impl Iterator<Item = (ClassId, u32)>) -> Vec<Passed> {
    let mut of_class: Vec<u32> = Vec::new();
    for (class, nodes) in nodes {
        *entry_at(&mut of_class, class.0 as usize, 0) += nodes;
    }
    let passed = (0..).zip(of_class).map(|(class, nodes)| Passed { class: ClassId(class), nodes });
    passed.filter(|passed| passed.nodes > 0).collect()
}

/// Checks that the answer is consistent, continues the known answer, and names only nodes of the cluster. The check of
/// nodes matters because tables are as long as the highest node id.
fn check(plugin: &ProfilePlugin, cache: &Cache, answer: &Classified, known: u64) -> Result<(), PluginError> {
    right_length(plugin, "classify", answer.classes.len(), answer.nodes.len(), "nodes")?;
    if let Some(node) = answer.nodes.iter().find(|node| cache.node(**node).is_none()) {
        return Err(plugin.failed(format!("classify named node {}, which does not exist", node.0)));
    }
    if known == 0 && !answer.anew {
        return Err(plugin.failed("classify returned changes before it returned the classes of all nodes"));
    }
    if let Some(class) = answer.classes.iter().find(|class| class.0 >= MOST_CLASSES) {
        let message = format!("classify named class {}; classes have to be less than {MOST_CLASSES}", class.0);
        return Err(plugin.failed(message));
    }
    match &answer.filter {
        ClassFilter::Verdicts(verdicts) => {
            check_number(plugin, "classify", verdicts)?;
            check_outcomes(plugin, verdicts)
        }
        ClassFilter::Skip | ClassFilter::Reject(_) => Ok(()),
    }
}
