//! NodeName: allows only the node that the pod names.
//!
//! Reads `spec.nodeName` of the pod and `metadata.name` of the node, as kube-scheduler v1.36 does.

use berth_guest::prelude::*;

fn filter(pod: &pod::NodeName, node: &node::Name) -> Verdict {
    if pod.is_empty() || **pod == **node {
        Verdict::FITS
    } else {
        Verdict::unresolvable("node(s) didn't match the requested node name")
    }
}

berth_guest::plugin!(name: "NodeName", filter: filter);

#[cfg(test)]
mod tests {
    use berth_guest::testing::{Host, node, pod};

    use super::*;

    #[test]
    fn only_the_named_node_fits() {
        let mut host = Host::<Plugin>::new();
        host.node(node("foo"));
        host.node(node("bar"));
        assert_eq!(host.fits(&pod()), ["foo", "bar"]);
        assert_eq!(host.fits(&pod().node_name("foo")), ["foo"]);
        let verdict = host.verdict(&pod().node_name("foo"), "bar").unwrap();
        assert_eq!(verdict.code, berth_guest::types::Code::UnschedulableAndUnresolvable);
        assert_eq!(verdict.reasons, ["node(s) didn't match the requested node name"]);
    }
}
