//! The event loop of the scheduling thread: handle events, run one scheduling cycle, perform actions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use berth_core::extenders::Extenders;
use berth_core::plugins::PointOutcome;
use berth_core::{Action, Event};
use berth_engine::Engine;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::capture::Capture;
use super::clock::Clock;
use super::control::Control;
use super::metered::Metered;
use berth_admin::Vitals;
use berth_admin::api::{SchedulingRequest, SchedulingState};
use berth_admin::metrics::Meter;
use berth_analysis::PodRef;
use berth_capture::RecordingExtenders;
use berth_kube::ClusterEvent;
use berth_plugin_host::Delivery;

/// The maximum sleep of the thread. The heartbeat for the probes and time-dependent work happen at least this often.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The number of events after which the loop checks for control messages again.
const EVENTS_PER_BATCH: usize = 256;

/// The state of the event loop.
pub struct EventLoop {
    pub engine: Engine,
    pub extenders: Box<dyn Extenders>,
    /// Records each step; `None` for no capture.
    pub capture: Option<Capture>,
    pub events: UnboundedReceiver<ClusterEvent>,
    pub control: UnboundedReceiver<Control>,
    pub perform: Box<dyn Fn(Vec<Action>) + Send>,
    pub runtime: Handle,
    pub clock: Clock,
    pub meter: Meter,
    pub vitals: Arc<Vitals>,
    /// Whether pods are scheduled.
    pub is_scheduling: bool,
    /// Whether a person has paused the scheduling.
    pub is_paused: bool,
    /// Receives a message when no binding is in progress.
    pub drained: Option<oneshot::Sender<()>>,
}

impl EventLoop {
    /// Runs until it receives [`Control::Stop`], or until the senders of a channel are gone.
    pub fn run(mut self) {
        if self.capture.is_some() {
            self.engine.record_failures();
        }
        if let Some(event) = self.capture.as_ref().and_then(Capture::first_event) {
            self.step(event.into());
        }
        loop {
            if !self.handle_arrived() {
                return;
            }
            self.advance();
            if !self.is_paused && self.has_work() {
                self.step(Event::Cycle.into());
                continue;
            }
            self.report_drained();
            if !self.wait() {
                return;
            }
        }
    }

    /// Returns whether a pod is ready for a scheduling cycle, and pods are scheduled.
    fn has_work(&self) -> bool {
        self.is_scheduling && self.engine.core().has_work()
    }

    fn control_scheduling(&mut self, request: SchedulingRequest) -> SchedulingState {
        let mut decided = None;
        match request {
            SchedulingRequest::Show => {}
            SchedulingRequest::Pause => self.is_paused = true,
            SchedulingRequest::Resume => self.is_paused = false,
            SchedulingRequest::DecideOne => {
                self.advance();
                if self.is_paused && self.has_work() {
                    decided =
                        self.engine.core().queue().in_order().next().map(|(_, entry)| PodRef::from(&entry.pod.key));
                    self.step(Event::Cycle.into());
                }
            }
        }
        SchedulingState { paused: self.is_paused, has_work: self.has_work(), decided }
    }

    fn report_drained(&mut self) {
        // Pods that wait in permit may wait for long, and no binding is in progress for them.
        let core = self.engine.core();
        if core.in_flight() == core.waiting()
            && let Some(drained) = self.drained.take()
        {
            // The receiver may have timed out.
            let _ = drained.send(());
        }
    }

    /// Handles all events that have arrived, so that the next decision uses the latest state. Between batches of
    /// events, handles control messages and reports the heartbeat for the probes, so that many events delay neither
    /// plugins nor probes. Returns false if the loop must end.
    fn handle_arrived(&mut self) -> bool {
        let mut arrived = self.events.len();
        loop {
            while let Ok(control) = self.control.try_recv() {
                if !self.handle_control(control) {
                    return false;
                }
            }
            self.vitals.beat();
            for _ in 0..arrived.min(EVENTS_PER_BATCH) {
                let Ok(event) = self.events.try_recv() else { return true };
                self.step(event);
            }
            arrived = arrived.saturating_sub(EVENTS_PER_BATCH);
            if arrived == 0 {
                return true;
            }
            // The change log is bounded. Send changes to idle plugins before later events overflow it.
            self.engine.update_plugins(self.clock.now());
        }
    }

