//! Sends an instance random changes of a cluster. After every few changes, an inspection calls the instance in several
//! ways and compares the answers.

use std::sync::Arc;

use berth_core::cache::{Cache, NodeId};
use berth_core::facts::{ClusterFacts, NodeFacts, PodFacts};
use berth_core::model::Pod;
use berth_core::plugins::{ExtensionPoints, PodSignatureId, PreFilterResult, PreScoreResult, Scope};
use berth_core::pod_signature::PodSignatures;
use fastrand::Rng;

use super::answer::{Answer, Answers};
use super::bench::{About, Bench, Broken};
use super::classes::ByClass;
use super::compare::difference;
use super::maker::Maker;
use super::nodes;
use super::promise::Promise;
use super::question::Question;
use super::scope::{Kept, Scoped};
use super::variety::Variety;
use super::world::World;
use berth_plugin_host::examine::Resident;
use berth_plugin_host::{Export, Version};

/// The largest number of random changes between two inspections.
const BETWEEN: usize = 80;
/// The number of pods in the pool. Several inspections use the same pod.
const POOL: usize = 12;
/// The number of pod signatures that may be held after an inspection. If there are more, the least recently used are
/// forgotten, and three quarters of this number stay.
const SIGNATURES: usize = 24;
/// Before each inspection whose number is a multiple of this, all nodes and pods are set again, as after a new list
/// from the API server.
const RELIST: usize = 5;
/// After each inspection whose number is a multiple of this, a new instance replaces the long-lived one, as after a
/// trap.
const REPLACE: usize = 11;

/// The examination of an instance through changes of the cluster.
pub(super) struct Changes<'b, 'a> {
    bench: &'b mut Bench<'a>,
    world: World,
    pool: Vec<Arc<Pod>>,
    signatures: PodSignatures,
    kept: Kept,
    classes: ByClass,
    /// The instance under examination.
    long_lived: Resident,
    /// An instance that was filled with an empty cluster.
    empty: Resident,
    rng: Rng,
    variety: Variety,
}

impl<'b, 'a> Changes<'b, 'a> {
    pub fn new(bench: &'b mut Bench<'a>, seed: u64) -> Result<Self, Broken> {
        let mut world = World::new(Maker::new(bench.words(), seed), &bench.declaration);
        let pool = (0..POOL).map(|_| Arc::new(asked_pod(&mut world.maker))).collect();
        let (long_lived, empty) = (bench.fill(&world.cache)?, bench.fill(&Cache::default())?);
        Ok(Self {
            bench,
            world,
            pool,
            signatures: PodSignatures::with_limit(SIGNATURES),
            kept: Kept::default(),
            classes: ByClass::default(),
            long_lived,
            empty,
            rng: Rng::with_seed(!seed),
            variety: Variety::default(),
        })
    }

    /// Makes at least `deltas` changes. `pods` returns the number of pods of an inspection, given the number of
    /// earlier inspections.
    pub fn run(mut self, deltas: usize, pods: impl Fn(usize) -> usize) -> Result<Variety, Broken> {
        let mut inspections = 0;
        while self.bench.deltas < deltas {
            for _ in 0..self.rng.usize(..=BETWEEN) {
                self.world.delta();
                self.bench.deltas += 1;
            }
            if inspections % RELIST == RELIST - 1 {
                self.world.relist();
            }
            self.inspect(pods(inspections))?;
            if inspections % REPLACE == REPLACE - 1 {
                self.long_lived = self.bench.fill(&self.world.cache)?;
                // The promise `Kept` does not cover a comparison with the replaced instance.
                self.kept = Kept::default();
            }
            inspections += 1;
        }
        Ok(self.variety)
    }

    fn inspect(&mut self, pods: usize) -> Result<(), Broken> {
        self.bench.catch_up(&mut self.long_lived, &self.world.cache)?;
        let mut fresh = self.bench.fill(&self.world.cache)?;
        for number in 0..pods {
            let at = match number {
                // Use the first pod of the pool at every inspection, so that little has changed since its last answers.
                0 => 0,
                1 => self.replace_pod(),
                _ => self.rng.usize(1..POOL),
            };
            let (question, other) = (self.question(at), self.question((at + 1) % POOL));
            self.examine(&question, &other, &mut fresh)?;
            if number == 0 {
                self.check_ids(&question, &mut fresh)?;
                self.check_undeclared(&question)?;
                // `check_undeclared` changed the cluster, and `fresh` did not receive the change.
                fresh = self.bench.fill(&self.world.cache)?;
            }
        }
        self.forget();
        Ok(())
    }

