//! Flags of the leader election, as in kube-scheduler.

use std::time::Duration;

use super::boolean;
use berth_config::LeaderElection;
use berth_config::parse_duration;

/// The flags of the leader election. They override the configuration file, as in kube-scheduler.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Leader election")]
pub struct ElectionFlags {
    /// Schedule pods only while this process holds the Lease [default: true].
    ///
    /// With a Lease, you can run several replicas. One of them schedules pods, the others stand by.
    #[arg(long, value_name = "BOOL", value_parser = boolean, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    leader_elect: Option<bool>,
    /// Name of the Lease [default: berth].
    ///
    /// Schedulers with different scheduler names need different Leases.
    #[arg(long, value_name = "NAME")]
    leader_elect_resource_name: Option<String>,
    /// Namespace of the Lease [default: kube-system].
    #[arg(long, value_name = "NAMESPACE")]
    leader_elect_resource_namespace: Option<String>,
    /// Time without a renewal after which a standby takes the Lease [default: 15s].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    leader_elect_lease_duration: Option<Duration>,
    /// Time without a renewal after which the leader ends [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    leader_elect_renew_deadline: Option<Duration>,
    /// Time between two attempts to get or renew the Lease [default: 2s].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    leader_elect_retry_period: Option<Duration>,
}

impl ElectionFlags {
    /// Overrides the settings with the flags that were given.
    pub fn apply_to(self, election: &mut LeaderElection) {
        set(&mut election.enabled, self.leader_elect);
        set(&mut election.name, self.leader_elect_resource_name);
        set(&mut election.namespace, self.leader_elect_resource_namespace);
        set(&mut election.timing.lease_duration, self.leader_elect_lease_duration);
        set(&mut election.timing.renew_deadline, self.leader_elect_renew_deadline);
        set(&mut election.timing.retry_period, self.leader_elect_retry_period);
    }
}

fn set<T>(target: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *target = given;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        election: ElectionFlags,
    }

    #[test]
    fn flags_override_the_file_and_absent_flags_change_nothing() {
        let file = LeaderElection { enabled: false, name: "from-file".into(), ..LeaderElection::default() };
        let with = |flags: &[&str]| {
            let mut election = file.clone();
            let cli = Cli::try_parse_from([&["run"], flags].concat()).unwrap_or_else(|e| panic!("{e}"));
            cli.election.apply_to(&mut election);
            election
        };
        assert_eq!(with(&[]), file);
        assert!(with(&["--leader-elect"]).enabled);
        assert!(with(&["--leader-elect=true"]).enabled);
        assert!(!with(&["--leader-elect=false"]).enabled);
        let given = with(&["--leader-elect-resource-name=mine", "--leader-elect-lease-duration=1m"]);
        assert_eq!((given.name.as_str(), given.timing.lease_duration), ("mine", Duration::from_secs(60)));
        assert!(Cli::try_parse_from(["run", "--leader-elect-retry-period=2"]).is_err());
    }
}
