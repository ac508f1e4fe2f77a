//! The scheduler as it runs: one thread owns core and guests, and everyone else talks to it through channels.
//!
//! ```text
//!  berth_kube::Shell ──Event──▶ ┌──────────────────────┐ ──Action──▶ berth_kube::Shell
//!  wasm loader ─Delivery▶ │ turn: Core + Guests  │
//!  callers ────Inspect──▶ └──────────────────────┘
//! ```

mod clock;
mod control;
mod metered;
mod observer;
mod reload;
mod turn;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use berth_core::Core;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::clock::Clock;
use self::control::Control;
pub use self::observer::Observer;
pub use self::reload::Reload;
use self::turn::Turn;
use berth_admin::Vitals;
use berth_admin::metrics::{Meter, Metrics};
use berth_config::Configuration;
use berth_core::limits::Limits;
use berth_kube::extender::Extenders;
use berth_kube::{Shell, Undone};
use berth_plugin_host::{Guests, Loader};
use berth_supervisor::Supervisor;

/// Stack of the core's thread, on which guests run, too.
const STACK: usize = 8 << 20;

/// How a scheduler is set up.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its profiles and backoffs.
    pub configuration: Configuration,
    /// Further plugins, watched.
    pub plugins_dir: Option<PathBuf>,
    /// Where compiled plugins are kept; a folder of the user's cache if not given.
    pub cache_dir: Option<PathBuf>,
    /// What plugins may take.
    pub limits: Limits,
    /// The core's settings.
    pub core: berth_core::Options,
    /// How it talks to the API server.
    pub shell: berth_kube::Options,
    /// Where it counts what it does.
    pub metrics: Arc<Metrics>,
    /// Where it shows that it lives.
    pub vitals: Arc<Vitals>,
    /// Watches over its threads and tasks. The scheduler has to be stopped when [`Supervisor::first_end`] returns.
    pub supervisor: Supervisor,
}

impl Options {
    /// All that the configuration says.
    #[must_use]
    pub fn of(configuration: Configuration) -> Self {
        let berth = &configuration.berth;
        let default = Self::default();
        Self {
            plugins_dir: berth.plugin_directory.clone(),
            cache_dir: berth.cache_directory.clone(),
            limits: berth.limits(),
            core: berth_core::Options { seed: berth.seed.unwrap_or(default.core.seed), ..default.core },
            configuration,
            ..default
        }
    }
}

/// A running scheduler. Dropped, it ends at once, as a process that is killed; [`Scheduler::stop`] ends it in order.
pub struct Scheduler {
    control: Reins,
    thread: JoinHandle<()>,
    shell: Arc<Shell>,
    synced: Shared<BoxFuture<'static, ()>>,
    loader: Arc<Loader>,
    extenders: Arc<Extenders>,
    vitals: Arc<Vitals>,
    supervisor: Supervisor,
}

/// Whoever holds them tells the core's thread what to do. Without them it ends.
struct Reins(UnboundedSender<Control>);

impl Drop for Reins {
    fn drop(&mut self) {
        // If it can't be told, it has ended.
        let _ = self.0.send(Control::Stop);
    }
}

impl Scheduler {
    /// Loads the plugins, learns the cluster, and begins to place pods. Returns when it does.
    ///
    /// # Errors
    /// The configuration names a plugin that is not there, or one that is refused; the system gives no thread.
    pub async fn start(client: ::kube::Client, options: Options) -> Result<Self> {
        let scheduler = Self::prepare(&client, options).await?;
        scheduler.synced().await;
        scheduler.loader.ready().await?;
        scheduler.vitals.set_plugins_missing(None);
        scheduler.begin()?;
        Ok(scheduler)
    }

