//! Plugins as plain functions, with faults: they trap, are swapped, and answer from the current cache. `ledger.rs`
//! holds their behavior after the choice of a node.

use std::sync::Arc;

use berth_core::cache::{NodeId, PodId};
use berth_core::facts::PodFacts;
use berth_core::intent::Intent;
use berth_core::plugins::{
    AskBack, ClassScores, Classified, Code, Cycle, Declaration, Hint, HintEvent, Passed, Permission, PluginError,
    PluginId, Plugins, PodActions, PostFilterResult, PreFilterResult, PreScoreResult, PreemptionPlan, QueueTimes,
    Reserved, Status, Undone, Verdicts, WhatIf,
};
use berth_core::profile::{Profile, ProfilePlugin};

use crate::answers::{KINDS, declaration, reason, score, skips};
use crate::choice::Choice;
use crate::cluster::{OTHER_PROFILE, PROFILE};
use crate::ledger::{self, Ledger};
use crate::spread::{self, Spread};

pub struct Fakes {
    pub rng: fastrand::Rng,
    /// Draws for a call depend on the call alone, and not on the calls before it.
    pub stateless: bool,
    /// On average, one call in this many traps; 0 for none.
    pub trap_one_in: u32,
    pub generation: u32,
    /// The number of times that all plugins got new instances without a change, as after a restart.
    pub restarts: u32,
    /// A hint never skips a pod that the event may help, and a plugin declares only the kinds that its answers depend
    /// on.
    pub honest: bool,
    /// A plugin scores with the cycle's seed, which can't be cached, so that the candidate index does not rank nodes.
    pub draws: bool,
    /// The number of profiles, one or two.
    pub profiles: usize,
    /// The record of the plugins at reserve and later points, which also checks their calls.
    pub ledger: Ledger,
    /// The state of the plugin that answers by class.
    pub spread: Spread,
    /// Checks the order of attempts and the choice of nodes.
    pub choice: Choice,
}

impl Fakes {
    /// Creates plugins that neither trap nor deny. Up to the choice of a node, their answers depend on the pod and the
    /// cluster alone.
    pub fn without_faults(seed: u64) -> Self {
        let mut ledger = Ledger::new(seed);
        ledger.faults = false;
        let rng = fastrand::Rng::with_seed(seed);
        Self {
            stateless: false,
            rng,
            trap_one_in: 0,
            generation: 0,
            restarts: 0,
            honest: true,
            draws: false,
            profiles: 2,
            ledger,
            spread: Spread::default(),
            choice: Choice::default(),
        }
    }

    /// Returns the profiles with instances of the current generation. The second profile has other weights, and no
    /// Spread at filter.
    pub fn profiles(&self) -> Vec<Profile> {
        let first = self.profile();
        let mut second = Profile { scheduler_name: OTHER_PROFILE.into(), ..first.clone() };
        second.filter.remove(1);
        second.score.iter_mut().for_each(|(_, weight)| *weight = 4 - *weight);
        [first, second].into_iter().take(self.profiles).collect()
    }

    /// Returns whether Crowd reads pending pods. Two of three generations do.
    pub fn reads_pending_pods(&self) -> bool {
        self.generation % 3 != 1
    }

    fn profile_of(&self, cycle: &Cycle<'_>) -> Option<Profile> {
        self.profiles().into_iter().find(|profile| profile.scheduler_name == cycle.pod.spec.scheduler_name)
    }

    fn profile(&self) -> Profile {
        let plugin = |kind: u32| ProfilePlugin {
            id: PluginId((self.generation + self.restarts) * KINDS + kind),
            declaration: Arc::new(Declaration {
                pending_pods: (kind == 7 && self.reads_pending_pods()).then(|| PodFacts::NAME.into()),
                ..declaration(kind, self.honest)
            }),
            failure_policy: Default::default(),
        };
        let mut score = vec![(plugin(0), 3), (plugin(1), 1), (plugin(7), 2), (plugin(8), 2)];
        score.extend(self.draws.then(|| (plugin(2), 2)));
        Profile {
            scheduler_name: PROFILE.into(),
            pre_enqueue: vec![plugin(3)],
            queue_sort: Some(plugin(3)),
            pre_filter: vec![plugin(0), plugin(8), plugin(5)],
            filter: vec![plugin(0), plugin(8), plugin(1)],
            post_filter: vec![plugin(4)],
            pre_score: vec![plugin(0), plugin(2), plugin(8)],
            score,
            reserve: vec![plugin(5), plugin(6)],
            permit: vec![plugin(5), plugin(6)],
            pre_bind: vec![plugin(5), plugin(6)],
            bind: vec![plugin(6)],
            post_bind: vec![plugin(5), plugin(6)],
            ..Profile::default()
        }
    }

