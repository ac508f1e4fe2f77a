//! Finds lost wake-ups: a pod that waits although it fits. The queue is not flushed in these histories, so that only
//! an event wakes a pod.

use std::sync::Arc;

use berth_core::extenders::NoExtenders;
use berth_core::model::{Effect, Node, Pod, PodSpec, Taint};
use berth_core::profile::Profile;
use berth_core::{Core, Event};

use crate::cluster::{Cluster, claims};
use crate::keeping::{Flush, Keeping};
use crate::plugins::Fakes;
use crate::world::World;

/// Changes one thing that may help pods that wait.
pub fn change_one_thing(cluster: &mut Cluster, rng: &mut fastrand::Rng) {
    match rng.u8(..8) {
        0 => cluster.make_node(rng),
        1 => cluster.remove_node(rng),
        2 => cluster.ungate_pod(rng),
        3 => cluster.change_pod(rng),
        _ => change_node(cluster, rng),
    }
}

/// Changes a node's taints alone, its allocatable CPU alone, or its allocatable number of pods alone.
fn change_node(cluster: &mut Cluster, rng: &mut fastrand::Rng) {
    let Some(node) = rng.choice(cluster.nodes.values().cloned().collect::<Vec<_>>()) else { return };
    let mut node = Node::clone(&node);
    match rng.u8(..3) {
        0 if node.taints.is_empty() => {
            node.taints.push(Taint { key: "dedicated".into(), value: "".into(), effect: Effect::NoSchedule });
        }
        0 => node.taints.clear(),
        1 => node.allocatable.milli_cpu += 300,
        _ => node.allocatable.pods += 1,
    }
    cluster.set_node(Arc::new(node));
}

/// Checks a settled world: a new core with the same cluster places none of the waiting pods. Returns the number of waiting
/// pods.
pub fn every_pod_that_fits_was_woken(world: &World) -> usize {
    let waits = |pod: &&Arc<Pod>| pod.node_name.is_empty() && !pod.deleting && pod.spec.scheduling_gates.is_empty();
    let waiting = world.cluster.pods.values().filter(waits);
    let check = |pod: &Arc<Pod>| {
        let node = placed_by_a_fresh_core(world, pod);
        let why = world.core.queue().get(&pod.key.uid).map(|entry| (entry.rejectors(), entry.awaits_victims));
        assert!(node.is_none(), "seed {}: {} waits although it fits on {node:?}: {why:?}", world.seed, pod.key);
    };
    waiting.inspect(|pod| check(pod)).count()
}

/// Returns the node that a new core chooses for the pod in the current cluster. The other pending pods are gated, so
/// that they are not tried while their nominations count.
fn placed_by_a_fresh_core(world: &World, pod: &Arc<Pod>) -> Option<Box<str>> {
    let mut plugins = Fakes::without_faults(world.seed);
    let mut core = Core::new(Keeping::Anew.options(world.seed, Flush::Off));
    let mut tell = |event| drop(core.step(event, world.now, &mut plugins, &mut NoExtenders));
    let cluster = &world.cluster;
    tell(Event::ObjectsWanted(vec![claims()]));
    cluster.claims.values().for_each(|claim| tell(Event::ObjectSet(Arc::clone(claim))));
    cluster.nodes.values().for_each(|node| tell(Event::NodeSet(Arc::clone(node))));
    let profiles = plugins_of(world);
    tell(Event::PluginsSwapped(profiles));
    let others = cluster.pods.values().filter(|other| other.key.uid != pod.key.uid);
    others.map(gated).for_each(|other| tell(Event::PodSet(other)));
    tell(Event::PodSet(Arc::clone(pod)));
    tell(Event::Cycle);
    core.cache().pod_by_uid(&pod.key.uid).map(|placed| placed.pod.node_name.clone())
}

fn plugins_of(world: &World) -> Vec<Profile> {
    Fakes::without_faults(world.seed).profiles()
}

fn gated(pod: &Arc<Pod>) -> Arc<Pod> {
    if !pod.node_name.is_empty() {
        return Arc::clone(pod);
    }
    let spec = PodSpec { scheduling_gates: vec!["not tried".into()], ..PodSpec::clone(&pod.spec) };
    Arc::new(Pod { spec: Arc::new(spec), ..Pod::clone(pod) })
}
