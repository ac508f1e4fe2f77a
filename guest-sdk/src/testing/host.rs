//! A host for tests. The host sends nodes and pods to a plugin as Berth does. One call asks the plugin about all nodes.

use std::collections::BTreeMap;

use super::schema::check_arguments;
use super::{NodeBuilder, PodBuilder};
use crate::bindings::base::exports::berth::scheduler::plugin::Declaration;
use crate::bindings::objects::exports::berth::scheduler::objects;
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{
    Change, Image, Node, PendingPod, ResidentPod, ScalarUsage, Usage,
};
use crate::plugin::Plugin;
use crate::types::{Normalization, Pod, PodIdentity, Scope, Status};
use crate::{Attempt, Guest, PreFilter, PreScore, Queued, Time, pod};

/// Runs the plugin `P` natively: sends it arguments, nodes, pods and objects, and calls its extension points.
///
/// # Panics
/// The functions of the host panic if the plugin answers a call with an error. Functions that look up the id of a
/// node also panic if there is no node of the given name.
pub struct Host<P: Plugin> {
    pub(super) guest: Guest<P>,
    declaration: Declaration,
    /// The nodes with their names. The index is the node's id. A removed node keeps its name and is `None`.
    nodes: Vec<(String, Option<NodeBuilder>)>,
    images: Vec<Image>,
    /// The pods on nodes, with the ids of their nodes. The index is the pod's id. `None` for a removed pod.
    pub(super) residents: Vec<Option<(PodBuilder, u32)>>,
    /// The pending pods by id. Their ids are no indexes of pods in `residents`.
    pending: BTreeMap<u32, PodBuilder>,
    /// The objects. The index is the object's id. `None` for a removed object.
    objects: Vec<Option<Object>>,
    /// The pods of the pod signatures. The index is the pod signature's id.
    signatures: Vec<Pod>,
    arguments: String,
    attempt: Attempt,
    /// The classes of nodes from the plugin's answers, by pod signature.
    pub(super) classes: BTreeMap<u32, KnownClasses>,
}

/// The class of each node for one pod signature, from the plugin's answers to `classify`.
#[derive(Debug, Default)]
pub(super) struct KnownClasses {
    /// The id of the latest cycle in which the plugin answered; 0 before the first answer.
    pub(super) known: u64,
    /// The class of each node, by node id.
    pub(super) of: BTreeMap<u32, u32>,
}

/// An object that the plugin reads, with its fields as JSON.
#[derive(Clone, Debug, PartialEq)]
struct Object {
    kind: String,
    namespace: String,
    name: String,
    fields: String,
}

impl Object {
    fn is(&self, kind: &str, namespace: &str, name: &str) -> bool {
        (self.kind.as_str(), self.namespace.as_str(), self.name.as_str()) == (kind, namespace, name)
    }
}

impl<P: Plugin> Default for Host<P> {
    fn default() -> Host<P> {
        Host::new()
    }
}

impl<P: Plugin> Host<P> {
    /// Starts the plugin without arguments.
    pub fn new() -> Host<P> {
        Host::with_args("{}").unwrap_or_else(|message| panic!("{message}"))
    }

    /// Starts the plugin with arguments in JSON. Returns the plugin's message if it refuses them.
    pub fn with_args(json: &str) -> Result<Host<P>, String> {
        let mut guest = Guest::default();
        let declaration = guest.configure(json)?;
        if let Some(schema) = P::SCHEMA {
            check_arguments(P::NAME, schema, json);
        }
        Ok(Host {
            guest,
            declaration,
            nodes: Vec::new(),
            images: Vec::new(),
            residents: Vec::new(),
            pending: BTreeMap::new(),
            objects: Vec::new(),
            signatures: Vec::new(),
            arguments: json.to_owned(),
            attempt: Attempt::default(),
            classes: BTreeMap::new(),
        })
    }

    /// Returns a host with a new instance of the plugin and the same nodes, pods and objects, except the pods on
    /// removed nodes. Objects are no longer assumed. Seed and time are 0. An [index](crate::index) that received all
    /// changes must give the same answers as a new index that receives only the current state.
    pub fn fresh(&self) -> Host<P> {
        let mut fresh = Host::with_args(&self.arguments).unwrap_or_else(|message| panic!("{message}"));
        self.nodes.iter().flat_map(|(_, node)| node).for_each(|node| fresh.node(node.clone()));
        for (pod, node) in self.residents.iter().flatten() {
            if let Some((name, Some(_))) = self.nodes.get(*node as usize) {
                fresh.resident(pod, name);
            }
        }
        for pod in self.pending.values() {
            fresh.pending(pod);
        }
        for object in self.objects.iter().flatten() {
            fresh.object(&object.kind, &object.namespace, &object.name, &object.fields);
        }
        fresh
    }

