//! team-nodes: pods with a team go to their team's nodes.

use berth_guest::prelude::*;
use serde::Deserialize;

/// Arguments, from `pluginConfig[].args`.
#[derive(Deserialize)]
#[serde(default)]
pub struct Args {
    /// The label that names the team.
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

berth_guest::plugin!(name: "team-nodes", args: Args, filter: filter);

#[cfg(test)]
mod tests;
