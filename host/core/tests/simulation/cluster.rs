//! The state of the API server, and the watch events that are not delivered yet.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use berth_core::Event;
use berth_core::model::{
    Effect, Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod, PodKey, PodRequests, PodSpec, Resources, Taint,
};

pub const PROFILE: &str = "default-scheduler";
/// The second profile.
pub const OTHER_PROFILE: &str = "other-scheduler";

/// All objects: nodes and claims by name, pods by uid. The watch of each kind delivers its events in order.
pub struct Cluster {
    pub nodes: BTreeMap<Box<str>, Arc<Node>>,
    pub pods: BTreeMap<Box<str>, Arc<Pod>>,
    pub node_watch: VecDeque<Event>,
    pub pod_watch: VecDeque<Event>,
    /// Objects that plugins assume and change, by name.
    pub claims: BTreeMap<Box<str>, Arc<Object>>,
    pub claim_watch: VecDeque<Event>,
    pub most_nodes: u8,
    /// The number of profiles, one or two.
    pub profiles: u8,
    made: u32,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            nodes: BTreeMap::new(),
            pods: BTreeMap::new(),
            node_watch: VecDeque::new(),
            pod_watch: VecDeque::new(),
            claims: BTreeMap::new(),
            claim_watch: VecDeque::new(),
            most_nodes: 8,
            profiles: 1,
            made: 0,
        }
    }
}

/// Returns whether the pod never ends after its deletion.
fn never_ends(pod: &Pod) -> bool {
    !pod.node_name.is_empty() && pod.key.uid.ends_with(['0', '5'])
}

/// The kind of the claims.
pub fn claims() -> ObjectReads {
    let kind = ObjectKind { api_version: "v1".into(), kind: "Claim".into() };
    ObjectReads { kind: Arc::new(kind), ..ObjectReads::default() }
}

impl Cluster {
    pub fn make_node(&mut self, rng: &mut fastrand::Rng) {
        let name: Box<str> = format!("node-{}", rng.u8(..self.most_nodes)).into();
        let known = self.nodes.get(&name).map(|node| node.uid.clone());
        let uid = known.unwrap_or_else(|| self.uid());
        let allocatable = Resources { milli_cpu: rng.i64(1..=4) * 1000, pods: rng.i64(2..=6), ..Resources::default() };
        let taint = Taint { key: "dedicated".into(), value: "".into(), effect: Effect::NoSchedule };
        let taints = if rng.u8(..4) == 0 { vec![taint] } else { Vec::new() };
        self.set_node(Arc::new(Node { name, uid, allocatable, taints, ..Node::default() }));
    }

    pub fn set_node(&mut self, node: Arc<Node>) {
        self.nodes.insert(node.name.clone(), Arc::clone(&node));
        self.node_watch.push_back(Event::NodeSet(node));
    }

    pub fn remove_node(&mut self, rng: &mut fastrand::Rng) {
        let name = rng.choice(self.nodes.keys().cloned().collect::<Vec<_>>());
        if let Some(name) = name {
            self.nodes.remove(&name);
            self.node_watch.push_back(Event::NodeRemoved(name));
        }
    }

    pub fn make_pod(&mut self, rng: &mut fastrand::Rng) {
        let uid = self.uid();
        let key = PodKey { namespace: "ns".into(), name: format!("pod-{uid}").into(), uid };
        let amount = Resources { milli_cpu: rng.i64(1..=5) * 300, ..Resources::default() };
        let requests = PodRequests { fit: amount.clone(), effective: amount, ..PodRequests::default() };
        let spec = PodSpec {
            scheduler_name: if self.profiles > 1 && rng.bool() { OTHER_PROFILE } else { PROFILE }.into(),
            priority: rng.i32(0..3),
            scheduling_gates: if rng.u8(..4) == 0 { vec!["quota".into()] } else { Vec::new() },
            ..PodSpec::default()
        };
        self.set_pod(Arc::new(Pod { key, requests: requests.into(), spec: Arc::new(spec), ..Pod::default() }));
    }

    /// Removes the gates of a gated pod. Without this, gated pods would rarely be tried.
    pub fn ungate_pod(&mut self, rng: &mut fastrand::Rng) {
        let gated = self.pods.values().filter(|pod| !pod.spec.scheduling_gates.is_empty());
        let Some(pod) = rng.choice(gated.cloned().collect::<Vec<_>>()) else { return };
        let spec = PodSpec { scheduling_gates: Vec::new(), ..PodSpec::clone(&pod.spec) };
        self.set_pod(Arc::new(Pod { spec: Arc::new(spec), ..Pod::clone(&pod) }));
    }

    /// Nominates a node, which may not exist, for a pending pod, or clears the nomination.
    pub fn nominate_pod(&mut self, rng: &mut fastrand::Rng) {
        let pending = self.pods.values().filter(|pod| pod.node_name.is_empty());
        let Some(pod) = rng.choice(pending.cloned().collect::<Vec<_>>()) else { return };
        let nominated_node_name: Box<str> =
            if rng.u8(..4) == 0 { "".into() } else { format!("node-{}", rng.u8(..self.most_nodes)).into() };
        self.set_pod(Arc::new(Pod { nominated_node_name, ..Pod::clone(&pod) }));
    }

