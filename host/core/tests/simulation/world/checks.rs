//! The invariants.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_core::model::{Pod, PodKey};
use berth_core::plugins::Scope;
use berth_core::queue::{QueuedPod, Rejector, SubQueue};

use super::World;
use crate::spread::is_uneven;

/// Checks a decision when it is made: the node exists, has no taints, is not over its allocatable, and has space for
/// the pods of at least this pod's priority that are nominated to the node. The pod has no scheduling gates.
pub fn placement_is_right(world: &World, pod: &PodKey, node: &str) {
    let seed = world.seed;
    let cache = world.core.cache();
    let info = cache.node_id(node).and_then(|id| cache.node(id));
    let info = info.unwrap_or_else(|| panic!("seed {seed}: {pod} was put on {node}, which is not there"));
    let (used, all) = (&info.usage.requested, &info.node.allocatable);
    assert!(used.milli_cpu <= all.milli_cpu, "seed {seed}: {node} has {} of {} cpu", used.milli_cpu, all.milli_cpu);
    assert!(used.pods <= all.pods, "seed {seed}: {node} has {} of {} pods", used.pods, all.pods);
    let priority = cache.pod_by_uid(&pod.uid).map_or(0, |placed| placed.pod.spec.priority);
    let nominations = world.core.nominations();
    let yields_to = nominations.on(node).filter(|other| other.spec.priority >= priority);
    let (mut cpu, mut pods) = (used.milli_cpu, used.pods);
    yields_to.for_each(|other| (cpu, pods) = (cpu + other.requests.effective.milli_cpu, pods + 1));
    assert!(
        cpu <= all.milli_cpu && pods <= all.pods,
        "seed {seed}: {pod} uses space on {node} that nominated pods need"
    );
    assert!(info.node.taints.is_empty(), "seed {seed}: {pod} was put on tainted {node}");
    let gates = world
        .core
        .cache()
        .pod_by_uid(&pod.uid)
        .map(|cached| &cached.pod)
        .is_some_and(|pod| !pod.spec.scheduling_gates.is_empty());
    assert!(!gates, "seed {seed}: {pod} was placed despite its gates");
}

/// Checks after each step that the queue keeps events for no more pods than have a reservation.
pub fn events_are_kept_for_reserved_pods(world: &World) {
    let (out, reserved) = (world.core.queue().out(), world.core.in_flight());
    assert!(out <= reserved, "seed {}: events are kept for {out} pods, and {reserved} are reserved", world.seed);
}

/// Checks a requested binding or execution of intents: for this pod no binding and no intents are under way, and the
/// core does not know the pod as assigned.
pub fn binding_is_right(world: &World, pod: &PodKey) {
    let seed = world.seed;
    let twice = world.binding.iter().any(|(other, _)| other.uid == pod.uid);
    assert!(!twice, "seed {seed}: {pod} is bound a second time before the first is answered");
    let executed = world.executing.iter().any(|(other, ..)| other.uid == pod.uid);
    assert!(!executed, "seed {seed}: {pod} is bound before its intents are executed");
    assert!(
        !world.known_assigned.contains(&pod.uid),
        "seed {seed}: {pod} is bound although it is known to be assigned"
    );
}

/// Checks the queue after all pods were tried: no pod awaits its victims that fits somewhere. Only pods are checked
/// that were rejected by plugins of scope node alone. The flush of unschedulable pods must not be needed for this.
pub fn no_pod_that_awaits_victims_fits(world: &World) {
    let (cache, nominations) = (world.core.cache(), world.core.nominations());
    let by_node = |rejector: &Rejector| rejector.declaration.filter_scope == Scope::Node;
    let waits = |entry: &&QueuedPod| entry.awaits_victims && entry.rejectors().iter().all(by_node);
    for pod in world.core.queue().pods().map(|(_, entry)| entry).filter(waits).map(|entry| &entry.pod) {
        let counts = |other: &&Arc<Pod>| other.spec.priority >= pod.spec.priority && other.key.uid != pod.key.uid;
        for info in cache.nodes() {
            let (used, all) = (&info.usage.requested, &info.node.allocatable);
            let nominated: Vec<&Arc<Pod>> = nominations.on(&info.node.name).filter(counts).collect();
            let cpu: i64 = nominated.iter().map(|other| other.requests.effective.milli_cpu).sum();
            let fits = used.milli_cpu + cpu + pod.requests.fit.milli_cpu <= all.milli_cpu
                && used.pods + (nominated.len() as i64) < all.pods
                && info.node.taints.is_empty();
            let may_be_uneven = is_uneven(cache, info.id) || !nominated.is_empty();
            let (seed, node) = (world.seed, &info.node.name);
            assert!(!fits || may_be_uneven, "seed {seed}: {} awaits victims although it fits on {node}", pod.key);
        }
    }
}

