//! The plugin's arguments.

use std::time::Duration;

use berth_guest::args::Whole;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// Arguments, from `pluginConfig[].args`: those of the original's CoschedulingArgs.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Args {
    /// The time that a pod waits for the other pods of its group, in seconds, if the PodGroup has no
    /// scheduleTimeoutSeconds. 0 stands for 60. The default is 60.
    permit_waiting_time_seconds: Option<u32>,
    /// The time after a failure during which the pods of the group are not tried again, in seconds. The default is 0.
    pod_group_backoff_seconds: Option<u32>,
    /// The group is rejected if the percentage of its minimum that has no node is higher than this. The default is 10.
    pod_group_reject_percentage: Option<Whole<0, 100>>,
}

impl Args {
    /// Returns the time that a pod waits for the other pods of a group with this `scheduleTimeoutSeconds`.
    pub(crate) fn permit_wait(&self, of_group: Option<u32>) -> Duration {
        let given = [of_group, self.permit_waiting_time_seconds];
        let seconds = given.into_iter().flatten().find(|seconds| *seconds > 0);
        Duration::from_secs(seconds.unwrap_or(60).into())
    }

    /// Returns `podGroupBackoffSeconds` in milliseconds; `None` if it is 0.
    pub(crate) fn backoff(&self) -> Option<i64> {
        let seconds = i64::from(self.pod_group_backoff_seconds.unwrap_or(0));
        (seconds > 0).then_some(seconds * 1000)
    }

    /// Returns true if too few of at least `min_member` pods have a node to try the remaining pods.
    pub(crate) fn rejects(&self, min_member: i64, with_node: i64) -> bool {
        let percentage = self.pod_group_reject_percentage.map_or(10, i64::from);
        (min_member - with_node) * 100 > min_member * percentage
    }
}
