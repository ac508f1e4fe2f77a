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

/// After a change, the directory has to be quiet for so long before it is looked at.
const QUIET: Duration = Duration::from_millis(100);
/// But it is not waited longer than this.
const PATIENCE: Duration = Duration::from_secs(2);
/// When a file that is bad is looked at again: it may still be being written.
const SECOND_LOOK: Duration = Duration::from_secs(1);
/// So many changes are told to a new set between two pods; where there are more, they are told to it aside.
const FEW_CHANGES: u64 = 128;
/// How often it is brought up to date aside. What happens in the meantime is less each time.
const ROUNDS: usize = 3;

/// What wakes the thread.
pub(super) enum Wake {
    /// Something changed in the directory, or other profiles are wanted.
    Changed,
    /// It is to end.
    Stop,
}

/// All that the thread owns.
pub(super) struct Worker {
    options: LoaderOptions,
    compiler: Compiler,
    assembler: Assembler,
    outbox: Outbox,
    first: latest::Sender<First>,
    wish: Wish,
    board: Arc<Mutex<Board>>,
    /// Profiles that are wanted and can't serve yet. Those of the assembler do.
    refused: Option<Refused>,
    /// What was wrong at the last look: said once, not at every look.
    complaints: BTreeSet<String>,
}

/// Profiles that could not serve with the components that there were.
struct Refused {
    specs: Vec<ProfileSpec>,
    components: BTreeSet<Digest>,
    error: AssembleError,
}

/// The core's thread has ended: there is nobody to load for.
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
        // The thread may have ended when the system still tells of changes.
        let mut watches = Watches::new(move || drop(wake.send(Wake::Changed)));
        let mut files = Files::new(&self.options.built_in, &self.compiler);
        let (mut all, mut settled) = (true, false);
        loop {
            let mut complaints = BTreeSet::new();
            let unfinished = self.look(&mut files, &mut watches, all, &mut complaints);
            if self.bring_about(&files.catalog(), &mut complaints).is_err() {
                return;
            }
            // The first set is waited for; later ones are made beside the work of the one that serves.
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

    /// Reads the directory. Returns whether a second look is due soon.
    fn look(&self, files: &mut Files, watches: &mut Watches, all: bool, complaints: &mut BTreeSet<String>) -> bool {
        let Some(dir) = &self.options.plugins_dir else { return false };
        // Watched before it is read: what changes in between is noticed.
        watches.follow(&directory::to_watch(dir));
        match directory::list(dir) {
            Ok(listed) => files.refresh(listed, all, &self.compiler, &self.options.limits),
            Err(error) => {
                complaints.insert(format!("plugins directory {}: {error}", dir.display()));
                false
            }
        }
    }

    /// Has the profiles that are wanted serve with these components, or those that did before.
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

    /// Has the profiles that are wanted serve, if they can. Those that could not are tried again with other components, or
    /// when nothing but a list that was forbidden stood in the way.
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
        // Where none serves yet there is nothing to go back to.
        if let Err(error) = self.serve(catalog)?
            && self.serves()
        {
            let specs = self.assembler.exchange_specs(before);
            self.refused = Some(Refused { specs, components, error });
        }
        Ok(())
    }

    /// Whether a set serves, or did.
    fn serves(&self) -> bool {
        matches!(&*self.first.borrow(), Some(Ok(())))
    }

    /// Makes the set for these components and has it serve.
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

    /// Tells a set what happened while it was filled and tried, which may have taken seconds.
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

    /// Gives a set to the core's thread. True when it serves, false when another has to be made.
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

/// Asks the core's thread for the cluster with these objects, and what changed there since then. Where that has ended, an empty one
/// will do.
fn copy_of_cluster(outbox: &Outbox, objects: &[ObjectReads], since: Option<u64>) -> Result<Cache, LoadCause> {
    let (request, answer) = ClusterRequest::new(objects, since);
    let asked = outbox(Delivery::NeedsCluster(request));
    asked.then(|| answer.recv().ok()).flatten().unwrap_or_else(|| Ok(Cache::default()))
}

/// Waits until changes have ceased. False when the thread is to end.
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

/// Compiling is to take what placing pods leaves.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 10) {
        tracing::debug!("the loader's thread keeps its priority: {error}");
    }
}