    /// Returns what Preemption does with other pods. No event of a claim would wake a pod that Preemption rejects in
    /// permit, so that it rejects none if the plugins are honest.
    fn preemptions_pods(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> PodActions {
        self.begin(plugin, cycle, 1);
        self.ledger.pod_actions(cycle, !self.honest, &mut self.rng)
    }

    /// Begins the draws for a call about this pod.
    fn begin(&mut self, plugin: PluginId, cycle: &Cycle<'_>, call: u64) {
        if self.stateless {
            // A restart changes no answer.
            let instance = u64::from(plugin.0 - self.restarts * KINDS);
            let uid = cycle.pod.key.uid.bytes();
            let uid = uid.fold(instance, |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte));
            self.rng = fastrand::Rng::with_seed(uid ^ (cycle.time.0 << 20) ^ (call << 60));
        }
    }

    pub fn may_trap(&mut self, plugin: PluginId) -> Result<(), PluginError> {
        if self.trap_one_in == 0 || self.rng.u32(..self.trap_one_in) > 0 {
            return Ok(());
        }
        let (name, message) = (declaration(plugin.0 % KINDS, self.honest).name, "trapped".to_owned());
        Err(if self.rng.bool() { PluginError::failed(name, message) } else { PluginError::down(name, message) })
    }
}

impl Plugins for Fakes {
    fn skip(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        self.may_trap(plugin)?;
        Ok(skips(cycle))
    }

    fn pre_enqueue(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        // The core does not ask again about a pod whose answer is cached.
        if !self.stateless {
            self.ledger.seen.insert(cycle.pod.key.uid.clone());
        }
        self.may_trap(plugin)?;
        let status = Status { code: Code::UnschedulableAndUnresolvable, reasons: vec!["gated".into()] };
        Ok((!cycle.pod.spec.scheduling_gates.is_empty()).then_some(status))
    }

    fn sort_key(&mut self, plugin: PluginId, cycle: &Cycle<'_>, times: QueueTimes) -> Result<Box<[i64]>, PluginError> {
        self.may_trap(plugin)?;
        Ok([-i64::from(cycle.pod.spec.priority), times.queued.0 as i64].into())
    }

