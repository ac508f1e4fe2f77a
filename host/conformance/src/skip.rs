//! Checks the promise of skip and sort-key: the plugin has no effect on pods that it skips, and neither answer depends on
//! nodes.

use berth_core::cache::Cache;
use berth_core::plugins::{ExtensionPoints, Permission, PreFilterResult, PreScoreResult, Reserved, Undone};

use super::answer::{Answer, Answers, Line};
use super::bench::{About, Bench, Broken};
use super::compare::difference;
use super::promise::Promise;
use super::question::Question;
use super::world::World;
use berth_plugin_host::Export;
use berth_plugin_host::examine::Resident;

impl Bench<'_> {
    /// Calls skip. Compares the answer with the other `answers` in the same cycle. Compares the answers of skip and of
    /// sort-key with those of an instance without nodes and without the pods on them.
    pub fn check_skip(
        &mut self,
        lived: &mut Resident,
        question: &Question,
        world: &World,
        answers: &Answers,
    ) -> Result<(), Broken> {
        let points = self.declaration.points;
        if !points.intersects(ExtensionPoints::SKIP | ExtensionPoints::QUEUE_SORT) {
            return Ok(());
        }
        let about = About { question: Some(question), node: None };
        let has_skip = points.contains(ExtensionPoints::SKIP);
        let skips = if has_skip { self.ask_skip(lived, question, &world.cache)? } else { None };
        if skips == Some(true)
            && let Some(line) = answers.0.iter().find(|line| has_effect(line))
        {
            let violation = difference(&Answer::Skip(true), &line.answer, ("from skip", "from this extension point"));
            self.record(Promise::Skip, line.export, about, violation);
        }
        let objects = world.objects_alone();
        let mut elsewhere = self.fill(&objects)?;
        let occasions = ("with this cluster", "without nodes");
        // With declared cluster facts, the answer of skip may depend on the images or the number of nodes.
        if let (Some(here), true) = (skips, self.declaration.cluster_facts.is_empty())
            && let Some(there) = self.ask_skip(&mut elsewhere, question, &objects)?
            && here != there
        {
            let violation = difference(&Answer::Skip(here), &Answer::Skip(there), occasions);
            self.record(Promise::Skip, Export::Skip, about, violation);
        }
        if let Some(here @ Answer::SortKey(_)) = answers.of(Export::SortKey) {
            self.hold(&mut elsewhere, question)?;
            let there = self.ask_sort_key(&mut elsewhere, &question.cycle(&objects), about)?;
            if *here != there {
                self.record(Promise::Skip, Export::SortKey, about, difference(here, &there, occasions));
            }
        }
        Ok(())
    }

    /// Returns whether the plugin skips the pod, or `None` if the call failed.
    fn ask_skip(
        &mut self,
        resident: &mut Resident,
        question: &Question,
        cache: &Cache,
    ) -> Result<Option<bool>, Broken> {
        self.hold(resident, question)?;
        match resident.instance().skip(&question.cycle(cache)) {
            Ok(skips) => Ok(Some(skips)),
            Err(error) => self.failed(error, About { question: Some(question), node: None }).map(|_| None),
        }
    }
}

/// Returns whether the answer shows that the plugin has an effect on the pod.
fn has_effect(line: &Line) -> bool {
    match &line.answer {
        Answer::PreEnqueue(held) => held.is_some(),
        Answer::PreFilter(result) => *result != PreFilterResult::Skip,
        Answer::PreScore(result) => *result != PreScoreResult::Skip,
        Answer::Reserved(reserved) => *reserved != Ok(Reserved::default()),
        Answer::Permission(permission) => *permission != Permission::default(),
        Answer::Undone(undone) => *undone != Undone::default(),
        Answer::Intents(intents) => {
            intents.as_ref().is_some_and(|intents| !intents.is_empty() || line.export == Export::Bind)
        }
        _ => false,
    }
}
