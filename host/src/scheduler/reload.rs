//! Applies changes of the configuration file to a running scheduler.

use std::sync::Arc;

use tracing::{info, warn};

use super::{InForce, Observer};
use berth_config::{Configuration, Followed};

/// A followed configuration file and the scheduler that its profiles are applied to.
pub struct Reload {
    file: Followed,
    started_with: Configuration,
    observer: Observer,
    in_force: Arc<InForce>,
    /// The error of the current content of the file; `None` if the content is valid.
    wrong: Option<String>,
}

impl Reload {
    /// Returns a reload for a scheduler that was started with the configuration `started_with`, which is the file's
    /// content before flags were applied. Tells `in_force` which profiles are requested.
    #[must_use]
    pub fn new(file: Followed, started_with: Configuration, observer: Observer, in_force: Arc<InForce>) -> Self {
        Self { file, started_with, observer, in_force, wrong: None }
    }

    /// Checks the file, and applies its profiles if the content has changed. Returns the reason if the current
    /// content is refused; the previous profiles then stay in service.
    pub fn look(&mut self) -> Option<String> {
        match self.file.look() {
            None => {}
            Some(Ok(configuration)) => {
                self.wrong = None;
                self.take_up(configuration);
            }
            Some(Err(error)) => {
                warn!(%error, "configuration refused; the previous configuration stays in force");
                self.wrong = Some(error.to_string());
            }
        }
        let path = self.file.path().display();
        let refused = || Some(format!("configuration {path}: {}", self.observer.refused_profiles()?));
        self.wrong.clone().or_else(refused)
    }

    fn take_up(&self, configuration: Configuration) {
        let path = self.file.path().display();
        info!(file = %path, "configuration changed; applying its profiles");
        if !configuration.is_same_apart_from_profiles(&self.started_with) {
            warn!(file = %path, "configuration changed outside of profiles; restart to apply these changes");
        }
        self.observer.set_profiles(configuration.profiles.clone());
        self.in_force.request(configuration);
    }
}
