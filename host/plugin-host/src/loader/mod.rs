//! The loader: a thread that keeps the set of plugins in line with the directory and the configuration.
//!
//! The loader reads the directory after each change there, and also every few seconds. It loads new components, builds,
//! tests and fills a new set while the previous set serves, and passes the new set to the core's thread. After a
//! failure, the serving set stays unchanged.

mod component_set;
mod directory;
mod files;
mod options;
mod succession;
mod survey;
mod watch;
mod work;

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::{oneshot, watch as latest};

pub use self::component_set::ComponentSet;
pub use self::options::{BuiltIn, LoaderOptions};
pub use self::succession::Succession;
pub use self::survey::{line_up, survey};
use self::work::{Wake, Worker};
use super::engine::{counting_engine, engine};
use super::guests::Outbox;
use super::load::Compiler;
use super::set::{AssembleError, Board, PluginStatus};
use berth_core::limits::Limits;
use berth_core::profile_spec::ProfileSpec;

/// The reason why the loader can't work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoaderError {
    /// The engine can't be started.
    #[error("can't start the WebAssembly engine: {0}")]
    Engine(String),
    /// The plugins directory exists, but can't be read.
    #[error("can't read the plugins directory {}: {}", .0.display(), .1)]
    Directory(PathBuf, Arc<std::io::Error>),
    /// The profiles can't be served.
    #[error(transparent)]
    Profiles(#[from] AssembleError),
    /// The thread can't be started, or ended early.
    #[error("the plugin loader's thread failed: {0}")]
    Thread(String),
}

/// Whether a set serves: `None` until the first result, and final once a set serves.
type First = Option<Result<(), LoaderError>>;

/// The profiles to change to, until the thread applies them.
type RequestedProfiles = Arc<Mutex<Option<Vec<ProfileSpec>>>>;

/// A plugin to reload, and the receiver of the reason why it was not reloaded.
type Reload = (Arc<str>, oneshot::Sender<Result<(), String>>);

/// What the loader's thread shares with its handle.
#[derive(Clone, Default)]
struct Shared {
    /// The profiles to change to, until the thread applies them.
    profiles: RequestedProfiles,
    /// The plugins to reload, until the thread reloads them.
    reloads: Arc<Mutex<Vec<Reload>>>,
    board: Arc<Mutex<Board>>,
}

/// A handle of the loader's thread. The thread ends when the handle is dropped.
pub struct Loader {
    wake: Sender<Wake>,
    first: latest::Receiver<First>,
    shared: Shared,
    limits: Arc<Limits>,
}

impl Loader {
    /// Starts the loader's thread. The thread sends all sets, also the first set, through `outbox`.
    ///
    /// # Errors
    /// The engine or the thread can't be started.
    pub fn start(options: LoaderOptions, specs: Vec<ProfileSpec>, outbox: Outbox) -> Result<Self, LoaderError> {
        let compiler = compiler(&options)?;
        let (supervisor, limits) = (options.supervisor.clone(), Arc::clone(&options.limits));
        let (wake, woken) = channel();
        let (first_in, first) = latest::channel(None);
        let shared = Shared::default();
        let worker = Worker::new(options, compiler, specs, outbox, first_in, shared.clone());
        let wake_worker = wake.clone();
        thread::Builder::new()
            .name("wasm-loader".into())
            .spawn(move || supervisor.thread("the loader's thread", || worker.run(&wake_worker, &woken)))
            .map_err(|error| LoaderError::Thread(error.to_string()))?;
        Ok(Self { wake, first, shared, limits })
    }

    /// Waits until the first set serves or is refused.
    ///
    /// # Errors
    /// The first set can't serve (for example because a profile names a plugin that does not exist or was refused), or
    /// the thread has ended.
    pub async fn ready(&self) -> Result<(), LoaderError> {
        let mut first = self.first.clone();
        let known = first.wait_for(Option::is_some).await.map_err(|_| ended_early())?;
        known.clone().unwrap_or_else(|| Err(ended_early()))
    }

    /// Waits until the first set serves, however long that takes. Calls `why_not` with each reason for the delay.
    ///
    /// # Errors
    /// The thread has ended.
    pub async fn serving(&self, mut why_not: impl FnMut(&LoaderError)) -> Result<(), LoaderError> {
        let mut first = self.first.clone();
        loop {
            match &*first.borrow_and_update() {
                Some(Ok(())) => return Ok(()),
                Some(Err(error)) => why_not(error),
                None => {}
            }
            first.changed().await.map_err(|_| ended_early())?;
        }
    }

    /// Changes the profiles. They serve as soon as all their plugins are available; until then, the previous profiles
    /// serve, and [`Loader::refused_profiles`] returns the reason.
    pub fn set_profiles(&self, specs: Vec<ProfileSpec>) {
        *self.shared.profiles.lock().unwrap_or_else(PoisonError::into_inner) = Some(specs);
        // The send fails only if the thread has ended.
        let _ = self.wake.send(Wake::Changed);
    }

    /// Replaces the instances of a plugin by new ones, which know nothing of earlier calls. Reads the plugins directory
    /// first. The receiver gets the result, with the reason for people if the plugin was not reloaded. It gets an error
    /// if the thread has ended.
    #[must_use]
    pub fn reload(&self, plugin: &str) -> oneshot::Receiver<Result<(), String>> {
        let (answer, answered) = oneshot::channel();
        self.shared.reloads.lock().unwrap_or_else(PoisonError::into_inner).push((plugin.into(), answer));
        // If the thread has ended, nobody reads the list any more.
        if self.wake.send(Wake::Changed).is_err() {
            self.shared.reloads.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        answered
    }

    /// Returns the reason why the latest profiles don't serve; `None` if they serve, or if the thread has not tried
    /// them yet.
    #[must_use]
    pub fn refused_profiles(&self) -> Option<AssembleError> {
        self.shared.board.lock().unwrap_or_else(PoisonError::into_inner).refused_profiles.clone()
    }

    /// Returns the profiles that serve; none before the first set serves.
    #[must_use]
    pub fn serving_profiles(&self) -> Vec<ProfileSpec> {
        match &*self.first.borrow() {
            Some(Ok(())) => self.shared.board.lock().unwrap_or_else(PoisonError::into_inner).specs.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns the current state of all plugins.
    #[must_use]
    pub fn status(&self) -> Vec<PluginStatus> {
        self.shared.board.lock().unwrap_or_else(PoisonError::into_inner).status()
    }

    /// Returns the components that are loaded now. A component that serves comes before other components of its name.
    #[must_use]
    pub fn components(&self) -> ComponentSet {
        let catalog = self.shared.board.lock().unwrap_or_else(PoisonError::into_inner).components();
        ComponentSet { catalog, limits: Arc::clone(&self.limits) }
    }

    /// Ends the thread after its current work.
    pub fn stop(&self) {
        // The thread may have ended already.
        let _ = self.wake.send(Wake::Stop);
    }
}

fn ended_early() -> LoaderError {
    LoaderError::Thread("it ended before the first plugins were ready".into())
}

fn compiler(options: &LoaderOptions) -> Result<Compiler, LoaderError> {
    let no_engine = |error: wasmtime::Error| LoaderError::Engine(format!("{error:#}"));
    let engine = if options.counts_work { counting_engine() } else { engine() }.map_err(no_engine)?;
    let (limits, grants) = (Arc::clone(&options.limits), options.grants.clone());
    Compiler::new(engine, options.cache_dir().as_deref(), limits, grants).map_err(no_engine)
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.stop();
    }
}
