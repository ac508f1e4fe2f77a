//! One history: the cluster, the core, and everything between them that can be late or fail.

pub mod checks;
mod others;
mod pending;
pub mod records;
mod restores;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use berth_core::extenders::{Extenders, NoExtenders};
use berth_core::intent::Intent;
use berth_core::model::PodKey;
use berth_core::{Action, Core, Event, Options, Timestamp};

use crate::choice::{self, Choice};
use crate::cluster::{Cluster, claims};
use crate::extenders::FakeExtenders;
use crate::keeping::{Flush, Keeping};
use crate::ledger::Ledger;
use crate::plugins::Fakes;
use pending::PendingPods;

/// The largest number of attempts in a cluster without further failures. There are fewer than 100 pods.
const MOST_ATTEMPTS: u64 = 5_000;

pub struct World {
    pub seed: u64,
    pub cluster: Cluster,
    pub core: Core,
    pub plugins: Fakes,
    extenders: Box<dyn Extenders>,
    pub now: Timestamp,
    /// The uids of pods that the core knows as assigned.
    pub known_assigned: BTreeSet<Box<str>>,
    /// Requested bindings without a result.
    pub binding: Vec<(PodKey, Box<str>)>,
    /// Requested intents that are not executed yet.
    pub executing: Vec<(PodKey, u64, Vec<Intent>)>,
    /// The number of executed intents.
    pub executed: usize,
    /// Requested evictions that are not executed yet.
    pub evicting: Vec<PodKey>,
    pub evicted: usize,
    /// All actions, as text.
    pub history: Vec<String>,
    pub bound: usize,
    /// The number of pods that became active because a plugin activated them.
    pub activated: usize,
    /// The number of decision records that were checked.
    pub recorded: usize,
    rng: fastrand::Rng,
    faults: bool,
    /// The generator for actions of other clients. A separate generator keeps histories without other clients the same.
    /// `None` if there are no other clients.
    others: Option<fastrand::Rng>,
    /// The pending pods as a reader of the change log knows them.
    pending: PendingPods,
    /// Whether the extenders fail and reject nodes.
    extenders_fail: Arc<AtomicBool>,
    /// The generator for the times at which the core is replaced by a restored core. `None` if it never is.
    restores: Option<fastrand::Rng>,
    /// The number of times that the core was restored.
    pub restored: usize,
    /// The options of a restored core.
    restore_with: Options,
}

impl World {
    /// Creates a world with other clients, up to 40 nodes, two profiles, and for some seeds extenders.
    pub fn with_others(seed: u64, keeping: Keeping, flush: Flush) -> Self {
        let mut world = Self::new(seed, keeping, flush);
        let mut others = fastrand::Rng::with_seed(!seed);
        if others.u8(..3) == 0 {
            let answers = world.plugins.choice.extenders.clone();
            let extenders = FakeExtenders::new(seed, Arc::clone(&world.extenders_fail), answers);
            world.core = Core::new(keeping.options(seed, flush));
            world.extenders = Box::new(extenders);
        }
        world.cluster.most_nodes = 1 + others.u8(..40);
        world.cluster.profiles = 2;
        world.plugins.profiles = 2;
        world.others = Some(others);
        world.begin();
        world
    }

    /// Creates a world whose core records its decisions, or does not.
    pub fn recording(seed: u64, keeping: Keeping, records: bool) -> Self {
        let mut world = Self::new(seed, keeping, Flush::On);
        let mut options = keeping.options(seed, Flush::On);
        options.decisions.bytes = if records { 64 << 10 } else { 0 };
        world.core = Core::new(options);
        world.begin();
        world
    }

    /// Creates a world whose history does not depend on the number of calls of plugins: no plugin traps. Other clients
    /// act for every second seed.
    pub fn without_traps(seed: u64, keeping: Keeping) -> Self {
        let mut world = match seed.is_multiple_of(2) {
            true => Self::with_others(seed, keeping, Flush::On),
            false => Self::new(seed, keeping, Flush::On),
        };
        world.plugins.trap_one_in = 0;
        world.plugins.stateless = true;
        world
    }