    /// Returns the plugin's declaration.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Sets the seed of the following cycles. The default is 0.
    pub fn set_seed(&mut self, seed: u64) {
        self.attempt.cycle.seed = seed;
    }

    /// Sets the time of the following cycles, in milliseconds since 1970. The default is 0.
    pub fn set_time(&mut self, time: i64) {
        self.attempt.time = Time(time);
    }

    /// Returns the names of all nodes, by id. Includes removed nodes.
    pub fn node_names(&self) -> Vec<String> {
        self.nodes.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Adds a node, or replaces the node of this name.
    pub fn node(&mut self, node: NodeBuilder) {
        let at =
            self.nodes.iter().position(|(name, known)| *name == node.name && known.is_some()).unwrap_or_else(|| {
                self.nodes.push((node.name.clone(), None));
                self.nodes.len() - 1
            });
        self.nodes[at].1 = Some(node.clone());
        let id = at as u32;
        let mut changes = self.image_changes(&node);
        let known = |name: &str| self.images.iter().find(|image| image.name == name).map(|image| image.id);
        let used = node.used;
        changes.push(Change::Node(Node {
            id,
            name: Some(node.name.clone()),
            uid: Some(format!("{}-{id}", node.name)),
            labels: Some(node.labels),
            annotations: Some(node.annotations),
            taints: Some(node.taints),
            unschedulable: Some(node.unschedulable),
            allocatable: Some(node.allocatable),
            images: Some(node.images.iter().filter_map(|(name, _)| known(name)).collect()),
            used_ports: Some(node.used_ports),
            conditions: Some(node.conditions),
            declared_features: Some(node.declared_features),
            capacity: Some(node.capacity),
            info: Some(node.info),
            fields: Some(node.fields),
        }));
        changes.push(Change::Usage(Usage {
            nodes: vec![id],
            milli_cpu: vec![used.milli_cpu],
            memory: vec![used.memory],
            ephemeral_storage: vec![used.ephemeral_storage],
            pods: vec![used.pods],
            non_zero_milli_cpu: vec![used.milli_cpu],
            non_zero_memory: vec![used.memory],
            scalars: used
                .scalars
                .into_iter()
                .map(|scalar| ScalarUsage { node: id, name: scalar.name, quantity: scalar.quantity })
                .collect(),
        }));
        changes.push(self.node_count());
        self.guest.apply(changes);
    }

    /// Removes a node.
    pub fn remove_node(&mut self, name: &str) {
        let id = self.id(name);
        self.nodes[id as usize].1 = None;
        let count = self.node_count();
        self.guest.apply(vec![Change::NodeRemoved(id), count]);
    }

    /// Adds a pod to a node, for plugins that read the pods on nodes. The pod's requests are not added to the node's
    /// usage.
    pub fn resident(&mut self, pod: &PodBuilder, node: &str) -> pod::Id {
        let id = pod::Id(self.residents.len() as u32);
        self.residents.push(None);
        self.change_resident(id, pod, node);
        id
    }

    /// Replaces the pod with this id, moves the pod to another node, or adds a removed pod again.
    pub fn change_resident(&mut self, id: pod::Id, pod: &PodBuilder, node: &str) {
        let node = self.id(node);
        self.residents[id.at()] = Some((pod.clone(), node));
        self.guest.apply(vec![Change::ResidentPod(ResidentPod { id: id.0, node, pod: pod.0.clone() })]);
    }

    /// Removes a pod from its node.
    pub fn remove_resident(&mut self, id: pod::Id) {
        self.residents[id.at()] = None;
        self.guest.apply(vec![Change::ResidentPodRemoved(id.0)]);
    }

    /// Adds a pending pod, for an [index](crate::index) that receives pending pods. To put the pod on a node, remove it
    /// and call [`resident`](Host::resident), as Berth does.
    pub fn pending(&mut self, pod: &PodBuilder) -> pod::Id {
        // Pending pods and pods on nodes share the ids.
        let id = pod::Id(self.residents.len() as u32);
        self.residents.push(None);
        self.change_pending(id, pod);
        id
    }

    /// Replaces the pending pod with this id.
    pub fn change_pending(&mut self, id: pod::Id, pod: &PodBuilder) {
        self.pending.insert(id.0, pod.clone());
        self.guest.apply(vec![Change::PendingPod(PendingPod { id: id.0, pod: pod.0.clone() })]);
    }

    /// Removes a pending pod.
    pub fn remove_pending(&mut self, id: pod::Id) {
        self.pending.remove(&id.0);
        self.guest.apply(vec![Change::PendingPodRemoved(id.0)]);
    }

    /// Adds or replaces an object. `kind` is the kind's name, such as `Service`. `fields` are the fields that the
    /// plugin reads, as JSON.
    ///
    /// # Panics
    /// Panics if the plugin does not read this kind.
    pub fn object(&mut self, kind: &str, namespace: &str, name: &str, fields: &str) {
        self.set_object(kind, namespace, name, fields, false);
    }

    /// Adds or replaces an assumed object, as the intent [`assume`](crate::intents::Intent::assume) does. The
    /// parameters are those of [`object`](Host::object).
    ///
    /// # Panics
    /// Panics if the plugin does not read this kind.
    pub fn assumed_object(&mut self, kind: &str, namespace: &str, name: &str, fields: &str) {
        self.set_object(kind, namespace, name, fields, true);
    }

    fn set_object(&mut self, kind: &str, namespace: &str, name: &str, fields: &str, assumed: bool) {
        let at = self.object_at(kind, namespace, name).unwrap_or_else(|| {
            self.objects.push(None);
            self.objects.len() - 1
        });
        let kinds = self.guest.kinds();
        let kind_at = kinds.iter().position(|known| known.name == kind);
        self.guest.apply_objects(vec![objects::Change::Object(objects::Object {
            id: at as u32,
            kind: kind_at.unwrap_or_else(|| panic!("{} reads no {kind}", P::NAME)) as u32,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: format!("{name}-{at}"),
            fields: fields.to_owned(),
            assumed,
        })]);
        let [kind, namespace, name, fields] = [kind, namespace, name, fields].map(str::to_owned);
        self.objects[at] = Some(Object { kind, namespace, name, fields });
    }

    /// Removes an object.
    ///
    /// # Panics
    /// Panics if the host has no such object.
    pub fn remove_object(&mut self, kind: &str, namespace: &str, name: &str) {
        let at = self.object_at(kind, namespace, name);
        let at = at.unwrap_or_else(|| panic!("the test host has no {kind} {namespace}/{name}"));
        self.objects[at] = None;
        self.guest.apply_objects(vec![objects::Change::ObjectRemoved(at as u32)]);
    }

    fn object_at(&self, kind: &str, namespace: &str, name: &str) -> Option<usize> {
        let is = |known: &Option<Object>| known.as_ref().is_some_and(|known| known.is(kind, namespace, name));
        self.objects.iter().position(is)
    }

    /// Returns the names of the nodes that the pod fits, in the order in which they were added.
    pub fn fits(&mut self, pod: &PodBuilder) -> Vec<String> {
        self.verdicts(pod).into_iter().filter(|(_, verdict)| verdict.is_none()).map(|(name, _)| name).collect()
    }

    /// Returns the reasons of a node's rejection; empty if [`verdict`](Host::verdict) returns `None`.
    pub fn reasons(&mut self, pod: &PodBuilder, node: &str) -> Vec<String> {
        self.verdict(pod, node).map_or(Vec::new(), |status| status.reasons)
    }

    /// Returns the code and reasons of a node's rejection. Returns `None` if the pod fits the node, if the pre-filter
    /// excludes the node by name, or if there is no node of this name.
    pub fn verdict(&mut self, pod: &PodBuilder, node: &str) -> Option<Status> {
        let verdicts = self.verdicts(pod).into_iter();
        verdicts.filter(|(name, _)| name == node).map(|(_, verdict)| verdict).next().flatten()
    }

    /// Runs the pre-enqueue. Returns why the pod may not enter the active queue; `None` if the pod may enter.
    pub fn held_back(&mut self, pod: &PodBuilder) -> Option<Status> {
        let signature = self.next_cycle(pod).signature;
        self.guest.pre_enqueue(signature).unwrap_or_else(|message| panic!("pre-enqueue: {message}"))
    }

    /// Returns true if the plugin does not apply to the pod.
    pub fn skips(&mut self, pod: &PodBuilder) -> bool {
        let signature = self.next_cycle(pod).signature;
        self.guest.skip(signature).unwrap_or_else(|message| panic!("skip: {message}"))
    }

    /// Panics if the plugin's `skip` returns true for the pod although `function` does not skip the pod. `answers` is
    /// true if `function` does not skip the pod.
    fn check_skip(&mut self, attempt: &Attempt, answers: bool, function: &str) {
        assert!(
            !answers || self.guest.skip(attempt.signature) != Ok(true),
            "{}: skip returned true, but {function} does not skip the pod",
            P::NAME
        );
    }

    /// Returns the sort key of a pod with these times in the queue.
    pub fn sort_key(&mut self, pod: &PodBuilder, queued: Queued) -> Vec<i64> {
        let signature = self.next_cycle(pod).signature;
        self.guest.sort_key(signature, queued).unwrap_or_else(|message| panic!("queue-sort: {message}"))
    }

    /// Runs pre-filter and filter. Returns the names of the nodes with their verdicts; `None` if the pod fits. Nodes
    /// that the pre-filter excludes by name are absent. If the pre-filter skips, the pod fits all nodes. If the
    /// pre-filter rejects the pod, all nodes have this rejection.
    pub fn verdicts(&mut self, pod: &PodBuilder) -> Vec<(String, Option<Status>)> {
        let verdicts = self.verdicts_by_node(pod);
        self.check_verdicts_by_class(pod, &verdicts);
        verdicts
    }

    fn verdicts_by_node(&mut self, pod: &PodBuilder) -> Vec<(String, Option<Status>)> {
        let cycle = self.next_cycle(pod);
        let existing_nodes = self.existing_nodes();
        let before = self.guest.pre_filter(&cycle).unwrap_or_else(|message| panic!("pre-filter: {message}"));
        let filters = P::DECLARED.pre_filter.is_some() && !matches!(before, PreFilter::Skip);
        self.check_skip(&cycle, filters, "pre-filter");
        let narrowed = match before {
            PreFilter::Skip => return existing_nodes.into_iter().map(|(_, name)| (name, None)).collect(),
            PreFilter::Reject(rejection) => {
                return existing_nodes.into_iter().map(|(_, name)| (name, Some(rejection.clone().into()))).collect();
            }
            PreFilter::All => existing_nodes,
            PreFilter::Narrow(names) => existing_nodes.into_iter().filter(|(_, name)| names.contains(name)).collect(),
        };
        let ids: Vec<u32> = narrowed.iter().map(|(id, _)| *id).collect();
        let verdicts = self.guest.filter(&cycle, &ids).unwrap_or_else(|message| panic!("filter: {message}"));
        let outcome = |number: &u16| number.checked_sub(1).map(|at| verdicts.outcomes[usize::from(at)].clone());
        narrowed.into_iter().map(|(_, name)| name).zip(verdicts.nodes.iter().map(outcome)).collect()
    }

    /// Returns the normalized scores by node name: 0 to 100, before the plugin's weight. Empty if pre-score skips.
    pub fn scores(&mut self, pod: &PodBuilder) -> BTreeMap<String, i64> {
        let existing_nodes = self.existing_nodes();
        self.normalized(pod, existing_nodes)
    }

    /// Returns the normalized scores by node name if only `nodes` passed the filters. Empty if pre-score skips.
    pub fn scores_among(&mut self, pod: &PodBuilder, nodes: &[&str]) -> BTreeMap<String, i64> {
        let passed = nodes.iter().map(|name| (self.id(name), (*name).to_owned())).collect();
        self.normalized(pod, passed)
    }

    fn normalized(&mut self, pod: &PodBuilder, nodes: Vec<(u32, String)>) -> BTreeMap<String, i64> {
        let (cycle, ids, mut scores) = self.raw(pod, &nodes);
        let highest = scores.iter().copied().max().unwrap_or_default().max(0);
        match self.declaration.normalization {
            Normalization::None => (),
            Normalization::Custom if scores.is_empty() => (),
            Normalization::Custom => {
                let normalized = self.guest.normalize(&cycle, &ids, scores);
                scores = normalized.unwrap_or_else(|message| panic!("normalize: {message}"));
            }
            // The formulas of kube-scheduler's DefaultNormalizeScore. If all scores are 0, reversing gives 100.
            Normalization::Default => scores.iter_mut().for_each(|score| *score = 100 * *score / highest.max(1)),
            Normalization::DefaultReversed => {
                scores.iter_mut().for_each(|score| *score = 100 - 100 * *score / highest.max(1));
            }
        }
        if !scores.is_empty() {
            self.check_scores_by_class(pod, &nodes, &scores);
        }
        for score in &scores {
            assert!((0..=100).contains(score), "{} gives a score of {score}", P::NAME);
        }
        nodes.into_iter().map(|(_, name)| name).zip(scores).collect()
    }

    /// Returns the raw scores by node name if only `nodes` passed the filters. Empty if pre-score skips.
    pub fn raw_scores_among(&mut self, pod: &PodBuilder, nodes: &[&str]) -> BTreeMap<String, i64> {
        let passed: Vec<_> = nodes.iter().map(|name| (self.id(name), (*name).to_owned())).collect();
        let scores = self.raw(pod, &passed).2;
        passed.into_iter().map(|(_, name)| name).zip(scores).collect()
    }

    /// Returns the raw scores by node name if all nodes passed the filters. Empty if pre-score skips.
    pub fn raw_scores(&mut self, pod: &PodBuilder) -> BTreeMap<String, i64> {
        let existing_nodes = self.existing_nodes();
        let scores = self.raw(pod, &existing_nodes).2;
        existing_nodes.into_iter().map(|(_, name)| name).zip(scores).collect()
    }

    fn raw(&mut self, pod: &PodBuilder, nodes: &[(u32, String)]) -> (Attempt, Vec<u32>, Vec<i64>) {
        let cycle = self.next_cycle(pod);
        let ids: Vec<u32> = nodes.iter().map(|(id, _)| *id).collect();
        // As in Berth: with scope `node`, the answer must not depend on other nodes, so pre-score gets no nodes.
        let passed: &[u32] = if self.declaration.score_scope == Scope::Node { &[] } else { &ids };
        let before = self.guest.pre_score(&cycle, passed).unwrap_or_else(|message| panic!("pre-score: {message}"));
        self.check_skip(&cycle, P::DECLARED.pre_score.is_some() && before == PreScore::Score, "pre-score");
        let scores = match before {
            PreScore::Skip => Vec::new(),
            PreScore::Score => self.guest.score(&cycle, &ids).unwrap_or_else(|message| panic!("score: {message}")),
        };
        (cycle, ids, scores)
    }

    /// Starts a new cycle for this pod. Pods with equal facts share a pod signature.
    pub(super) fn next_cycle(&mut self, pod: &PodBuilder) -> Attempt {
        let signature = self.signatures.iter().position(|held| *held == pod.0).unwrap_or_else(|| {
            self.guest.add_signature(self.signatures.len() as u32, pod.0.clone());
            self.signatures.push(pod.0.clone());
            self.signatures.len() - 1
        });
        self.attempt.cycle.id += 1;
        self.attempt.signature = signature as u32;
        self.attempt
    }

    /// Returns the cycle of the previous call, with the pod signature of `pod`, to call a later step of this cycle.
    pub(super) fn same_cycle(&mut self, pod: &PodBuilder) -> Attempt {
        let id = self.attempt.cycle.id;
        self.next_cycle(pod);
        self.attempt.cycle.id = id;
        self.attempt
    }

    /// Returns the id of the pod signature of the previous call's pod.
    pub(super) fn last_signature(&self) -> u32 {
        self.attempt.signature
    }

    pub(super) fn existing_nodes(&self) -> Vec<(u32, String)> {
        (0..)
            .zip(&self.nodes)
            .filter(|(_, (_, node))| node.is_some())
            .map(|(id, (name, _))| (id, name.clone()))
            .collect()
    }

    pub(super) fn id(&self, name: &str) -> u32 {
        let is_named = |(known, node): &(String, Option<NodeBuilder>)| known == name && node.is_some();
        let at = self.nodes.iter().position(is_named).unwrap_or_else(|| panic!("the test host has no node {name:?}"));
        at as u32
    }

    fn node_count(&self) -> Change {
        Change::NodeCount(self.nodes.iter().filter(|(_, node)| node.is_some()).count() as u32)
    }

    /// Adds the images of `node` to the known images. Returns changes with all images and the number of nodes of each.
    fn image_changes(&mut self, node: &NodeBuilder) -> Vec<Change> {
        for (name, size) in &node.images {
            if !self.images.iter().any(|image| image.name == *name) {
                self.images.push(Image { id: self.images.len() as u32, name: name.clone(), size: *size, nodes: 0 });
            }
        }
        let nodes = &self.nodes;
        let nodes_with = |image: &str| {
            let existing = nodes.iter().filter_map(|(_, node)| node.as_ref());
            existing.filter(|node| node.images.iter().any(|(name, _)| name == image)).count() as u32
        };
        for image in &mut self.images {
            image.nodes = nodes_with(&image.name);
        }
        self.images.iter().cloned().map(Change::Image).collect()
    }
}

/// Returns the pod's identity, as the host passes it where a plugin acts for one pod.
pub(super) fn identity(pod: &PodBuilder) -> PodIdentity {
    let Pod { namespace, name, uid, .. } = &pod.0;
    PodIdentity { namespace: namespace.clone(), name: name.clone(), uid: uid.clone() }
}
