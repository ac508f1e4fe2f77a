//! `VolumeBindingArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use std::time::Duration;

use berth_guest::Problems;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::IgnoredAny;

const DEFAULT_TIMEOUT_SECONDS: i64 = 600;

/// The checked `VolumeBindingArgs`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "VolumeBindingArgs")]
#[schemars(with = "VolumeBindingArgs", description = "`VolumeBindingArgs`.")]
pub struct Args {
    /// `bindTimeoutSeconds`: the maximum time to wait for the binding of a volume.
    pub bind_timeout: Duration,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VolumeBindingArgs {
    bind_timeout_seconds: Option<i64>,
    #[schemars(with = "Option<berth_guest::args::Anything>")]
    shape: Option<IgnoredAny>,
}

impl TryFrom<VolumeBindingArgs> for Args {
    type Error = String;

    fn try_from(args: VolumeBindingArgs) -> Result<Args, String> {
        let mut problems = Problems::default();
        let seconds = args.bind_timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS);
        let Ok(bind_timeout) = u64::try_from(seconds).map(Duration::from_secs) else {
            problems.invalid(
                "bindTimeoutSeconds",
                seconds,
                "invalid BindTimeoutSeconds, should not be a negative value",
            );
            return problems.into_result().map(|()| Args { bind_timeout: Duration::ZERO });
        };
        if args.shape.is_some() {
            // The gate StorageCapacityScoring, which needs `shape`, is off by default.
            problems.forbidden("shape", "scoring by storage capacity is not supported; remove the field");
        }
        problems.into_result().map(|()| Args { bind_timeout })
    }
}