    /// Replaces a random pod of the pool by a new one. Returns its index in the pool.
    fn replace_pod(&mut self) -> usize {
        let at = self.rng.usize(..POOL);
        self.pool[at] = Arc::new(asked_pod(&mut self.world.maker));
        at
    }

    fn question(&mut self, at: usize) -> Question {
        let (pod, cycle) = (Arc::clone(&self.pool[at]), self.bench.cycles + 1);
        let signature = self.signatures.of(&self.bench.declaration.pod, &pod, cycle);
        Question { pod, signature: even(signature), cycle }
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.world.cache.nodes().map(|info| info.id).collect()
    }

    fn examine(&mut self, question: &Question, other: &Question, fresh: &mut Resident) -> Result<(), Broken> {
        let (nodes, cache) = (self.nodes(), &self.world.cache);
        let about = (&self.world, &*nodes);
        let first = self.bench.ask(&mut self.long_lived, question, cache, &nodes)?;
        self.variety.count(&first);
        self.bench.record_needs(&first);
        let again = self.bench.ask(&mut self.long_lived, question, cache, &nodes)?;
        let occasions = ("in the first call", "in a second, equal call");
        self.bench.compare(Promise::Repeatable, question, about, (&first, &again), occasions);
        self.classes.check(self.bench, &mut self.long_lived, question, about, &again)?;
        self.bench.check_skip(&mut self.long_lived, question, &self.world, &again)?;
        let same_cycle = question.in_first_cycle();
        for export in self.of_scope_node(&first) {
            let (question, in_its_cycle) = (&same_cycle, question);
            let scoped = Scoped { export, question, in_its_cycle, other, world: &self.world, nodes: &nodes };
            scoped.check(self.bench, &mut self.long_lived, fresh, &mut self.kept, &mut self.rng)?;
        }
        let rebuilt = self.bench.ask(fresh, question, cache, &nodes)?;
        let occasions = ("from the instance that received the changes", "from a new instance");
        self.bench.compare(Promise::Rebuilt, question, about, (&first, &rebuilt), occasions);
        self.check_signature_only(question, &rebuilt)?;
        let variant = self.variant(question);
        let equal = self.bench.ask(fresh, &variant, &self.world.cache, &nodes)?;
        let occasions = ("for this pod", "for a pod with equal declared facts and another signature id");
        self.bench.compare(Promise::Signatures, question, (&self.world, &nodes), (&rebuilt, &equal), occasions);
        Ok(())
    }

    /// Returns filter and score, without the one that has another scope, or that a cycle with these answers skips.
    fn of_scope_node(&self, answers: &Answers) -> Vec<Export> {
        let declaration = &self.bench.declaration;
        let filters = matches!(
            answers.of(Export::PreFilter),
            Some(Answer::PreFilter(PreFilterResult::All | PreFilterResult::Narrow(_)))
        );
        let scores = matches!(answers.of(Export::PreScore), Some(Answer::PreScore(PreScoreResult::Score)));
        [
            (Export::Filter, filters, ExtensionPoints::FILTER, declaration.filter_scope),
            (Export::Score, scores, ExtensionPoints::SCORE, declaration.score_scope),
        ]
        .into_iter()
        .filter(|(_, asked, point, scope)| *asked && declaration.points.contains(*point) && *scope == Scope::Node)
        .map(|(export, ..)| export)
        .collect()
    }

    /// Checks that pre-filter and pre-score of scope `node` give the same answer with an empty cluster.
    fn check_signature_only(&mut self, question: &Question, answers: &Answers) -> Result<(), Broken> {
        let alone = self.bench.ask_pre_filter_and_pre_score(&mut self.empty, question, &Cache::default())?;
        let declaration = Arc::clone(&self.bench.declaration);
        let scopes = [(Export::PreFilter, declaration.filter_scope), (Export::PreScore, declaration.score_scope)];
        for (export, _) in scopes.into_iter().filter(|(_, scope)| *scope == Scope::Node) {
            if let (Some(here), Some(there)) = (answers.of(export), alone.of(export))
                && here != there
            {
                let violation = difference(here, there, ("with this cluster", "with an empty cluster"));
                let about = About { question: Some(question), node: None };
                self.bench.record(Promise::SignatureOnly, export, about, violation);
            }
        }
        Ok(())
    }

