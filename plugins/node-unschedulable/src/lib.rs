//! NodeUnschedulable: keeps pods off cordoned nodes.
//!
//! Reads `spec.unschedulable` of the node and `spec.tolerations` of the pod, as kube-scheduler v1.36 does: a pod that tolerates
//! the taint which the node controller puts on cordoned nodes may go there.

use berth_guest::prelude::*;

/// Worked out once a template: whether the pod tolerates cordoned nodes.
pub struct Tolerated(bool);

fn prepare(tolerations: &pod::Tolerations) -> Tolerated {
    Tolerated(tolerations.tolerate(&Taint {
        key: "node.kubernetes.io/unschedulable".into(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    }))
}

fn filter(pod: &Tolerated, node: &node::Unschedulable) -> Verdict {
    if node.0 && !pod.0 { Verdict::unresolvable("node(s) were unschedulable") } else { Verdict::FITS }
}

berth_guest::plugin!(name: "NodeUnschedulable", prepare: prepare => Tolerated, filter: filter);
