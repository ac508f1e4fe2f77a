//! The loader's thread.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use berth_core::cache::Cache;
use berth_core::model::ObjectReads;
use tokio::sync::watch as latest;

use super::files::Files;
use super::options::LoaderOptions;
use super::watch::Watches;
use super::{First, LoaderError, Wish, directory};
use crate::feed::Feeder;
use crate::guests::{ClusterRequest, Delivery, Installed, Outbox, Prepared};
use crate::load::{Cluster, Compiler, Digest, LoadCause};
use crate::set::{AssembleError, Assembled, Assembler, Board, Catalog};
use berth_core::profile_spec::ProfileSpec;

/// The time without changes in the directory before it is read.
const QUIET: Duration = Duration::from_millis(100);
/// The longest wait for a quiet directory.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time until an invalid file is read again, because it may still be being written.
const SECOND_LOOK: Duration = Duration::from_secs(1);
/// The number of changes up to which the core's thread sends them to a new set, between two pods. More changes are
/// sent by the loader's thread.
const FEW_CHANGES: u64 = 128;
/// The number of times that the loader's thread brings a new set up to date. Each time fewer changes are left.
const ROUNDS: usize = 3;

/// A message that wakes the thread.
pub(super) enum Wake {
    /// The directory or the profiles changed.
    Changed,
    /// The thread must end.
    Stop,
}

/// The data of the thread.
pub(super) struct Worker {
    options: LoaderOptions,
    compiler: Compiler,
    assembler: Assembler,
    outbox: Outbox,
    first: latest::Sender<First>,
    wish: Wish,
    board: Arc<Mutex<Board>>,
    /// The latest profiles, if they can't serve yet. The assembler has the profiles that serve.
    refused: Option<Refused>,
    /// The problems of the last pass. Each is logged only when it is new.
    complaints: BTreeSet<String>,
}

/// Profiles that could not serve with these components.
struct Refused {
    specs: Vec<ProfileSpec>,
    components: BTreeSet<Digest>,
    error: AssembleError,
}

/// The core's thread has ended.
struct Ended;

impl Worker {
    pub fn new(
        options: LoaderOptions,
        compiler: Compiler,
        specs: Vec<ProfileSpec>,
        outbox: Outbox,
        first: latest::Sender<First>,
        (wish, board): (Wish, Arc<Mutex<Board>>),
    ) -> Self {
        let assembler = Assembler::new(specs, Arc::clone(&options.limits));
        let (refused, complaints) = (None, BTreeSet::new());
        Self { options, compiler, assembler, outbox, first, wish, board, refused, complaints }
    }

