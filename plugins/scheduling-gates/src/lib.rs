//! SchedulingGates: keeps a pod out of the active queue until its scheduling gates are removed.
//!
//! Reads `spec.schedulingGates`, as kube-scheduler v1.36 does.

use berth_guest::prelude::*;

fn pre_enqueue(pod: &pod::SchedulingGates) -> Verdict {
    if pod.is_empty() {
        return Verdict::FITS;
    }
    Verdict::unresolvable(format!("waiting for scheduling gates: [{}]", pod.join(" ")))
}

berth_guest::plugin!(name: "SchedulingGates", pre_enqueue: pre_enqueue);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, pod};

    use super::*;

    #[test]
    fn a_gated_pod_waits() {
        let mut host = Host::<Plugin>::new();
        assert_eq!(host.held_back(&pod()), None);
        let held = host.held_back(&pod().scheduling_gate("a").scheduling_gate("b")).unwrap();
        assert_eq!(held.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
        assert_eq!(held.reasons, ["waiting for scheduling gates: [a b]"]);
    }
}
