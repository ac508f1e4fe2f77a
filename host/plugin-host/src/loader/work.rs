//! The loader's thread.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use berth_core::cache::Cache;
use berth_core::model::ObjectReads;
use tokio::sync::watch as latest;

use super::files::Files;
use super::options::LoaderOptions;
use super::watch::Watches;
use super::{First, LoaderError, Shared, directory};
use crate::feed::Feeder;
use crate::guests::{ClusterRequest, Delivery, Installed, Outbox, Prepared};
use crate::load::{Cluster, Compiler, Digest, LoadCause, LoadedComponent};
use crate::set::{AssembleError, Assembled, Assembler, Catalog};
use berth_core::profile_spec::ProfileSpec;

/// The time without changes in the directory before it is read.
const QUIET: Duration = Duration::from_millis(100);
/// The longest wait for a quiet directory.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time until an invalid file is read again, because it may still be being written.
const SECOND_LOOK: Duration = Duration::from_secs(1);
/// If a new set misses at most this number of changes, the core's thread sends these changes to the set, between two
/// pods. If the set misses more changes, the loader's thread sends them first.
const FEW_CHANGES: u64 = 128;
/// The largest number of times that the loader's thread brings a new set up to date. Fewer changes are missing after
/// each time, because sending fewer changes takes less time.
const ROUNDS: usize = 3;

/// A message that wakes the thread.
pub(super) enum Wake {
    /// The directory or the profiles changed.
    Changed,
    /// The thread must end.
    Stop,
}

/// The data of the loader's thread.
pub(super) struct Worker {
    options: LoaderOptions,
    compiler: Compiler,
    assembler: Assembler,
    outbox: Outbox,
    first: latest::Sender<First>,
    shared: Shared,
    /// The latest profiles, if they can't serve yet. The assembler has the profiles that serve.
    refused: Option<Refused>,
    /// The problems of the last pass. Each is logged only when it is new.
    problems: BTreeSet<Problem>,
}

/// Profiles that could not serve with these components.
struct Refused {
    specs: Vec<ProfileSpec>,
    components: BTreeSet<Digest>,
    error: AssembleError,
}

/// A problem of a pass, for the log.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Problem {
    /// The plugins directory can't be read.
    Directory { file: String, error: String },
    /// The profiles can't serve with these components.
    NotServed { error: String },
    /// A component serves, but its file is missing or invalid.
    LastGood { plugin: String, version: String, file: String },
    /// The latest profiles can't serve.
    RefusedProfiles { error: String },
}

impl Problem {
    fn last_good(component: &LoadedComponent) -> Self {
        let LoadedComponent { name, version, source, .. } = component;
        Self::LastGood { plugin: name.to_string(), version: version.to_string(), file: source.to_string() }
    }

