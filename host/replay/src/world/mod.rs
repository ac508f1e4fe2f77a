//! The recorded cluster under another policy.
//!
//! The world applies the changes of a [`History`] and executes the actions of an engine as a cluster would in which every
//! request succeeds at once. Its clock is that of the capture: it jumps to the next change, the next end of a pod or the
//! next time that the core waits for. A scheduling cycle takes no time.

mod actions;
mod decider;
mod intents;
mod named;
mod pods;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use berth_core::cache::Cache;
use berth_core::extenders::NoExtenders;
use berth_core::limits::Limits;
use berth_core::model::{Node, Object, ObjectKey, ObjectReads};
use berth_core::{Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{Delivery, Guests};
use hashbrown::HashMap;

pub use self::decider::{Decider, Policy};
use self::named::NamedFieldsOfPlugins;
use self::pods::WorldPod;
use crate::error::ReplayError;
use crate::history::{Change, History, PodIndex};
use crate::measure::{Course, Sampler};
use crate::play::{EVENTS_PER_UPDATE, options};

/// The time after which the pods of a deleted node are deleted, as by kube-controller-manager's pod garbage collector.
const QUARANTINE: std::time::Duration = std::time::Duration::from_secs(40);

/// The largest number of scheduling cycles at one millisecond. More cycles move the clock by a millisecond, so that a pod
/// that fails without a backoff does not stop the clock.
const CYCLES_PER_MILLISECOND: u64 = 10_000;

/// The recorded cluster under a policy, at a moment.
pub(crate) struct World<'h> {
    history: &'h History,
    engine: Engine,
    inbox: Receiver<Delivery>,
    now: Timestamp,
    /// The index of the next change.
    next: usize,
    /// The pods of the history, at the same indexes, then the replacements of preempted pods.
    pods: Vec<Option<WorldPod>>,
    by_uid: HashMap<Box<str>, PodIndex>,
    nodes: BTreeMap<Box<str>, Arc<Node>>,
    objects: BTreeMap<ObjectKey, Arc<Object>>,
    /// The fields of pods and nodes that the plugins name.
    named: NamedFieldsOfPlugins,
    /// The objects that plugins changed in this world.
    changed: BTreeSet<ObjectKey>,
    /// The events that come before the next scheduling cycle.
    events: VecDeque<Event>,
    /// The times at which pods end.
    ends: BinaryHeap<Reverse<(Timestamp, PodIndex)>>,
    /// The times at which the pods of a deleted node are deleted.
    deserted: BinaryHeap<Reverse<(Timestamp, Box<str>)>>,
    /// The pods are placed as recorded.
    as_recorded: bool,
    /// The capture has everything that the plugins read.
    reads_all: bool,
    steps: u64,
    cycles_now: u64,
    pub course: Course,
}

impl<'h> World<'h> {
    /// Plays the history with the decider to its end. Returns what happened.
    ///
    /// # Errors
    /// The plugins can't serve, or read what the capture lacks.
    pub fn play(
        history: &'h History,
        decider: Decider,
        (sampler, copy_at): (&Arc<Sampler>, Option<usize>),
        progress: &mut dyn FnMut(usize),
    ) -> Result<Course, ReplayError> {
        let mut decider = decider.on(history)?;
        let (limits, options) = (decider.limits(), decider.options(options(&history.header)));
        let mut world = Self::new(history, limits, options, &decider, (sampler, copy_at))?;
        world.begin(&mut decider)?;
        while let Some(time) = world.next_time() {
            world.advance(time, &mut decider)?;
            progress(world.next);
        }
        world.course.ends(world.engine.core());
        world.close();
        Ok(world.course)
    }

    fn new(
        history: &'h History,
        limits: Arc<Limits>,
        options: Options,
        decider: &decider::Deciding,
        (sampler, copy_at): (&Arc<Sampler>, Option<usize>),
    ) -> Result<Self, ReplayError> {
        let (sender, inbox) = channel();
        let outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let guests = Guests::new(limits, outbox)?;
        Ok(Self {
            history,
            engine: Engine::new(options, guests),
            inbox,
            now: history.begin,
            next: 0,
            pods: vec![None; history.pods.len()],
            by_uid: HashMap::new(),
            nodes: BTreeMap::new(),
            named: NamedFieldsOfPlugins::default(),
            objects: history.beginning.objects.iter().map(|object| (object.key.clone(), Arc::clone(object))).collect(),
            changed: BTreeSet::new(),
            events: VecDeque::new(),
            ends: BinaryHeap::new(),
            deserted: BinaryHeap::new(),
            as_recorded: decider.is_recorded(),
            reads_all: decider.follows_the_capture(),
            steps: 0,
            cycles_now: 0,
            course: Course::new(Arc::clone(sampler), copy_at, history.pods.len()),
        })
    }

