//! `DynamicResourcesArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use std::time::Duration;

use berth_guest::Problems;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

use crate::time;

const DEFAULT_FILTER_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_BINDING_TIMEOUT: Duration = Duration::from_secs(600);
/// The number of search steps that correspond to one second of `filterTimeout`. Components have no clock, so steps
/// bound the search of a node.
const STEPS_PER_SECOND: u64 = 2_000;

/// The checked `DynamicResourcesArgs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "DynamicResourcesArgs")]
#[schemars(with = "DynamicResourcesArgs", description = "`DynamicResourcesArgs`.")]
pub struct Args {
    /// The maximum number of steps in the search for the devices of one node; `None` for no limit.
    pub steps: Option<u64>,
    /// The maximum time that a pod waits for the binding of its devices.
    pub binding_timeout: Duration,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DynamicResourcesArgs {
    filter_timeout: Option<String>,
    binding_timeout: Option<String>,
}

impl TryFrom<DynamicResourcesArgs> for Args {
    type Error = String;

    fn try_from(args: DynamicResourcesArgs) -> Result<Args, String> {
        let mut problems = Problems::default();
        let mut read = |field: &str, text: &Option<String>, default: Duration, minimum: i128, detail: &str| {
            let Some(text) = text else { return default };
            match time::duration(text) {
                Err(problem) => problems.invalid(field, text, problem),
                Ok(nanos) if nanos < minimum => problems.invalid(field, text, detail),
                Ok(nanos) => return Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)),
            }
            default
        };
        let filter = read("filterTimeout", &args.filter_timeout, DEFAULT_FILTER_TIMEOUT, 0, "must be zero or positive");
        let second = 1_000_000_000;
        let binding_timeout =
            read("bindingTimeout", &args.binding_timeout, DEFAULT_BINDING_TIMEOUT, second, "must be at least 1 second");
        problems.into_result()?;
        let millis = u64::try_from(filter.as_millis()).unwrap_or(u64::MAX);
        let steps = (!filter.is_zero()).then(|| (millis.saturating_mul(STEPS_PER_SECOND) / 1000).max(1));
        Ok(Args { steps, binding_timeout })
    }
}

#[cfg(test)]
mod tests {
    use berth_guest::testing::Host;

    use super::*;
    use crate::Plugin;

    fn read(filter: Option<&str>, binding: Option<&str>) -> Result<Args, String> {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Args::try_from(DynamicResourcesArgs { filter_timeout: own(filter), binding_timeout: own(binding) })
    }

    #[test]
    fn durations_have_the_format_of_go() {
        for (filter, binding, steps, timeout) in [
            (None, None, Some(20_000), 600),
            (Some("1s"), Some("1m30s"), Some(2_000), 90),
            (Some("0"), Some("1h"), None, 3600),
            (Some("0s"), Some("1s"), None, 1),
            (Some("1ms"), None, Some(2), 600),
        ] {
            let args = read(filter, binding).unwrap();
            assert_eq!((args.steps, args.binding_timeout.as_secs()), (steps, timeout), "{filter:?} {binding:?}");
        }
    }

    #[test]
    fn errors_give_the_reason() {
        for (json, message) in [
            (r#"{"filterTimeout": "-1s"}"#, "filterTimeout: Invalid value: \"-1s\": must be zero or positive"),
            (r#"{"bindingTimeout": "999ms"}"#, "bindingTimeout: Invalid value: \"999ms\": must be at least 1 second"),
            (
                r#"{"bindingTimeout": "soon"}"#,
                "bindingTimeout: Invalid value: \"soon\": is not a duration such as 1m30s",
            ),
        ] {
            let refused = Host::<Plugin>::with_args(json).err().unwrap_or_default();
            assert!(refused.contains(message), "{json}: {refused}");
        }
        assert!(Host::<Plugin>::with_args(r#"{"kind": "DynamicResourcesArgs", "filterTimeout": "3s"}"#).is_ok());
    }
}
