//! The thread that keeps the set of plugins as the directory and the configuration want it.
//!
//! It looks at the directory when something changes there, and every few seconds besides; loads what is new; makes a
//! set of it, tried and filled, beside the one that serves; and hands it to the core's thread. Whatever fails leaves
//! the set that serves as it is.

mod directory;
mod files;
mod options;
mod stock;
mod survey;
mod watch;
mod work;

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::watch as latest;

pub use self::options::{BuiltIn, LoaderOptions};
pub use self::stock::Stock;
pub use self::survey::{line_up, survey};
use self::work::{Wake, Worker};
use super::engine::{counting_engine, engine};
use super::guests::Outbox;
use super::load::Compiler;
use super::set::{AssembleError, Board, PluginStatus};
use berth_core::profile_spec::ProfileSpec;

/// The loader can't do its work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoaderError {
    /// The engine can't be had.
    #[error("starting the WebAssembly engine: {0}")]
    Engine(String),
    /// The plugins directory is there, but can't be read.
    #[error("plugins directory {}: {}", .0.display(), .1)]
    Directory(PathBuf, Arc<std::io::Error>),
    /// The profiles can't be served.
    #[error(transparent)]
    Profiles(#[from] AssembleError),
    /// The thread can't be started, or ended early.
    #[error("the loader's thread: {0}")]
    Thread(String),
}

/// Whether a set serves; `None` as long as it is not known, and final once one does.
type First = Option<Result<(), LoaderError>>;

/// The profiles that are wanted instead of those that the thread knows, until it has taken them.
type Wish = Arc<Mutex<Option<Vec<ProfileSpec>>>>;

/// A handle to the loader's thread, which ends with it.
pub struct Loader {
    wake: Sender<Wake>,
    first: latest::Receiver<First>,
    wish: Wish,
    board: Arc<Mutex<Board>>,
}

impl Loader {
    /// Starts it. Its sets, the first one included, come through `outbox`.
    ///
    /// # Errors
    /// The engine or the thread can't be started.
    pub fn start(options: LoaderOptions, specs: Vec<ProfileSpec>, outbox: Outbox) -> Result<Self, LoaderError> {
        let compiler = compiler(&options)?;
        let supervisor = options.supervisor.clone();
        let (wake, woken) = channel();
        let (first_in, first) = latest::channel(None);
        let (wish, board) = (Wish::default(), Arc::<Mutex<Board>>::default());
        let shared = (Arc::clone(&wish), Arc::clone(&board));
        let worker = Worker::new(options, compiler, specs, outbox, first_in, shared);
        let wake_worker = wake.clone();
        thread::Builder::new()
            .name("wasm-loader".into())
            .spawn(move || supervisor.thread("the loader's thread", || worker.run(&wake_worker, &woken)))
            .map_err(|error| LoaderError::Thread(error.to_string()))?;
        Ok(Self { wake, first, wish, board })
    }

    /// Returns when the first set serves.
    ///
    /// # Errors
    /// It can't: a profile names a plugin that is not there, or that was refused.
    pub async fn ready(&self) -> Result<(), LoaderError> {
        let mut first = self.first.clone();
        let known = first.wait_for(Option::is_some).await.map_err(|_| ended_early())?;
        known.clone().unwrap_or_else(|| Err(ended_early()))
    }

    /// Returns when the first set serves, however long it takes until all its plugins are there; `why_not` is told each
    /// reason why it does not yet.
    ///
    /// # Errors
    /// It never will: the thread has ended.
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

    /// Wants these profiles from now on. They serve as soon as all plugins that they name are there; until then those
    /// before do, and [`Loader::refused_profiles`] says why.
    pub fn set_profiles(&self, specs: Vec<ProfileSpec>) {
        *self.wish.lock().unwrap_or_else(PoisonError::into_inner) = Some(specs);
        // If it can't be told, it has ended.
        let _ = self.wake.send(Wake::Changed);
    }

    /// Why the profiles that are wanted don't serve; `None` where they do.
    #[must_use]
    pub fn refused_profiles(&self) -> Option<AssembleError> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).refused_profiles.clone()
    }

    /// All plugins, as they fare now.
    #[must_use]
    pub fn status(&self) -> Vec<PluginStatus> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).status()
    }

    /// Ends the thread, when it is done with what it is at.
    pub fn stop(&self) {
        // It may have ended.
        let _ = self.wake.send(Wake::Stop);
    }
}

fn ended_early() -> LoaderError {
    LoaderError::Thread("it ended before the first plugins were ready".into())
}

fn compiler(options: &LoaderOptions) -> Result<Compiler, LoaderError> {
    let no_engine = |error: wasmtime::Error| LoaderError::Engine(format!("{error:#}"));
    let engine = if options.counts_work { counting_engine() } else { engine() }.map_err(no_engine)?;
    Compiler::new(engine, options.cache_dir().as_deref(), Arc::clone(&options.limits)).map_err(no_engine)
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.stop();
    }
}
