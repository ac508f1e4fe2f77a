//! NodePorts: allows only nodes on which the pod's host ports are free.
//!
//! Reads the host ports of the pod's containers and restartable init containers, and the host ports in use on the
//! node. As in kube-scheduler v1.36, a port on `0.0.0.0` conflicts with the port on every address.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};

const EVERY_ADDRESS: &str = "0.0.0.0";

fn pre_filter(pod: &pod::HostPorts) -> PreFilter {
    if pod.is_empty() { PreFilter::Skip } else { PreFilter::All }
}

fn filter(pod: &pod::HostPorts, node: &node::UsedPorts) -> Verdict {
    if pod.iter().any(|requested| node.iter().any(|used| conflict(requested, used))) {
        Verdict::unschedulable("node(s) didn't have free ports for the requested pod ports")
    } else {
        Verdict::FITS
    }
}

/// Queues the pod if a deleted pod had a conflicting port, and for each new node.
fn queueing_hint(_: &Event, pod: &pod::HostPorts, deleted: pod::Change<'_, pod::HostPorts>) -> Hint {
    let frees = |ports: &pod::HostPorts| pod.iter().any(|requested| ports.iter().any(|used| conflict(requested, used)));
    Hint::queue_if(deleted.before.is_none_or(frees))
}

fn conflict(requested: &HostPort, used: &HostPort) -> bool {
    let same_address = requested.ip == used.ip || requested.ip == EVERY_ADDRESS || used.ip == EVERY_ADDRESS;
    same_address && requested.port == used.port && requested.protocol == used.protocol
}

berth_guest::plugin!(
    name: "NodePorts",
    pre_filter: pre_filter,
    filter: filter,
    queueing_hint: queueing_hint,
    retry_on: [ClusterEvent::new("Pod", EventActions::DELETE), ClusterEvent::new("Node", EventActions::ADD)],
);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
    use berth_guest::types::Protocol::{Sctp, Tcp, Udp};

    use super::*;

    fn fits(pod: &PodBuilder, node: NodeBuilder) -> bool {
        let mut host = Host::<Plugin>::new();
        host.node(node);
        !host.fits(pod).is_empty()
    }

    #[test]
    fn ports_conflict_on_the_same_address_and_protocol() {
        let any = |protocol, port| pod().host_port(protocol, port);
        let at = |ip, protocol, port| pod().host_port_at(ip, protocol, port);
        let used = |ip, protocol, port| node("node").used_port(ip, protocol, port);
        for (pod, node, expected) in [
            (any(Udp, 8080), node("node"), true),
            (pod(), used("0.0.0.0", Tcp, 8080), true),
            (any(Udp, 8080), used("127.0.0.1", Udp, 9090), true),
            (at("127.0.0.1", Udp, 8080), used("127.0.0.1", Udp, 8080), false),
            (at("127.0.0.1", Tcp, 8080), used("127.0.0.2", Tcp, 8080), true),
            (at("127.0.0.1", Tcp, 8080), used("127.0.0.1", Udp, 8080), true),
            (any(Tcp, 8080), used("127.0.0.1", Tcp, 8080), false),
            (at("10.0.0.1", Tcp, 8080), used("0.0.0.0", Tcp, 8080), false),
            (any(Sctp, 8080), used("0.0.0.0", Tcp, 8080), true),
            (any(Tcp, 8000).host_port(Tcp, 8001), used("0.0.0.0", Tcp, 8001), false),
            (any(Tcp, 8000), used("0.0.0.0", Tcp, 8001).used_port("10.0.0.1", Tcp, 8000), false),
        ] {
            assert_eq!(fits(&pod, node.clone()), expected, "{:?} on {node:?}", pod.0.host_ports);
        }
    }

    #[test]
    fn the_reason_is_kube_schedulers() {
        let mut host = Host::<Plugin>::new();
        host.node(node("node").used_port("0.0.0.0", Tcp, 80));
        let verdict = host.verdict(&pod().host_port(Tcp, 80), "node").unwrap();
        assert_eq!(verdict.code, berth_guest::types::Code::Unschedulable);
        assert_eq!(verdict.reasons, ["node(s) didn't have free ports for the requested pod ports"]);
    }

    #[test]
    fn a_deleted_pod_with_the_port_causes_a_retry() {
        let mut host = Host::<Plugin>::new();
        let pending = pod().host_port(Tcp, 80).host_port(Tcp, 443);
        for (deleted, expected) in [
            (pod().host_port_at("10.0.0.1", Tcp, 443), Hint::Queue),
            (pod().host_port(Udp, 443), Hint::Skip),
            (pod().host_port(Tcp, 8080), Hint::Skip),
            (pod(), Hint::Skip),
        ] {
            assert_eq!(host.pod_hint(EventActions::DELETE, [Some(&deleted), None], &pending), expected, "{deleted:?}");
            assert_eq!(host.pod_hint(EventActions::ADD, [None, Some(&deleted)], &pending), Hint::Skip);
        }
        assert_eq!(host.node_hint(EventActions::ADD, [None, Some(&node("new"))], &pending), Hint::Queue);
    }
}
