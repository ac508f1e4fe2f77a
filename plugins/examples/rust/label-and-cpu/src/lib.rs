//! label-and-cpu: requires a label and free cpu on the node.

use berth_guest::args::{Cpu, Text};
use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// Arguments, from `pluginConfig[].args`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The label's key.
    label: Text,
    /// The value that the node's label must have if the pod has no such label. If absent or empty, any value is
    /// accepted.
    value: Option<String>,
    /// The free cpu that must remain on the node after the pod's request. The default is 0.
    #[serde(default)]
    min_free_cpu: Cpu,
}

fn filter(pod: &pod::Labels, requests: &pod::Requests, node: &node::Labels, free: node::Free, args: &Args) -> Verdict {
    let found = node.get(&args.label);
    let value = args.value.as_deref().filter(|value| !value.is_empty());
    let wanted = pod.get(&args.label).or(value).or(found);
    if found.is_none() || found != wanted {
        Verdict::unresolvable(format!("node(s) didn't have label {}", args.label))
    } else if free.milli_cpu < requests.fit.milli_cpu + args.min_free_cpu.0 {
        Verdict::unschedulable("Insufficient free cpu")
    } else {
        Verdict::FITS
    }
}

berth_guest::plugin!(name: "label-and-cpu", args: Args, schema: "arguments.schema.json", filter: filter);

#[cfg(test)]
mod tests;
