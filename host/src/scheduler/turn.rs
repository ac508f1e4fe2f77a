//! The event loop of the scheduling thread: take in events, run one scheduling cycle, perform actions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use berth_core::extenders::Extenders;
use berth_core::plugins::PointOutcome;
use berth_core::{Action, Core, Event};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::clock::Clock;
use super::control::Control;
use super::metered::Metered;
use berth_admin::Vitals;
use berth_admin::metrics::Meter;
use berth_plugin_host::{Guests, Observed};

/// The maximum sleep of the thread. Vital signs and time-dependent work happen at least this often.
const BEAT: Duration = Duration::from_secs(1);

/// The number of events after which the loop checks for control messages again.
const EVENTS_AT_ONCE: usize = 256;

/// The state of the event loop.
pub struct Turn {
    pub core: Core,
    pub guests: Guests,
    pub extenders: Box<dyn Extenders>,
    pub events: UnboundedReceiver<Event>,
    pub control: UnboundedReceiver<Control>,
    pub perform: Box<dyn Fn(Vec<Action>) + Send>,
    pub runtime: Handle,
    pub clock: Clock,
    pub meter: Meter,
    pub vitals: Arc<Vitals>,
    /// Whether pods are scheduled.
    pub begun: bool,
    /// Receives a message when no binding is in progress.
    pub drained: Option<oneshot::Sender<()>>,
}

impl Turn {
    /// Runs until it receives [`Control::Stop`], or until the senders of a channel are gone.
    pub fn run(mut self) {
        loop {
            if !self.take_in() {
                return;
            }
            self.pass_time();
            if self.begun && self.core.has_work() {
                self.step(Event::Cycle);
                continue;
            }
            self.tell_if_drained();
            if !self.wait() {
                return;
            }
        }
    }

    fn tell_if_drained(&mut self) {
        // Pods that wait in permit may wait for long, and no binding is in progress for them.
        if self.core.in_flight() == self.core.waiting()
            && let Some(drained) = self.drained.take()
        {
            // The receiver may have timed out.
            let _ = drained.send(());
        }
    }

    /// Takes in all events that have arrived, so that the next decision uses the latest state. Handles control
    /// messages and updates the vital signs in between, so that many events delay neither plugins nor probes. Returns
    /// false if the loop must end.
    fn take_in(&mut self) -> bool {
        let mut arrived = self.events.len();
        loop {
            while let Ok(control) = self.control.try_recv() {
                if !self.obey(control) {
                    return false;
                }
            }
            self.vitals.beat();
            for _ in 0..arrived.min(EVENTS_AT_ONCE) {
                let Ok(event) = self.events.try_recv() else { return true };
                self.step(event);
            }
            arrived = arrived.saturating_sub(EVENTS_AT_ONCE);
            if arrived == 0 {
                return true;
            }
            // The change log is bounded. Send changes to idle plugins before later events overflow it.
            self.guests.tick(self.clock.now(), self.core.cache());
        }
    }

    fn obey(&mut self, control: Control) -> bool {
        match control {
            Control::Begin => self.begun = true,
            Control::Inspect(look) => look(&self.core),
            Control::Emit(event) => (self.perform)(vec![Action::Emit(event)]),
            Control::Drain(drained) => {
                self.begun = false;
                self.drained = Some(drained);
            }
            Control::Stop => return false,
            Control::Plugins(delivery) => {
                let now = self.clock.now();
                if let Some(event) = self.guests.accept(delivery, now, self.core.cache()) {
                    if let Event::PluginsSwapped(profiles) = &event {
                        self.meter.plugins_swapped(profiles);
                    }
                    self.step(event);
                }
            }
        }
        true
    }

    fn pass_time(&mut self) {
        let now = self.clock.now();
        self.guests.tick(now, self.core.cache());
        if self.core.next_wakeup().is_some_and(|at| at <= now) {
            self.step(Event::Tick);
        }
    }

    fn step(&mut self, event: Event) {
        let now = self.clock.now();
        let cycle = matches!(event, Event::Cycle).then(Instant::now);
        match &event {
            Event::Bound(pod) => self.meter.lasting_ends(&pod.uid, PointOutcome::Success),
            Event::BindFailed(pod, _) => self.meter.lasting_ends(&pod.uid, PointOutcome::Error),
            _ => {}
        }
        let mut metered = Metered { meter: &mut self.meter };
        let mut plugins = Observed { guests: &mut self.guests, observer: &mut metered };
        let actions = self.core.step(event, now, &mut plugins, &mut *self.extenders);
        let took = cycle.map(|began| began.elapsed());
        for action in &actions {
            if let Action::Bind { pod, .. } = action
                && let Some(cached) = self.core.cache().pod_by_uid(&pod.uid)
            {
                self.meter.bind_begins(&pod.uid, &cached.pod.spec.scheduler_name);
            }
        }
        (self.perform)(actions);
        if let Some(took) = took {
            self.meter.cycle_ended(took);
        }
        for attempt in self.core.ended() {
            // A cycle may also end attempts that began earlier.
            let took = took.filter(|_| attempt.began == now).unwrap_or_else(|| now.since(attempt.began));
            self.meter.attempt_ended(attempt, took, now);
        }
    }