    /// Changes a label of a pod, finishes the pod, or deletes it.
    pub fn change_pod(&mut self, rng: &mut fastrand::Rng) {
        let Some(pod) = rng.choice(self.pods.values().cloned().collect::<Vec<_>>()) else { return };
        match rng.u8(..3) {
            0 => {
                let labels = Arc::new([("version", rng.u8(..).to_string())].into_iter().collect());
                self.set_pod(Arc::new(Pod { labels, ..Pod::clone(&pod) }));
            }
            1 if !pod.node_name.is_empty() => {
                self.pods.remove(&pod.key.uid);
                self.pod_watch.push_back(Event::PodSet(Arc::new(Pod { finished: true, ..Pod::clone(&pod) })));
            }
            _ => {
                self.pods.remove(&pod.key.uid);
                self.pod_watch.push_back(Event::PodRemoved(pod.key.clone()));
            }
        }
    }

    /// Binds the pod with the checks that the API server makes for the binding subresource.
    pub fn bind(&mut self, key: &PodKey, node: &str) -> Result<(), String> {
        let pod = self.pods.get(&key.uid).ok_or("not found")?;
        if !pod.spec.scheduling_gates.is_empty() {
            return Err("has scheduling gates".into());
        }
        if pod.deleting {
            return Err("is being deleted".into());
        }
        if !pod.node_name.is_empty() {
            return Err(format!("already assigned to {}", pod.node_name));
        }
        // The API server clears the nomination with the binding.
        let bound = Pod { node_name: node.into(), nominated_node_name: "".into(), ..Pod::clone(pod) };
        self.set_pod(Arc::new(bound));
        Ok(())
    }

    /// Sets the pod's `status.nominatedNodeName`, if the pod exists.
    pub fn set_nominated(&mut self, key: &PodKey, node: &str) {
        if let Some(pod) = self.pods.get(&key.uid) {
            let nominated = Pod { nominated_node_name: node.into(), ..Pod::clone(pod) };
            self.set_pod(Arc::new(nominated));
        }
    }

    /// Marks the pod as deleting and preempted. The pod may take long to end. Returns whether the pod exists.
    pub fn evict(&mut self, key: &PodKey) -> bool {
        let Some(pod) = self.pods.get(&key.uid).cloned() else { return false };
        self.set_pod(Arc::new(Pod { deleting: true, preempted: true, ..Pod::clone(&pod) }));
        true
    }

    /// Removes one pod that is being deleted, if there is one. With `all`, this includes pods for which `never_ends` is
    /// true. Returns whether a pod was removed.
    pub fn end_pod(&mut self, all: bool, rng: &mut fastrand::Rng) -> bool {
        let ends = |pod: &&Arc<Pod>| pod.deleting && (all || !never_ends(pod));
        let Some(key) = rng.choice(self.pods.values().filter(ends).map(|pod| pod.key.clone()).collect::<Vec<_>>())
        else {
            return false;
        };
        self.pods.remove(&key.uid);
        self.pod_watch.push_back(Event::PodRemoved(key));
        true
    }

    /// Creates a claim, changes it as another client, or deletes it.
    pub fn change_claim(&mut self, rng: &mut fastrand::Rng) {
        let name: Box<str> = format!("claim-{}", rng.u8(..3)).into();
        if rng.u8(..3) > 0 {
            let fields = rng.u8(..4).to_string();
            let uid = self.claims.get(&name).map(|claim| claim.uid.clone()).unwrap_or_else(|| self.uid());
            self.set_claim(name, uid, fields.into());
        } else if let Some(claim) = self.claims.remove(&name) {
            self.claim_watch.push_back(Event::ObjectRemoved(claim.key.clone()));
        }
    }

    /// Changes a claim, to cause an event for the plugins that read claims.
    pub fn set_claim_to_calm(&mut self) {
        let name: Box<str> = "claim-0".into();
        let uid = self.claims.get(&name).map(|claim| claim.uid.clone()).unwrap_or_else(|| self.uid());
        self.set_claim(name, uid, "calm".into());
    }

    /// Changes a claim as a plugin requested. Returns whether the claim exists.
    pub fn patch_claim(&mut self, name: &str, fields: &Arc<str>) -> bool {
        let Some(claim) = self.claims.get(name).cloned() else { return false };
        self.set_claim(name.into(), claim.uid.clone(), Arc::clone(fields));
        true
    }

    fn set_claim(&mut self, name: Box<str>, uid: Box<str>, fields: Arc<str>) {
        let key = ObjectKey { kind: claims().kind, namespace: "".into(), name: name.clone() };
        let claim = Arc::new(Object { key, uid, fields });
        self.claims.insert(name, Arc::clone(&claim));
        self.claim_watch.push_back(Event::ObjectSet(claim));
    }

    pub fn set_pod(&mut self, pod: Arc<Pod>) {
        self.pods.insert(pod.key.uid.clone(), Arc::clone(&pod));
        self.pod_watch.push_back(Event::PodSet(pod));
    }

    /// Returns the CPU requests and the number of the pods on a node.
    pub fn used(&self, node: &str) -> (i64, i64) {
        let on_it = self.pods.values().filter(|pod| &*pod.node_name == node);
        on_it.fold((0, 0), |sum, pod| (sum.0 + pod.requests.effective.milli_cpu, sum.1 + 1))
    }

    fn uid(&mut self) -> Box<str> {
        self.made += 1;
        format!("{:05}", self.made).into()
    }
}
