//! `NodeResourcesBalancedAllocationArgs` of kubescheduler.config.k8s.io/v1, with its defaults and checks.

use berth_guest::schemars::{self, JsonSchema};
use berth_guest::{Problems, Resource};
use berth_guest_devices::{Extent, ReadsDevices};
use serde::Deserialize;

/// The checked `NodeResourcesBalancedAllocationArgs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "NodeResourcesBalancedAllocationArgs")]
#[schemars(with = "NodeResourcesBalancedAllocationArgs", description = "`NodeResourcesBalancedAllocationArgs`.")]
pub struct Args {
    /// The resources to balance.
    pub resources: Vec<Resource>,
}

impl ReadsDevices for Args {
    fn extent(&self) -> Extent {
        Extent::of_scores(&self.resources)
    }
}

#[derive(Deserialize, JsonSchema)]
struct NodeResourcesBalancedAllocationArgs {
    #[serde(default)]
    resources: Vec<ResourceSpec>,
}

#[derive(Deserialize, JsonSchema)]
struct ResourceSpec {
    #[serde(default)]
    name: String,
    /// 0 means 1. No other value than 0 and 1 is valid.
    #[serde(default)]
    weight: i64,
}

impl TryFrom<NodeResourcesBalancedAllocationArgs> for Args {
    type Error = String;

    fn try_from(args: NodeResourcesBalancedAllocationArgs) -> Result<Args, String> {
        let mut problems = Problems::default();
        let mut resources = Vec::new();
        for (at, ResourceSpec { name, weight }) in args.resources.into_iter().enumerate() {
            let resource = Resource::new(&name);
            if resources.contains(&resource) {
                problems.duplicate(format_args!("resources[{at}].name"), &name);
            }
            if weight != 0 && weight != 1 {
                problems.invalid(format_args!("resources[{at}].weight"), weight, "must be 1");
            }
            resources.push(resource);
        }
        problems.into_result()?;
        if resources.is_empty() {
            resources = vec![Resource::Cpu, Resource::Memory];
        }
        Ok(Args { resources })
    }
}
