//! The running scheduler: one thread owns the engine; all other parts send it messages through channels.
//!
//! ```text
//!  berth_kube::Shell ────────Event──▶ ┌──────────────────────┐ ──Action──▶ berth_kube::Shell
//!  berth_plugin_host ─────Delivery──▶ │ event_loop: Engine   │
//!  probes, dumps, tests ───Inspect──▶ └──────────────────────┘
//! ```

mod capture;
mod clock;
mod control;
mod event_loop;
mod in_force;
mod metered;
mod observer;
mod questions;
mod reload;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use berth_core::{Action, Core};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::capture::Capture;
use self::clock::Clock;
pub use self::clock::now;
use self::control::Control;
use self::event_loop::EventLoop;
pub use self::in_force::InForce;
pub use self::observer::Observer;
pub use self::questions::Questions;
pub use self::reload::Reload;
use crate::default_plugins::grant_policy;
use berth_admin::Vitals;
use berth_admin::metrics::{Meter, Metrics};
use berth_capture::files::{MODULES, OwnFiles};
use berth_capture::record::Source;
use berth_capture::{Recorder, RecorderOptions, Target};
use berth_config::Configuration;
use berth_core::limits::Limits;
use berth_engine::Engine;
use berth_kube::extender::Extenders;
use berth_kube::{Shell, Undone};
use berth_plugin_host::{Guests, Loader};
use berth_supervisor::Supervisor;

/// The stack size of the scheduling thread, in bytes. Guests run on this stack, too.
const STACK: usize = 8 << 20;

/// Options of a scheduler.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Profiles, backoffs and extenders.
    pub configuration: Configuration,
    /// The watched directory of further plugins; `None` if there is no such directory.
    pub plugins_dir: Option<PathBuf>,
    /// The directory of the cache of compiled plugins. Default: a folder in the user's cache directory.
    pub cache_dir: Option<PathBuf>,
    /// Resource limits of plugins.
    pub limits: Limits,
    /// Where the scheduler records itself; `None` for no capture.
    pub capture: Option<RecorderOptions>,
    /// Whether a capture also keeps a copy of each component of the plugins directory.
    pub capture_modules: bool,
    /// Whether the scheduler only watches the cluster. It then schedules no pods and changes nothing.
    pub only_watches: bool,
    /// Whether a capture has all fields of pods, nodes, and the kinds that plugins read. Only with `only_watches`, because
    /// a change of a field that no plugin reads would let a scheduler try pods again.
    pub capture_all_fields: bool,
    /// Options of the core.
    pub core: berth_core::Options,
    /// Options of the API client.
    pub shell: berth_kube::Options,
    /// The metrics that the scheduler counts into.
    pub metrics: Arc<Metrics>,
    /// The vital signs that the scheduler updates for the probes.
    pub vitals: Arc<Vitals>,
    /// Counts the built-in plugins that are compiled, for a progress bar.
    pub plugins_compiled: Arc<AtomicUsize>,
    /// Reports the end of the scheduler's threads and tasks. The scheduler must be stopped when
    /// [`Supervisor::first_end`] returns.
    pub supervisor: Supervisor,
}

impl Options {
    /// Returns the options that the configuration states. All other options have their defaults.
    #[must_use]
    pub fn of(configuration: Configuration) -> Self {
        let berth = &configuration.berth;
        let default = Self::default();
        Self {
            plugins_dir: berth.plugin_directory.clone(),
            cache_dir: berth.cache_directory.clone(),
            limits: berth.limits(),
            core: berth_core::Options {
                seed: berth.seed.unwrap_or(default.core.seed),
                decisions: berth.decision_records.unwrap_or_default().options(),
                ..default.core
            },
            configuration,
            ..default
        }
    }
}

/// A running scheduler. Dropping it ends it at once, like killing the process. [`Scheduler::stop`] ends it in order.
pub struct Scheduler {
    control: StopOnDrop,
    thread: JoinHandle<()>,
    shell: Arc<Shell>,
    synced: Shared<BoxFuture<'static, ()>>,
    loader: Arc<Loader>,
    extenders: Arc<Extenders>,
    vitals: Arc<Vitals>,
    supervisor: Supervisor,
    clock: Arc<dyn berth_clock::Clock>,
    /// The files of the capture.
    capture: Option<Arc<OwnFiles>>,
    metrics: Arc<Metrics>,
}