    /// Sleeps until a message arrives or the next wake-up is due. Returns false if the loop must end.
    fn wait(&mut self) -> bool {
        let now = self.clock.now();
        let due = self.core.next_wakeup().map_or(BEAT, |at| at.since(now)).min(BEAT);
        let (events, control) = (&mut self.events, &mut self.control);
        let woken = self.runtime.clone().block_on(async {
            tokio::select! {
                biased;
                control = control.recv() => Woken::Control(control),
                event = events.recv() => Woken::Event(event),
                () = tokio::time::sleep(due) => Woken::Time,
            }
        });
        match woken {
            Woken::Control(Some(control)) => self.obey(control),
            Woken::Event(Some(event)) => {
                self.step(event);
                true
            }
            Woken::Time => true,
            Woken::Control(None) | Woken::Event(None) => false,
        }
    }
}

enum Woken {
    Control(Option<Control>),
    Event(Option<Event>),
    Time,
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use berth_core::extenders::NoExtenders;
    use berth_core::model::{Node, ObjectKind, ObjectReads};
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    use super::*;
    use berth_plugin_host::{ClusterRequest, Delivery};

    const EVENTS: usize = 5_000;

    fn turn(
        events: UnboundedReceiver<Event>,
        control: UnboundedReceiver<Control>,
        perform: impl Fn(Vec<Action>) + Send + 'static,
    ) -> Turn {
        Turn {
            core: Core::new(berth_core::Options::default()),
            guests: Guests::new(Arc::default(), Arc::new(|_| true)).expect("a thread"),
            extenders: Box::new(NoExtenders),
            events,
            control,
            perform: Box::new(perform),
            runtime: Handle::current(),
            clock: Clock::default(),
            meter: Meter::new(Arc::default()),
            vitals: Arc::default(),
            begun: false,
            drained: None,
        }
    }

    /// Nodes, each in an event.
    fn flood(events: &UnboundedSender<Event>) {
        for number in 0..EVENTS {
            let node = Node { name: format!("n{number}").into(), ..Node::default() };
            events.send(Event::NodeSet(Arc::new(node))).expect("the receiver is here");
        }
    }

    #[tokio::test]
    async fn a_control_message_does_not_wait_behind_a_flood_of_events() {
        let (event, events) = unbounded_channel();
        let (control, controls) = unbounded_channel();
        flood(&event);
        let steps = Arc::new(AtomicUsize::new(0));
        let obeyed_after = Arc::<Mutex<Option<usize>>>::default();
        let perform = {
            let (steps, obeyed_after) = (Arc::clone(&steps), Arc::clone(&obeyed_after));
            move |_| {
                if steps.fetch_add(1, SeqCst) == 0 {
                    let (steps, obeyed_after) = (Arc::clone(&steps), Arc::clone(&obeyed_after));
                    let look = move |_: &Core| *obeyed_after.lock().expect("no panic") = Some(steps.load(SeqCst));
                    control.send(Control::Inspect(Box::new(look))).expect("the receiver is here");
                }
            }
        };
        assert!(turn(events, controls, perform).take_in());
        assert_eq!(steps.load(SeqCst), EVENTS, "all events that had arrived are taken in");
        let after = obeyed_after.lock().expect("no panic").expect("it is obeyed");
        assert!(after <= EVENTS_AT_ONCE, "obeyed after {after} events");
    }

    /// Plugins are told what changed at the same moment in which a copy of the cluster is given.
    #[tokio::test]
    async fn plugins_are_told_what_changes_during_a_flood_of_events() {
        let (event, events) = unbounded_channel();
        let (control, controls) = unbounded_channel();
        let kind = ObjectKind { api_version: "v1".into(), kind: "Service".into() };
        let reads = ObjectReads { kind: Arc::new(kind), ..ObjectReads::default() };
        let (request, copy) = ClusterRequest::new(std::slice::from_ref(&reads), None);
        control.send(Control::Plugins(Delivery::NeedsCluster(request))).expect("the receiver is here");
        event.send(Event::ObjectsListed(reads)).expect("the receiver is here");
        flood(&event);
        assert!(turn(events, controls, |_| {}).take_in());
        let copy = copy.try_recv().expect("it is given before the flood is over").expect("all objects are here");
        assert!(copy.node_count() <= EVENTS_AT_ONCE, "{} nodes", copy.node_count());
    }
}
