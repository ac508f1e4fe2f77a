//! The default plugins' code, compiled for this machine instead of to WebAssembly. It runs on the cluster of the
//! workload SchedulingBasic before any pod runs there.

use std::time::Duration;

use berth_guest::plugin::Plugin;
use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
use berth_guest::types::TaintEffect;

use crate::round::timed;

/// A plugin in a cluster of its own.
pub struct Native {
    /// The plugin's name.
    pub name: &'static str,
    /// Starts the plugin in a cluster of this many nodes.
    pub start: fn(nodes: usize) -> Asker,
}

/// Asks the plugin about the pod with this number. Returns the CPU time that the answer took.
pub type Asker = Box<dyn FnMut(usize) -> Duration>;

/// The plugins that are asked about every node for the first pod of a template, although the pod has no
/// constraints.
pub const FIRSTS: &[Native] = &[
    of::<node_unschedulable::Plugin>(),
    of::<node_name::Plugin>(),
    of::<taint_toleration::Plugin>(),
    of::<node_affinity::Plugin>(),
    of::<node_ports::Plugin>(),
    of::<node_resources_fit::Plugin>(),
    of::<node_resources_balanced_allocation::Plugin>(),
    of::<image_locality::Plugin>(),
];

/// The plugins that are asked about every pod, also when an equal pod came before. Each pod is placed on another
/// node than the pod before it.
pub const OF_EACH_POD: &[Native] = &[of_each_pod::<inter_pod_affinity::Plugin>()];

const fn of<P: Plugin>() -> Native {
    Native { name: P::NAME, start: firsts::<P> }
}

const fn of_each_pod<P: Plugin>() -> Native {
    Native { name: P::NAME, start: repeated::<P> }
}

fn firsts<P: Plugin>(nodes: usize) -> Asker {
    let mut host = cluster::<P>(nodes);
    let all: Vec<u32> = (0..).take(nodes).collect();
    Box::new(move |template| {
        let pod = of_template(template);
        timed(|| std::hint::black_box(host.decide(&pod, &all))).1
    })
}

fn repeated<P: Plugin>(nodes: usize) -> Asker {
    let mut host = cluster::<P>(nodes);
    let pod = of_template(0);
    let mut known = 0;
    Box::new(move |number| {
        let (cycle, time) = timed(|| host.place_and_classify(&pod, (number % nodes) as u32, known));
        known = cycle;
        time
    })
}

fn cluster<P: Plugin>(nodes: usize) -> Host<P> {
    let mut host = Host::<P>::new();
    (0..nodes).for_each(|i| host.node(machine(i)));
    host
}

/// Builds the same node as `objects::node` builds for the engine.
fn machine(i: usize) -> NodeBuilder {
    let name = format!("node-{i}");
    node(&name)
        .label("kubernetes.io/hostname", &name)
        .label("kubernetes.io/arch", "amd64")
        .label("kubernetes.io/os", "linux")
        .label("node.kubernetes.io/instance-type", "m5.xlarge")
        .label("topology.kubernetes.io/region", "region-1")
        .label("topology.kubernetes.io/zone", &format!("zone-{}", i % 3))
        .label("node.example/pool", &format!("pool-{}", i % 20))
        .label("node.example/rack", &format!("rack-{}", i / 40))
        .label("node.example/lifecycle", "on-demand")
        .label("node.example/os-release", "12.4")
        .cpu("4")
        .memory("32Gi")
        .allocatable("ephemeral-storage", "200Gi")
        .image("registry.k8s.io/pause:3.10.2", 700_000)
        .image("registry.k8s.io/kube-proxy:v1.36.3", 90_000_000)
        .image(&format!("registry.example/app-{}:1.0", i % 50), 300_000_000)
}

/// Builds the same pod as `objects::pod`.
fn of_template(template: usize) -> PodBuilder {
    let no_execute = Some(TaintEffect::NoExecute);
    pod()
        .name(&format!("pod-{template}"))
        .namespace("load")
        .label("app", &format!("app-{template}"))
        .cpu(&format!("{}m", 100 + template))
        .memory("500Mi")
        .image(&format!("registry.example/app-{}:1.0", template % 50))
        .tolerate("node.kubernetes.io/not-ready", "", no_execute)
        .tolerate("node.kubernetes.io/unreachable", "", no_execute)
}
