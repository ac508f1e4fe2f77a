//! Berth's scheduler as a task, so that it runs in the time of the runtime.
//!
//! The task does what the scheduling thread of `berth run` does: events of the informers go to the engine, and its actions
//! go to the API server.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use berth_clock::Clock;
use berth_core::extenders::NoExtenders;
use berth_core::{Core, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_kube::{ClusterEvent, Shell};
use berth_plugin_host::{ClusterRequest, Delivery, Guests, Prepared, Succession};
use futures::FutureExt;
use kube::Client;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::error::ScenarioError;
use crate::policy::Policy;

/// The number of events after which the plugins are sent changes.
const EVENTS_PER_UPDATE: u64 = 256;

/// How often a set of plugins is prepared again because the cluster changed too much in the meantime.
const ATTEMPTS: usize = 5;

/// A message to the task.
enum Order {
    /// A set of plugins, or a request for a copy of the cluster. The answer tells whether a set serves now.
    Deliver(Delivery, Option<oneshot::Sender<bool>>),
    /// A look at the core, between two steps.
    Look(Box<dyn FnOnce(&Core) + Send>),
    /// Scheduling begins.
    Begin,
}

/// The scheduler.
pub struct Scheduler {
    orders: UnboundedSender<Order>,
    succession: Option<Succession>,
    policy: Policy,
    _task: JoinSet<()>,
}

/// The task.
struct Task {
    engine: Engine,
    shell: Shell,
    clock: Arc<dyn Clock>,
    now: Timestamp,
    events: UnboundedReceiver<ClusterEvent>,
    orders: UnboundedReceiver<Order>,
    /// Instances that were rebuilt on another thread.
    rebuilt: Receiver<Delivery>,
    is_scheduling: bool,
    steps: u64,
}

impl Scheduler {
    /// Starts the scheduler. Returns when it schedules.
    ///
    /// # Errors
    /// The plugins can't serve.
    pub async fn start(
        client: &Client,
        clock: &Arc<dyn Clock>,
        policy: Policy,
        seed: u64,
    ) -> Result<Self, ScenarioError> {
        let (deliver, rebuilt) = channel();
        let outbox = Arc::new(move |delivery| deliver.send(delivery).is_ok());
        let guests = Guests::new(Arc::clone(policy.components.limits()), outbox);
        let guests = guests.map_err(|error| ScenarioError::cluster("the threads of the plugins", error))?;
        let mut options = Options { seed, ..Options::default() };
        options.queue.backoff = policy.backoff;
        let shell_options = berth_kube::Options {
            // The names of Events contain the host.
            host: "scenario".to_owned(),
            clock: Arc::clone(clock),
            ..berth_kube::Options::default()
        };
        let (events, events_in) = unbounded_channel();
        let (orders, orders_in) = unbounded_channel();
        let mut shell = Shell::start(client, &shell_options, events);
        let synced = shell.synced();
        let task = Task {
            engine: Engine::new(options, guests),
            shell,
            clock: Arc::clone(clock),
            now: Timestamp(0),
            events: events_in,
            orders: orders_in,
            rebuilt,
            is_scheduling: false,
            steps: 0,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run());
        synced.await;
        let succession = Some(Succession::new(Arc::clone(policy.components.limits())));
        let mut scheduler = Self { orders, succession, policy: policy.clone(), _task: tasks };
        scheduler.serve(policy).await?;
        scheduler.send(Order::Begin)?;
        Ok(scheduler)
    }

    /// Brings a policy into service, in place of the one before.
    ///
    /// # Errors
    /// The plugins can't serve.
    pub async fn serve(&mut self, policy: Policy) -> Result<(), ScenarioError> {
        for _ in 0..ATTEMPTS {
            let is_served = match self.prepare(&policy).await? {
                Some(prepared) => {
                    let (answer, served) = oneshot::channel();
                    self.send(Order::Deliver(Delivery::Swap(prepared), Some(answer)))?;
                    served.await.map_err(|_| ended())?
                }
                // The same plugins and profiles serve already.
                None => true,
            };
            if is_served {
                self.policy = policy;
                return Ok(());
            }
        }
        Err(ScenarioError::Policy(format!(
            "the plugins can't serve: the cluster changed too much {ATTEMPTS} times while they were prepared;              let the cluster settle before the step, for example with `expect: []`"
        )))
    }

    /// Prepares the plugins on a blocking thread, which asks the task for the cluster. tokio's paused time does not go on
    /// while such a thread works, so preparing takes no time.
    async fn prepare(&mut self, policy: &Policy) -> Result<Option<Prepared>, ScenarioError> {
        let mut succession = self.succession.take().ok_or_else(ended)?;
        let (orders, policy) = (self.orders.clone(), policy.clone());
        let work = move || {
            let mut cluster = |reads: &[_]| {
                let (request, answer) = ClusterRequest::new(reads, None);
                // Without an answer, the copy lacks the objects, which is an error of the plugin.
                let _ = orders.send(Order::Deliver(Delivery::NeedsCluster(request), None));
                answer.recv().ok().and_then(Result::ok).unwrap_or_default()
            };
            let prepared = policy.components.next(&mut succession, policy.specs, &mut cluster);
            (prepared, succession)
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (prepared, succession) = done.map_err(|error| ScenarioError::cluster("preparing the plugins", error))?;
        self.succession = Some(succession);
        prepared.map_err(|error| ScenarioError::Policy(error.to_string()))
    }

    /// Returns the policy in service.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Runs `look` on the core; `None` if the scheduler has ended.
    pub async fn look<T: Send + 'static>(&self, look: impl FnOnce(&Core) -> T + Send + 'static) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.send(Order::Look(Box::new(move |core| drop(answer.send(look(core)))))).ok()?;
        answered.await.ok()
    }

    fn send(&self, order: Order) -> Result<(), ScenarioError> {
        self.orders.send(order).map_err(|_| ended())
    }
}