    pub fn new(seed: u64, keeping: Keeping, flush: Flush) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let ledger = Ledger::new(seed);
        let plugins = Fakes {
            rng: rng.fork(),
            stateless: false,
            trap_one_in: 80,
            generation: 0,
            restarts: 0,
            honest: flush == Flush::Off,
            draws: seed.is_multiple_of(3),
            profiles: 1,
            ledger,
            spread: Default::default(),
            choice: Choice::default(),
        };
        let mut world = Self {
            seed,
            cluster: Cluster::default(),
            core: Core::new(keeping.options(seed, flush)),
            plugins,
            extenders: Box::new(NoExtenders),
            now: Timestamp(1_700_000_000_000),
            known_assigned: BTreeSet::new(),
            binding: Vec::new(),
            executing: Vec::new(),
            executed: 0,
            evicting: Vec::new(),
            evicted: 0,
            history: Vec::new(),
            bound: 0,
            activated: 0,
            recorded: 0,
            rng,
            faults: true,
            others: None,
            pending: PendingPods::default(),
            extenders_fail: Arc::new(AtomicBool::new(true)),
            restores: None,
            restored: 0,
            restore_with: Options::default(),
        };
        world.begin();
        world
    }

    fn begin(&mut self) {
        self.pending = PendingPods::default();
        let profiles = self.plugins.profiles();
        self.step(Event::PluginsSwapped(profiles));
        self.step(Event::ObjectsWanted(vec![claims()]));
    }

    /// Runs this many random steps.
    pub fn live(&mut self, happenings: usize) {
        for _ in 0..happenings {
            self.now = self.now.after(std::time::Duration::from_millis(self.rng.u64(0..700)));
            if let Some(mut others) = self.others.take() {
                if others.u8(..4) == 0 {
                    self.others_do(&mut others);
                }
                self.others = Some(others);
            }
            match self.rng.u8(..24) {
                0..3 => self.cluster.make_node(&mut self.rng),
                3 => self.cluster.remove_node(&mut self.rng),
                4..8 => self.cluster.make_pod(&mut self.rng),
                8 if self.rng.bool() => self.cluster.ungate_pod(&mut self.rng),
                8 => self.cluster.change_pod(&mut self.rng),
                9 if self.rng.bool() => self.cluster.nominate_pod(&mut self.rng),
                9 => self.swap(),
                10 => self.step(Event::Tick),
                11..13 => self.deliver_node(),
                13..16 => self.deliver_pod(),
                16 => self.answer_binding(),
                17 if self.rng.bool() => self.evict(),
                17 => self.answer_binding(),
                18 if self.rng.bool() => drop(self.cluster.end_pod(true, &mut self.rng)),
                18 => self.cluster.change_claim(&mut self.rng),
                19 if self.rng.u8(..8) == 0 => self.list_claims(),
                19 => self.deliver_claim(),
                20 => self.execute(),
                _ => self.step(Event::Cycle),
            }
        }
    }

    pub fn has_others(&self) -> bool {
        self.others.is_some()
    }

    /// Ends all failures and delivers everything that is under way, until nothing has happened for longer than any
    /// wait.
    pub fn settle(&mut self) {
        self.faults = false;
        self.plugins.trap_one_in = 0;
        self.plugins.ledger.faults = false;
        self.extenders_fail.store(false, Relaxed);
        if self.others.is_some() {
            // The kind of the claims may have been refused. A list ends the refusal.
            self.list_claims();
        }
        if self.plugins.honest {
            // The plugins First and Second deny no pod from now on. The core must learn this from a change of the
            // claims, which these plugins read.
            self.cluster.set_claim_to_calm();
        }
        let (mut quiet, before) = (0, self.core.cycles());
        while quiet < 40 {
            quiet += 1;
            while !self.cluster.node_watch.is_empty() {
                self.deliver_node();
            }
            while !self.cluster.pod_watch.is_empty() {
                self.deliver_pod();
            }
            while !self.cluster.claim_watch.is_empty() {
                self.deliver_claim();
            }
            while !self.executing.is_empty() {
                self.execute();
                quiet = 0;
            }
            while !self.binding.is_empty() {
                self.answer_binding();
                quiet = 0;
            }
            while !self.evicting.is_empty() {
                self.evict();
                quiet = 0;
            }
            // Of the pods that are being deleted, one goes away in each round. Some never go away.
            if self.cluster.end_pod(false, &mut self.rng) {
                quiet = 0;
            }
            self.step(Event::Tick);
            while self.core.has_work() {
                self.step(Event::Cycle);
                let attempts = self.core.cycles() - before;
                assert!(attempts < MOST_ATTEMPTS, "seed {}: {attempts} attempts, and still no end", self.seed);
            }
            checks::no_pod_that_awaits_victims_fits(self);
            self.now = self.now.after(std::time::Duration::from_secs(10));
        }
    }

    fn swap(&mut self) {
        self.plugins.generation += 1;
        let profiles = self.plugins.profiles();
        self.step(Event::PluginsSwapped(profiles));
    }

    fn deliver_node(&mut self) {
        if let Some(event) = self.cluster.node_watch.pop_front() {
            self.step(event);
        }
    }

    fn deliver_pod(&mut self) {
        if let Some(event) = self.cluster.pod_watch.pop_front() {
            self.tell_of_pod(event);
        }
    }

    pub fn tell_of_pod(&mut self, event: Event) {
        match &event {
            Event::PodSet(pod) if !pod.node_name.is_empty() && !pod.finished => {
                self.known_assigned.insert(pod.key.uid.clone());
            }
            Event::PodSet(pod) if self.plugins.stateless => {
                self.plugins.ledger.seen.insert(pod.key.uid.clone());
            }
            _ => {}
        }
        self.step(event);
    }

    fn deliver_claim(&mut self) {
        if let Some(event) = self.cluster.claim_watch.pop_front() {
            self.step(event);
        }
    }

    /// Delivers all events of claims, and then reports that all claims were listed.
    fn list_claims(&mut self) {
        while !self.cluster.claim_watch.is_empty() {
            self.deliver_claim();
        }
        self.step(Event::ObjectsListed(claims()));
    }

    /// Executes the intents for one pod, or fails. The core may get a failure although all intents were executed.
    fn execute(&mut self) {
        if self.executing.is_empty() {
            return;
        }
        let (key, step, intents) = self.executing.swap_remove(self.rng.usize(..self.executing.len()));
        let fault = if self.faults { self.rng.u8(..6) } else { 9 };
        if fault == 0 {
            return self.step(Event::IntentsFailed(key, step, "connection refused".into()));
        }
        for intent in intents {
            let Intent::Patch(patch) = intent else { panic!("seed {}: no plugin returns {intent:?}", self.seed) };
            let done = match &*patch.object.kind {
                "Pod" => self.cluster.bind(&key, &patch.patch),
                _ if self.cluster.patch_claim(&patch.object.name, &patch.patch) => Ok(()),
                _ => Err("not found".to_owned()),
            };
            if let Err(why) = done {
                return self.step(Event::IntentsFailed(key, step, why));
            }
            self.executed += 1;
        }
        match fault {
            1 => self.step(Event::IntentsFailed(key, step, "timed out".into())),
            _ => self.step(Event::IntentsExecuted(key, step)),
        }
    }

    /// Executes one binding, or fails. The core may get a failure although the pod was bound.
    fn answer_binding(&mut self) {
        if self.binding.is_empty() {
            return;
        }
        let (key, node) = self.binding.swap_remove(self.rng.usize(..self.binding.len()));
        let fault = if self.faults { self.rng.u8(..6) } else { 9 };
        if fault == 0 {
            return self.step(Event::BindFailed(key, "connection refused".into()));
        }
        let result = self.cluster.bind(&key, &node);
        match result {
            Ok(()) if fault == 1 => self.step(Event::BindFailed(key, "timed out".into())),
            Ok(()) => self.step(Event::Bound(key)),
            Err(why) => self.step(Event::BindFailed(key, why)),
        }
    }

    /// Executes one eviction, or fails.
    fn evict(&mut self) {
        let Some(victim) = self.evicting.pop() else { return };
        if self.faults && self.rng.u8(..4) == 0 {
            return self.step(Event::EvictionFailed(victim));
        }
        self.evicted += usize::from(self.cluster.evict(&victim));
    }

    /// Deletes all pods, nodes and claims, and checks that the core forgets them.
    pub fn end(&mut self) {
        let pods: Vec<PodKey> = self.cluster.pods.values().map(|pod| pod.key.clone()).collect();
        self.cluster.pods.clear();
        pods.into_iter().for_each(|key| self.step(Event::PodRemoved(key)));
        let nodes: Vec<Box<str>> = self.cluster.nodes.keys().cloned().collect();
        self.cluster.nodes.clear();
        nodes.into_iter().for_each(|name| self.step(Event::NodeRemoved(name)));
        for (_, claim) in std::mem::take(&mut self.cluster.claims) {
            self.step(Event::ObjectRemoved(claim.key.clone()));
        }
        self.step(Event::Tick);
        checks::nothing_is_left(self);
    }

    pub fn step(&mut self, event: Event) {
        // The profiles of this event are those of the plugins already.
        if !matches!(event, Event::PluginsSwapped(_)) {
            self.restore_sometimes();
        }
        let is_cycle = matches!(event, Event::Cycle);
        let highest = is_cycle.then(|| choice::highest_priority(self.core.queue())).flatten();
        if is_cycle {
            let nominations = self.core.nominations().nodes();
            self.plugins.choice.nominated = nominations.map(|(node, _)| node.into()).collect();
        }
        let waiting = checks::waiting_pods(self);
        let actions = self.core.step(event, self.now, &mut self.plugins, &mut *self.extenders);
        checks::activated_pods_are_active(self, &waiting);
        if is_cycle {
            // A plugin that traps returns no sort key.
            let highest = highest.filter(|_| self.plugins.trap_one_in == 0);
            self.plugins.choice.end(highest);
        }
        checks::events_are_kept_for_reserved_pods(self);
        self.pending.catch_up(&self.core, self.plugins.reads_pending_pods(), self.seed);
        self.check_placed();
        self.recorded += records::add_up(self);
        for action in actions {
            self.history.push(format!("{action:?}"));
            match action {
                Action::Warn { plugin, message } => {
                    panic!("seed {}: cached answers of {plugin} were wrong: {message}", self.seed);
                }
                Action::Bind { pod, node } | Action::BindByExtender { pod, node, .. } => {
                    checks::binding_is_right(self, &pod);
                    self.binding.push((pod, node));
                    self.bound += 1;
                }
                Action::ExecuteIntents { pod, step, intents } => {
                    checks::binding_is_right(self, &pod);
                    self.executing.push((pod, step, intents));
                }
                Action::CancelIntents { step, .. } => self.executing.retain(|(_, other, _)| *other != step),
                Action::Nominate { pod, node } => self.cluster.set_nominated(&pod, &node),
                Action::Evict { pod, .. } => self.evicting.push(pod),
                _ => {}
            }
        }
    }

    /// Checks the pods that were assigned in this step and still are.
    fn check_placed(&mut self) {
        for (uid, node) in std::mem::take(&mut self.plugins.ledger.placed) {
            let placed = self.core.cache().pod_by_uid(&uid).filter(|cached| cached.node == Some(node));
            if let Some(placed) = placed {
                checks::placement_is_right(self, &placed.pod.key, &placed.pod.node_name);
            }
        }
    }
}