/// The control channel of the scheduling thread. Dropping it ends the thread.
struct StopOnDrop(UnboundedSender<Control>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        // Sending fails only if the thread has ended.
        let _ = self.0.send(Control::Stop);
    }
}

impl Scheduler {
    /// Loads the plugins, syncs the cluster's objects, and begins to schedule pods. Returns when scheduling has begun.
    ///
    /// # Errors
    /// The configuration names a plugin that is missing or refused, or an extender that can't be used; or the system
    /// refuses a thread.
    pub async fn start(client: ::kube::Client, options: Options) -> Result<Self> {
        let scheduler = Self::prepare(&client, options).await?;
        scheduler.synced().await;
        scheduler.loader.ready().await?;
        scheduler.vitals.set_plugins_missing(None);
        scheduler.begin()?;
        Ok(scheduler)
    }

    /// Starts to load the plugins and to sync and watch the cluster's objects. Schedules no pods before
    /// [`Scheduler::begin`], which may be called once [`Scheduler::ready`] returns.
    ///
    /// # Errors
    /// An extender can't be used, the system refuses a thread, or the default plugins' grants can't be read.
    pub async fn prepare(client: &::kube::Client, options: Options) -> Result<Self> {
        let extenders = Arc::new(Extenders::new(&options.configuration.extenders).await?);
        let (events, events_in) = unbounded_channel();
        let (control, control_in) = unbounded_channel();
        let outbox = outbox(&control);
        let limits = Arc::new(options.limits.clone());
        let supervisor = options.supervisor;
        let guests = Guests::supervised(Arc::clone(&limits), Arc::clone(&outbox), &supervisor);
        let guests = guests.context("starting the threads of the plugins")?;
        let shell_options =
            berth_kube::Options { extenders: Arc::clone(&extenders), supervisor: supervisor.clone(), ..options.shell };
        let clock = Arc::clone(&shell_options.clock);
        let mut shell = Shell::start(client, &shell_options, events);
        let synced = shell.synced().boxed().shared();
        let shell = Arc::new(shell);
        let all_fields = options.only_watches && options.capture_all_fields;
        let perform = {
            let shell = Arc::clone(&shell);
            let only_watches = options.only_watches;
            Box::new(move |mut actions: Vec<Action>| {
                if only_watches {
                    actions.retain(|action| is_watch(action, all_fields));
                }
                shell.perform_all(actions);
            })
        };
        let core = with_backoff(options.core, &options.configuration);
        let asker = Box::new(extenders.asker(Handle::current()));
        let own_files = match &options.capture {
            Some(RecorderOptions { target: Target::Directory(path), .. }) => Some(Arc::new(OwnFiles::from_now(path))),
            _ => None,
        };
        let keep_files = own_files.as_ref().filter(|_| options.capture_modules);
        let keep_files = keep_files.map(|files| files.directory().join(MODULES));
        let source = if options.only_watches { Source::Cluster } else { Source::Scheduler };
        let capture = options.capture.map(|capture| {
            let header = capture::header(&core, source, &options.configuration, &*asker);
            let (Target::Directory(path) | Target::File(path)) = &capture.target;
            let path = path.display().to_string();
            Recorder::start(capture, header).with_context(|| format!("starting the capture {path}"))
        });
        let capture = capture.transpose()?;
        let event_loop = EventLoop {
            engine: Engine::new(core, guests),
            extenders: asker,
            capture: capture.map(|capture| Capture::new(capture, source, all_fields)),
            events: events_in,
            control: control_in,
            perform,
            runtime: Handle::current(),
            clock: Clock::new(clock.clone()),
            meter: Meter::new(Arc::clone(&options.metrics)),
            vitals: Arc::clone(&options.vitals),
            is_scheduling: false,
            is_paused: false,
            drained: None,
        };
        let core = {
            let supervisor = supervisor.clone();
            move || supervisor.thread("the core's thread", || event_loop.run())
        };
        let thread = std::thread::Builder::new().name("core".into()).stack_size(STACK).spawn(core)?;
        let loader_options = berth_plugin_host::LoaderOptions {
            plugins_dir: options.plugins_dir,
            cache_dir: options.cache_dir,
            keep_files,
            limits,
            grants: grant_policy(&options.configuration.berth)?,
            supervisor: supervisor.clone(),
            built_in: crate::default_plugins().to_vec(),
            loaded: options.plugins_compiled,
            ..berth_plugin_host::LoaderOptions::default()
        };
        let loader = Arc::new(Loader::start(loader_options, options.configuration.profiles, outbox)?);
        Ok(Self {
            control: StopOnDrop(control),
            thread,
            shell,
            synced,
            loader,
            extenders,
            vitals: options.vitals,
            supervisor,
            clock,
            capture: own_files,
            metrics: options.metrics,
        })
    }

