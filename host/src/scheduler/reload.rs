//! Takes up what changes in the configuration file while the scheduler runs.

use tracing::{info, warn};

use super::Observer;
use berth_config::{Configuration, Followed};

/// A followed file, and the scheduler that is to want what it says.
pub struct Reload {
    file: Followed,
    started_with: Configuration,
    observer: Observer,
    /// What is wrong with the file as it is.
    wrong: Option<String>,
}

impl Reload {
    /// For a scheduler that was started with what the file said, before flags had their word.
    #[must_use]
    pub fn new(file: Followed, started_with: Configuration, observer: Observer) -> Self {
        Self { file, started_with, observer, wrong: None }
    }

    /// Looks at the file, and has the scheduler want the profiles that it names now. Returns why what the file says does
    /// not serve, if it doesn't; what did before serves on then.
    pub fn look(&mut self) -> Option<String> {
        match self.file.look() {
            None => {}
            Some(Ok(configuration)) => {
                self.wrong = None;
                self.take_up(configuration);
            }
            Some(Err(error)) => {
                warn!("{error}; the configuration before stays");
                self.wrong = Some(error.to_string());
            }
        }
        let path = self.file.path().display();
        let refused = || Some(format!("configuration {path}: {}", self.observer.refused_profiles()?));
        self.wrong.clone().or_else(refused)
    }

    fn take_up(&self, configuration: Configuration) {
        let path = self.file.path().display();
        info!("configuration {path} has changed: its profiles are taken up");
        if !configuration.is_same_apart_from_profiles(&self.started_with) {
            warn!("configuration {path}: what it says apart from profiles takes effect at the next start");
        }
        self.observer.set_profiles(configuration.profiles);
    }
}
