//! The configuration of the scheduler: reads a file into a checked [`Configuration`], which flags may then override.
//!
//! **In:** a YAML or JSON file with a KubeSchedulerConfiguration (v1, v1beta3, v1beta2) or an old Policy, and
//! optionally a BerthConfiguration; for a Policy also the environment variable `KUBE_MAX_PD_VOLS`. **Out:** a
//! [`Configuration`] with one [`ProfileSpec`] per profile, notes about fields without effect, and for each enabled
//! plugin its place in the file; or a [`ConfigError`] that lists every problem with line, column and field path.
//!
//! **Never:** this crate opens no connection and loads no plugin, and it returns no configuration from a file that
//! has a problem. The code that loads the plugins checks that each enabled plugin exists and implements its extension
//! points.
//!
//! A file passes through these modules: `tree` parses the text into documents whose nodes know their line and column.
//! `documents` tells which kind and version each document is. `convert` turns older versions into v1, `policy` turns
//! a Policy into v1. `conform` checks the nodes against the schemas of [`v1`] and [`v1alpha1`] and reports unknown
//! fields and wrong types. `validate` checks values and contradictions between fields. `merge` merges each profile
//! with the default profile and expands it to a plugin list per extension point. `complete` fills in the defaults.

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
mod json_schema;
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
pub use self::schema::{SCHEMAS, SchemaOf, schema_with_arguments};
use berth_core::profile_spec::ProfileSpec;

/// The maximum size of a configuration file, in bytes. A larger file is refused.
const MOST_BYTES: u64 = 1 << 20;

/// A checked configuration, from a file or from defaults. The command line overrides fields with its flags.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The profiles: at least one, each with a different scheduler name.
    pub profiles: Vec<ProfileSpec>,
    /// `podInitialBackoffSeconds`.
    pub pod_initial_backoff: Duration,
    /// `podMaxBackoffSeconds`, at least the initial backoff.
    pub pod_max_backoff: Duration,
    /// `leaderElection`, with defaults.
    pub leader_election: LeaderElection,
    /// `extenders`, with their defaults.
    pub extenders: Vec<v1::Extender>,
    /// `clientConnection`, without defaults. Without `qps`, client requests are not limited.
    pub client_connection: v1::ClientConnection,
    /// Berth's own settings (BerthConfiguration).
    pub berth: v1alpha1::BerthConfiguration,
    /// The KubeSchedulerConfiguration in the form of v1, without defaults.
    file: v1::KubeSchedulerConfiguration,
}

/// A configuration with notes about the file it was read from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The checked configuration.
    pub configuration: Configuration,
    /// Notes about converted fields, then notes about fields without effect.
    pub notes: Vec<Problem>,
    /// Every place where the file enables a plugin.
    pub named: Vec<Named>,
}

/// A place where a file enables a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The scheduler name of the profile.
    pub scheduler_name: String,
    /// The plugin's name.
    pub plugin: String,
    /// The extension point, or `multiPoint`.
    pub point: &'static str,
    /// The path of the field, as in `profiles[0].plugins.score.enabled[1]`.
    pub path: String,
    /// The line and column of the field.
    pub place: Place,
}

impl Configuration {
    /// Returns the configuration without a file: the default profile under this scheduler name (`default-scheduler`
    /// if none is given), followed by every other plugin of the plugins directory.
    #[must_use]
    pub fn default_profile(scheduler_name: Option<&str>) -> Self {
        Self::without_scheduler(scheduler_name, v1alpha1::BerthConfiguration::default())
    }

    /// Returns the same as [`Configuration::default_profile`], with the given BerthConfiguration.
    fn without_scheduler(scheduler_name: Option<&str>, berth: v1alpha1::BerthConfiguration) -> Self {
        let profile = v1::Profile { scheduler_name: scheduler_name.map(str::to_owned), ..v1::Profile::default() };
        let file = v1::KubeSchedulerConfiguration { profiles: vec![profile], ..Default::default() };
        let mut configuration = Self::new(file, berth);
        configuration.profiles.iter_mut().for_each(|profile| profile.others = true);
        configuration
    }

    /// Builds the configuration from a file that passed validation.
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

    /// Returns the effective configuration in the form of v1, with all defaults, for `--write-config-to` and
    /// `/configz`.
    #[must_use]
    pub fn in_force(&self) -> v1::KubeSchedulerConfiguration {
        let file =
            v1::KubeSchedulerConfiguration { client_connection: self.client_connection.clone(), ..self.file.clone() };
        let mut whole = complete::completed(&file);
        election::write(&self.leader_election, &mut whole.leader_election);
        whole
    }

    /// Returns true if the file names the Lease. The name `berth` in the file counts too, although it is the default.
    #[must_use]
    pub fn names_lease(&self) -> bool {
        self.file.leader_election.resource_name.as_ref().is_some_and(|name| !name.is_empty())
    }

    /// Replaces the profiles by those of `other`.
    pub fn take_profiles(&mut self, other: Self) {
        self.profiles = other.profiles;
        self.file.profiles = other.file.profiles;
    }

    /// Returns whether both configurations are equal except for their profiles.
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

/// Reads a configuration file in YAML or JSON.
///
/// # Errors
/// Lists every problem of the file, each with its place.
pub fn load(path: &Path) -> Result<Configuration, ConfigError> {
    parse(&read_text(path)?, &path.display().to_string())
}

/// Reads a configuration file and returns it with notes about fields without effect and with the enabled plugins'
/// places.
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

/// Reads a configuration from text. `file` is the file name for error messages.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, file: &str) -> Result<Configuration, ConfigError> {
    parse_noted(text, file).map(|loaded| loaded.configuration)
}

/// Reads a configuration from text and returns it with its notes, as [`load_noted`] does for a file.
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
        None => Configuration::without_scheduler(berth.scheduler_name.clone().as_deref(), berth),
    };
    Ok(Loaded { configuration, notes: documents.notes, named: documents.named })
}
