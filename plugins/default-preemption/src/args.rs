//! `DefaultPreemptionArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use berth_guest::Problems;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// The checked `DefaultPreemptionArgs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "DefaultPreemptionArgs")]
#[schemars(with = "DefaultPreemptionArgs", description = "`DefaultPreemptionArgs`.")]
pub struct Args {
    percentage: usize,
    absolute: usize,
}

impl Args {
    /// Returns the number of candidates at which the search stops, if `nodes` nodes are potential candidates.
    pub fn candidates(&self, nodes: usize) -> usize {
        (nodes.saturating_mul(self.percentage) / 100).max(self.absolute).min(nodes)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DefaultPreemptionArgs {
    min_candidate_nodes_percentage: Option<i32>,
    min_candidate_nodes_absolute: Option<i32>,
}

const DEFAULT_PERCENTAGE: i32 = 10;
const DEFAULT_ABSOLUTE: i32 = 100;

impl TryFrom<DefaultPreemptionArgs> for Args {
    type Error = String;

    fn try_from(args: DefaultPreemptionArgs) -> Result<Args, String> {
        const PERCENTAGE: &str = "minCandidateNodesPercentage";
        const ABSOLUTE: &str = "minCandidateNodesAbsolute";
        let percentage = args.min_candidate_nodes_percentage.unwrap_or(DEFAULT_PERCENTAGE);
        let absolute = args.min_candidate_nodes_absolute.unwrap_or(DEFAULT_ABSOLUTE);
        let mut problems = Problems::default();
        if !(0..=100).contains(&percentage) {
            problems.invalid(PERCENTAGE, percentage, "not in valid range [0, 100]");
        }
        if absolute < 0 {
            problems.invalid(ABSOLUTE, absolute, "not in valid range [0, inf)");
        }
        if percentage == 0 && absolute == 0 {
            let same_time = |other| format!("cannot be zero at the same time as {other}");
            problems.invalid(PERCENTAGE, percentage, same_time(ABSOLUTE));
            problems.invalid(ABSOLUTE, absolute, same_time(PERCENTAGE));
        }
        problems.into_result()?;
        // The checks above exclude negative values.
        Ok(Args { percentage: percentage as usize, absolute: absolute as usize })
    }
}
