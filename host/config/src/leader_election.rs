//! Settings of the leader election: `leaderElection` of a KubeSchedulerConfiguration.

use std::time::Duration;

/// Whether leader election is on, and the Lease and timing that the election uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderElection {
    /// `leaderElect`. Default: true, as kube-scheduler's.
    pub enabled: bool,
    /// `resourceName`. Default: `berth`.
    pub name: String,
    /// `resourceNamespace`. Default: `kube-system`, as kube-scheduler's.
    pub namespace: String,
    /// Durations of the election.
    pub timing: Timing,
}

impl Default for LeaderElection {
    fn default() -> Self {
        let (name, namespace) = ("berth".to_owned(), "kube-system".to_owned());
        Self { enabled: true, name, namespace, timing: Timing::default() }
    }
}

impl LeaderElection {
    /// Checks that an election works with these settings.
    ///
    /// # Errors
    /// Names the first field that is invalid, or two durations that contradict each other.
    pub fn check(&self) -> Result<(), LeaderElectionError> {
        for (field, value) in [("name", &self.name), ("namespace", &self.namespace)] {
            if !is_dns_subdomain(value) {
                return Err(LeaderElectionError::Name { field, value: value.clone() });
            }
        }
        self.timing.check()
    }
}

/// Returns whether the API server accepts `name` as the name of a Lease.
fn is_dns_subdomain(name: &str) -> bool {
    let is_part = |part: &str| {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_part)
}

/// The three durations of the election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The time that a candidate waits after the leader's last observed renewal (`leaseDuration`).
    pub lease_duration: Duration,
    /// The time that the leader tries to renew before it gives up (`renewDeadline`).
    pub renew_deadline: Duration,
    /// The time between two attempts to acquire or renew (`retryPeriod`).
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

/// Settings that don't allow an election.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaderElectionError {
    /// The name or namespace of the Lease is no DNS subdomain.
    #[error("the Lease's {field} {value:?} is not a DNS subdomain: use lower-case letters, digits, `-` and `.`")]
    Name {
        /// `name` or `namespace`.
        field: &'static str,
        /// The given value.
        value: String,
    },
    /// The lease duration is below one second. A Lease counts whole seconds.
    #[error("the lease duration is {0:?}; it must be at least 1s")]
    TooShort(Duration),
    /// The lease duration in seconds is larger than an int32, the type of `leaseDurationSeconds`.
    #[error("the lease duration is {0:?}; the maximum is {max} seconds", max = i32::MAX)]
    TooLong(Duration),
    /// The lease duration is not longer than the renew deadline, so a second leader could start before the first
    /// gives up.
    #[error("the lease duration ({lease:?}) must be longer than the renew deadline ({renew:?})")]
    LeaseNotLonger {
        /// The lease duration.
        lease: Duration,
        /// The renew deadline.
        renew: Duration,
    },
    /// The renew deadline leaves no time for a second attempt.
    #[error("the renew deadline ({renew:?}) must be longer than {JITTER} times the retry period ({retry:?})")]
    NoSecondAttempt {
        /// The renew deadline.
        renew: Duration,
        /// The retry period.
        retry: Duration,
    },
    /// The retry period is zero.
    #[error("the retry period must be more than 0")]
    NoPause,
}

/// The jitter of the retry period: a candidate waits one retry period plus up to this many more retry periods, at
/// random, so that the candidates don't send their requests at the same time.
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

    /// Returns `leaseDurationSeconds` in whole seconds, as client-go writes it.
    #[must_use]
    pub fn lease_seconds(&self) -> i32 {
        i32::try_from(self.lease_duration.as_secs()).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_names_of_a_lease_are_refused() {
        for (name, good) in
            [("berth", true), ("a.b-c.0", true), ("", false), ("A", false), ("../x", false), ("a-", false)]
        {
            let election = LeaderElection { name: name.to_owned(), ..LeaderElection::default() };
            assert_eq!(election.check().is_ok(), good, "{name:?}");
        }
    }

    #[test]
    fn contradictory_durations_are_refused() {
        let table = [
            ((15_000, 10_000, 2_000), None),
            ((1_500, 1_000, 200), None),
            ((10_000, 10_000, 2_000), Some("the lease duration (10s) must be longer than the renew deadline (10s)")),
            (
                (15_000, 2_400, 2_000),
                Some("the renew deadline (2.4s) must be longer than 1.2 times the retry period (2s)"),
            ),
            ((900, 500, 100), Some("the lease duration is 900ms; it must be at least 1s")),
            ((15_000, 10_000, 0), Some("the retry period must be more than 0")),
        ];
        for ((lease, renew, retry), message) in table {
            let ms = Duration::from_millis;
            let timing = Timing { lease_duration: ms(lease), renew_deadline: ms(renew), retry_period: ms(retry) };
            assert_eq!(timing.check().err().map(|error| error.to_string()).as_deref(), message, "{timing:?}");
        }
    }
}
