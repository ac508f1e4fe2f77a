//! NodeLabel: pods go to nodes that have some labels and don't have others, whatever their values, or prefer them.
//!
//! Reads the node's labels, and as arguments `NodeLabelArgs` of kube-scheduler v1.22, the last that had it. Pods are all the same to it.

mod args;

use args::Args;
use berth_guest::prelude::*;

fn filter(args: &Args, labels: &node::Labels) -> Verdict {
    let present = args.present_labels.iter().all(|key| labels.contains_key(key));
    let absent = !args.absent_labels.iter().any(|key| labels.contains_key(key));
    if present && absent { Verdict::FITS } else { Verdict::unresolvable("node(s) didn't have the requested labels") }
}

/// The share of the preferences that the node meets.
fn score(args: &Args, labels: &node::Labels) -> i64 {
    let preferences = args.present_labels_preference.len() + args.absent_labels_preference.len();
    let present = args.present_labels_preference.iter().filter(|key| labels.contains_key(key));
    let absent = args.absent_labels_preference.iter().filter(|key| !labels.contains_key(key));
    let met = present.count() + absent.count();
    (100 * met).checked_div(preferences).unwrap_or(0) as i64
}

berth_guest::plugin!(name: "NodeLabel", args: Args, filter: filter, score: score);

#[cfg(test)]
mod tests;
