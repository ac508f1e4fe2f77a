//! TaintToleration: keeps pods off nodes whose taints they don't tolerate, and prefers nodes without such taints.
//!
//! Reads `spec.tolerations` of the pod and `spec.taints` of the node, as kube-scheduler v1.36 does. The operators `Lt` and `Gt`
//! tolerate nothing there unless an alpha feature is switched on, nor do they here.

use berth_guest::prelude::*;

fn filter(pod: &pod::Tolerations, node: &node::Taints) -> Verdict {
    if node.iter().all(|taint| !taint.forbids() || pod.tolerate(taint)) {
        Verdict::FITS
    } else {
        Verdict::unresolvable("node(s) had untolerated taint(s)")
    }
}

/// How many taints the pod had better avoid; normalizing turns that round.
fn score(pod: &pod::Tolerations, node: &node::Taints) -> i64 {
    let avoided = |taint: &&Taint| taint.effect == TaintEffect::PreferNoSchedule && !pod.tolerate(taint);
    node.iter().filter(avoided).count() as i64
}

berth_guest::plugin!(name: "TaintToleration", filter: filter, score: score, normalization: DefaultReversed);