    pub fn run(mut self, wake: &Sender<Wake>, woken: &Receiver<Wake>) {
        let wake = wake.clone();
        // The loader's thread may have ended when the system reports a change.
        let mut watches = Watches::new(move || drop(wake.send(Wake::Changed)));
        let mut files = Files::new(&self.options.built_in, &self.options.loaded, &self.compiler);
        let (mut all, mut settled) = (true, false);
        loop {
            let mut complaints = BTreeSet::new();
            let unfinished = self.look(&mut files, &mut watches, all, &mut complaints);
            if self.bring_about(&files.catalog(), &mut complaints).is_err() {
                return;
            }
            // The scheduler waits for the first set; later sets are built while another serves.
            if !settled {
                lower_priority();
                settled = true;
            }
            complaints.difference(&self.complaints).for_each(|complaint| tracing::warn!("{complaint}"));
            self.complaints = complaints;
            let wait = if unfinished { SECOND_LOOK.min(self.options.poll) } else { self.options.poll };
            match woken.recv_timeout(wait) {
                Ok(Wake::Changed) if settle(woken) => all = true,
                Err(RecvTimeoutError::Timeout) => all = unfinished,
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Reads the directory. Returns whether it must be read again soon.
    fn look(&self, files: &mut Files, watches: &mut Watches, all: bool, complaints: &mut BTreeSet<String>) -> bool {
        let Some(dir) = &self.options.plugins_dir else { return false };
        // Watch before the read, so that a change in between is noticed.
        watches.follow(&directory::to_watch(dir));
        match directory::list(dir) {
            Ok(listed) => files.refresh(listed, all, &self.compiler, &self.options.limits),
            Err(error) => {
                complaints.insert(format!("plugins directory {}: {error}", dir.display()));
                false
            }
        }
    }

    /// Installs the latest profiles with these components, or else the previous profiles.
    fn bring_about(&mut self, catalog: &Catalog, complaints: &mut BTreeSet<String>) -> Result<(), Ended> {
        self.take_wish(catalog)?;
        let serves = self.serve(catalog)?;
        complaints.extend(serves.as_ref().err().map(ToString::to_string));
        complaints.extend(self.assembler.last_good(catalog));
        let refused = self.refused.as_ref().map(|refused| &refused.error);
        complaints.extend(refused.map(|error| format!("{error}; the profiles before serve on")));
        let refused_profiles = refused.or(serves.as_ref().err()).cloned();
        let board = self.assembler.board(catalog.clone(), refused_profiles);
        *self.board.lock().unwrap_or_else(PoisonError::into_inner) = board;
        if !self.serves() {
            self.first.send_replace(Some(serves.map_err(LoaderError::Profiles)));
        }
        Ok(())
    }

    /// Changes to the latest profiles, if they can serve. Refused profiles are tried again when the components
    /// change, or when the failure may pass, such as a list that was forbidden.
    fn take_wish(&mut self, catalog: &Catalog) -> Result<(), Ended> {
        let wish = self.wish.lock().unwrap_or_else(PoisonError::into_inner).take();
        let components: BTreeSet<Digest> = catalog.components().map(|component| component.digest).collect();
        let specs = match (wish, self.refused.take()) {
            (Some(wish), _) => wish,
            (None, Some(refused)) if refused.components != components || refused.error.may_pass() => refused.specs,
            (None, refused) => {
                self.refused = refused;
                return Ok(());
            }
        };
        let before = self.assembler.exchange_specs(specs);
        // If no set serves yet, there are no profiles to return to.
        if let Err(error) = self.serve(catalog)?
            && self.serves()
        {
            let specs = self.assembler.exchange_specs(before);
            self.refused = Some(Refused { specs, components, error });
        }
        Ok(())
    }

    /// Returns whether a set serves or has served.
    fn serves(&self) -> bool {
        matches!(&*self.first.borrow(), Some(Ok(())))
    }

    /// Builds the set for these components and installs it.
    fn serve(&mut self, catalog: &Catalog) -> Result<Result<(), AssembleError>, Ended> {
        loop {
            let outbox = &self.outbox;
            let mut copy = |objects: &[ObjectReads]| copy_of_cluster(outbox, objects, None);
            match self.assembler.assemble(catalog, &mut Cluster::new(&mut copy)) {
                Ok(None) => return Ok(Ok(())),
                Ok(Some(assembled)) => {
                    if self.hand_over(assembled)? {
                        return Ok(Ok(()));
                    }
                }
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Sends a set the changes since it was filled. Filling and testing may take seconds.
    fn catch_up(&self, prepared: &mut Prepared) -> Installed {
        let mut feeder = Feeder::default();
        for _ in 0..ROUNDS {
            let Some(position) = prepared.position() else { break };
            let Ok(cluster) = copy_of_cluster(&self.outbox, &[], Some(position)) else { break };
            if cluster.log().end().saturating_sub(position) <= FEW_CHANGES {
                break;
            }
            let told = prepared.catch_up(&cluster, &mut feeder);
            if told != Installed::Yes {
                return told;
            }
        }
        Installed::Yes
    }

    /// Passes a set to the core's thread. Returns true if it is installed, and false if another set must be built.
    fn hand_over(&mut self, assembled: Assembled) -> Result<bool, Ended> {
        let Assembled { mut prepared, inventory } = assembled;
        let mut installed = self.catch_up(&mut prepared);
        if installed == Installed::Yes {
            let (prepared, outcome) = prepared.watched();
            if !(self.outbox)(Delivery::Swap(prepared)) {
                return Err(Ended);
            }
            let outcome = outcome.recv().map_err(|_| Ended)?;
            drop(outcome.gone);
            installed = outcome.installed;
        }
        match installed {
            Installed::Yes => {
                self.assembler.commit(inventory);
                Ok(true)
            }
            Installed::FellBehind => Ok(false),
            Installed::Failed(id, words) => {
                self.assembler.fail(&inventory, id, words);
                Ok(false)
            }
        }
    }
}

/// Requests the cluster with these objects, and the changes since `since`, from the core's thread. Returns an empty
/// cluster if that thread has ended.
fn copy_of_cluster(outbox: &Outbox, objects: &[ObjectReads], since: Option<u64>) -> Result<Cache, LoadCause> {
    let (request, answer) = ClusterRequest::new(objects, since);
    let asked = outbox(Delivery::NeedsCluster(request));
    asked.then(|| answer.recv().ok()).flatten().unwrap_or_else(|| Ok(Cache::default()))
}

/// Waits until the directory is quiet. Returns false if the thread must end.
fn settle(woken: &Receiver<Wake>) -> bool {
    let patience = Instant::now() + PATIENCE;
    while Instant::now() < patience {
        match woken.recv_timeout(QUIET) {
            Ok(Wake::Changed) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// Lowers the thread's priority, so that compiling takes only the CPU time that scheduling leaves.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 10) {
        tracing::debug!("the loader's thread keeps its priority: {error}");
    }
}