    /// Begins to load the plugins and to learn the cluster, and goes on learning what changes; but places nothing before
    /// [`Scheduler::begin`], for which it is time after [`Scheduler::ready`].
    ///
    /// # Errors
    /// An extender can't be asked; the system gives no thread.
    pub async fn prepare(client: &::kube::Client, options: Options) -> Result<Self> {
        let extenders = Arc::new(Extenders::new(&options.configuration.extenders).await?);
        let (events, events_in) = unbounded_channel();
        let (control, control_in) = unbounded_channel();
        let outbox = outbox(&control);
        let limits = Arc::new(options.limits.clone());
        let supervisor = options.supervisor;
        let guests = Guests::supervised(Arc::clone(&limits), Arc::clone(&outbox), &supervisor);
        let guests = guests.context("starting the plugins' threads")?;
        let shell_options =
            berth_kube::Options { extenders: Arc::clone(&extenders), supervisor: supervisor.clone(), ..options.shell };
        let mut shell = Shell::start(client, &shell_options, events);
        let synced = shell.synced().boxed().shared();
        let shell = Arc::new(shell);
        let perform = {
            let shell = Arc::clone(&shell);
            Box::new(move |actions| shell.perform_all(actions))
        };
        let core = with_backoff(options.core, &options.configuration);
        let turn = Turn {
            core: Core::new(core).with_extenders(Box::new(extenders.asker(Handle::current()))),
            guests,
            events: events_in,
            control: control_in,
            perform,
            runtime: Handle::current(),
            clock: Clock::default(),
            meter: Meter::new(options.metrics),
            vitals: Arc::clone(&options.vitals),
            begun: false,
            drained: None,
        };
        let core = {
            let supervisor = supervisor.clone();
            move || supervisor.thread("the core's thread", || turn.run())
        };
        let thread = std::thread::Builder::new().name("core".into()).stack_size(STACK).spawn(core)?;
        let loader_options = berth_plugin_host::LoaderOptions {
            plugins_dir: options.plugins_dir,
            cache_dir: options.cache_dir,
            limits,
            supervisor: supervisor.clone(),
            built_in: crate::default_plugins().to_vec(),
            ..berth_plugin_host::LoaderOptions::default()
        };
        let loader = Arc::new(Loader::start(loader_options, options.configuration.profiles, outbox)?);
        Ok(Self {
            control: Reins(control),
            thread,
            shell,
            synced,
            loader,
            extenders,
            vitals: options.vitals,
            supervisor,
        })
    }

    /// Returns when the cluster is known and the first plugins serve, however long it takes until all plugins are there
    /// that profiles name. May be dropped and called again.
    ///
    /// # Errors
    /// The loader's thread has ended.
    pub async fn ready(&self) -> Result<()> {
        self.synced().await;
        let missing = |error: &berth_plugin_host::LoaderError| self.vitals.set_plugins_missing(Some(error.to_string()));
        self.loader.serving(missing).await?;
        self.vitals.set_plugins_missing(None);
        Ok(())
    }

    async fn synced(&self) {
        self.synced.clone().await;
        self.vitals.set_informers_synced();
    }

    /// Begins to place pods.
    ///
    /// # Errors
    /// The core's thread has ended.
    pub fn begin(&self) -> Result<()> {
        self.control.0.send(Control::Begin).map_err(|_| anyhow!("the core's thread has ended"))
    }

    /// Watches over the threads and tasks of this scheduler.
    #[must_use]
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// A view for others.
    #[must_use]
    pub fn observer(&self) -> Observer {
        Observer { control: self.control.0.clone(), loader: Arc::clone(&self.loader) }
    }

    /// Looks at the core, between two of its steps.
    ///
    /// # Errors
    /// The scheduler has ended.
    pub async fn inspect<T: Send + 'static>(&self, look: impl FnOnce(&Core) -> T + Send + 'static) -> Result<T> {
        self.observer().inspect(look).await
    }

    /// The plugins, as they fare.
    #[must_use]
    pub fn loader(&self) -> &Loader {
        &self.loader
    }

    /// Places nothing more, and waits for bindings that are under way, and for what is to be written about them; but no
    /// longer than `within`.
    ///
    /// # Errors
    /// The core's thread had ended before, by a panic.
    pub async fn stop(self, within: Duration) -> Result<Undone> {
        let deadline = Instant::now() + within;
        self.vitals.set_stopping();
        let (drained, is_drained) = oneshot::channel();
        // If it can't be told, it has ended, which joining finds out.
        let _ = self.control.0.send(Control::Drain(drained));
        self.shell.end_waits();
        // What is not bound by then is counted below.
        let _ = tokio::time::timeout_at(deadline, is_drained).await;
        self.extenders.end();
        drop(self.control);
        self.loader.stop();
        let thread = self.thread;
        let joined = tokio::task::spawn_blocking(move || thread.join()).await?;
        joined.map_err(|_| anyhow!("the core's thread panicked; its last words are in the log"))?;
        if let Some(ended) = self.supervisor.first_end().now_or_never() {
            return Err(ended.into());
        }
        let shell = Arc::into_inner(self.shell).context("somebody still uses the shell")?;
        Ok(shell.shutdown(deadline.saturating_duration_since(Instant::now())).await)
    }
}

/// The configuration has the word on backoffs.
fn with_backoff(mut core: berth_core::Options, configuration: &Configuration) -> berth_core::Options {
    core.queue.backoff.initial = configuration.pod_initial_backoff;
    core.queue.backoff.max = configuration.pod_max_backoff;
    core
}

fn outbox(control: &UnboundedSender<Control>) -> berth_plugin_host::Outbox {
    let control = control.clone();
    Arc::new(move |delivery| control.send(Control::Plugins(delivery)).is_ok())
}
