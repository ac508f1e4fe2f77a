//! Files and flags turned into one checked configuration.
//!
//! A file goes through four steps, each a module: `tree` (text to nodes that know their place), `read` (nodes to what
//! the API's fields say; what is unknown or not supported is refused by name and place), `check` (what the fields say
//! together), and `merge` (with the defaults, expanded to lists by extension point). Whether the plugins are there, and
//! take part where they are enabled, is for those to say who load them.

mod check;
mod defaults;
mod duration;
mod error;
mod fields;
mod followed;
mod leader_election;
mod merge;
mod read;
mod sets;
mod tree;
pub mod v1;

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

pub use self::defaults::{DEFAULT_PLUGINS, DefaultPlugin, Provided};
pub use self::duration::parse_duration;
pub use self::error::{ConfigError, Place, Problem};
pub use self::followed::Followed;
use crate::kube::lease::LeaderElection;
use crate::wasm::ProfileSpec;

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
    /// `extenders`
    pub extenders: Vec<v1::Extender>,
}

impl Configuration {
    /// The default profile under this name (`default-scheduler` where none is given), with every other plugin in the
    /// directory at its end.
    #[must_use]
    pub fn default_profile(scheduler_name: Option<&str>) -> Self {
        let profile = ProfileSpec::default_profile(scheduler_name.unwrap_or(merge::DEFAULT_SCHEDULER));
        Self { profiles: vec![profile], ..merge::with_defaults(read::FileConfiguration::default()) }
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self::default_profile(None)
    }
}

/// Reads a KubeSchedulerConfiguration in YAML or JSON.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn load(path: &Path) -> Result<Configuration, ConfigError> {
    parse(&read_text(path)?, &path.display().to_string())
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
    let root = tree::parse(text, file)?;
    let (configuration, mut problems) = read::configuration(&root);
    check::configuration(&configuration, &mut problems);
    if problems.is_empty() {
        return Ok(merge::with_defaults(configuration));
    }
    problems.sort_by_key(|problem| problem.place);
    Err(ConfigError::Invalid { file: file.to_owned(), problems })
}
