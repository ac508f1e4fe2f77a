//! NodeLabel: requires or prefers nodes that have some labels and don't have others, regardless of label values.
//!
//! Reads the node's labels, and no facts of the pod. Arguments: `NodeLabelArgs` of kube-scheduler v1.22, the last
//! version with this plugin.

mod args;

use args::Args;
use berth_guest::prelude::*;

fn filter(args: &Args, labels: &node::Labels) -> Verdict {
    let present = args.present_labels.iter().all(|key| labels.contains_key(key));
    let absent = !args.absent_labels.iter().any(|key| labels.contains_key(key));
    if present && absent { Verdict::FITS } else { Verdict::unresolvable("node(s) didn't have the requested labels") }
}

/// Returns the percentage of preferences that the node satisfies, or 0 without preferences.
fn score(args: &Args, labels: &node::Labels) -> i64 {
    let preferences = args.present_labels_preference.len() + args.absent_labels_preference.len();
    let present = args.present_labels_preference.iter().filter(|key| labels.contains_key(key));
    let absent = args.absent_labels_preference.iter().filter(|key| !labels.contains_key(key));
    let met = present.count() + absent.count();
    (100 * met).checked_div(preferences).unwrap_or(0) as i64
}

berth_guest::plugin!(name: "NodeLabel", args: Args, schema: "arguments.schema.json", filter: filter, score: score);

#[cfg(test)]
mod tests;
