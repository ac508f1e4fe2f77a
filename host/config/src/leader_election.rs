//! How the election is set up: `leaderElection` of a KubeSchedulerConfiguration.

use std::time::Duration;

/// Which Lease, and whether at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderElection {
    /// `leaderElect`. Default: true, as kube-scheduler's.
    pub enabled: bool,
    /// `resourceName`. Default: `berth`.
    pub name: String,
    /// `resourceNamespace`. Default: `kube-system`, as kube-scheduler's.
    pub namespace: String,
    /// How long, how often.
    pub timing: Timing,
}

impl Default for LeaderElection {
    fn default() -> Self {
        let (name, namespace) = ("berth".to_owned(), "kube-system".to_owned());
        Self { enabled: true, name, namespace, timing: Timing::default() }
    }
}

impl LeaderElection {
    /// Whether an election can be held so.
    ///
    /// # Errors
    /// Says which field is not right, or which two contradict each other.
    pub fn check(&self) -> Result<(), LeaderElectionError> {
        for (field, value) in [("name", &self.name), ("namespace", &self.namespace)] {
            if !is_dns_subdomain(value) {
                return Err(LeaderElectionError::Name { field, value: value.clone() });
            }
        }
        self.timing.check()
    }
}

/// What the API server takes for the name of a Lease.
fn is_dns_subdomain(name: &str) -> bool {
    let is_part = |part: &str| {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_part)
}

/// The election's three times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long the others wait after the leader was last seen to renew (`leaseDuration`).
    pub lease_duration: Duration,
    /// How long the leader tries to renew before it gives up (`renewDeadline`).
    pub renew_deadline: Duration,
    /// How long to wait between two attempts (`retryPeriod`).
    pub retry_period: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

/// Settings that make no election.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaderElectionError {
    /// No Lease can be called so.
    #[error("the Lease's {field} {value:?} is no DNS subdomain: lower-case letters, digits, `-` and `.`")]
    Name {
        /// `name` or `namespace`.
        field: &'static str,
        /// What was given.
        value: String,
    },
    /// A Lease counts whole seconds.
    #[error("the lease duration is {0:?}; it has to be a second at least")]
    TooShort(Duration),
    /// A Lease holds an int32.
    #[error("the lease duration is {0:?}, longer than a Lease can say")]
    TooLong(Duration),
    /// Another could lead before this one gives up.
    #[error("the lease duration ({lease:?}) has to be longer than the renew deadline ({renew:?})")]
    LeaseNotLonger {
        /// The lease duration.
        lease: Duration,
        /// The renew deadline.
        renew: Duration,
    },
    /// There would be no second attempt.
    #[error("the renew deadline ({renew:?}) has to be longer than {JITTER} times the retry period ({retry:?})")]
    NoSecondAttempt {
        /// The renew deadline.
        renew: Duration,
        /// The retry period.
        retry: Duration,
    },
    /// Attempts without a pause.
    #[error("the retry period has to be more than nothing")]
    NoPause,
}

/// Who waits for the Lease waits up to so many retry periods longer than one: all would come at once otherwise.
pub const JITTER: f64 = 1.2;

impl Timing {
    fn check(&self) -> Result<(), LeaderElectionError> {
        let Self { lease_duration: lease, renew_deadline: renew, retry_period: retry } = *self;
        if retry.is_zero() {
            return Err(LeaderElectionError::NoPause);
        }
        if renew <= retry.mul_f64(JITTER) {
            return Err(LeaderElectionError::NoSecondAttempt { renew, retry });
        }
        if lease <= renew {
            return Err(LeaderElectionError::LeaseNotLonger { lease, renew });
        }
        match lease.as_secs() {
            0 => Err(LeaderElectionError::TooShort(lease)),
            seconds if i32::try_from(seconds).is_err() => Err(LeaderElectionError::TooLong(lease)),
            _ => Ok(()),
        }
    }

    /// `leaseDurationSeconds`: whole seconds, as client-go writes them.
    #[must_use]
    pub fn lease_seconds(&self) -> i32 {
        i32::try_from(self.lease_duration.as_secs()).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_lease_can_have_are_refused() {
        for (name, good) in
            [("berth", true), ("a.b-c.0", true), ("", false), ("A", false), ("../x", false), ("a-", false)]
        {
            let election = LeaderElection { name: name.to_owned(), ..LeaderElection::default() };
            assert_eq!(election.check().is_ok(), good, "{name:?}");
        }
    }

    #[test]
    fn times_that_contradict_each_other_are_refused() {
        let table = [
            ((15_000, 10_000, 2_000), None),
            ((1_500, 1_000, 200), None),
            ((10_000, 10_000, 2_000), Some("the lease duration (10s) has to be longer than the renew deadline (10s)")),
            (
                (15_000, 2_400, 2_000),
                Some("the renew deadline (2.4s) has to be longer than 1.2 times the retry period (2s)"),
            ),
            ((900, 500, 100), Some("the lease duration is 900ms; it has to be a second at least")),
            ((15_000, 10_000, 0), Some("the retry period has to be more than nothing")),
        ];
        for ((lease, renew, retry), message) in table {
            let ms = Duration::from_millis;
            let timing = Timing { lease_duration: ms(lease), renew_deadline: ms(renew), retry_period: ms(retry) };
            assert_eq!(timing.check().err().map(|error| error.to_string()).as_deref(), message, "{timing:?}");
        }
    }
}
