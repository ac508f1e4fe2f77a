//! Extenders with faults: the extenders fail and reject nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, MutexGuard, PoisonError};

use berth_core::extenders::{Extender, Extenders, Filtered, Scores, Victims};
use berth_core::model::{Pod, PodKey};

/// The answers of the extenders in one scheduling cycle. Clones share them.
#[derive(Clone, Default)]
#[expect(clippy::disallowed_types, reason = "the core wants extenders that can be sent to another thread")]
pub struct ExtenderAnswers(Arc<std::sync::Mutex<Answers>>);

#[derive(Default)]
struct Answers {
    taken_away: BTreeSet<Box<str>>,
    scores: BTreeMap<Box<str>, i64>,
}

impl ExtenderAnswers {
    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the answers of the cycle before.
    pub fn forget(&self) {
        *self.lock() = Answers::default();
    }

    /// Returns true for a node that an extender took away.
    pub fn takes_away(&self, node: &str) -> bool {
        self.lock().taken_away.contains(node)
    }

    /// Returns the score that the extenders gave the node.
    pub fn score(&self, node: &str) -> i64 {
        self.lock().scores.get(node).copied().unwrap_or_default()
    }
}

/// Two extenders. The first filters, preempts and binds. The second only scores, and is ignorable. While there are
/// faults, both fail at random, and the first takes nodes away.
pub struct FakeExtenders {
    list: [Extender; 2],
    rng: fastrand::Rng,
    faults: Arc<AtomicBool>,
    answers: ExtenderAnswers,
}

impl FakeExtenders {
    pub fn new(seed: u64, faults: Arc<AtomicBool>, answers: ExtenderAnswers) -> Self {
        let filters =
            Extender { name: "first".into(), filters: true, preempts: true, binds: true, ..Extender::default() };
        let scores = Extender { name: "second".into(), weight: Some(1), ignorable: true, ..Extender::default() };
        Self { list: [filters, scores], rng: fastrand::Rng::with_seed(seed), faults, answers }
    }

    fn one_in(&mut self, times: u8) -> bool {
        self.faults.load(Relaxed) && self.rng.u8(..times) == 0
    }
}

impl Extenders for FakeExtenders {
    fn list(&self) -> &[Extender] {
        &self.list
    }

    fn filter(&mut self, _: usize, _: &Pod, nodes: &[&str]) -> Result<Filtered, String> {
        if self.one_in(16) {
            return Err("no answer".to_owned());
        }
        let mut filtered = Filtered::default();
        for node in nodes {
            match self.one_in(4) {
                true => drop(filtered.failed.insert((*node).into(), "taken away".into())),
                false => filtered.nodes.push((*node).into()),
            }
        }
        // The last answer counts: the core asks about a pod's nominated node alone first, and then about all nodes.
        self.answers.lock().taken_away = filtered.failed.keys().cloned().collect();
        Ok(filtered)
    }

    fn prioritize(&mut self, extenders: &[usize], _: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>> {
        let each = extenders.iter().map(|_| match self.one_in(8) {
            true => Err("no answer".to_owned()),
            false => Ok(nodes.iter().map(|node| ((*node).into(), node.len() as i64 % 11)).collect()),
        });
        let each: Vec<Result<Scores, String>> = each.collect();
        // The scoring extender has the weight 1.
        for (node, score) in each.iter().flatten().flatten() {
            *self.answers.lock().scores.entry(node.clone()).or_default() += *score;
        }
        each
    }

    fn process_preemption(
        &mut self,
        _: usize,
        _: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        if self.one_in(8) {
            return Err("no answer".to_owned());
        }
        let uids = |victims: &Victims<PodKey>| Victims {
            node: victims.node.clone(),
            pods: victims.pods.iter().map(|pod| pod.uid.clone()).collect(),
            violations: victims.violations,
        };
        Ok(candidates.iter().map(uids).collect())
    }

    fn ignored(&mut self, _: usize, _: &Pod, _: &str) {}
}
