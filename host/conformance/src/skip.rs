//! Checks the promise of skip: the plugin has no effect on pods that it skips.

use berth_core::cache::Cache;
use berth_core::plugins::{ExtensionPoints, Permission, PreFilterResult, PreScoreResult, Reserved};

use super::answer::{Answer, Answers, Line};
use super::bench::{About, Bench, Broken};
use super::compare::difference;
use super::promise::Promise;
use super::question::Question;
use super::world::World;
use berth_plugin_host::Export;
use berth_plugin_host::examine::Resident;

impl Bench<'_> {
    /// Calls skip. Compares the answer with the other `answers` in the same cycle, and with the skip answer of an
    /// instance without nodes and without the pods on them.
    pub fn check_skip(
        &mut self,
        lived: &mut Resident,
        question: &Question,
        world: &World,
        answers: &Answers,
    ) -> Result<(), Broken> {
        if !self.declaration.points.contains(ExtensionPoints::SKIP) {
            return Ok(());
        }
        let about = About { question: Some(question), node: None };
        let skips = self.ask_skip(lived, question, &world.cache)?;
        if skips == Some(true)
            && let Some(line) = answers.0.iter().find(|line| has_effect(line))
        {
            let violation = difference(&Answer::Skip(true), &line.answer, ("from skip", "from this extension point"));
            self.record(Promise::Skip, line.export, about, violation);
        }
        // With declared cluster facts, the answer may depend on the images or the number of nodes.
        if !self.declaration.cluster_facts.is_empty() {
            return Ok(());
        }
        let objects = world.objects_alone();
        let mut elsewhere = self.fill(&objects)?;
        let there = self.ask_skip(&mut elsewhere, question, &objects)?;
        if let (Some(here), Some(there)) = (skips, there)
            && here != there
        {
            let violation =
                difference(&Answer::Skip(here), &Answer::Skip(there), ("with this cluster", "without nodes"));
            self.record(Promise::Skip, Export::Skip, about, violation);
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
        Answer::Intents(intents) => {
            intents.as_ref().is_some_and(|intents| !intents.is_empty() || line.export == Export::Bind)
        }
        _ => false,
    }
}
