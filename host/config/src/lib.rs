//! Files and flags turned into one checked configuration.
//!
//! A file goes through these steps, each a module: `tree` (text to documents of nodes that know their place), `documents`
//! (what each is), `convert` (older versions to v1) and `policy` (what came before them), `conform` (nodes to the types of [`v1`] and [`v1alpha1`], whose schema
//! says what is unknown or of another type), `validate` (what the fields say, alone and together), and `merge` (with the
//! default profile, expanded to lists by extension point). `complete` fills in what is left open. Whether the plugins are
//! there, and take part where they are enabled, is for those to say who load them.

mod complete;
mod conform;
mod convert;
mod defaults;
mod documents;
mod duration;
mod election;
mod error;
mod followed;
mod hints;
mod leader_election;
mod managed;
mod merge;
mod notes;
mod path;
mod policy;
mod removed;
mod scalars;
mod schema;
mod tree;
pub mod v1;
pub mod v1alpha1;
mod validate;
mod write;

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

pub use self::complete::DIFFERENCES;
pub use self::defaults::{DEFAULT_PLUGINS, DefaultPlugin, Provided, default_profile};
pub use self::duration::parse_duration;
pub use self::error::{ConfigError, Place, Problem};
pub use self::followed::Followed;
pub use self::leader_election::{JITTER, LeaderElection, LeaderElectionError, Timing};
pub use self::removed::removed_plugin;
pub use self::schema::{SCHEMAS, SchemaOf};
use berth_core::profile_spec::ProfileSpec;

/// The largest file that is read, in bytes. What is larger is no configuration.
const MOST_BYTES: u64 = 1 << 20;

/// What a file and the flags come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// At least one, each with a name of its own.
    pub profiles: Vec<ProfileSpec>,
    /// `podInitialBackoffSeconds`
    pub pod_initial_backoff: Duration,
    /// `podMaxBackoffSeconds`, at least the initial one.
    pub pod_max_backoff: Duration,
    /// `leaderElection`
    pub leader_election: LeaderElection,
    /// `extenders`, with their defaults.
    pub extenders: Vec<v1::Extender>,
    /// `clientConnection`, without defaults: where no rate is set there is no limit.
    pub client_connection: v1::ClientConnection,
    /// Berth's own settings.
    pub berth: v1alpha1::BerthConfiguration,
    /// The file in the form of v1, without defaults.
    file: v1::KubeSchedulerConfiguration,
}

/// A configuration, and what is to be known of the file that it is from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What it says.
    pub configuration: Configuration,
    /// Fields of no effect, and what was converted, in the file's order.
    pub notes: Vec<Problem>,
    /// Where it enables which plugins.
    pub named: Vec<Named>,
}

/// A place where a file enables a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The profile's.
    pub scheduler_name: String,
    /// The plugin's name.
    pub plugin: String,
    /// The extension point, or `multiPoint`.
    pub point: &'static str,
    /// The field.
    pub path: String,
    /// Where it stands.
    pub place: Place,
}

impl Configuration {
    /// The default profile under this name (`default-scheduler` where none is given), with every other plugin in the
    /// directory at its end.
    #[must_use]
    pub fn default_profile(scheduler_name: Option<&str>) -> Self {
        Self::without_scheduler(scheduler_name, v1alpha1::BerthConfiguration::default())
    }

    /// The same with Berth's own settings.
    fn without_scheduler(scheduler_name: Option<&str>, berth: v1alpha1::BerthConfiguration) -> Self {
        let profile = v1::Profile { scheduler_name: scheduler_name.map(str::to_owned), ..v1::Profile::default() };
        let file = v1::KubeSchedulerConfiguration { profiles: vec![profile], ..Default::default() };
        let mut configuration = Self::new(file, berth);
        configuration.profiles.iter_mut().for_each(|profile| profile.others = true);
        configuration
    }

    /// What a checked file comes to.
    fn new(file: v1::KubeSchedulerConfiguration, berth: v1alpha1::BerthConfiguration) -> Self {
        let whole = complete::completed(&file);
        let seconds = |given: Option<i64>| Duration::from_secs(given.unwrap_or_default().unsigned_abs());
        let one = [v1::Profile::default()];
        let profiles = if file.profiles.is_empty() { &one[..] } else { &file.profiles };
        let spec = |profile: &v1::Profile| ProfileSpec {
            failure_policy: berth.failure_policy.unwrap_or_default().into(),
            failure_policies: berth.failure_policies().map(|(name, policy)| (name.into(), policy.into())).collect(),
            ..merge::profile_spec(profile, file.percentage_of_nodes_to_score)
        };
        let mut profiles: Vec<ProfileSpec> = profiles.iter().map(spec).collect();
        managed::leave_managed_resources(&mut profiles, &whole.extenders);
        Self {
            profiles,
            pod_initial_backoff: seconds(whole.pod_initial_backoff_seconds),
            pod_max_backoff: seconds(whole.pod_max_backoff_seconds),
            leader_election: election::of(&file.leader_election),
            extenders: whole.extenders,
            client_connection: file.client_connection.clone(),
            berth,
            file,
        }
    }

    /// All that is in force, in the form of v1, with nothing left open: for `--write-config-to` and `/configz`.
    #[must_use]
    pub fn in_force(&self) -> v1::KubeSchedulerConfiguration {
        let file =
            v1::KubeSchedulerConfiguration { client_connection: self.client_connection.clone(), ..self.file.clone() };
        let mut whole = complete::completed(&file);
        election::write(&self.leader_election, &mut whole.leader_election);
        whole
    }

    /// Whether the other differs in its profiles at most.
    #[must_use]
    pub fn is_same_apart_from_profiles(&self, other: &Self) -> bool {
        let without = |of: &Self| {
            let file = v1::KubeSchedulerConfiguration { profiles: Vec::new(), ..of.file.clone() };
            Self { profiles: Vec::new(), file, ..of.clone() }
        };
        without(self) == without(other)
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self::default_profile(None)
    }
}

/// Reads a configuration in YAML or JSON.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn load(path: &Path) -> Result<Configuration, ConfigError> {
    parse(&read_text(path)?, &path.display().to_string())
}

/// The same, with what is to be known of the file.
///
/// # Errors
/// As [`load`].
pub fn load_noted(path: &Path) -> Result<Loaded, ConfigError> {
    parse_noted(&read_text(path)?, &path.display().to_string())
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    let file = path.display().to_string();
    let unreadable = |source| ConfigError::Unreadable { file: file.clone(), source };
    let mut text = String::new();
    let mut reader = std::fs::File::open(path).map_err(unreadable)?.take(MOST_BYTES + 1);
    reader.read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(ConfigError::TooLarge { file, most: MOST_BYTES });
    }
    Ok(text)
}

/// The same of text; `file` is what messages call it.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, file: &str) -> Result<Configuration, ConfigError> {
    parse_noted(text, file).map(|loaded| loaded.configuration)
}

/// The same, with what is to be known of the file.
///
/// # Errors
/// As [`load`].
pub fn parse_noted(text: &str, file: &str) -> Result<Loaded, ConfigError> {
    let (documents, problems) = documents::read(tree::parse(text, file)?);
    if !problems.is_empty() {
        return Err(ConfigError::Invalid { file: file.to_owned(), problems });
    }
    let berth = documents.berth.unwrap_or_default();
    let configuration = match documents.scheduler {
        Some(scheduler) => Configuration::new(scheduler, berth),
        None => Configuration::without_scheduler(None, berth),
    };
    Ok(Loaded { configuration, notes: documents.notes, named: documents.named })
}