    fn pre_filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        // The plugin First has scope cluster, so that the core asks First in every cycle. Answers of scope node and
        // domain are cached.
        if plugin.0 % KINDS == 5 {
            self.profile_of(cycle).iter().for_each(|profile| self.choice.begin(cycle, profile));
        }
        self.may_trap(plugin)?;
        Ok(if plugin.0 % KINDS == 5 && skips(cycle) { PreFilterResult::Skip } else { PreFilterResult::All })
    }

    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError> {
        self.may_trap(plugin)?;
        let mut verdicts = Verdicts::default();
        for node in nodes {
            let Some(reason) = reason(plugin.0 % KINDS, cycle, *node) else {
                verdicts.nodes.push(0);
                continue;
            };
            verdicts.outcomes.push(Status { code: Code::Unschedulable, reasons: vec![reason.into()] });
            verdicts.nodes.push(verdicts.outcomes.len() as u16);
        }
        Ok(verdicts)
    }

    /// At random, the plugin does not answer by class, or forgets its earlier answers as after a rebuild.
    fn classify(&mut self, plugin: PluginId, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, PluginError> {
        self.begin(plugin, cycle, 0);
        self.may_trap(plugin)?;
        let forgets = self.rng.u8(..16) == 0;
        let classified = self.spread.classify(plugin, cycle, known, forgets);
        Ok((self.rng.u8(..16) > 0).then_some(classified))
    }

    fn score_classes(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        self.may_trap(plugin)?;
        Ok(spread::score_classes(cycle, passed))
    }

    fn normalize(
        &mut self,
        plugin: PluginId,
        _: &Cycle<'_>,
        _: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        self.may_trap(plugin)?;
        Ok(spread::normalized(scores))
    }

    /// Evicts all pods of lower priority from the first node where this helps, unless preempted pods of lower priority
    /// are leaving the nominated node already.
    fn post_filter(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        _: &[Code],
        leaving: &[PodId],
        ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        self.may_trap(plugin)?;
        let priority = |id: &PodId| cycle.cache.pod(*id).map(|cached| cached.pod.spec.priority);
        let lower = |id: &&PodId| priority(id).is_some_and(|other| other < cycle.pod.spec.priority);
        if leaving.iter().any(|id| lower(&id)) {
            let reasons = vec!["somebody leaves".into()];
            return Ok(PostFilterResult::Unschedulable {
                reasons,
                clear: false,
                intents: Vec::new(),
                pods: self.preemptions_pods(plugin, cycle),
            });
        }
        for node in nodes {
            let Some(info) = cycle.cache.node(*node) else { continue };
            let removed: Vec<PodId> = info.pods.iter().filter(lower).copied().collect();
            let case = WhatIf { node: *node, removed: removed.clone(), added: Vec::new() };
            if !removed.is_empty() && ask.what_if(self, &[case])?.nodes == [0] {
                return Ok(PostFilterResult::Nominate(PreemptionPlan {
                    node: *node,
                    evict: removed,
                    pods: self.preemptions_pods(plugin, cycle),
                    ..PreemptionPlan::default()
                }));
            }
        }
        let (reasons, pods) = (vec!["no victims".into()], self.preemptions_pods(plugin, cycle));
        Ok(PostFilterResult::Unschedulable { reasons, clear: true, intents: Vec::new(), pods })
    }

    fn pre_score(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        if plugin.0 % KINDS == 2 {
            self.profile_of(cycle).iter().for_each(|profile| self.choice.found(cycle, profile, nodes));
        }
        self.may_trap(plugin)?;
        Ok(PreScoreResult::Score)
    }

    fn score(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        self.may_trap(plugin)?;
        Ok(nodes.iter().map(|node| score(plugin.0 % KINDS, cycle, *node)).collect())
    }

    fn reserve(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        self.begin(plugin, cycle, 2);
        self.choice.chosen(cycle, node);
        self.may_trap(plugin)?;
        Ok(self.ledger.reserve(plugin.0 % KINDS, cycle, node, &mut self.rng))
    }

    fn unreserve(&mut self, plugin: PluginId, cycle: &Cycle<'_>, _: &str, state: &[u8], _: bool) -> Undone {
        self.begin(plugin, cycle, 3);
        self.ledger.ends(plugin.0 % KINDS, cycle, state, "unreserve");
        Undone { intents: Vec::new(), pods: self.ledger.pod_actions(cycle, true, &mut self.rng) }
    }

    fn permit(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: &str,
        state: &[u8],
    ) -> Result<Permission, PluginError> {
        self.begin(plugin, cycle, 4);
        self.may_trap(plugin)?;
        self.ledger.is_reserved(plugin.0 % KINDS, cycle, state);
        Ok(self.ledger.permit(cycle, &mut self.rng))
    }

    fn pre_bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        _: &str,
        state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        self.may_trap(plugin)?;
        self.ledger.is_reserved(plugin.0 % KINDS, cycle, state);
        Ok(self.ledger.pre_bind(plugin.0 % KINDS, cycle))
    }

    fn bind(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        node: &str,
        state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        self.begin(plugin, cycle, 5);
        self.may_trap(plugin)?;
        self.ledger.is_reserved(plugin.0 % KINDS, cycle, state);
        Ok((self.rng.u8(..8) == 0).then(|| vec![ledger::binding(cycle, node)]))
    }

    fn post_bind(&mut self, plugin: PluginId, cycle: &Cycle<'_>, _: &str, state: &[u8]) {
        self.ledger.ends(plugin.0 % KINDS, cycle, state, "post-bind");
    }

    fn queueing_hints(
        &mut self,
        plugin: PluginId,
        _: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        self.may_trap(plugin)?;
        let skips = !self.honest && !self.stateless && self.ledger.faults && self.rng.bool();
        Ok(vec![if skips { Hint::Skip } else { Hint::Queue }; pods.len()])
    }
}