fn ended() -> ScenarioError {
    ScenarioError::cluster("the scheduler", "it has ended because of an earlier error")
}

impl Task {
    async fn run(mut self) {
        loop {
            while let Ok(order) = self.orders.try_recv() {
                self.handle(order);
            }
            while let Ok(event) = self.events.try_recv() {
                self.step(event.event);
            }
            let now = self.now();
            if let Some(event) = self.engine.advance(now) {
                self.step(event);
            }
            self.accept_rebuilt();
            if self.is_scheduling && self.engine.core().has_work() {
                self.step(Event::Cycle);
                // The other tasks send the actions, and report what follows.
                tokio::task::yield_now().await;
                continue;
            }
            let wakeup = self.engine.core().next_wakeup().map(|at| self.clock.sleep(at.since(now)));
            tokio::select! {
                biased;
                order = self.orders.recv() => match order {
                    Some(order) => self.handle(order),
                    None => return,
                },
                event = self.events.recv() => match event {
                    Some(event) => self.step(event.event),
                    None => return,
                },
                () = wakeup.unwrap_or_else(|| std::future::pending().boxed()) => {}
            }
        }
    }

    /// Returns the time, which never goes back.
    fn now(&mut self) -> Timestamp {
        let now = u64::try_from(self.clock.timestamp().as_millisecond()).unwrap_or_default();
        self.now = self.now.max(Timestamp(now));
        self.now
    }

    fn handle(&mut self, order: Order) {
        match order {
            Order::Begin => self.is_scheduling = true,
            Order::Look(look) => look(self.engine.core()),
            Order::Deliver(delivery, answer) => {
                let now = self.now();
                let event = self.engine.accept(delivery, now);
                let is_served = event.is_some();
                event.into_iter().for_each(|event| self.step(event));
                if let Some(answer) = answer {
                    // The other side waits for the answer.
                    let _ = answer.send(is_served);
                }
            }
        }
    }

    fn step(&mut self, event: Event) {
        let now = self.now();
        self.execute(event, now);
        self.steps += 1;
        if self.steps.is_multiple_of(EVENTS_PER_UPDATE) {
            self.engine.update_plugins(now);
        }
        self.accept_rebuilt();
    }

    /// Waits for the instances that are being rebuilt, so that the result does not depend on the speed of the machine.
    fn accept_rebuilt(&mut self) {
        while self.engine.parts().1.is_rebuilding() {
            // The thread that rebuilds ends after this task.
            let Ok(delivery) = self.rebuilt.recv() else { return };
            let now = self.now();
            if let Some(event) = self.engine.accept(delivery, now) {
                self.execute(event, now);
            }
        }
    }

    fn execute(&mut self, event: Event, now: Timestamp) {
        let actions = self.engine.step(event, now, &mut NoExtenders, &mut ());
        self.shell.perform_all(actions);
    }
}