    fn handle_control(&mut self, message: Control) -> bool {
        match message {
            Control::Begin => self.is_scheduling = true,
            Control::Inspect(look) => look(self.engine.core()),
            Control::Emit(event) => (self.perform)(vec![Action::Emit(event)]),
            Control::Scheduling(request, answer) => {
                let state = self.control_scheduling(request);
                // The caller may have gone.
                let _ = answer.send(state);
            }
            Control::Drain(drained) => {
                self.is_scheduling = false;
                self.drained = Some(drained);
            }
            Control::Stop => return false,
            Control::Plugins(delivery) => {
                if let (Some(capture), Delivery::Swap(prepared)) = (&mut self.capture, &delivery) {
                    capture.delivered(prepared.specs());
                }
                if let Some(event) = self.engine.accept(delivery, self.clock.now()) {
                    if let Event::PluginsSwapped(profiles) = &event {
                        self.meter.plugins_swapped(profiles);
                    }
                    self.step(event.into());
                }
            }
        }
        true
    }

    fn advance(&mut self) {
        if let Some(event) = self.engine.advance(self.clock.now()) {
            self.step(event.into());
        }
    }

    fn step(&mut self, ClusterEvent { event, version }: ClusterEvent) {
        let now = self.clock.now();
        let cycle = matches!(event, Event::Cycle).then(Instant::now);
        match &event {
            Event::Bound(pod) => self.meter.lasting_ends(&pod.uid, PointOutcome::Success),
            Event::BindFailed(pod, _) => self.meter.lasting_ends(&pod.uid, PointOutcome::Error),
            _ => {}
        }
        let mut metered = Metered { meter: &mut self.meter };
        let actions = match &mut self.capture {
            None => self.engine.step(event, now, &mut *self.extenders, &mut metered),
            Some(capture) => {
                capture.begin_if_due(now, self.engine.core());
                let event = capture.with_all_fields(event);
                let recorded = capture.event(&event);
                let mut extenders = RecordingExtenders::new(&mut *self.extenders);
                let actions = self.engine.step(event, now, &mut extenders, &mut metered);
                capture.record(now, version, recorded, extenders.answers, self.engine.take_failures(), &actions);
                actions
            }
        };
        let core = self.engine.core();
        let took = cycle.map(|began| began.elapsed());
        for action in &actions {
            if let Action::Bind { pod, .. } = action
                && let Some(cached) = core.cache().pod_by_uid(&pod.uid)
            {
                self.meter.bind_begins(&pod.uid, &cached.pod.spec.scheduler_name);
            }
        }
        (self.perform)(actions);
        if let Some(took) = took {
            self.meter.cycle_ended(took);
        }
        for attempt in core.ended() {
            // A cycle may also end attempts that began earlier.
            let took = took.filter(|_| attempt.began == now).unwrap_or_else(|| now.since(attempt.began));
            self.meter.attempt_ended(attempt, took, now);
        }
    }

