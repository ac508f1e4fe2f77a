//! NodeUnschedulable: keeps pods off cordoned nodes.
//!
//! Reads `spec.unschedulable` of the node and `spec.tolerations` of the pod. As in kube-scheduler v1.36, a pod that
//! tolerates the taint of cordoned nodes may go to them.

use berth_guest::prelude::*;

/// True if the pod tolerates cordoned nodes. Computed once for each pod signature.
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

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};
    use berth_guest::types::TolerationOperator::{Equal, Exists};

    use super::*;

    #[test]
    fn cordoned_nodes_accept_pods_with_the_toleration() {
        const KEY: &str = "node.kubernetes.io/unschedulable";
        let no_schedule = Some(TaintEffect::NoSchedule);
        let mut host = Host::<Plugin>::new();
        host.node(node("open"));
        host.node(node("cordoned").unschedulable());
        for (pod, tolerates) in [
            (pod(), false),
            (pod().toleration(KEY, Exists, "", no_schedule), true),
            (pod().toleration(KEY, Equal, "", None), true),
            (pod().toleration(KEY, Equal, "other", no_schedule), false),
            (pod().toleration(KEY, Exists, "", Some(TaintEffect::NoExecute)), false),
            (pod().toleration("other", Exists, "", no_schedule), false),
            (pod().tolerate_everything(), true),
        ] {
            let fits: &[&str] = if tolerates { &["open", "cordoned"] } else { &["open"] };
            assert_eq!(host.fits(&pod), fits, "{:?}", pod.0.tolerations);
        }
        let verdict = host.verdict(&pod(), "cordoned").unwrap();
        assert_eq!(verdict.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
        assert_eq!(verdict.reasons, ["node(s) were unschedulable"]);
    }
}
