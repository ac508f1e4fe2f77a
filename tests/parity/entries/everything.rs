//! All that there is to draw, at once.

use super::Entry;
use crate::draw::containers::Containers;
use crate::draw::{Draw, affinity, arguments, nodes, pods};

/// The row.
pub const ENTRIES: &[Entry] = &[Entry { plugin: "all of them", draw: everything, fields: &[], does: &[] }];

fn everything() -> Draw {
    let containers = Containers { requests: true, ports: true, images: true, init: true, restart_rules: false };
    Draw {
        nodes: vec![nodes::labels(), nodes::taints(), nodes::unschedulable(), nodes::allocatable(), nodes::images()],
        pods: [
            containers.parts(),
            affinity::of_pod(),
            vec![pods::tolerations(), pods::overhead(), pods::resources(), pods::image_volumes()],
        ]
        .concat(),
        residents: [pods::resize(), vec![pods::ending()]].concat(),
        arguments: arguments::all(),
        ..Draw::plain()
    }
}
