//! Sends reviews to the API server. A failure is logged once until it changes.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::kube::api::PostParams;
use ::kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::warn;

use berth_kube::error_with_causes;

/// The timeout of a review.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends reviews of one kind.
pub(super) struct Reviewer {
    client: Client,
    /// The remedy for forbidden reviews, for the log.
    remedy: &'static str,
    /// The last failure that was logged, or `None` if the last review succeeded.
    last_failure: Mutex<Option<String>>,
}

impl Reviewer {
    pub fn new(client: Client, remedy: &'static str) -> Self {
        Self { client, remedy, last_failure: Mutex::default() }
    }

    /// Creates the review and returns it with its status.
    ///
    /// # Errors
    /// The API server refuses the review or does not answer; with its message.
    pub async fn ask<R>(&self, review: &R) -> Result<R, String>
    where
        R: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    {
        let api: Api<R> = Api::all(self.client.clone());
        let parameters = PostParams::default();
        let answer = match tokio::time::timeout(PATIENCE, api.create(&parameters, review)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(::kube::Error::Api(status))) => Err(status.message),
            Ok(Err(error)) => Err(error_with_causes(&error)),
            Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
        };
        self.log_failure(answer.as_ref().err(), &R::kind(&()));
        answer
    }

    /// Logs the failure unless it is the same as last time.
    fn log_failure(&self, failure: Option<&String>, kind: &str) {
        let mut last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        if last_failure.as_ref() != failure {
            if let Some(failure) = failure {
                let remedy = self.remedy;
                warn!(kind, error = %failure, "review failed; trying again with the next request; {remedy}");
            }
            *last_failure = failure.cloned();
        }
    }
}
