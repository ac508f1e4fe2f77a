//! team-nodes: a filter that keeps pods with a team on their team's nodes.

use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use serde::Deserialize;

/// The arguments, from `pluginConfig[].args`.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
pub struct Args {
    /// The key of the label that names the team of a pod or a node. The default is `team`.
    label: String,
}

impl Default for Args {
    fn default() -> Args {
        Args { label: "team".into() }
    }
}

fn filter(pod: &pod::Labels, node: &node::Labels, args: &Args) -> Verdict {
    match pod.get(&args.label) {
        Some(team) if node.get(&args.label) != Some(team) => Verdict::unresolvable("node(s) belong to another team"),
        _ => Verdict::FITS,
    }
}

berth_guest::plugin!(name: "team-nodes", args: Args, schema: "arguments.schema.json", filter: filter);

#[cfg(test)]
mod tests;