    /// Checks that filter and score of scope `node` give the same answers for a copy of the cluster with other ids of
    /// nodes, pods and images.
    fn check_ids(&mut self, question: &Question, fresh: &mut Resident) -> Result<(), Broken> {
        let nodes = self.nodes();
        let answers = self.bench.ask(fresh, question, &self.world.cache, &nodes)?;
        let exports = self.of_scope_node(&answers);
        if exports.is_empty() {
            return Ok(());
        }
        let renumbered = self.world.renumbered();
        let mut other = self.bench.fill(&renumbered)?;
        let cache = &self.world.cache;
        let both = cache.nodes().filter_map(|info| Some((info.id, renumbered.node_id(&info.node.name)?)));
        let (here, there): (Vec<NodeId>, Vec<NodeId>) = both.unzip();
        for export in exports {
            let one = self.bench.ask_alone(export, fresh, question, cache, &here)?;
            let two = self.bench.ask_alone(export, &mut other, question, &renumbered, &there)?;
            if let (Some(one), Some(two)) = (one, two) {
                let occasions = ("with these ids", "with other ids of nodes, pods and images");
                let about = (&self.world, &*here);
                self.bench.compare_each((Promise::Ids, export), question, about, (&one, &two), occasions);
            }
        }
        Ok(())
    }

    /// Checks that a change of undeclared facts of a node, of a pod on a node and of a pending pod changes no answer.
    fn check_undeclared(&mut self, question: &Question) -> Result<(), Broken> {
        let declaration = Arc::clone(&self.bench.declaration);
        let mut undeclared = nodes::CHANGEABLE.difference(declaration.node.facts);
        if declaration.cluster_facts.contains(ClusterFacts::IMAGES) {
            undeclared.remove(NodeFacts::IMAGES);
        }
        let nodes = self.nodes();
        let before = self.bench.ask(&mut self.long_lived, question, &self.world.cache, &nodes)?;
        self.world.change_node(undeclared, &declaration.node);
        self.world.change_pods_beyond(&declaration);
        self.bench.deltas += 1;
        self.bench.catch_up(&mut self.long_lived, &self.world.cache)?;
        let after = self.bench.ask(&mut self.long_lived, question, &self.world.cache, &nodes)?;
        let occasions = ("before", "after a change of facts that the plugin does not declare");
        self.bench.compare(Promise::Undeclared, question, (&self.world, &nodes), (&before, &after), occasions);
        Ok(())
    }

    /// Returns a question with a different pod signature id. Its pod is equal in all declared facts and differs in most
    /// other facts. Since version 0.2, a plugin receives the pod's identity beside the signature, so the identity stays.
    fn variant(&mut self, question: &Question) -> Question {
        let mut facts = PodFacts::all();
        if self.bench.component.contract >= Version::V0_2 {
            facts -= PodFacts::NAME | PodFacts::NAMESPACE | PodFacts::UID;
        }
        let pod = self.world.maker.changed_beyond(&self.bench.declaration.pod, &question.pod, facts);
        Question { pod, signature: PodSignatureId(question.signature.0 + 1), cycle: question.cycle }
    }

    fn forget(&mut self) {
        for forgotten in self.signatures.evict() {
            let signatures: Vec<PodSignatureId> = forgotten.signatures.into_iter().map(even).collect();
            self.long_lived.forget(&signatures);
            self.empty.forget(&signatures);
            self.kept.forget(&signatures);
            self.classes.forget(&signatures);
        }
    }
}

/// Returns an even id. Odd ids are for variants of a pod.
fn even(signature: PodSignatureId) -> PodSignatureId {
    PodSignatureId(2 * signature.0)
}

/// Returns a pod to schedule; sometimes with a node name, which NodeName reads.
fn asked_pod(maker: &mut Maker) -> Pod {
    let mut pod = maker.pod();
    if maker.chance(30) {
        maker.change_pod(&mut pod, PodFacts::NODE_NAME);
    }
    pod
}
