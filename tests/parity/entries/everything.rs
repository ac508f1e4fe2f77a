//! Rows with cases for several plugins at once.

use super::Entry;
use crate::draw::containers::Containers;
use crate::draw::{Draw, affinity, arguments, labels, nodes, pod_affinity, pods, spread};

/// The rows that this file adds to the table of [`super::all`].
pub const ENTRIES: &[Entry] = &[
    Entry { plugin: "all of them", draw: everything, fields: &[], behaviors: &[] },
    Entry {
        plugin: "with nominated pods",
        draw: nominated_pods,
        fields: &["resident.status.nominatedNodeName", "resident.spec.priority", "pod.spec.priority"],
        behaviors: &[],
    },
];

/// Draws cases for plugins that read other pods. Some of the other pods have a nominated node instead of a node.
fn nominated_pods() -> Draw {
    let containers = Containers { requests: true, ports: true, ..Containers::default() };
    Draw {
        nodes: [spread::topology(), vec![nodes::allocatable()]].concat(),
        pods: [containers.parts(), labels::of_pod(), spread::of_pod(), pod_affinity::of_pod(), vec![pods::priority()]]
            .concat(),
        nominated: true,
        settle: spread::settle,
        objects: vec![labels::namespaces()],
        ..Draw::plain()
    }
}

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