/// Checks the core when nothing is under way: every pod is bound or in the queue, and no pod without scheduling gates
/// fits on a node. No binding is in flight, and the core's sums equal those of the cluster.
pub fn nothing_is_forgotten(world: &World) {
    let seed = world.seed;
    assert_eq!(world.core.in_flight(), 0, "seed {seed}: in flight although all is answered");
    assert!(world.plugins.ledger.is_empty(), "seed {seed}: reservations without a pod");
    let objects = world.core.cache().objects();
    assert!(objects.are_as_the_server_has_them(), "seed {seed}: an object is still assumed");
    let known: Vec<_> = objects.iter().map(|(_, cached)| (cached.object.key.name.clone(), &cached.object)).collect();
    let truth: Vec<_> = world.cluster.claims.iter().map(|(name, claim)| (name.clone(), claim)).collect();
    let sorted: std::collections::BTreeMap<_, _> = known.into_iter().collect();
    assert_eq!(sorted.into_iter().collect::<Vec<_>>(), truth, "seed {seed}: claims");
    nominations_match_the_cluster(world);
    for pod in world.cluster.pods.values().filter(|pod| pod.node_name.is_empty()) {
        assert!(world.core.queue().get(&pod.key.uid).is_some(), "seed {seed}: {} is lost", pod.key);
        if !pod.spec.scheduling_gates.is_empty() {
            continue;
        }
        for node in world.cluster.nodes.values().filter(|node| node.taints.is_empty()) {
            let (used, nominated) = (world.cluster.used(&node.name), nominated(world, &node.name, pod));
            let (cpu, pods) = (used.0 + nominated.0, used.1 + nominated.1);
            let fits = cpu + pod.requests.fit.milli_cpu <= node.allocatable.milli_cpu && pods < node.allocatable.pods;
            let uneven = world.core.cache().node_id(&node.name).is_some_and(|id| is_uneven(world.core.cache(), id));
            // A pod that is nominated to the node would make its zone uneven.
            let may_be_uneven = uneven || nominated.1 > 0;
            assert!(!fits || may_be_uneven, "seed {seed}: {} waits although it fits on {}", pod.key, node.name);
        }
    }
    for info in world.core.cache().nodes() {
        let used = &info.usage.requested;
        let truth = world.cluster.used(&info.node.name);
        assert_eq!((used.milli_cpu, used.pods), truth, "seed {seed}: sums of {}", info.node.name);
    }
    assert_eq!(world.core.cache().node_count(), world.cluster.nodes.len(), "seed {seed}: nodes");
}

/// Returns the CPU requests and the number of other pods of at least this pod's priority that are nominated to the
/// node.
fn nominated(world: &World, node: &str, pod: &Pod) -> (i64, i64) {
    let counts = |other: &&Arc<Pod>| other.spec.priority >= pod.spec.priority && other.key.uid != pod.key.uid;
    let nominated = world.core.nominations().on(node).filter(counts);
    nominated.fold((0, 0), |(cpu, pods), other| (cpu + other.requests.effective.milli_cpu, pods + 1))
}

/// Checks that only pending pods have a nominated node, and that it is the node in their status. While a watch is
/// broken, another client may clear a nomination that the core has not seen yet. The core can't distinguish this from
/// a nomination that has not arrived, and keeps it until the pod's next attempt.
fn nominations_match_the_cluster(world: &World) {
    let seed = world.seed;
    for (node, nominated) in world.core.nominations().nodes() {
        for pod in nominated {
            let truth = world.cluster.pods.get(&pod.key.uid).filter(|pod| pod.node_name.is_empty());
            let truth = truth
                .unwrap_or_else(|| panic!("seed {seed}: {node} is nominated for {}, which is not pending", pod.key));
            let cleared_unseen = world.has_others() && truth.nominated_node_name.is_empty();
            let agrees = *truth.nominated_node_name == *node || cleared_unseen;
            assert!(agrees, "seed {seed}: {node} is nominated for {}, not {:?}", pod.key, truth.nominated_node_name);
        }
    }
    for pod in world.cluster.pods.values().filter(|pod| pod.node_name.is_empty()) {
        let known = world.core.nominations().node_of(&pod.key.uid).unwrap_or_default();
        let says = &*pod.nominated_node_name;
        assert!(
            says.is_empty() || known == says,
            "seed {seed}: {} has the nominated node {says}, not {known:?}",
            pod.key
        );
    }
}

/// Checks that the core remembers nothing after all pods, nodes and claims were deleted.
pub fn nothing_is_left(world: &World) {
    let (seed, core) = (world.seed, &world.core);
    assert_eq!(core.in_flight(), 0, "seed {seed}: in flight");
    assert!(core.queue().is_empty(), "seed {seed}: deleted pods wait");
    assert!(core.nominations().is_empty(), "seed {seed}: nodes are nominated for pods that are gone");
    let cache = core.cache();
    assert_eq!((cache.node_count(), cache.pods().count()), (0, 0), "seed {seed}: nodes and pods in the cache");
    assert_eq!(cache.objects().iter().count(), 0, "seed {seed}: objects in the cache");
}

/// The sub-queue, the number of attempts and the number of consecutive failures of each pod in the queue, by uid.
pub type WaitingPods = BTreeMap<Box<str>, (SubQueue, u32, u32)>;

/// Returns the pods in the queue.
pub fn waiting_pods(world: &World) -> WaitingPods {
    let waiting = world.core.queue().pods();
    waiting.map(|(sub_queue, entry)| (entry.pod.key.uid.clone(), (sub_queue, entry.attempts, entry.errors))).collect()
}

/// Checks that the pods that plugins activated in this step are active, unless pre-enqueue gates them or failed, or the
/// step was their own attempt. `before` holds the pods in the queue before the step.
pub fn activated_pods_are_active(world: &mut World, before: &WaitingPods) {
    for (uid, scheduler_name) in std::mem::take(&mut world.plugins.ledger.activated) {
        let Some((SubQueue::Unschedulable | SubQueue::Backoff, attempts, errors)) = before.get(&uid) else { continue };
        let queued = world.core.queue().pods().find(|(_, entry)| entry.pod.key.uid == uid);
        let Some((sub_queue, entry)) = queued.filter(|(_, of)| of.pod.spec.scheduler_name == scheduler_name) else {
            continue;
        };
        if entry.attempts > *attempts {
            continue;
        }
        let failed = entry.errors > *errors;
        world.activated += usize::from(sub_queue == SubQueue::Active);
        let seed = world.seed;
        let is_right = failed || matches!(sub_queue, SubQueue::Active | SubQueue::Gated);
        assert!(is_right, "seed {seed}: {uid} was activated, and is {sub_queue:?}");
    }
}