    /// Sleeps until a message arrives or the next wake-up is due. Returns false if the loop must end.
    fn wait(&mut self) -> bool {
        let now = self.clock.now();
        let due = self.engine.core().next_wakeup().map(|at| at.since(now));
        let (events, control, clock) = (&mut self.events, &mut self.control, &self.clock);
        let woken = self.runtime.clone().block_on(async {
            tokio::select! {
                biased;
                control = control.recv() => Woken::Control(control),
                event = events.recv() => Woken::Event(event),
                () = async { clock.sleep(due.unwrap_or_default()).await }, if due.is_some() => Woken::Time,
                // The heartbeat shows that the thread runs, so it has real time.
                () = tokio::time::sleep(HEARTBEAT) => Woken::Time,
            }
        });
        match woken {
            Woken::Control(Some(control)) => self.handle_control(control),
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
    Event(Option<ClusterEvent>),
    Time,
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use berth_core::Core;
    use berth_core::extenders::NoExtenders;
    use berth_core::model::{Node, ObjectKind, ObjectReads};
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    use super::*;
    use berth_plugin_host::{ClusterRequest, Guests};

    const EVENTS: usize = 5_000;

    fn event_loop(
        events: UnboundedReceiver<ClusterEvent>,
        control: UnboundedReceiver<Control>,
        perform: impl Fn(Vec<Action>) + Send + 'static,
    ) -> EventLoop {
        let guests = Guests::new(Arc::default(), Arc::new(|_| true)).expect("a thread");
        EventLoop {
            engine: Engine::new(berth_core::Options::default(), guests),
            extenders: Box::new(NoExtenders),
            capture: None,
            events,
            control,
            perform: Box::new(perform),
            runtime: Handle::current(),
            clock: Clock::new(berth_clock::real()),
            meter: Meter::new(Arc::default()),
            vitals: Arc::default(),
            is_scheduling: false,
            is_paused: false,
            drained: None,
        }
    }

    /// Sends [`EVENTS`] nodes, each in an event.
    fn flood(events: &UnboundedSender<ClusterEvent>) {
        for number in 0..EVENTS {
            let node = Node { name: format!("n{number}").into(), ..Node::default() };
            events.send(Event::NodeSet(Arc::new(node)).into()).expect("the receiver is here");
        }
    }

    #[tokio::test]
    async fn a_control_message_does_not_wait_behind_a_flood_of_events() {
        let (event, events) = unbounded_channel();
        let (control, controls) = unbounded_channel();
        flood(&event);
        let steps = Arc::new(AtomicUsize::new(0));
        let handled_after = Arc::<Mutex<Option<usize>>>::default();
        let perform = {
            let (steps, handled_after) = (Arc::clone(&steps), Arc::clone(&handled_after));
            move |_| {
                if steps.fetch_add(1, SeqCst) == 0 {
                    let (steps, handled_after) = (Arc::clone(&steps), Arc::clone(&handled_after));
                    let look = move |_: &Core| *handled_after.lock().expect("no panic") = Some(steps.load(SeqCst));
                    control.send(Control::Inspect(Box::new(look))).expect("the receiver is here");
                }
            }
        };
        assert!(event_loop(events, controls, perform).handle_arrived());
        assert_eq!(steps.load(SeqCst), EVENTS, "all events that had arrived are handled");
        let after = handled_after.lock().expect("no panic").expect("it is handled");
        assert!(after <= EVENTS_PER_BATCH, "handled after {after} events");
    }

    /// The event loop makes the requested copy of the cluster in the same call that sends changes to plugins. The copy
    /// therefore shows after how many events that call came.
    #[tokio::test]
    async fn plugins_receive_changes_during_a_flood_of_events() {
        let (event, events) = unbounded_channel();
        let (control, controls) = unbounded_channel();
        let kind = ObjectKind { api_version: "v1".into(), kind: "Service".into() };
        let reads = ObjectReads { kind: Arc::new(kind), ..ObjectReads::default() };
        let (request, copy) = ClusterRequest::new(std::slice::from_ref(&reads), None);
        control.send(Control::Plugins(Delivery::NeedsCluster(request))).expect("the receiver is here");
        event.send(Event::ObjectsListed(reads).into()).expect("the receiver is here");
        flood(&event);
        assert!(event_loop(events, controls, |_| {}).handle_arrived());
        let copy = copy.try_recv().expect("it is made before the flood is over").expect("all objects are here");
        assert!(copy.node_count() <= EVENTS_PER_BATCH, "{} nodes", copy.node_count());
    }
}
