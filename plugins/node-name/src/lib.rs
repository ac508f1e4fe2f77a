//! NodeName: a pod that names its node goes there and nowhere else.
use berth_guest::prelude::*;

fn filter(pod: &pod::NodeName, node: &node::Name) -> Verdict {
    if pod.is_empty() || **pod == **node {
        Verdict::FITS
    } else {
        Verdict::unresolvable("node(s) didn't match the requested node name")
    }
}

berth_guest::plugin!(name: "NodeName", filter: filter);
