//! An API server without a network, for clients in the same process.

use std::sync::Arc;

use axum::Router;

use super::state::State;
use super::{Error, Options, http, own_objects};

/// An API server that only this process can reach. Its requests need no socket, so that a test can run in simulated time.
///
/// Dropping the value ends all watches.
#[derive(Debug)]
pub struct InProcess {
    state: Arc<State>,
}

impl InProcess {
    /// Starts a server. `options.port` has no effect.
    ///
    /// # Errors
    /// [`Error::FirstObjects`] if an initial object cannot be created.
    pub fn start(options: Options) -> Result<Self, Error> {
        let state = Arc::new(State::new(options));
        own_objects::create(&state)?;
        Ok(Self { state })
    }

    /// Returns a service that answers HTTP requests, for a client. The service does not check credentials.
    pub fn service(&self) -> Router {
        http::trusting(self.state.clone())
    }

    /// Returns the server's state, so that code in the same process can read the objects.
    #[must_use]
    pub fn store(&self) -> &State {
        &self.state
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.state.stop();
    }
}
