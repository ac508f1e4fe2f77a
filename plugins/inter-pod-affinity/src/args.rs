//! `InterPodAffinityArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use berth_guest::Problems;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// The checked `InterPodAffinityArgs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "InterPodAffinityArgs")]
#[schemars(with = "InterPodAffinityArgs", description = "`InterPodAffinityArgs`.")]
pub struct Args {
    /// The weight, from 0 to 100, of a required affinity term of a pod on a node that matches the incoming pod.
    pub hard_weight: i64,
    /// True to skip scoring for an incoming pod without preferred terms, so that the terms of pods on nodes don't
    /// count.
    pub ignore_existing: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InterPodAffinityArgs {
    hard_pod_affinity_weight: Option<i32>,
    #[serde(default)]
    ignore_preferred_terms_of_existing_pods: bool,
}

const DEFAULT_HARD_WEIGHT: i32 = 1;

impl TryFrom<InterPodAffinityArgs> for Args {
    type Error = String;

    fn try_from(args: InterPodAffinityArgs) -> Result<Args, String> {
        let weight = args.hard_pod_affinity_weight.unwrap_or(DEFAULT_HARD_WEIGHT);
        let mut problems = Problems::default();
        if !(0..=100).contains(&weight) {
            problems.invalid("hardPodAffinityWeight", weight, "not in valid range [0, 100]");
        }
        problems.into_result()?;
        Ok(Args { hard_weight: weight.into(), ignore_existing: args.ignore_preferred_terms_of_existing_pods })
    }
}