    /// Fills the cluster as it was at the beginning, and brings the first plugins into service.
    fn begin(&mut self, decider: &mut decider::Deciding) -> Result<(), ReplayError> {
        let history = self.history;
        history.beginning.nodes.iter().for_each(|node| self.set_node(node));
        history.beginning.pods.iter().for_each(|pod| self.create(*pod));
        self.deliver();
        decider.begin(self)?;
        self.settle();
        Ok(())
    }

    /// Returns the next time at which something happens, up to the end of the capture.
    fn next_time(&self) -> Option<Timestamp> {
        let change = self.history.changes.get(self.next).map(|(at, _)| *at);
        let end = self.ends.peek().map(|Reverse((at, _))| *at);
        let deserted = self.deserted.peek().map(|Reverse((at, _))| *at);
        // What the core waits for and what is left of this millisecond comes later, so that the clock goes on.
        let later = Timestamp(self.now.0.saturating_add(1));
        let waited = self.engine.core().next_wakeup().map(|at| at.max(later));
        let unfinished = self.engine.core().has_work().then_some(later);
        let times = [change, end, deserted, waited, unfinished];
        let next = times.into_iter().flatten().min()?.max(self.now);
        (next <= self.history.end).then_some(next)
    }

    fn advance(&mut self, time: Timestamp, decider: &mut decider::Deciding) -> Result<(), ReplayError> {
        self.course.passes(self.engine.core(), time);
        if time > self.now {
            self.cycles_now = 0;
        }
        self.now = time;
        while let Some((_, change)) = self.history.changes.get(self.next).filter(|(at, _)| *at <= time) {
            self.next += 1;
            match change {
                Change::Policy(policy) => {
                    self.deliver();
                    decider.exchange(policy, self)?;
                }
                change => self.apply(change),
            }
        }
        while let Some(Reverse((_, pod))) = self.ends.pop_if_due(time) {
            self.end(pod);
        }
        while let Some(Reverse((_, node))) = self.deserted.pop_if_due(time) {
            self.desert(&node);
        }
        self.deliver();
        if let Some(event) = self.engine.advance(time) {
            self.step(event);
        }
        self.accept_rebuilt();
        self.settle();
        Ok(())
    }

    /// Schedules until the core has nothing to do at this time.
    fn settle(&mut self) {
        loop {
            self.deliver();
            if !self.engine.core().has_work() || self.cycles_now == CYCLES_PER_MILLISECOND {
                return;
            }
            self.cycles_now += 1;
            self.step(Event::Cycle);
        }
    }

    /// Sends the waiting events to the core.
    fn deliver(&mut self) {
        while let Some(event) = self.events.pop_front() {
            self.step(event);
        }
    }

    fn step(&mut self, event: Event) {
        let event = self.named.narrow(event);
        let actions = self.engine.step(event, self.now, &mut NoExtenders, &mut ());
        self.steps += 1;
        if self.steps.is_multiple_of(EVENTS_PER_UPDATE) {
            self.engine.update_plugins(self.now);
        }
        actions.into_iter().for_each(|action| self.execute(action));
        self.accept_rebuilt();
    }

    /// Waits for the instances that are being rebuilt, so that the result does not depend on the speed of the machine.
    fn accept_rebuilt(&mut self) {
        while self.engine.parts().1.is_rebuilding() {
            // The thread that rebuilds ends after this world.
            let Ok(delivery) = self.inbox.recv() else { return };
            if let Some(event) = self.engine.accept(delivery, self.now) {
                self.events.push_back(event);
            }
        }
    }

    /// Lists these kinds, and returns the cluster with them.
    fn list(&mut self, wanted: &[ObjectReads]) -> Cache {
        self.events.push_back(Event::ObjectsWanted(wanted.to_vec()));
        self.deliver();
        let cache = self.engine.core().cache();
        cache.frozen(cache.log().end())
    }
}

/// Takes what is due from a queue that is ordered by time.
trait PopIfDue<T> {
    fn pop_if_due(&mut self, now: Timestamp) -> Option<Reverse<(Timestamp, T)>>;
}

impl<T: Ord> PopIfDue<T> for BinaryHeap<Reverse<(Timestamp, T)>> {
    fn pop_if_due(&mut self, now: Timestamp) -> Option<Reverse<(Timestamp, T)>> {
        if self.peek()?.0.0 <= now { self.pop() } else { None }
    }
}