    /// Returns when the cluster's objects are synced and the first set of plugins is in service. Waits without a
    /// limit until every plugin that the profiles name is available. May be dropped and called again.
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

    /// Begins to schedule pods.
    ///
    /// # Errors
    /// The scheduling thread has ended.
    pub fn begin(&self) -> Result<()> {
        self.control.0.send(Control::Begin).map_err(|_| anyhow!("the core's thread has ended"))
    }

    /// Returns the supervisor of this scheduler's threads and tasks.
    #[must_use]
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// Returns a view of the scheduler that does not keep it running.
    #[must_use]
    pub fn observer(&self) -> Observer {
        Observer {
            control: self.control.0.clone(),
            loader: Arc::clone(&self.loader),
            extenders: self.extenders.list().into(),
            clock: Arc::clone(&self.clock),
            capture: self.capture.clone(),
            metrics: Arc::clone(&self.metrics),
        }
    }

    /// Runs `look` on the core, between two steps, and returns its result.
    ///
    /// # Errors
    /// The scheduler has ended.
    pub async fn inspect<T: Send + 'static>(&self, look: impl FnOnce(&Core) -> T + Send + 'static) -> Result<T> {
        self.observer().inspect(look).await
    }

    /// Returns the plugin loader, with the status of all plugins.
    #[must_use]
    pub fn loader(&self) -> &Loader {
        &self.loader
    }

    /// Stops scheduling, and waits at most `within` for bindings in progress and for the writes that follow them.
    /// Returns the bindings and writes that were not finished.
    ///
    /// # Errors
    /// The scheduling thread, or another supervised thread or task, had ended before.
    pub async fn stop(self, within: Duration) -> Result<Undone> {
        let deadline = Instant::now() + within;
        self.vitals.set_stopping();
        let (drained, is_drained) = oneshot::channel();
        // Sending fails only if the thread has ended; joining it reports that.
        let _ = self.control.0.send(Control::Drain(drained));
        self.shell.end_waits();
        // After the deadline, `shutdown` counts the bindings that are not done.
        let _ = tokio::time::timeout_at(deadline, is_drained).await;
        self.extenders.end();
        drop(self.control);
        self.loader.stop();
        let thread = self.thread;
        let joined = tokio::task::spawn_blocking(move || thread.join()).await?;
        joined.map_err(|_| anyhow!("the core's thread panicked; the log has the message"))?;
        if let Some(ended) = self.supervisor.first_end().now_or_never() {
            return Err(ended.into());
        }
        let shell = Arc::into_inner(self.shell).context("another part still uses the API client")?;
        Ok(shell.shutdown(deadline.saturating_duration_since(Instant::now())).await)
    }
}

/// Returns whether a scheduler that only watches executes the action. For a capture with all fields, the fields of pods
/// and nodes are read also if no plugin names them.
fn is_watch(action: &Action, all_fields: bool) -> bool {
    match action {
        Action::Watch(_) => true,
        Action::StopWatching(kind) => !(all_fields && kind.is_pod_or_node()),
        _ => false,
    }
}

/// Returns the core's options with the backoffs of the configuration.
fn with_backoff(mut core: berth_core::Options, configuration: &Configuration) -> berth_core::Options {
    core.queue.backoff.initial = configuration.pod_initial_backoff;
    core.queue.backoff.max = configuration.pod_max_backoff;
    core
}

fn outbox(control: &UnboundedSender<Control>) -> berth_plugin_host::Outbox {
    let control = control.clone();
    Arc::new(move |delivery| control.send(Control::Plugins(delivery)).is_ok())
}
