//! The configuration that `/configz` shows.

use std::sync::{Mutex, PoisonError};

use berth_config::Configuration;
use berth_core::profile_spec::ProfileSpec;

/// The largest number of requested configurations that are kept until their profiles serve. With one more, the oldest is
/// dropped. More than one is kept, because a request can come to serve after a newer request was refused.
const REQUESTS: usize = 8;

/// The configuration with which the scheduler started, but with the profiles that serve. The loader decides which
/// profiles serve.
pub struct InForce(Mutex<State>);

struct State {
    shown: Configuration,
    /// Configurations whose profiles were requested after those of `shown`, oldest first.
    requested: Vec<Configuration>,
}

impl InForce {
    /// Returns a value that shows the configuration with which the scheduler started.
    #[must_use]
    pub fn new(configuration: Configuration) -> Self {
        Self(Mutex::new(State { shown: configuration, requested: Vec::new() }))
    }

    /// Adds a configuration whose profiles are to serve. The loader may refuse them.
    pub fn request(&self, configuration: Configuration) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.requested.len() == REQUESTS {
            state.requested.remove(0);
        }
        state.requested.push(configuration);
    }

    /// Returns the effective configuration while the profiles `serving` serve. `serving` is empty if no profile serves
    /// yet.
    pub fn show(&self, serving: &[ProfileSpec]) -> serde_json::Result<serde_json::Value> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = state.requested.iter().rposition(|requested| requested.profiles == serving) {
            state.requested.drain(..at);
            let requested = state.requested.remove(0);
            state.shown.take_profiles(requested);
        }
        serde_json::to_value(state.shown.in_force())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_shown_once_they_serve() {
        let named = |name: &str| Configuration::default_profile(Some(name));
        let in_force = InForce::new(named("a"));
        let shown = |serving: &[ProfileSpec]| {
            in_force.show(serving).map(|shown| shown["profiles"][0]["schedulerName"].clone()).unwrap_or_default()
        };
        assert_eq!(shown(&[]), "a");
        in_force.request(named("b"));
        in_force.request(named("c"));
        assert_eq!(shown(&named("a").profiles), "a");
        assert_eq!(shown(&named("b").profiles), "b");
        assert_eq!(shown(&named("b").profiles), "b", "c is refused");
        assert_eq!(shown(&named("c").profiles), "c");
        (0..2 * REQUESTS).for_each(|number| in_force.request(named(&number.to_string())));
        assert_eq!(shown(&named("c").profiles), "c");
        assert_eq!(shown(&named("15").profiles), "15");
    }
}
