//! Tests with nodes of 10 cpu. Namespaces have the names `a`, `b` and `c`.

mod post_filter;
mod pre_filter;

use std::collections::BTreeMap;

use berth_guest::Outcome;
use berth_guest::pod::Id;
use berth_guest::post_filter::{Nomination, PostFilter, PostFilterResult};
use berth_guest::testing::{Host, PodBuilder, Rejections, node, pod};
use berth_guest::types::{Code, Status};

use super::Plugin;

/// The cpu of a node, in millicores.
const CAPACITY: i64 = 10_000;

/// The cluster of a test.
struct Scenario {
    host: Host<Plugin>,
    /// The pods on nodes, with their nodes.
    pods: BTreeMap<Id, (PodBuilder, String)>,
}

/// Makes a pod: name, namespace, cpu and priority.
fn a_pod(name: &str, namespace: &str, cpu: &str, priority: i32) -> PodBuilder {
    pod().name(name).namespace(namespace).label("app", name).cpu(cpu).priority(priority)
}

/// Returns the pod with a nominated node.
fn nominated(mut pod: PodBuilder, node: &str) -> PodBuilder {
    pod.0.nominated_node_name = node.to_owned();
    pod
}

fn unschedulable(reason: &str) -> Status {
    Status { code: Code::Unschedulable, reasons: vec![reason.to_owned()] }
}

impl Scenario {
    fn new(nodes: &[&str]) -> Scenario {
        let mut host = Host::new();
        host.set_time(1_000_000_000);
        nodes.iter().for_each(|name| host.node(node(name)));
        Scenario { host, pods: BTreeMap::new() }
    }

    /// Adds quotas: namespace, min and max in cpu.
    fn quotas(mut self, quotas: &[(&str, i64, i64)]) -> Scenario {
        for (namespace, min, max) in quotas {
            self.quota(namespace, "quota", &format!(r#"{{"min": {{"cpu": {min}}}, "max": {{"cpu": {max}}}}}"#));
        }
        self
    }

    fn quota(&mut self, namespace: &str, name: &str, spec: &str) {
        self.host.object("ElasticQuota", namespace, name, &format!(r#"{{"spec": {spec}}}"#));
    }

    /// Adds a pod to a node.
    fn place(&mut self, pod: PodBuilder, node: &str) -> Id {
        let id = self.host.resident(&pod, node);
        self.pods.insert(id, (pod, node.to_owned()));
        id
    }

    /// Adds a PodDisruptionBudget that allows no disruption of the pod with this name.
    fn protect(&mut self, namespace: &str, name: &str) {
        let fields = format!(r#"{{"spec": {{"selector": {{"matchLabels": {{"app": {name:?}}}}}}}}}"#);
        self.host.object("PodDisruptionBudget", namespace, name, &fields);
    }

    /// Runs the pre-filter. Returns the reason against the pod; empty if the pod passes.
    fn pre_filter(&mut self, pod: &PodBuilder) -> String {
        let Some((_, rejection)) = self.host.verdicts(pod).into_iter().next() else { panic!("the test has no node") };
        let Some(Status { code, reasons }) = rejection else { return String::new() };
        assert_eq!(code, Code::Unschedulable);
        reasons.join("; ")
    }

    /// Runs the post-filter. The filters of other plugins compare the cpu of the node.
    fn post_filter(&mut self, pod: &PodBuilder, rejections: Rejections<'_>) -> Outcome<PostFilter> {
        let pods = &self.pods;
        let cpu = |pod: &PodBuilder| pod.0.requests.fit.milli_cpu;
        self.host.post_filter(pod, rejections, |node, removed| {
            let remaining = pods.iter().filter(|(id, (_, on))| on == node && !removed.contains(id));
            let used: i64 = remaining.map(|(_, (pod, _))| cpu(pod)).sum();
            (used + cpu(pod) > CAPACITY).then(|| unschedulable("Insufficient cpu"))
        })
    }

    /// Returns the nomination of a pod.
    fn nomination(&mut self, pod: &PodBuilder) -> Nomination {
        match self.post_filter(pod, Rejections::default()).map(|answer| answer.result) {
            Ok(PostFilterResult::Nominate(nomination)) => nomination,
            other => panic!("no node is nominated: {other:?}"),
        }
    }

    /// Returns the nominated node and the names of the victims.
    fn nominate(&mut self, pod: &PodBuilder) -> (String, Vec<String>) {
        let Nomination { node, evict, .. } = self.nomination(pod);
        let victims = evict.iter().map(|id| self.pods[id].0.0.name.clone()).collect();
        (self.host.node_names()[node.at()].clone(), victims)
    }

    /// Returns the names of the victims.
    fn victims(&mut self, pod: &PodBuilder) -> Vec<String> {
        self.nominate(pod).1
    }

    /// Returns the reason why no node is nominated.
    fn no_room(&mut self, pod: &PodBuilder, rejections: Rejections<'_>) -> String {
        match self.post_filter(pod, rejections).map(|answer| answer.result) {
            Ok(PostFilterResult::Unschedulable { reasons, .. }) => reasons.join("; "),
            other => panic!("a node is nominated, or the plugin failed: {other:?}"),
        }
    }
}