    fn log(&self) {
        match self {
            Self::Directory { file, error } => {
                tracing::warn!(%file, %error, "reading the plugins directory failed; trying again");
            }
            Self::NotServed { error } => {
                tracing::warn!(%error, "profiles can't be served with the available plugins; trying again");
            }
            Self::LastGood { plugin, version, file } => {
                tracing::warn!(plugin, version, %file, "plugin file is missing or invalid; keeping the loaded version");
            }
            Self::RefusedProfiles { error } => {
                tracing::warn!(%error, "new profiles are refused; keeping the previous profiles");
            }
        }
    }
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
        shared: Shared,
    ) -> Self {
        let assembler = Assembler::new(specs, Arc::clone(&options.limits));
        let (refused, problems) = (None, BTreeSet::new());
        Self { options, compiler, assembler, outbox, first, shared, refused, problems }
    }

    pub fn run(mut self, wake: &Sender<Wake>, woken: &Receiver<Wake>) {
        let wake = wake.clone();
        // The loader's thread may have ended when the system reports a change.
        let mut watches = Watches::new(move || drop(wake.send(Wake::Changed)));
        let mut files = Files::new(&self.options, &self.compiler);
        let (mut all, mut is_priority_lowered) = (true, false);
        loop {
            let mut problems = BTreeSet::new();
            let unfinished = self.read_directory(&mut files, &mut watches, all, &mut problems);
            if self.install(&files.catalog(), &mut problems).is_err() {
                return;
            }
            // The scheduler waits for the first set; later sets are built while another serves.
            if !is_priority_lowered {
                lower_priority();
                is_priority_lowered = true;
            }
            problems.difference(&self.problems).for_each(Problem::log);
            self.problems = problems;
            let wait = if unfinished { SECOND_LOOK.min(self.options.poll) } else { self.options.poll };
            match woken.recv_timeout(wait) {
                Ok(Wake::Changed) if wait_until_quiet(woken) => all = true,
                Err(RecvTimeoutError::Timeout) => all = unfinished,
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Reads the directory. Returns whether it must be read again soon.
    fn read_directory(
        &self,
        files: &mut Files,
        watches: &mut Watches,
        all: bool,
        problems: &mut BTreeSet<Problem>,
    ) -> bool {
        let Some(dir) = &self.options.plugins_dir else { return false };
        // Watch before the read, so that a change in between is noticed.
        watches.follow(&directory::to_watch(dir));
        match directory::list(dir) {
            Ok(listed) => files.refresh(listed, all, &self.compiler, &self.options.limits),
            Err(error) => {
                problems.insert(Problem::Directory { file: dir.display().to_string(), error: error.to_string() });
                false
            }
        }
    }

    /// Installs the latest profiles with these components, or else the previous profiles.
    fn install(&mut self, catalog: &Catalog, problems: &mut BTreeSet<Problem>) -> Result<(), Ended> {
        self.apply_requested_profiles(catalog)?;
        let reloads = std::mem::take(&mut *self.shared.reloads.lock().unwrap_or_else(PoisonError::into_inner));
        if !reloads.is_empty() {
            self.assembler.begin_reload(reloads.iter().map(|(plugin, _)| Arc::clone(plugin)).collect());
        }
        let serves = self.serve(catalog)?;
        self.assembler.end_reload();
        problems.extend(serves.as_ref().err().map(|error| Problem::NotServed { error: error.to_string() }));
        problems.extend(self.assembler.last_good(catalog).map(|component| Problem::last_good(component)));
        let refused = self.refused.as_ref().map(|refused| &refused.error);
        problems.extend(refused.map(|error| Problem::RefusedProfiles { error: error.to_string() }));
        let refused_profiles = refused.or(serves.as_ref().err()).cloned();
        let board = self.assembler.board(catalog.clone(), refused_profiles);
        *self.shared.board.lock().unwrap_or_else(PoisonError::into_inner) = board;
        for (plugin, answer) in reloads {
            let result = match &serves {
                Err(error) => Err(error.to_string()),
                Ok(()) if !self.assembler.serves(&plugin) => Err(format!("no profile uses a plugin {plugin}")),
                Ok(()) => Ok(()),
            };
            // The caller may have gone.
            let _ = answer.send(result);
        }
        if !self.serves() {
            self.first.send_replace(Some(serves.map_err(LoaderError::Profiles)));
        }
        Ok(())
    }

    /// Changes to the latest profiles, if they can serve. Refused profiles are tried again when the components
    /// change, or when the failure may pass, such as a list that was forbidden.
    fn apply_requested_profiles(&mut self, catalog: &Catalog) -> Result<(), Ended> {
        let requested = self.shared.profiles.lock().unwrap_or_else(PoisonError::into_inner).take();
        let components: BTreeSet<Digest> = catalog.components().map(|component| component.digest).collect();
        let specs = match (requested, self.refused.take()) {
            (Some(requested), _) => requested,
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
            let installed = prepared.catch_up(&cluster, &mut feeder);
            if installed != Installed::Yes {
                return installed;
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
            Installed::Failed(id, message) => {
                self.assembler.fail(&inventory, id, message);
                Ok(false)
            }
        }
    }
}

/// Requests a copy of the cluster from the core's thread, with these objects and the changes since position `since` of
/// the change log (`None` for no changes). Returns an empty cluster if the core's thread has ended.
fn copy_of_cluster(outbox: &Outbox, objects: &[ObjectReads], since: Option<u64>) -> Result<Cache, LoadCause> {
    let (request, answer) = ClusterRequest::new(objects, since);
    let is_sent = outbox(Delivery::NeedsCluster(request));
    is_sent.then(|| answer.recv().ok()).flatten().unwrap_or_else(|| Ok(Cache::default()))
}

/// Waits until the directory is quiet, for at most [`PATIENCE`]. Returns false if the thread must end.
fn wait_until_quiet(woken: &Receiver<Wake>) -> bool {
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

/// Lowers the thread's priority on Linux, so that compiling takes only the CPU time that scheduling leaves.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 10) {
        tracing::debug!(%error, "lowering the priority of the plugin loader's thread failed; keeping the priority");
    }
}
